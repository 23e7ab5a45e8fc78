"""The fake GitHub is as strict as GitHub: everything the tests of publishing rest on."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.fakes.github import description
from tests.fakes.github.server import DROPPED, FORBIDDEN, READ_ONLY, Fault, GitHub, limited
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import World
from tests.github import HEADERS, StoppedClock

ROOT = Path(__file__).parents[2]
HERE = "/repos/acme/shop"


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def github(clock: StoppedClock) -> Iterator[GitHub]:
    with GitHub(World(clock=clock.now)) as server:
        server.world.workflows = {".github/workflows/rag-assay.yml": ("push", "workflow_dispatch")}
        server.world.add_commit(files={"eval/golden.jsonl": b"{}\n"})
        yield server


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as made:
        made.headers.update(HEADERS)
        yield made


def test_everything_it_answers_is_documented_by_github(github: GitHub, session: requests.Session) -> None:
    """Each endpoint, asked once, takes and answers what GitHub's own description has."""
    if description.load() is None:
        pytest.skip("GitHub's description is not installed: make e2e puts it there")
    world = github.world
    sha = world.add_commit("feature")
    fork = world.add_repo("eve/shop")
    pull = world.add_pull(sha, head_repo=fork, draft=True)
    world.add_pull(sha, head_repo=None)
    run = world.add_run(sha, event="pull_request", pull_numbers=(pull.number,))
    artifact = world.add_artifact("baseline", {"run.json": b"{}"}, run).id
    world.add_artifact("baseline", {}, None, age=91 * 86400.0)
    output = {"title": "t", "summary": "s", "annotations": [
        {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"},
    ]}  # fmt: skip
    asked = [
        ("GET", "", None), ("GET", "/pulls/1", None), ("GET", "/pulls/2", None),
        ("GET", "/pulls?state=all&head=eve:feature", None), ("GET", f"/commits?sha={sha}&per_page=1", None),
        ("GET", f"/commits/{sha}", None), ("GET", "/commits/none-such", None), ("GET", "/compare/main...feature", None),
        ("GET", "/contents/eval/golden.jsonl?ref=main", None), ("GET", "/contents/none", None),
        ("GET", "/actions/artifacts?name=baseline", None), ("GET", f"/actions/artifacts/{artifact}", None),
        ("GET", f"/actions/artifacts/{artifact}/zip", None), ("GET", f"/actions/artifacts/{artifact + 1}/zip", None),
        ("GET", f"/actions/runs/{run.id}", None), ("GET", f"/actions/runs/{run.id}/artifacts", None),
        ("GET", "/actions/workflows/rag-assay.yml/runs?event=push", None),
        ("POST", "/actions/workflows/rag-assay.yml/dispatches", {"ref": "main", "inputs": {"run": "1"}}),
        ("POST", "/issues/1/comments", {"body": "hello"}), ("GET", "/issues/1/comments", None),
        ("POST", "/issues/1/comments", {"body": "x" * 65537}),
        ("PATCH", "/issues/comments/{comment}", {"body": "again"}), ("DELETE", "/issues/comments/{comment}", None),
        ("POST", f"/statuses/{sha}", {"state": "pending", "context": "rag-assay/shop", "description": None}),
        ("GET", f"/commits/{sha}/statuses", None),
        ("POST", "/check-runs", {"name": "n", "head_sha": sha, "output": output}),
        ("PATCH", "/check-runs/{check}", {"conclusion": "failure", "output": output}),
        ("GET", f"/commits/{sha}/check-runs?check_name=n", None), ("GET", "/check-runs/{check}/annotations", None),
        ("POST", "/issues", {"title": "t", "body": "b", "labels": ["rag-assay"]}),
        ("GET", "/issues?labels=rag-assay&state=open", None), ("GET", "/issues?sort=updated&direction=desc", None),
        ("PATCH", "/issues/3", {"body": "b", "state": "closed", "state_reason": "completed"}),
        ("POST", "/issues", {"title": "t" * 257}),
    ]  # fmt: skip
    statuses = []
    for method, path, body in asked:
        known = {"comment": next(iter(world.comments), 0), "check": next(iter(world.checks), 0)}
        url = github.api + HERE + path.format_map(known)
        statuses.append(session.request(method, url, json=body, allow_redirects=False).status_code)

    assert statuses == [
        200, 200, 200, 200, 200, 200, 422, 200, 200, 404, 200, 200, 302, 410, 200, 200, 200, 204,
        201, 200, 422, 200, 204, 201, 200, 201, 200, 200, 200, 201, 200, 200, 200, 422,
    ]  # fmt: skip
    github.world.has_issues = False
    assert session.post(f"{github.api}{HERE}/issues", json={"title": "t"}).status_code == 410
    assert github.mistakes == []


class TestWhatIsNotDocumented:
    """What GitHub does not have is noticed."""

    @pytest.fixture(autouse=True)
    def _described(self) -> None:
        if description.load() is None:
            pytest.skip("GitHub's description is not installed: make e2e puts it there")

    @pytest.mark.parametrize(
        ("method", "path", "body", "said"),
        [
            ("GET", "/pulls?sort=desc&page=1&per_page=100", None, "'desc' is not one of"),
            ("GET", "/issues/1/comments?sort=created", None, "no parameter sort is documented"),
            ("POST", "/check-runs", {"name": "n", "head_sha": "x", "summary": "s"}, "'summary' was unexpected"),
            ("POST", "/statuses/x", {"state": "inconclusive"}, "'inconclusive' is not one of"),
            ("GET", "/issues/1/comments?per_page=101", None, "100 at most"),
            ("GET", "/nothing", None, "no such endpoint"),
        ],
    )
    def test_leaving_fails_for_a_request(self, method: str, path: str, body: object, said: str) -> None:
        """A parameter, field, value or address that GitHub does not know fails the test that sent it."""
        with pytest.raises(AssertionError) as caught, GitHub() as github:  # noqa: PT012 - leaving is what raises
            done = requests.request(method, github.api + HERE + path, json=body, headers=HEADERS, timeout=9)

            assert done.status_code in {404, 422}

        assert said in str(caught.value)

    def test_leaving_fails_for_a_status(self) -> None:
        """A scripted status that an endpoint does not have fails the test that scripted it."""
        with pytest.raises(AssertionError, match="no status 418 is"), GitHub() as github:  # noqa: PT012 - as above
            github.fail(Fault(418))
            requests.get(github.api + HERE, headers=HEADERS, timeout=9)

    def test_a_field_of_an_answer_is_noticed_also_deep_inside(self) -> None:
        """A field beside the documented ones is named with its place."""
        described, world = description.load(), World()
        assert described is not None
        shown = Shapes(world, "http://api", "http://web").pull(world.add_pull(world.add_commit()), full=True)
        shown["head"]["repo"]["owner"]["nickname"] = "ada"

        found = described.mistakes_of_answer("GET", f"{HERE}/pulls/1", 200, shown)
        assert found == [
            (
                "$.head.repo.owner: unevaluatedProperties: Unevaluated properties are not allowed "
                "('nickname' was unexpected)"
            )
        ]


class TestPages:
    """Lists come in pages."""

    def test_links_lead_through_all_of_them(self, github: GitHub, session: requests.Session) -> None:
        """Each page links the next by an address that holds the repository's number and everything that was asked."""
        for number in range(101):
            github.world.add_comment(1, str(number))
        github.world.add_pull(github.world.add_commit("feature"))
        url, found, pages = f"{github.api}{HERE}/issues/1/comments?per_page=50", [], 0
        while url:
            page = session.get(url)
            found += [each["body"] for each in page.json()]
            pages, url = pages + 1, page.links.get("next", {}).get("url", "")
            assert "/repos/" not in url

        assert found == [str(number) for number in range(101)]
        assert (pages, page.links.keys()) == (3, {"prev", "first"})

    def test_thirty_come_at_once_where_nobody_asks_for_more(self, github: GitHub, session: requests.Session) -> None:
        """A reader that does not page sees 30 and no more."""
        github.world.add_pull(github.world.add_commit("feature"))
        for number in range(31):
            github.world.add_comment(1, str(number))

        assert len(session.get(f"{github.api}{HERE}/issues/1/comments").json()) == 30


class TestLimits:
    """What GitHub refuses for its size."""

    @pytest.mark.parametrize(
        ("text", "status"),
        [("x" * 65_536, 201), ("x" * 65_537, 422), ("\N{BAR CHART}" * 32_768, 201), ("\N{BAR CHART}" * 32_769, 422)],
        ids=["fits", "one too many", "emoji fit", "one emoji too many"],
    )
    def test_of_a_comment(self, github: GitHub, session: requests.Session, text: str, status: int) -> None:
        """65,536 characters fit, counted the stricter way, in units of UTF-16."""
        github.world.add_pull(github.world.add_commit("feature"))

        done = session.post(f"{github.api}{HERE}/issues/1/comments", json={"body": text})

        assert done.status_code == status
        assert len(github.world.comments) == (status == 201)

    @pytest.mark.parametrize(("count", "summary", "status"), [(50, 65_535, 201), (51, 1, 422), (1, 65_536, 422)])
    def test_of_a_check_run(
        self, github: GitHub, session: requests.Session, count: int, summary: int, status: int
    ) -> None:
        """50 annotations and 65,535 characters fit into a request."""
        one = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
        output = {"title": "t", "summary": "s" * summary, "annotations": [one] * count}
        body = {"name": "n", "head_sha": github.world.branches["main"], "output": output}

        assert session.post(f"{github.api}{HERE}/check-runs", json=body).status_code == status


class TestArchives:
    """Downloads of artifacts."""

    def test_lead_to_another_host_that_takes_no_token(self, github: GitHub, session: requests.Session) -> None:
        """The archive is there for who comes without the token; one who brings it is refused, and the test fails."""
        artifact = github.world.add_artifact("a", {"run.json": b"{}"}, None)
        moved = session.get(f"{github.api}{HERE}/actions/artifacts/{artifact.id}/zip", allow_redirects=False)
        there = moved.headers["Location"]

        with zipfile.ZipFile(io.BytesIO(requests.get(there, timeout=9).content)) as archive:
            assert archive.read("run.json") == b"{}"
        assert session.get(there).status_code == 400
        assert [each.rpartition(": ")[2] for each in github.mistakes] == ["the token was sent to the host of archives"]
        github.mistakes.clear()

    def test_are_there_for_a_minute(self, github: GitHub, session: requests.Session, clock: StoppedClock) -> None:
        """The address of an archive stops working."""
        artifact = github.world.add_artifact("a", {}, None)
        moved = session.get(f"{github.api}{HERE}/actions/artifacts/{artifact.id}/zip", allow_redirects=False)
        clock.sleep(61)

        assert requests.get(moved.headers["Location"], timeout=9).status_code == 403


class TestWhoMayDoWhat:
    """Tokens and what they allow."""

    def test_a_token_that_may_only_read_changes_nothing(self, github: GitHub, session: requests.Session) -> None:
        """Writing without the permission is refused in GitHub's words (G4)."""
        github.tokens = dict.fromkeys(github.tokens, READ_ONLY)
        github.world.add_pull(github.world.add_commit("feature"))

        done = session.post(f"{github.api}{HERE}/issues/1/comments", json={"body": "x"})

        assert (done.status_code, done.json()["message"]) == (403, "Resource not accessible by integration")
        assert session.get(f"{github.api}{HERE}/issues/1/comments").json() == []

    @pytest.mark.parametrize("given", ["", "Bearer wrong"])
    def test_nobody_is_let_in_without_one(self, github: GitHub, session: requests.Session, given: str) -> None:
        """No token and a wrong one are 401."""
        done = session.get(f"{github.api}{HERE}", headers={"Authorization": given or None})

        assert done.status_code == 401

    def test_a_locked_conversation_takes_no_comment(self, github: GitHub, session: requests.Session) -> None:
        """A comment on a locked pull request is refused; changing one that is there is not."""
        github.world.add_pull(github.world.add_commit("feature"), locked=True)
        there = github.world.add_comment(1, "before")

        made = session.post(f"{github.api}{HERE}/issues/1/comments", json={"body": "x"})
        changed = session.patch(f"{github.api}{HERE}/issues/comments/{there.id}", json={"body": "after"})

        assert (made.status_code, changed.status_code, there.body) == (403, 200, "after")


class TestScriptedFaults:
    """Failures that a test asks for."""

    def test_happen_to_the_calls_that_they_are_for(self, github: GitHub, session: requests.Session) -> None:
        """A fault waits for its calls and is over after as many as it was scripted for."""
        github.fail(FORBIDDEN, "POST .*/statuses/")
        github.fail(limited(429, retry_after=7), "GET .*/pulls$")
        body = {"state": "success"}
        path = f"{github.api}{HERE}/statuses/{github.world.branches['main']}"

        waiting = session.get(f"{github.api}{HERE}/pulls")
        codes = [session.post(path, json=body).status_code for _ in range(2)]

        assert (waiting.status_code, waiting.headers["Retry-After"], codes) == (429, "7", [403, 201])

    def test_may_come_after_the_deed(self, github: GitHub, session: requests.Session) -> None:
        """A gateway that gives up does not undo what was done behind it."""
        github.world.add_pull(github.world.add_commit("feature"))
        github.fail(Fault(502, after=True))

        done = session.post(f"{github.api}{HERE}/issues/1/comments", json={"body": "x"})

        assert (done.status_code, len(github.world.comments)) == (502, 1)

    def test_may_cut_the_connection(self, github: GitHub, session: requests.Session) -> None:
        """No answer comes at all, and the call is in the log."""
        github.fail(DROPPED)

        with pytest.raises(requests.ConnectionError):
            session.get(f"{github.api}{HERE}")
        assert [str(call) for call in github.calls] == [f"GET {HERE}"]


def test_a_former_name_leads_to_the_new_one(github: GitHub, session: requests.Session) -> None:
    """A repository that was renamed is found by its number, and what is written is not written twice."""
    github.world.renamed.add("acme/store")

    assert session.get(f"{github.api}/repos/acme/store?x=1", allow_redirects=False).headers["Location"] == (
        f"{github.api}/repositories/{github.world.repo.id}?x=1"
    )
    assert session.post(f"{github.api}/repos/acme/store/issues", allow_redirects=False).status_code == 307


def test_it_runs_as_a_program_until_its_input_ends() -> None:
    """Another process builds a world line by line, asks it as GitHub, and reads what became of it."""
    script = ROOT / "tests" / "fakes" / "github" / "server.py"
    command = [sys.executable, str(script), "--prefix", "/api/v3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None

        def tell(**order: object) -> object:
            program.stdin.write(f"{json.dumps(order)}\n")
            program.stdin.flush()
            return json.loads(program.stdout.readline())

        told = json.loads(program.stdout.readline())
        sha = tell(**{"do": "add_commit", "with": {"files": {"a.txt": "text"}}})
        pull = tell(**{"do": "add_pull", "with": {"head_sha": sha}})
        done = requests.post(
            f"{told['api']}{HERE}/issues/{pull['number']}/comments", json={"body": "x"}, headers=HEADERS, timeout=9
        )
        world, calls = tell(do="world"), tell(do="calls")
        program.stdin.close()

        assert program.wait(10) == 0
    assert told["api"].endswith("/api/v3")
    assert done.status_code == 201
    assert [each["body"] for each in world["comments"].values()] == ["x"]
    assert calls == [f"POST {HERE}/issues/1/comments"]
