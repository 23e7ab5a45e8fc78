"""What is written to a repository, within GitHub's limits."""

from __future__ import annotations

import io

import pytest

from evaluator import errors
from evaluator.github.publishing import Annotation, CheckText, Publishing, StatusText
from evaluator.github.repository import Repository
from tests.fakes.github.server import FORBIDDEN, Fault, GitHub
from tests.github import Connect


@pytest.fixture
def publishing(server: GitHub, connect: Connect) -> Publishing:
    """The repository of the fake GitHub, which has one pull request."""
    server.world.add_pull(server.world.add_commit("feature"))
    return Publishing(connect(server.api), "acme/shop")


class TestComments:
    """Comments of a pull request."""

    @pytest.mark.parametrize("before", [30, 100, 300])
    def test_ours_is_found_behind_any_number_of_others(
        self, server: GitHub, publishing: Publishing, before: int
    ) -> None:
        """The 31st, 101st or 301st comment is read like the first (G2)."""
        for number in range(before):
            server.world.add_comment(1, f"talk {number}", "ada")
        ours = server.world.add_comment(1, "ours")

        found = publishing.comments(1)

        assert [each.id for each in found.items if each.user and each.user.login == server.world.bot] == [ours.id]
        assert (len(found.items), found.complete) == (before + 1, True)

    def test_a_comment_says_who_wrote_it(self, server: GitHub, publishing: Publishing) -> None:
        """A person who quotes our marker is told from us by their name (G3)."""
        server.world.add_comment(1, "<!-- marker -->", "ada")
        server.world.add_comment(1, "<!-- marker -->")

        assert [each.user and each.user.login for each in publishing.comments(1).items] == [
            "ada",
            "github-actions[bot]",
        ]

    def test_one_is_written_changed_and_removed(self, server: GitHub, publishing: Publishing) -> None:
        """A comment is known by its number."""
        made = publishing.comment(1, "before")
        publishing.change_comment(made.id, "after")

        assert {number: each.body for number, each in server.world.comments.items()} == {made.id: "after"}
        publishing.delete_comment(made.id)
        assert server.world.comments == {}

    def test_one_that_was_removed_meanwhile_is_not_found(self, server: GitHub, publishing: Publishing) -> None:
        """Somebody deleted it; a new one can be written."""
        server.fail(Fault(404, "Not Found"))

        with pytest.raises(errors.NotFound):
            publishing.change_comment(5, "after")

    def test_a_locked_conversation_is_forbidden(self, server: GitHub, publishing: Publishing) -> None:
        """Nobody may comment there, and it is asked once."""
        server.world.pulls[1].locked = True

        with pytest.raises(errors.Forbidden, match="issue is locked"):
            publishing.comment(1, "x")
        assert len(server.calls) == 1


class TestStatuses:
    """Statuses of a commit."""

    def test_the_newest_comes_first(self, server: GitHub, publishing: Publishing) -> None:
        """A status is set anew and not changed."""
        head = server.world.branches["feature"]
        publishing.set_status(head, StatusText("pending", "rag-assay/shop", "running"))
        publishing.set_status(head, StatusText("failure", "rag-assay/shop", "2 regressions", "https://example.com/run"))

        found = publishing.statuses(head).items

        assert [(each.state, each.description) for each in found] == [
            ("failure", "2 regressions"),
            ("pending", "running"),
        ]
        assert [each.target_url for each in found] == ["https://example.com/run", None]

    def test_a_commit_of_a_fork_that_is_not_here_is_refused(self, publishing: Publishing) -> None:
        """GitHub sets no status on a commit it does not have."""
        with pytest.raises(errors.GitHubError, match="No commit found"):
            publishing.set_status("a" * 40, StatusText("success", "c", "d"))


class TestChecks:
    """Check runs and their annotations."""

    @pytest.mark.parametrize("count", [0, 1, 50, 51, 120])
    def test_all_annotations_arrive(self, server: GitHub, publishing: Publishing, count: int) -> None:
        """50 go into a request, and nothing is hidden: 51 are two requests and 120 three (G17)."""
        head = server.world.branches["feature"]
        check = CheckText("RAG Assay", head, "failure", "2 regressions", "Details", "shop")
        remarks = [Annotation("eval/golden.jsonl", at + 1, "failure", "q", f"case {at}") for at in range(count)]

        made = publishing.add_check(check, remarks)

        kept = server.world.checks[made.id]
        assert [(each["start_line"], each["message"]) for each in kept.annotations] == [
            (at + 1, f"case {at}") for at in range(count)
        ]
        assert (kept.status, kept.conclusion, kept.output["title"]) == ("completed", "failure", "2 regressions")
        assert len(server.calls) == max(-(-count // 50), 1)
        assert [each.external_id for each in publishing.checks(head, "RAG Assay")] == ["shop"]

    def test_what_fails_later_costs_annotations_only(self, server: GitHub, publishing: Publishing) -> None:
        """The conclusion is there from the first request on."""
        server.fail(FORBIDDEN, "PATCH")
        check = CheckText("RAG Assay", server.world.branches["feature"], "failure", "t", "s", "shop")

        with pytest.raises(errors.Forbidden):
            publishing.add_check(check, [Annotation("a", 1, "notice", "t", "m")] * 51)

        [kept] = server.world.checks.values()
        assert (kept.conclusion, len(kept.annotations)) == ("failure", 50)


class TestDispatch:
    """Runs that are started."""

    def test_a_workflow_is_started_with_its_inputs(self, server: GitHub, publishing: Publishing) -> None:
        """The file is named as it is called in .github/workflows."""
        server.world.workflows[".github/workflows/accept.yml"] = ("workflow_dispatch",)

        publishing.dispatch("accept.yml", "main", {"run": "17", "reason": "new corpus"})

        assert server.world.dispatched == [
            {"path": ".github/workflows/accept.yml", "ref": "main", "inputs": {"run": "17", "reason": "new corpus"}}
        ]

    def test_one_that_cannot_be_started_is_told(self, server: GitHub, publishing: Publishing) -> None:
        """A workflow without the event, and one that is not there, are refused."""
        server.world.workflows[".github/workflows/ci.yml"] = ("push",)

        with pytest.raises(errors.GitHubError, match="does not have 'workflow_dispatch' trigger"):
            publishing.dispatch("ci.yml", "main", {})
        with pytest.raises(errors.NotFound):
            publishing.dispatch("none.yml", "main", {})


def test_a_whole_run_stays_within_its_budget(server: GitHub, connect: Connect) -> None:
    """Finding a baseline and publishing a pull request with 100 comments and 60 annotations is below 25 calls."""
    world = server.world
    for _ in range(150):
        base = world.add_commit()
    head = world.add_commit("feature")
    world.add_pull(head)
    for number in range(100):
        world.add_comment(1, str(number), "ada")
    run = world.add_run(base)
    for _ in range(120):
        world.add_artifact("baseline", {"run.json": b"{}"}, run)
    client = connect(server.api)
    repository, publishing = Repository(client, "acme/shop"), Publishing(client, "acme/shop")

    publishing.set_status(head, StatusText("pending", "rag-assay/shop", "running"))
    repository.pull(1)
    artifact = repository.artifacts("baseline").items[0]
    repository.first_parents(base)
    repository.run(run.id)
    repository.download(artifact.id, io.BytesIO(), 1000)
    publishing.comments(1)
    publishing.comment(1, "the report")
    publishing.add_check(CheckText("n", head, "success", "t", "s", "e"), [Annotation("a", 1, "notice", "t", "m")] * 60)
    publishing.set_status(head, StatusText("success", "rag-assay/shop", "no regressions"))

    assert client.calls == len(server.calls) == 13
