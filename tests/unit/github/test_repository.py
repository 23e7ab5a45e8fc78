"""What is read of a repository, hostile or odd as it may be."""

from __future__ import annotations

import json

import pytest

from evaluator import errors
from evaluator.github import values
from evaluator.github.repository import Repository
from tests.fakes.github.server import READ_ONLY, Fault, GitHub
from tests.github import Connect


@pytest.fixture
def repository(server: GitHub, connect: Connect) -> Repository:
    """The repository of the fake GitHub, read with a token that may do nothing else."""
    server.tokens = dict.fromkeys(server.tokens, READ_ONLY)
    return Repository(connect(server.api), "acme/shop")


class TestFirstParents:
    """The history of a branch."""

    def test_merged_branches_are_passed_by(self, server: GitHub, repository: Repository) -> None:
        """A merge leads to the commit that the branch had before it, not to what was merged."""
        world = server.world
        first = world.branches["main"]
        side = world.add_commit("side")
        second = world.add_commit("main", age=-10)
        merge = world.add_commit("main", parents=(second, side), age=-20)
        last = world.add_commit("main", age=-30)

        assert repository.first_parents(last) == ((last, merge, second, first), True)

    def test_it_may_be_longer_than_a_page(self, server: GitHub, repository: Repository) -> None:
        """Pages are read until the first commit of all, and only so many."""
        for _ in range(249):
            server.world.add_commit()
        tip = server.world.branches["main"]

        whole, part = repository.first_parents(tip), repository.first_parents(tip, most=2)

        assert whole.commits == tuple(reversed(server.world.commits))
        assert (whole.complete, part.complete, len(part.commits)) == (True, False, 200)
        assert part.commits == whole.commits[:200]

    def test_dates_do_not_matter(self, server: GitHub, repository: Repository) -> None:
        """Commits whose clocks were wrong are listed in another order, and followed by their parents all the same."""
        chain = [server.world.branches["main"]]
        chain += [server.world.add_commit(age=age) for age in (-5, 7, -3, 90)]

        assert repository.first_parents(chain[-1]).commits == tuple(reversed(chain))

    def test_a_history_that_bites_its_tail_ends(self, server: GitHub, repository: Repository) -> None:
        """No git has such commits; an answer that does is no endless loop."""
        one, other = "a" * 40, "b" * 40
        page = [{"sha": one, "parents": [{"sha": other}]}, {"sha": other, "parents": [{"sha": one}]}]
        server.fail(Fault(200, body=json.dumps(page)))

        assert repository.first_parents(one) == ((one, other), False)

    def test_a_commit_that_is_not_there_is_not_found(self, repository: Repository) -> None:
        """A commit that was force-pushed away has no history."""
        with pytest.raises(errors.NotFound):
            repository.first_parents("a" * 40)


class TestPulls:
    """Pull requests."""

    def test_the_head_of_a_deleted_fork_has_no_repository(self, server: GitHub, repository: Repository) -> None:
        """Which is no crash (G6)."""
        server.world.add_pull(server.world.branches["main"], head_repo=None, draft=True, locked=True)

        pull = repository.pull(1)

        assert (pull.head.repo, pull.locked) == (None, True)

    def test_those_of_a_forks_branch_are_found(self, server: GitHub, repository: Repository) -> None:
        """A run of a fork names no pull request; its owner, branch and head lead to all that there are (G6)."""
        world = server.world
        eve, bob = world.add_repo("eve/shop"), world.add_repo("bob/shop")
        world.branches["release"] = world.branches["main"]
        head = world.add_commit("feature")
        for settings in ({"head_repo": eve}, {"head_repo": eve, "base": "release"}, {"head_repo": bob}, {}):
            world.add_pull(head, **settings)
        world.add_pull(head, head_repo=eve, state="closed")

        found = repository.pulls_from("eve", "feature")

        assert sorted(pull.number for pull in found.items if pull.head.sha == head) == [1, 2]
        assert found.complete


class TestFiles:
    """Files as of a commit."""

    @pytest.mark.parametrize("size", [0, 10, 1 << 20, (1 << 20) + 1])
    def test_they_are_read_whole(self, server: GitHub, repository: Repository, size: int) -> None:
        """GitHub leaves the content of a file above 1 MB out; it is fetched from where it is."""
        data = bytes(range(251)) * (size // 251 + 1)
        sha = server.world.add_commit(files={"eval/golden set.jsonl": data[:size]})

        assert repository.content("eval/golden set.jsonl", sha) == data[:size]

    def test_it_is_the_commits_own(self, server: GitHub, repository: Repository) -> None:
        """What a later commit has is not read."""
        first = server.world.add_commit(files={"rag-assay.yml": b"one"})
        server.world.add_commit(files={"rag-assay.yml": b"two"})

        assert repository.content("rag-assay.yml", first) == b"one"

    def test_a_folder_is_no_file(self, server: GitHub, repository: Repository) -> None:
        """GitHub answers a folder with a list of what is in it."""
        server.fail(Fault(200, body="[]"))

        with pytest.raises(errors.GitHubError, match="'eval' is no file"):
            repository.content("eval", "main")

    @pytest.mark.parametrize("content", ["aGFsZg==", "no base64!"])
    def test_half_a_file_is_refused(self, server: GitHub, repository: Repository, content: str) -> None:
        """A content that is not as long as it should be is not used."""
        file = {"type": "file", "sha": "a" * 40, "size": 5, "encoding": "base64", "content": content}
        server.fail(Fault(200, body=json.dumps(file)))

        with pytest.raises(errors.GitHubError, match=r"not answer with the whole of 'a\.txt'"):
            repository.content("a.txt", "main")


class TestRunsAndArtifacts:
    """What other runs left."""

    def test_an_artifact_says_where_it_comes_from(self, server: GitHub, repository: Repository) -> None:
        """One of a fork's main has our branch's name, and is told from ours by the number of its repository (G8)."""
        world = server.world
        sha = world.branches["main"]
        ours = world.add_run(sha)
        theirs = world.add_run(sha, "pull_request", head_repo=world.add_repo("eve/shop"))
        world.add_artifact("baseline", {"run.json": b"{}"}, ours)
        world.add_artifact("baseline", {"run.json": b"{}"}, theirs)
        world.add_artifact("baseline", {}, None, age=91 * 86400.0, digest=None)
        world.add_artifact("another", {}, ours)

        found = repository.artifacts("baseline")

        assert [(each.expired, each.digest is None) for each in found.items] == [
            (True, True),
            (False, False),
            (False, False),
        ]
        origins = [each.workflow_run for each in found.items]
        assert [origin and origin.head_branch for origin in origins] == [None, "main", "main"]
        own = [origin and origin.head_repository_id == origin.repository_id for origin in origins]
        assert own == [None, False, True]

    def test_those_of_one_run_are_found(self, server: GitHub, repository: Repository) -> None:
        """Each attempt of a run may have left one."""
        run = server.world.add_run(server.world.branches["main"])
        for _ in range(2):
            server.world.add_artifact("records", {}, run)
        server.world.add_artifact("records", {}, server.world.add_run(server.world.branches["main"]))

        assert len(repository.artifacts_of(run.id, "records").items) == 2

    def test_a_run_says_what_started_it(self, server: GitHub, repository: Repository) -> None:
        """Event, file, commit, attempt and repositories of a run are known."""
        fork = server.world.add_repo("eve/shop")
        sha = server.world.branches["main"]
        made = server.world.add_run(sha, "pull_request", head_repo=fork, attempt=2, actor="dependabot[bot]")

        run = repository.run(made.id)

        assert (run.event, run.path, run.head_sha) == ("pull_request", ".github/workflows/rag-assay.yml", sha)
        assert (run.run_attempt, run.actor and run.actor.login) == (2, "dependabot[bot]")
        assert run.head_repository is not None
        assert run.head_repository.id != run.repository.id == server.world.repo.id

    def test_runs_of_a_workflow_are_found(self, server: GitHub, repository: Repository) -> None:
        """By the name of its file, narrowed down as the API does it."""
        sha = server.world.branches["main"]
        for event in ("push", "schedule", "push"):
            server.world.add_run(sha, event)

        assert len(repository.runs("rag-assay.yml", event="push").items) == 2
        assert len(repository.runs("other.yml").items) == 0


class TestHostileAnswers:
    """Answers that are not what GitHub documents."""

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"head": None}, "pull head"), ({"head": {"ref": "x", "sha": "../../etc"}}, "pull head.sha"),
            ({"number": "1"}, "pull number"), ({"number": -1}, "pull number"), ({"locked": "no"}, "pull locked"),
            ({"base": {"ref": "main", "sha": "a" * 40, "repo": {"id": True, "full_name": "a/b"}}}, "pull base.repo.id"),
        ],
    )  # fmt: skip
    def test_are_refused_with_the_place(
        self, server: GitHub, repository: Repository, change: dict[str, object], said: str
    ) -> None:
        """A value of another type or form is not used, and the sentence names it."""
        side = {"ref": "main", "sha": "a" * 40, "repo": {"id": 1, "full_name": "acme/shop"}}
        server.fail(Fault(200, body=json.dumps({"number": 1, "state": "open", "head": side, "base": side} | change)))

        with pytest.raises(errors.GitHubError, match=f"no usable {said}"):
            repository.pull(1)

    @pytest.mark.parametrize("body", ["[]", "5", "null", '"text"'])
    def test_something_else_altogether_is_refused(self, server: GitHub, repository: Repository, body: str) -> None:
        """An answer that is no object is told."""
        server.fail(Fault(200, body=body))

        with pytest.raises(errors.GitHubError, match=r"no usable pull$"):
            repository.pull(1)

    def test_nothing_that_was_read_can_be_changed(self, server: GitHub, repository: Repository) -> None:
        """Values are frozen."""
        server.world.add_pull(server.world.branches["main"])

        with pytest.raises(ValueError, match="frozen"):
            setattr(repository.pull(1), "number", 2)  # noqa: B010 - what mypy would refuse

    @pytest.mark.parametrize("name", ["acme", "acme/shop/x", "../..", "acme/..", "acme/sh op", "", "acme/shop?x"])
    def test_a_name_that_leads_elsewhere_is_refused(self, server: GitHub, connect: Connect, name: str) -> None:
        """Only OWNER/NAME is a repository."""
        with pytest.raises(errors.UsageError, match="OWNER/NAME"):
            Repository(connect(server.api), name)

    @pytest.mark.parametrize("name", ["..", ".", "", "a/../../pulls", "a//b"])
    def test_a_file_that_leads_elsewhere_is_not_asked_for(
        self, server: GitHub, repository: Repository, name: str
    ) -> None:
        """A path upwards would be another part of the API."""
        with pytest.raises(errors.GitHubError, match="is no name of anything"):
            repository.content(name, "main")
        assert server.calls == []

    def test_a_ref_that_leads_elsewhere_stays_a_ref(self, server: GitHub, repository: Repository) -> None:
        """A branch with slashes and question marks is one part of the address."""
        server.world.add_commit("feature/a?b#c")

        assert repository.commit("feature/a?b#c").sha == server.world.branches["feature/a?b#c"]


def test_the_last_common_commit_is_found(server: GitHub, repository: Repository) -> None:
    """Where a branch left another is what GitHub compares them from."""
    shared = server.world.branches["main"]
    head = server.world.add_commit("feature")
    server.world.add_commit("main")

    assert repository.merge_base("main", head) == shared
    assert repository.about() == values.Repo(id=server.world.repo.id, full_name="acme/shop", default_branch="main")
