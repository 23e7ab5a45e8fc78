"""Whom the judge's key may go to, and which tier comes of what happened."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.zones import judging
from evaluator.zones.judging import Granted, Happened, may_ask
from evaluator.zones.prepare import Preparation, prepare
from tests.zones import changed, event_of, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from pathlib import Path

JUDGE = {"provider": "openai", "model": "m", "api_key_env": "JUDGE_KEY", "when": ["prompts/**"]}
KEYS = Granted(("JUDGE_KEY",))


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("https://llm.example.com/v1", ["llm.example.com"]),
        ("https://LLM.example.com:443", ["llm.Example.com"]),
        ("http://10.0.0.5:8000/v1", ["10.0.0.5:8000"]),
        ("https://llm.example.com:8443/a/b?c", ["llm.example.com:8443"]),
        ("http://llm.example.com/v1", ["llm.example.com:80"]),
        ("http://[::1]:8000/v1", ["[::1]:8000"]),
    ],
)
def test_a_host_that_is_named_may_be_asked(address: str, hosts: list[str]) -> None:
    """By https on its usual port, or by whatever is named with a port."""
    assert may_ask(address, hosts)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/v1",
        "https://llm.example.com.evil.example/v1",
        "https://evil.example/llm.example.com",
        "https://evil.example?llm.example.com",
        "https://evil.example#llm.example.com",
        "https://llm.example.com@evil.example/v1",
        "https://evil.example\\@llm.example.com/v1",
        "https://user:pw@llm.example.com/v1",
        "http://llm.example.com/v1",
        "http://llm.example.com:443/v1",
        "https://llm.example.com:8443/v1",
        "https://llm.example.com./v1",
        "https://llm.example.com\t/v1",
        "https://llm.example.com/v1\n",
        "https://llm.example.com /v1",
        "https://llm。example.com/v1",
        "//llm.example.com/v1",
        "file://llm.example.com/v1",
        "llm.example.com",
        "",
    ],
)
def test_no_other_address_gets_the_key(address: str) -> None:
    """Whatever only looks like the host, would go to it in the clear, or could be read by another program otherwise."""
    assert not may_ask(address, ["llm.example.com"])


def checked(tmp_path: Path, *hosts: str, **judge: Any) -> None:
    """Hold a configuration's judge to what may be asked."""
    write_repository(tmp_path / "repo", judge=JUDGE | judge)
    place = site(tmp_path / "zone")
    place.take_tree(tree_of(tmp_path / "repo"))
    judging.check(place.workspace(), place.root, Granted(("JUDGE_KEY",), hosts))


@pytest.mark.parametrize(
    "judge",
    [
        {},
        {"base_url": "https://api.openai.com/v1"},
        {"provider": "anthropic"},
        {"provider": "anthropic", "base_url": "https://api.anthropic.com"},
        {"base_url": "https://llm.example.com/v1"},
        {"provider": "scripted", "model": "rag-assay.yml"},
        {"embeddings": {"provider": "openai", "model": "e", "base_url": "https://llm.example.com/v1"}},
    ],
)
def test_a_provider_is_asked_at_its_own_address_or_one_that_is_named(judge: dict[str, Any], tmp_path: Path) -> None:
    """Nothing else has to be said of it."""
    checked(tmp_path, "llm.example.com", **judge)


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ({"api_key_env": "HOME"}, r"judge\.api_key_env is HOME, which the input judge-key-env does not name"),
        (
            {"embeddings": {"provider": "openai", "model": "e", "api_key_env": "HOME"}},
            r"judge\.embeddings\.api_key_env is HOME",
        ),
        ({"base_url": "https://evil.example/v1"}, r"judge\.base_url is https://evil\.example/v1, which is neither"),
        ({"base_url": "https://api.anthropic.com"}, r"judge\.base_url is"),
        ({"base_url": "http://api.openai.com/v1"}, r"judge\.base_url is"),
        (
            {"embeddings": {"provider": "openai", "model": "e", "base_url": "https://evil.example"}},
            r"judge\.embeddings\.base_url is",
        ),
        ({"embeddings": {"provider": "python", "model": "app:load"}}, r"judge\.embeddings\.provider is python"),
        ({"provider": "scripted", "model": "app:answer"}, "no code of the repository runs"),
        ({"provider": "scripted", "model": "/etc/hosts"}, "no file of the repository"),
        ({"provider": "scripted", "model": "../../outside"}, "no file of the repository"),
    ],
)
def test_a_pull_request_can_neither_move_the_key_nor_run_beside_it(
    judge: dict[str, Any], says: str, tmp_path: Path
) -> None:
    """The configuration is its own, so the workflow says what may be asked."""
    (tmp_path / "outside").write_text("[]")
    with pytest.raises(errors.UsageError, match=says):
        checked(tmp_path, "llm.example.com", **judge)


class Chosen:
    """What prepare makes of a repository and of what happened."""

    def __init__(
        self, tmp_path: Path, happened: Happened, parts: dict[str, bytes], judge: dict[str, Any] | None
    ) -> None:
        write_repository(tmp_path / "repo", judge=judge)
        out, said = io.BytesIO(), io.StringIO()
        event = {"event.json": event_of(1 if happened.trusted else 2)}
        stream = stream_of({**event, "tree.tar": tree_of(tmp_path / "repo").getvalue(), **parts})
        prepare(stream, out, Preparation("collect", happened=happened), site(tmp_path / "zone", said))
        self.files = files_in(out)
        self.tier = self.files[".rag-assay/about"].decode().split()[1]
        self.said = said.getvalue()


PULL = Happened("auto", "pull_request", trusted=True, granted=KEYS)
TOUCHED, OTHER = {"changed": changed(b"a b", b"prompts/x.md")}, {"changed": changed(b"README.md")}
OLDER = {"older.yml": json.dumps({"judge": {"when": ["README*"]}}).encode()}


@pytest.mark.parametrize(
    ("happened", "parts", "tier", "why"),
    [
        (PULL, TOUCHED, "full", "prompts/x.md changed, which judge.when names by prompts/**"),
        (PULL, OTHER, "retrieval", "no file changed that judge.when names"),
        (PULL, OTHER | OLDER, "full", "README.md changed, which judge.when names by README*"),
        (PULL, {"changed": b""}, "retrieval", "no file changed that judge.when names"),
        (PULL, {}, "full", "it is not known which files changed"),
        (PULL._replace(trusted=False), TOUCHED, "retrieval", "a pull request from elsewhere gets no key"),
        (PULL._replace(event="schedule"), OTHER, "full", "the event is schedule"),
        (PULL._replace(event="workflow_dispatch"), {}, "full", "the event is workflow_dispatch"),
        (PULL._replace(tier="retrieval", granted=Granted()), TOUCHED, "retrieval", "it was asked for"),
        (PULL._replace(tier="full"), OTHER, "full", "it was asked for"),
        (
            PULL,
            {"changed": changed(b"prompts/\xff")},
            "full",
            "prompts/\\udcff changed, which judge.when names by prompts/**",
        ),
        (PULL, {"changed": changed(b"x"), "older.yml": b"\xff{"}, "retrieval", "no file changed that judge.when names"),
    ],
)
def test_the_tier_and_its_reason_are_told(
    happened: Happened, parts: dict[str, bytes], tier: str, why: str, tmp_path: Path
) -> None:
    """Beside the suite's name for the Action, and in the log for people; the globs of the base count too."""
    chosen = Chosen(tmp_path, happened, parts, JUDGE)

    assert chosen.tier == tier
    assert f"tier {tier}: {why}\n" in chosen.said


UPLOADED = Happened("auto", "workflow_run", granted=KEYS)


@pytest.mark.parametrize(
    ("happened", "tier", "why"),
    [
        (UPLOADED, "full", "the base has a judge, and a key for it"),
        (UPLOADED._replace(tier="retrieval"), "retrieval", "it was asked for"),
        (UPLOADED._replace(granted=Granted()), "retrieval", "JUDGE_KEY is not granted"),
        (UPLOADED._replace(granted=Granted(("OTHER",)), tier="full"), "retrieval", "JUDGE_KEY is not granted"),
        (
            UPLOADED._replace(answers_need=("RAG_KEY", "DB")), "retrieval",
            "the pipeline needs RAG_KEY, DB, which a stranger's run does not get",
        ),
    ],
)  # fmt: skip
def test_the_bases_judge_is_asked_about_uploads_where_it_can_be(
    happened: Happened, tier: str, why: str, tmp_path: Path
) -> None:
    """Else nothing is judged, which is no mistake, and the Action is told why, for the report."""
    chosen = Chosen(tmp_path, happened, {}, JUDGE)

    assert f"tier {tier}: {why}\n" in chosen.said
    assert chosen.files[".rag-assay/about"].decode().splitlines()[1:] == [tier, "shop", "some", "stranger", why]


def test_a_base_without_a_judge_asks_none_about_uploads(tmp_path: Path) -> None:
    """Whatever is granted."""
    assert Chosen(tmp_path, UPLOADED, {}, None).tier == "retrieval"


def test_the_bases_judge_is_held_to_the_hosts_too(tmp_path: Path) -> None:
    """As everywhere where the key goes."""
    with pytest.raises(errors.UsageError, match="judge-hosts"):
        Chosen(tmp_path, UPLOADED, {}, JUDGE | {"base_url": "https://evil.example"})


@pytest.mark.parametrize(
    "happened",
    [
        PULL._replace(granted=Granted()),
        PULL._replace(granted=Granted(("OTHER_KEY",))),
        PULL._replace(tier="full", granted=Granted()),
        PULL._replace(tier="full", trusted=False),
    ],
)
def test_a_judge_without_its_key_is_a_mistake(happened: Happened, tmp_path: Path) -> None:
    """A job is never green because nobody could judge; the message names the variable and the input."""
    hint = "name it in judge-key-env" if happened.trusted else "a pull request from elsewhere gets no key"
    with pytest.raises(errors.UsageError, match=rf"JUDGE_KEY is not set.*{hint}"):
        Chosen(tmp_path, happened, TOUCHED, JUDGE)


def test_globs_may_be_written_from_the_configurations_folder(tmp_path: Path) -> None:
    """As the command line takes them."""
    write_repository(tmp_path / "repo" / "app", judge=JUDGE)
    (tmp_path / "repo" / "app" / "rag-assay.yml").rename(tmp_path / "repo" / "app" / "other.yml")
    place = site(tmp_path / "zone")
    place.take_tree(tree_of(tmp_path / "repo"))
    workspace = place.open(place.root / "app" / "other.yml")
    change = judging.Change()
    change.take_files(io.BytesIO(changed(b"app/prompts/x.md")))

    assert judging.choose(workspace, place.root, PULL, change).tier == "full"


def test_a_judge_that_would_send_the_key_elsewhere_stops_before_anything_runs(tmp_path: Path) -> None:
    """Not after the pipeline was asked everything."""
    with pytest.raises(errors.UsageError, match="judge-hosts"):
        Chosen(tmp_path, PULL, TOUCHED, JUDGE | {"base_url": "https://evil.example"})


def test_a_pull_request_that_deletes_the_judge_stops(tmp_path: Path) -> None:
    """Where the base's judge would have been asked about it."""
    with pytest.raises(errors.UsageError, match=r"judge: section was removed.*README\.md changed"):
        Chosen(tmp_path, PULL, OTHER | OLDER, None)


def test_what_was_judged_before_is_kept_from_the_pipeline(tmp_path: Path) -> None:
    """A cache that is committed holds statements of references."""
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "kept.sqlite").write_text("label-statement")

    chosen = Chosen(tmp_path, PULL, OTHER, JUDGE | {"cache": "kept.sqlite"})

    assert b"label-" not in b"".join(chosen.files.values())


def test_a_suite_without_a_judge_says_nothing_of_tiers(tmp_path: Path) -> None:
    """Most suites have none."""
    write_repository(tmp_path / "repo")
    out, said = io.BytesIO(), io.StringIO()
    stream = stream_of({"tree.tar": tree_of(tmp_path / "repo").getvalue()})
    prepare(stream, out, Preparation("collect", happened=PULL), site(tmp_path / "zone", said))

    assert "tier" not in said.getvalue()
    assert files_in(out)[".rag-assay/about"] == b"shop\nretrieval\nshop\nsome\nstranger\n"
