"""The Action's shell: what a workflow may say, and who is granted what."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import Runner, names_in


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("tier", "ful", "one of: auto retrieval full"),
        ("install-policy", "", "one of: hashes wheels source"),
        ("network", "container:judge", "the name of a docker network"),
        ("network", "-v", "the name of a docker network"),
        ("network", "", "the name of a docker network"),
        ("egress-hosts", "api.example.com", "is for network: egress"),
        ("fail-on", "always", "one of: inconclusive regression never"),
        ("upload", "all", "one of: report full none"),
        ("collect-timeout", "1h", "a number of seconds"),
        ("collect-timeout", "0", "a number of seconds"),
        ("retention-days", "ten", "a number of days"),
        ("python", "3", "a version such as"),
        ("python", "3.12; id", "a version such as"),
        ("config", "../rag-assay.yml", "a path in the repository"),
        ("config", "/etc/passwd", "a path in the repository"),
        ("config", "", "a path in the repository"),
        ("baseline-file", "a/../../b", "a path in the repository"),
        ("requirements", "/requirements.txt", "a path in the repository"),
        ("include", "missing", "does not exist"),
        ("include", "../up", "a path in the repository"),
        ("pipeline-env", "A-B", "no name of a variable"),
        ("pipeline-env", "$(id)", "no name of a variable"),
        ("pipeline-env", "NOT_SET_ANYWHERE", "is not set"),
        ("pipeline-env", "GITHUB_TOKEN", "never granted"),
        ("pipeline-env", "actions_runtime_token", "never granted"),
        ("pipeline-env", "RUNNER_TEMP", "never granted"),
        ("pipeline-env", "INPUT_KEY", "never granted"),
        ("pipeline-env", "ASSAY_TIER", "never granted"),
        ("pipeline-env", "LD_PRELOAD", "never granted"),
        ("pipeline-env", "PYTHONPATH", "never granted"),
        ("judge-key-env", "A-B", "no name of a variable"),
        ("judge-key-env", "NOT_SET_ANYWHERE", "is not set"),
        ("judge-key-env", "GITHUB_TOKEN", "never granted"),
        ("judge-key-env", "PATH", "never granted"),
        ("judge-hosts", "https://llm.example.com", "no host"),
        ("judge-hosts", "llm.example.com/v1", "no host"),
        ("judge-hosts", "llm.example.com:x", "no host"),
        ("judge-hosts", "me@llm.example.com", "no host"),
        ("judge-hosts", "*.example.com", "no host"),
        ("judge-hosts", "--keep", "no host"),
        ("judge-timeout", "1h", "a number of seconds"),
    ],
)
def test_an_input_that_cannot_be_is_a_mistake(name: str, value: str, says: str, runner: Runner) -> None:
    """Exit code 2, the input's name and what it can be."""
    runner.attempt("check_inputs", **{f"ASSAY_{name.upper().replace('-', '_')}": value})

    assert runner.outputs["exit-code"] == "2"
    assert f"the input {name} " in runner.summary
    assert says in runner.summary


@pytest.mark.parametrize("out", [".", "..", "a/..", "/srv/x", "", "src", "a b", "$(id)", "-rf"])
def test_the_folder_of_the_report_has_to_be_one_of_its_own(out: str, runner: Runner) -> None:
    """It is removed before each run: nothing that somebody needs may be named, and nothing is removed then."""
    runner.commit("source", files={"src/app.py": "x"})

    runner.attempt("true", ASSAY_OUT=out)

    assert runner.outputs["exit-code"] == "2"
    assert "the input out " in runner.summary
    assert (runner.repo / "src" / "app.py").exists()
    assert "report" not in runner.outputs


def test_grants_are_names_and_never_values(runner: Runner) -> None:
    """Docker is given the names: a value on a command line could be read by every process of the machine."""
    said = runner.attempt(
        'check_inputs; whose=ours; grant; echo "${grants[@]}"; echo "${keys[@]}"',
        ASSAY_PIPELINE_ENV="RAG_KEY, OTHER\n\tRAG_URL", RAG_KEY="sk-secret", OTHER="o", RAG_URL="",
    )  # fmt: skip

    assert "--env RAG_KEY --env OTHER --env RAG_URL" in said
    assert "--key RAG_KEY --key OTHER --key RAG_URL" in said
    assert "sk-secret" not in said
    assert "::warning title=RAG Assay::RAG_URL is empty" in said


JUDGING = 'check_inputs; grant_judge; echo "${judge_grants[@]}"; echo "${judge_keys[@]}"; echo "${hosts[@]}"'


def test_the_judges_key_is_granted_by_its_name(runner: Runner) -> None:
    """An empty one, as a secret is that does not exist, is granted to nobody; hosts are handed on as they are."""
    said = runner.attempt(
        JUDGING, ASSAY_JUDGE_KEY_ENV="JUDGE_KEY, OTHER\nEMPTY", JUDGE_KEY="sk-secret", OTHER="o", EMPTY="",
        ASSAY_JUDGE_HOSTS="llm.example.com, 10.0.0.5:8000\n[::1]:1",
    )  # fmt: skip

    assert said.splitlines() == [
        "--env=JUDGE_KEY --env=OTHER", "--key=JUDGE_KEY --key=OTHER",
        "--host llm.example.com --host 10.0.0.5:8000 --host [::1]:1",
    ]  # fmt: skip


def test_the_pipeline_and_the_judge_do_not_share_a_key(runner: Runner) -> None:
    """What the pipeline sees, its code may send anywhere."""
    runner.attempt("check_inputs", ASSAY_JUDGE_KEY_ENV="KEY", ASSAY_PIPELINE_ENV="RAG_KEY KEY", KEY="k", RAG_KEY="r")

    assert runner.outputs["exit-code"] == "2"
    assert "judge-key-env names KEY, which pipeline-env grants to the pipeline" in runner.summary


def prepared(runner: Runner, tmp_path: Path, whose: str, **variables: str) -> tuple[str, list[str]]:
    """What is granted once the zone prepare has said whose a change is; and the calls of docker by then."""
    about = tmp_path / ".rag-assay" / "about"
    about.parent.mkdir()
    about.write_text(f"shop\nfull\nShop\nsome\n{whose}\n")
    tar = f"tar --create --directory {tmp_path} ./.rag-assay/about"
    runner.docker(f'[ $1 != run ] || {{ echo "$*" >>{tmp_path}/calls; cat >{tmp_path}/given.tar; {tar}; }}')
    commands = (
        'pack_repository; suite=(); hidden=(); prepare_repository; echo "granted ${grants[*]} ${judge_grants[*]}"'
    )
    said = runner.attempt(f"check_inputs; image=ours; {commands}", **variables)
    return said, (tmp_path / "calls").read_text().splitlines()


BOTH = {
    "ASSAY_PIPELINE_ENV": "RAG_KEY", "RAG_KEY": "sk-rag", "ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-judge",
}  # fmt: skip


@pytest.mark.parametrize(("whose", "granted"), [("ours", "--env RAG_KEY --env=JUDGE_KEY"), ("stranger", "")])
def test_a_strangers_pull_request_gets_no_key(whose: str, granted: str, runner: Runner, tmp_path: Path) -> None:
    """G4, G6: even where there is one. The zone that says whose it is gets the event and no key either."""
    said, (call,) = prepared(runner, tmp_path, whose, GITHUB_ACTOR="eve", **BOTH)

    assert said.splitlines()[-1].removeprefix("granted").strip() == granted
    assert "--event pull_request --actor eve --key=JUDGE_KEY --granted=RAG_KEY" in call
    assert "--env RAG_KEY" not in call
    assert "JUDGE_KEY" not in call.partition(" action ")[0]
    assert "event.json" in names_in(tmp_path / "given.tar")


@pytest.mark.parametrize("whose", ["", "mine", "ours too"])
def test_who_a_stranger_is_has_to_be_said(whose: str, runner: Runner, tmp_path: Path) -> None:
    """Nothing is granted for want of an answer."""
    said, _ = prepared(runner, tmp_path, whose, **BOTH)

    assert "granted" not in said
    assert runner.outputs["exit-code"] == "4"


def test_an_own_image_brings_its_own_packages(runner: Runner) -> None:
    """Both at once would leave open which of them runs."""
    runner.attempt("check_inputs", ASSAY_IMAGE="team/app", ASSAY_REQUIREMENTS="requirements.txt")

    assert runner.outputs["exit-code"] == "2"
