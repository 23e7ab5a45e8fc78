"""What is told of a stranger's pull request by the run of another workflow: where, in whose name, and by which base."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import publishing
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.model.baseline import Found
from evaluator.model.received import Received
from evaluator.stages.posting import Verdict
from evaluator.zones import fetch, fetched, publish
from tests.publishing import verdict
from tests.strangers import FIRST, Stranger
from tests.zones import stream_of

STATUS = "rag-assay/shop"
OPTIONS = {"comment": "always", "status": True, "check": False, "variant": "", "issue": False}


def received(stranger: Stranger, **changes: object) -> Received:
    """What receive found."""
    given = {"number": stranger.pull.number, "head": stranger.pull.head_sha, "base": stranger.world.branches["main"]}
    return Received.model_validate({**given, "branch": "main", **changes})


def tell(
    stranger: Stranger, told: Verdict | None, found: Received | None, run: int = 900_000, **of: Any
) -> str:  # fmt: skip
    """Publish a verdict, or that there will be one, after a run; what could not be told."""
    session = Session(
        environment=stranger.variables | {"GITHUB_RUN_ID": str(run)}, console=Console(io.StringIO())
    )  # fmt: skip
    payload = stranger.payload(stranger.run(head_sha=stranger.pull.head_sha if found is None else found.head, **of))
    place = publishing.Place(session, payload, "a", found)
    wanted = publishing.wanted("rag-assay.yml", "", OPTIONS)
    if told is not None:
        return publishing.publish(place, wanted, told)
    publishing.announce(place, wanted)
    return ""


def states(stranger: Stranger, sha: str = "") -> list[str]:
    sha = sha or stranger.pull.head_sha
    return [each.state for each in stranger.world.statuses if (each.sha, each.context) == (sha, STATUS)]


@pytest.mark.parametrize(
    ("told", "description"),
    [
        (verdict("failed"), "self-reported by a fork: Failed: so it is"),
        (
            verdict()._replace(sentence="self-reported by a fork: passed: none fell"),
            "self-reported by a fork: passed: none fell",
        ),
        (Verdict.none("the run left no answers"), "self-reported by a fork: No verdict: the run left no answers"),
    ],
)
def test_a_status_and_a_comment_stand_on_the_strangers_pull_request(
    stranger: Stranger, told: Verdict, description: str
) -> None:
    """On its head, by the suite's name at the base; whatever it says, it begins with whose word it is."""
    tell(stranger, None, received(stranger))
    assert tell(stranger, told, received(stranger)) == ""

    assert states(stranger)[0] == "pending"
    assert stranger.world.statuses[-1].description == description
    url = stranger.world.statuses[-1].target_url or ""
    assert url.startswith(f"{stranger.server.web}/acme/shop/actions/runs/900000/attempts/1#")
    assert url.endswith("/a/1")
    [comment] = stranger.world.comments.values()
    assert comment.number == stranger.pull.number


def test_one_that_has_moved_on_since_has_no_comment(stranger: Stranger) -> None:
    """Somebody pushed while its answers were judged: the status goes to the commit that was."""
    found, old = received(stranger), stranger.pull.head_sha
    stranger.pull.head_sha = stranger.world.add_commit("change")
    tell(stranger, verdict("failed"), found)

    assert (states(stranger, old), states(stranger), stranger.world.comments) == (["failure"], [], {})


def test_another_pull_request_of_the_head_has_to_be_measured_too(stranger: Stranger) -> None:
    """One to an easy old branch is green, and the other one, which main is protected from, is not merged by that."""
    stranger.commit("old")
    easy = stranger.add_pull(stranger.pull.head_sha, "old")
    of_easy = received(stranger, number=easy.number, base=stranger.world.branches["old"], branch="old", others=(1,))
    tell(stranger, None, of_easy)
    tell(stranger, verdict("passed"), of_easy)
    assert states(stranger)[-1] == "pending"

    tell(stranger, verdict("failed"), received(stranger, others=(easy.number,)), run=900_001)
    assert states(stranger)[-1] == "failure"
    tell(stranger, verdict("passed"), of_easy, run=900_002)
    assert states(stranger)[-1] == "failure"


BEGUN: dict[str, Any] = {"status": "queued", "conclusion": None}


def test_a_head_that_is_green_already_is_pending_once_a_run_has_begun(stranger: Stranger) -> None:
    """Another pull request made it green; from the first run of this one on it is not, until somebody has judged it."""
    stranger.commit("old")
    easy = stranger.add_pull(stranger.pull.head_sha, "old")
    of_easy = received(stranger, number=easy.number, base=stranger.world.branches["old"], branch="old")
    tell(stranger, verdict("passed"), of_easy)
    assert states(stranger) == ["success"]
    stranger.server.calls.clear()

    tell(stranger, None, received(stranger), run=900_001, **BEGUN)

    assert states(stranger)[-1] == "pending"
    said = stranger.world.statuses[-1].description
    assert said == "Waiting for the pull request's own run, and for what measures its answers"
    assert len(stranger.server.calls) <= 4
    assert len(stranger.world.comments) == 1

    tell(stranger, verdict("passed"), received(stranger), run=900_002)
    assert states(stranger)[-1] == "success"


def test_what_has_begun_is_hidden_by_no_other_pull_request(stranger: Stranger) -> None:
    """One of the same head that ends meanwhile leaves it pending: of all that are open the worst stays."""
    easy = stranger.add_pull(stranger.pull.head_sha, "main")
    tell(stranger, None, received(stranger), **BEGUN)
    tell(stranger, verdict("passed"), received(stranger, number=easy.number), run=900_001)
    assert states(stranger)[-1] == "pending"

    stranger.pull.state = "closed"
    tell(stranger, verdict("passed"), received(stranger, number=easy.number), run=900_002)
    assert states(stranger)[-1] == "success"


def test_one_that_says_so_late_hides_no_verdict(stranger: Stranger) -> None:
    """It waited for a machine, and what was measured meanwhile is of a newer run."""
    tell(stranger, verdict("failed"), received(stranger), run=900_001)
    tell(stranger, None, received(stranger), run=900_000, **BEGUN)

    assert states(stranger) == ["failure"]


def test_without_a_pull_request_nothing_is_told(stranger: Stranger) -> None:
    """A payload of a workflow_run names none for a fork."""
    assert tell(stranger, verdict("passed"), None) == ""
    assert stranger.server.calls == []


def test_what_was_found_has_to_be_of_this_run(stranger: Stranger) -> None:
    """A file of another attempt would put a verdict on another commit."""
    found = received(stranger)
    stranger.pull.head_sha = stranger.world.add_commit("change")
    session = Session(environment=stranger.variables, console=Console(io.StringIO()))
    place = publishing.Place(session, stranger.payload(stranger.run()), "a", found)

    assert "not the one that this run is about" in publishing.publish(
        place, publishing.wanted("rag-assay.yml", "", OPTIONS), verdict()
    )
    assert stranger.world.statuses == []


def test_publish_takes_it_from_its_stream(tmp_path: Path) -> None:
    """Beside the event, where there is one."""
    told = {"format": 1, "number": 7, "head": "a" * 40, "base": "b" * 40, "branch": "main", "others": [8]}
    publish.take(stream_of({"event.json": b"{}", "pull.json": json.dumps(told).encode()}), tmp_path)

    found = publish.received_in(tmp_path)
    assert found is not None
    assert (found.number, found.others) == (7, (8,))


def test_the_baseline_is_looked_for_from_the_base_that_was_found(stranger: Stranger, tmp_path: Path) -> None:
    """Not from the commit that the second workflow is of, which may be of another branch."""
    stranger.commit("old", suite="older")
    base = stranger.world.branches["old"]
    found = received(stranger, base=base, branch="old")
    parts = {
        "event.json": json.dumps(stranger.payload(stranger.run())).encode(),
        "pull.json": found.model_dump_json().encode(),
    }
    (tmp_path / "fetching").mkdir()
    out = io.BytesIO()
    place = fetch.Workplace(tmp_path / "fetching", stranger.variables, stranger.said.append)
    wanted = fetch.Sought("rag-assay.yml", "retrieval", stranger.pull.head_sha, (FIRST,))
    fetch.fetch(stream_of(parts), out, wanted, place, stranger.connect(stranger.server.api))

    (tmp_path / "taken").mkdir()
    taken: Found = fetched.take(io.BytesIO(out.getvalue()), tmp_path / "taken").found
    assert (taken.base, taken.suite) == (base, "older")
