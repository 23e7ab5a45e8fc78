"""Events of GitHub as values: what is tested, what it is compared with, who brings it, and what may be written."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator import errors
from evaluator.github import event
from evaluator.github.event import Activity, Base, Surroundings
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import Repo, World

ZEROS = "0" * 40
VARIABLES = {
    "GITHUB_REPOSITORY": "acme/shop", "GITHUB_ACTOR": "ada", "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_WORKFLOW_REF": "acme/shop/.github/workflows/rag-assay.yml@refs/heads/main", "GITHUB_REF": "refs/heads/main",
}  # fmt: skip


class Happening:
    """A repository in which things happen; ``read`` gives what comes of an event."""

    def __init__(self, *, private: bool = False) -> None:
        self.world = World(private=private)
        self.world.add_commit()
        self.shapes = Shapes(self.world, "https://api.github.com", "https://github.com")

    def read(self, name: str, payload: dict[str, Any], **variables: str) -> Activity:
        given = VARIABLES | {"GITHUB_EVENT_NAME": name, "GITHUB_SHA": self.world.branches["main"]}
        given |= {f"GITHUB_{key.upper()}": value for key, value in variables.items()}
        whole = {"repository": self.shapes.repo(self.world.repo), "sender": self.shapes.user("ada")} | payload
        return event.read(Surroundings.of(given), whole)

    def pull(
        self, name: str = "pull_request", action: str = "synchronize", actor: str = "ada", **settings: Any
    ) -> Activity:
        made = self.world.add_pull(self.world.add_commit("feature"), **settings)
        payload = {"action": action, "number": made.number, "pull_request": self.shapes.pull(made, full=True)}
        return self.read(name, payload, sha=str(made.merge_sha), ref=f"refs/pull/{made.number}/merge", actor=actor)

    def run(self, **settings: Any) -> Activity:
        made = self.world.add_run(self.world.add_commit("feature"), "pull_request", **settings)
        return self.read("workflow_run", {"action": "completed", "workflow_run": self.shapes.run(made)})


@pytest.fixture
def happening() -> Happening:
    """A public repository."""
    return Happening()


class TestPullRequests:
    """Pull requests, whoever brings them."""

    def test_of_our_own_are_commented_on(self, happening: Happening) -> None:
        """The status goes on the head and not on the merge commit that is tested; the base is the payload's."""
        activity = happening.pull()

        assert activity.kind == "pull_request"
        assert activity.pull is not None
        assert activity.head_sha == activity.pull.head.sha == happening.world.branches["feature"]
        assert activity.head_sha != activity.around.sha
        assert activity.base == Base("main", happening.world.branches["main"])
        assert (activity.untrusted, activity.why_read_only, activity.why_no_comment) == ("", "", "")

    @pytest.mark.parametrize(
        ("settings", "why"),
        [
            ({"head_repo": Repo(7, "eve", "shop", fork=True)}, "it comes from a fork"),
            ({"head_repo": Repo(7, "acme", "shop")}, "it comes from a fork"),
            ({"head_repo": None}, "it comes from a fork that was deleted"),
            ({"author": "dependabot[bot]"}, "it is Dependabot's"),
            ({"actor": "dependabot[bot]"}, "it is Dependabot's"),
        ],
        ids=[
            "fork",
            "another repository of our name",
            "deleted fork",
            "Dependabot's, run again by a person",
            "Dependabot",
        ],
    )
    @pytest.mark.parametrize("name", ["pull_request", "pull_request_review"])
    def test_of_strangers_write_nothing(
        self, happening: Happening, name: str, settings: dict[str, Any], why: str
    ) -> None:
        """A fork, a fork that is gone, and Dependabot have a token that may only read (G4, G6)."""
        activity = happening.pull(name, **settings)

        assert (activity.untrusted, activity.why_read_only) == (why, why)
        assert activity.why_no_comment == f"its token may only read: {why}"

    def test_of_a_private_repositorys_fork_are_a_strangers_too(self) -> None:
        """Settings may send secrets and tokens that write to them; they get none of ours."""
        assert Happening(private=True).pull(head_repo=Repo(7, "eve", "shop", private=True, fork=True)).untrusted

    def test_a_branch_is_ours_under_any_name(self, happening: Happening) -> None:
        """A repository that was renamed since is known by its number."""
        assert happening.pull(head_repo=Repo(happening.world.repo.id, "acme", "store")).untrusted == ""

    @pytest.mark.parametrize(
        ("settings", "why"),
        [
            ({"state": "closed", "action": "closed"}, "the pull request is closed"),
            ({"locked": True}, "its conversation is locked"), ({"draft": True}, ""),
        ],
    )  # fmt: skip
    def test_closed_and_locked_ones_get_no_comment(
        self, happening: Happening, settings: dict[str, Any], why: str
    ) -> None:
        """The reason is told; a draft is a pull request like any other."""
        assert happening.pull(**settings).why_no_comment == why

    def test_a_merged_one_has_its_number_from_the_payload(self, happening: Happening) -> None:
        """The ref of the run is the base's branch by then, and is no push to it."""
        made = happening.world.add_pull(happening.world.add_commit("feature"), state="closed")
        payload = {"action": "closed", "pull_request": happening.shapes.pull(made, full=True)}

        activity = happening.read("pull_request", payload, ref="refs/heads/main")

        assert activity.pull is not None
        assert (activity.kind, activity.pull.number) == ("pull_request", made.number)

    def test_a_run_that_is_repeated_is_known(self, happening: Happening) -> None:
        """It keeps its number and counts its attempts."""
        made = happening.world.add_pull(happening.world.add_commit("feature"))
        payload = {"pull_request": happening.shapes.pull(made, full=True)}

        around = happening.read("pull_request", payload, run_attempt="3").around

        assert (around.run, around.attempt) == (77, 3)

    def test_with_the_rights_of_the_base_are_refused(self, happening: Happening) -> None:
        """pull_request_target would run a stranger's code with our rights."""
        with pytest.raises(errors.UsageError, match="pull_request_target is refused"):
            happening.pull("pull_request_target")

    @pytest.mark.parametrize(
        "payload", [{}, {"pull_request": None}, {"pull_request": 5}, {"pull_request": {"number": 1}}]
    )
    def test_without_a_payload_are_nobodys(self, happening: Happening, payload: dict[str, Any]) -> None:
        """An event that lacks what it should have is an error, and never taken for one of ours."""
        with pytest.raises(errors.GitHubError, match="the event's payload has no usable pull"):
            happening.read("pull_request", payload)
        assert event.why_untrusted("pull_request", "ada", payload) != ""


class TestEverythingElse:
    """Events without a pull request in their payload (G7)."""

    @pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "release", "repository_dispatch"])
    def test_there_is_no_comment_and_the_reason_is_told(self, happening: Happening, name: str) -> None:
        """The run is gated and summed up; nothing is written to anybody's conversation."""
        activity = happening.read(name, {})

        assert activity.why_no_comment == f"the event {name} has no pull request"
        assert activity.head_sha == happening.world.branches["main"]
        assert (activity.untrusted, activity.why_read_only) == ("", "")

    def test_a_push_is_compared_with_what_was_there_before(self, happening: Happening) -> None:
        """The branch and the commit before it; a new branch has none."""
        before = happening.world.branches["main"]
        after = happening.world.add_commit()

        assert happening.read("push", {"before": before, "after": after}).base == Base("main", before)
        assert happening.read("push", {"before": ZEROS, "after": after}).base == Base("main", None)
        assert happening.read("push", {"before": "../x", "after": after}).base == Base("main", None)

    def test_a_merge_queue_is_compared_with_its_own_base(self, happening: Happening) -> None:
        """The status goes on the head of the group; the queue's own branch is nobody's baseline."""
        base = happening.world.branches["main"]
        head = happening.world.add_commit("gh-readonly-queue/main/pr-1")
        group = {"head_sha": head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_ref": "refs/heads/main"}

        activity = happening.read(
            "merge_group", {"action": "checks_requested", "merge_group": group | {"base_sha": base}}
        )

        assert (activity.kind, activity.head_sha, activity.base) == ("merge_group", head, Base("main", base))
        assert activity.why_no_comment == "the event merge_group has no pull request"

    @pytest.mark.parametrize("name", ["push", "schedule"])
    def test_dependabots_schedule_is_ours_and_its_push_is_not(self, happening: Happening, name: str) -> None:
        """A schedule runs what was merged, with all rights, whoever counts as its actor."""
        untrusted = happening.read(name, {}, actor="dependabot[bot]").untrusted

        assert untrusted == ("it is Dependabot's" if name == "push" else "")


class TestWorkflowRuns:
    """Runs that another run's end has started."""

    def test_of_a_forks_pull_request_may_write_and_trust_nothing(self, happening: Happening) -> None:
        """Its own rights are the default branch's; what it reads is a stranger's. GitHub names no pull request (G6)."""
        activity = happening.run(head_repo=happening.world.add_repo("eve/shop"), head_branch="feature", attempt=2)

        assert activity.source is not None
        assert activity.head_sha == activity.source.head_sha == happening.world.branches["feature"]
        assert activity.source.head_repository is not None
        assert activity.source.head_repository.full_name == "eve/shop"
        assert (activity.source.run_attempt, activity.pull) == (2, None)
        assert (activity.untrusted, activity.why_read_only, activity.why_no_comment) == ("it comes from a fork", "", "")

    def test_of_a_deleted_fork_has_no_repository(self, happening: Happening) -> None:
        """There is nobody to ask for its pull request, and it is no crash (G6)."""
        made = happening.shapes.run(happening.world.add_run(happening.world.branches["main"], "pull_request"))

        activity = happening.read("workflow_run", {"workflow_run": made | {"head_repository": None}})

        assert activity.untrusted == "it comes from a fork that was deleted"

    def test_of_dependabot_is_dependabots(self, happening: Happening) -> None:
        """By the actor of the first run, whoever started it again."""
        assert happening.run(actor="dependabot[bot]").untrusted == "it is Dependabot's"

    def test_of_a_push_has_no_pull_request(self, happening: Happening) -> None:
        """What followed a push is nothing to comment on (G7)."""
        made = happening.world.add_run(happening.world.branches["main"], "push")

        activity = happening.read("workflow_run", {"workflow_run": happening.shapes.run(made)})

        assert activity.why_no_comment == "the event push of the run before has no pull request"

    def test_of_our_own_is_ours(self, happening: Happening) -> None:
        """A branch of this repository."""
        assert happening.run().untrusted == ""


class TestSurroundings:
    """The variables of a run."""

    def test_outside_of_a_workflow_they_are_missed(self) -> None:
        """A laptop is told what is not there."""
        with pytest.raises(errors.UsageError, match=r"GITHUB_EVENT_NAME, GITHUB_REPOSITORY, .* is not set"):
            Surroundings.of({})

    @pytest.mark.parametrize(
        ("ref", "file"),
        [
            ("acme/shop/.github/workflows/a.yml@refs/heads/x@y", ".github/workflows/a.yml"),
            ("acme/shop/.github/workflows/a.yml@refs/pull/1/merge", ".github/workflows/a.yml"), ("", ""), ("a@b", ""),
        ],
    )  # fmt: skip
    def test_the_file_of_the_workflow_is_known(self, ref: str, file: str) -> None:
        """Two workflows that share a name are told apart by it."""
        given = VARIABLES | {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": "a" * 40, "GITHUB_WORKFLOW_REF": ref}

        assert Surroundings.of(given).workflow == file
