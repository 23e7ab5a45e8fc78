"""The Action's shell: what each zone is given, and the network of the pipeline."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from evaluator.zones.egress import read_rules
from tests.runner import Runner, names_in

# What was judged


def judged(runner: Runner, commands: str, **variables: str) -> str:
    """Run commands where a judge's key is granted and tier full was chosen."""
    given = {"ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-secret", **variables}
    return runner.attempt(f"check_inputs; grant_judge; tier=full; {commands}", **given)


def stream(runner: Runner, *names: str) -> Path:
    """A stream of what leaves the zone that judges."""
    path = runner.folder / "out.tar"
    with tarfile.open(path, "w") as tar:
        for name in names:
            (runner.folder / name).write_text(f"new {name}")
            tar.add(runner.folder / name, arcname=name)
    return path


def test_what_was_judged_is_kept_for_the_next_run(runner: Runner) -> None:
    """As bytes, at the one place that is restored and saved."""
    file = runner.folder / "temporary" / "judged" / "judge-cache.sqlite"

    judged(runner, f"keep_judged {stream(runner, 'scored.tar', 'judge-cache.sqlite')}")

    assert file.read_text() == "new judge-cache.sqlite"
    assert runner.outputs["judge-cache"] == str(file.parent)
    assert judged(runner, 'parts=(); take_kept; echo "${parts[@]}"; cat "$temporary/$KEPT"').splitlines() == [
        "judge-cache.sqlite", "new judge-cache.sqlite",
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("scored.tar",), ()])
def test_nothing_new_is_not_saved_again(names: tuple[str, ...], runner: Runner) -> None:
    """Nor is a stream that broke off."""
    judged(runner, f"keep_judged {stream(runner, *names)}")
    path = stream(runner, "judge-cache.sqlite")
    path.write_bytes(path.read_bytes()[:600])
    judged(runner, f"keep_judged {path}")

    assert "judge-cache" not in runner.outputs


@pytest.mark.parametrize("variables", [{"JUDGE_KEY": ""}, {"ASSAY_JUDGE_KEY_ENV": ""}])
def test_without_a_key_nothing_is_taken_over(variables: dict[str, str], runner: Runner) -> None:
    """There is nothing that could tell our entries from somebody's."""
    judged(runner, f"keep_judged {stream(runner, 'judge-cache.sqlite')}")

    assert judged(runner, 'parts=(); take_kept; echo "${parts[@]}"', **variables) == ""


def started(runner: Runner, tier: str, **variables: str) -> list[str]:
    """The calls of docker by which the answers are scored."""
    runner.docker(
        f'[ $1 != run ] || echo "$*" >>{runner.folder}/calls\n'
        f'case "$*" in *" action score "*) cat {stream(runner, "scored.tar")};; *" action log "*) cat >&2;; esac'
    )
    prepared = 'touch "$temporary/tree.tar" "$temporary/sealed.tar" "$temporary/fetched.tar"; image=ours'
    runner.attempt(
        f"check_inputs; grant_judge; {prepared}; tier={tier}; source=base; "
        f"score_answers --config rag-assay.yml --tier {tier}",
        ASSAY_JUDGE_HOSTS="llm.example.com", **variables,
    )  # fmt: skip
    return (runner.folder / "calls").read_text().splitlines()


def telling(runner: Runner, commands: str, zone: str = "true", **variables: str) -> list[str]:
    """The calls of docker by which GitHub is told; ``zone`` is what its zone does in this shell."""
    kept = f'echo "$*" >>{runner.folder}/calls; cat >{runner.folder}/given.tar'
    runner.docker(f"[ $1 != run ] || {{ {kept}; {zone}; }}")
    (runner.folder / "calls").write_text("")
    runner.attempt(f"check_inputs; image=ours; {commands}", **variables)
    return (runner.folder / "calls").read_text().splitlines()


DECIDED = 'for name in comment.md decision.json publication.json; do echo "{}" >"$temporary/$name"; done; '


def test_who_publishes_gets_the_token_and_finished_text(runner: Runner) -> None:
    """The token goes by its name, with a network and what is known of the run; and no file but the report's."""
    (begun,) = telling(runner, "announce", ASSAY_CHECK="true", ASSAY_VARIANT="py 3.12")
    given = names_in(runner.folder / "given.tar")
    (ended,) = telling(runner, f"{DECIDED} suite_name='Our shop'; publish_decision", ASSAY_COMMENT="on-failure")

    assert "--network bridge --env GITHUB_TOKEN --env=GITHUB_ACTOR --env=GITHUB_API_URL" in begun
    assert "action publish --config rag-assay.yml --suite  --comment always --status --check" in begun
    assert "--variant py 3.12 --leg " in begun
    assert begun.endswith(" --pending")
    assert "--suite Our shop --comment on-failure --status --variant" in ended
    assert " --nonce " in ended
    assert "ghs_very_secret" not in begun + ended
    assert given == {"event.json"}
    assert names_in(runner.folder / "given.tar") == {"comment.md", "decision.json", "event.json", "publication.json"}


@pytest.mark.parametrize(
    ("content", "trusted"), [("-----BEGIN CERTIFICATE-----\nabc\n", True), ("x" * 100_001, False), (None, False)]
)
def test_certificates_of_the_machine_go_to_zones_with_a_network(
    content: str | None, trusted: bool, runner: Runner
) -> None:
    """By a variable, which no other zone sees; what is no such file is a warning."""
    file = runner.folder / "own.pem"
    if content is not None:
        file.write_text(content)
    calls = telling(runner, "announce; start seal ours -- action seal </dev/null", NODE_EXTRA_CA_CERTS=str(file))

    assert ["--env RAG_ASSAY_CA" in call for call in calls] == [trusted, False]
    assert len(calls) == 2


def test_no_other_zone_gets_the_token(runner: Runner) -> None:
    """Not even one with a network."""
    assert [call for call in started(runner, "full", **KEYED) if "GITHUB_TOKEN" in call] == []


def test_a_run_without_a_verdict_is_told_once(runner: Runner) -> None:
    """What ends a run is told as an error, if it was told that there is a run (G18)."""
    calls = telling(runner, "announce; stop 4 'the zone collect was killed'")

    assert len(calls) == 2
    assert calls[1].endswith("--failure the zone collect was killed")
    assert telling(runner, "stop 4 'no docker'") == []


def test_a_cancelled_run_does_not_stay_pending(runner: Runner) -> None:
    """Its status is an error; its comment and issue are left to the run that may come after it."""
    begun, ended = telling(runner, "announce; cancelled", ASSAY_ISSUE="true")

    assert ended.endswith("--failure the run was cancelled")
    assert ("--comment always" in begun, "--comment off" in ended) == (True, True)
    assert ("--issue" in begun, "--issue" in ended) == (True, False)


@pytest.mark.parametrize(
    "zone", ["exit 1", "exit 2", "exit 137", "head -c 2000 /dev/zero", "echo no comment", "kill -9 $PPID"]
)
def test_whatever_becomes_of_publishing_the_run_goes_on(zone: str, runner: Runner) -> None:
    """A zone that fails, is killed or writes nonsense costs a warning and nothing else (G18)."""
    telling(runner, f"output zones passed; {DECIDED} publish_decision; output reached end", zone)

    assert (runner.outputs["zones"], runner.outputs["reached"]) == ("passed", "end")
    assert "exit-code" not in runner.outputs


def test_what_could_not_be_told_is_one_warning(runner: Runner) -> None:
    """A sentence of the zone is shown as what it is, whatever it holds (G4, G15)."""
    runner.docker("[ $1 != run ] || { cat >/dev/null; printf 'forbidden 100%%\\n::set-output name=x::y'; }")
    said = runner.attempt(f"check_inputs; image=ours; {DECIDED} publish_decision")

    assert [line for line in said.splitlines() if line.startswith("::")] == [
        "::warning title=RAG Assay::forbidden 100%25%0A::set-output name=x::y"
    ]


def test_with_everything_switched_off_nothing_is_started(runner: Runner) -> None:
    """No container, no token."""
    off = {"ASSAY_COMMENT": "off", "ASSAY_STATUS": "false"}

    assert telling(runner, "announce; stop 4 'killed'", **off) == []
    assert len(telling(runner, "announce; stop 4 'killed'", ASSAY_ISSUE="true", **off)) == 2


KEYED = {"ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-very-secret"}


def test_only_a_judge_gets_a_key_and_a_network(runner: Runner) -> None:
    """By name, with what it prints going through a zone that takes the key out, and with the hosts it may ask."""
    score, log = sorted(started(runner, "full", **KEYED), key=lambda call: " action log " in call)

    assert "--network bridge --env=JUDGE_KEY" in score
    assert "score --key=JUDGE_KEY --host llm.example.com --commit" in score
    assert "--network none" not in score
    assert "--env=JUDGE_KEY" in log
    assert "action log --key=JUDGE_KEY" in log
    assert "--network none" in log
    assert "sk-very-secret" not in score + log


def test_in_tier_retrieval_scoring_gets_neither(runner: Runner) -> None:
    """The key may be there for other runs of the same workflow."""
    (score,) = started(runner, "retrieval", **KEYED)

    assert "JUDGE_KEY" not in score
    assert "llm.example.com" not in score
    assert "--network none" in score


def test_judging_has_time_of_its_own(runner: Runner) -> None:
    """As the workflow says, in tier full alone; who listens stays longer."""
    said = runner.shell("for tier in retrieval full; do seconds_of score; echo; seconds_of score-log; echo; done")

    plain, listens, judges, hears = map(int, said.splitlines())
    assert (plain, judges) == (1800, 3900)
    assert (listens > plain, hears > judges) == (True, True)


def test_what_prepare_tells_is_of_a_known_form(runner: Runner) -> None:
    """The tier and the suite's name are handed to other zones and to the workflow, so nothing else passes."""

    def told(text: str) -> dict[str, str]:
        about = runner.folder / "prepared" / ".rag-assay" / "about"
        about.parent.mkdir(parents=True, exist_ok=True)
        about.write_text(text)
        tar = f'tar --create --directory {runner.folder}/prepared --file "$temporary/prepared.tar" ./.rag-assay/about'
        (runner.folder / "output").write_text("")
        runner.attempt(f"{tar}; read_about")
        return runner.outputs

    assert told("shop\nfull\nOur shop\nsome\nours\n")["tier"] == "full"
    wrong = (
        "shop\nfuller\nShop\nsome\nours\n", "shop\n", "../x\nfull\nShop\nsome\nours\n", "", "shop\nfull\n",
        "shop\nfull\nsh\rop\nsome\nours\n", "shop\nfull\nShop\n", "shop\nfull\nShop\nnothing\nours\n",
    )  # fmt: skip
    assert [told(text).get("exit-code") for text in wrong] == ["4"] * 8


# The network of the pipeline


@pytest.mark.parametrize(
    "hosts",
    [
        "",
        "https://api.example.com",
        "*",
        "*.com",
        "a..b",
        "host:0",
        "host:x",
        "a;b",
        "$(id)",
        "-x",
        "[::1",
        "a.b:65536",
    ],
)
def test_egress_without_a_host_that_can_be_is_a_mistake(runner: Runner, hosts: str) -> None:
    """Before a container is started, with the input's name."""
    runner.attempt("check_inputs", ASSAY_NETWORK="egress", ASSAY_EGRESS_HOSTS=hosts)

    assert runner.outputs["exit-code"] == "2"
    assert "egress-hosts" in runner.summary


def test_hosts_are_handed_on_as_they_are_written(runner: Runner) -> None:
    """One a line, or separated by spaces or commas; what the scripts let through is what the proxy takes."""
    hosts = "api.example.com, *.Example.org:8443\n10.0.0.5:8000 [2001:db8::1]:80 qdrant:6333\nlast.example.com."
    said = runner.attempt(
        'check_inputs; printf "%s\n" "${egress_hosts[@]}"', ASSAY_NETWORK="egress", ASSAY_EGRESS_HOSTS=hosts
    )

    given = [line for line in said.splitlines() if line != "--host"]
    assert given == [
        "api.example.com", "*.Example.org:8443", "10.0.0.5:8000", "[2001:db8::1]:80", "qdrant:6333",
        "last.example.com.",
    ]  # fmt: skip
    assert len(read_rules(given)) == 6


@pytest.mark.parametrize(("zone", "goes"), [("egress", True), ("fetch", True), ("collect", False), ("decide", False)])
def test_the_machines_proxy_is_for_zones_that_go_out(runner: Runner, zone: str, *, goes: bool) -> None:
    """Handed on by name, so that no list of processes shows its password; not one at the machine's loopback."""
    calls = containers(
        runner, f"start {zone} ours -- action {zone}", HTTPS_PROXY="http://me:pw@proxy.corp:3128",
        http_proxy="http://127.0.0.1:9",
    )  # fmt: skip

    (call,) = calls
    words = call.split()
    assert ("HTTPS_PROXY" in words) is goes
    assert ("HTTPS_PROXY=" in words) is not goes
    assert "http_proxy" not in words
    assert "pw@" not in call


def containers(runner: Runner, commands: str, **variables: str) -> list[str]:
    """The containers that commands start: docker's arguments of each."""
    runner.docker(f'[ "$1" != run ] || echo "$@" >>{runner.folder}/started')
    (runner.folder / "started").touch()
    runner.attempt(commands, **variables)
    return (runner.folder / "started").read_text().splitlines()


def test_a_container_ends_by_itself_after_its_zone_should_have(runner: Runner) -> None:
    """Should a runner die with nobody left to end what it started."""
    (call,) = containers(runner, "start collect ours -- action collect", ASSAY_COLLECT_TIMEOUT="100")

    limits = runner.attempt("seconds_of collect", ASSAY_COLLECT_TIMEOUT="100")
    assert int(limits) > 100
    assert f"RAG_ASSAY_SECONDS={int(limits) + 60}" in call
