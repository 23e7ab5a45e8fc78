"""What a stranger's run left: whose it was, what of it is taken over, and that it does not choose its own base."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import pytest

from evaluator import errors
from evaluator.github import repository
from evaluator.zones import tarball
from tests.fakes.github.server import TOKEN
from tests.fakes.github.world import Commit, tarred
from tests.strangers import ANSWERS, NO_VARIANT, Stranger
from tests.zones import files_in

DEPENDABOT = "dependabot[bot]"
JUDGE = {"provider": "openai", "model": "gpt-4o-2024-08-06", "max_cost_usd": 2.5}
TODAY = "rag-assay-untrusted-judged-0123abcd-20261130"


def told(found: dict[str, bytes]) -> dict[str, Any]:
    """pull.json."""
    said: dict[str, Any] = json.loads(found["pull.json"])
    return said


class TestPullRequest:
    """Whose run it was."""

    def test_a_forks_answers_and_the_files_of_its_base_are_taken_over(self, stranger: Stranger) -> None:
        """The base is the newest commit of the branch: what it will be merged into, whatever it was when it began."""
        run = stranger.run()
        stranger.leave(run)
        newer = stranger.commit(files={"eval/golden.jsonl": b"[]\n"})

        found = stranger.received(run)

        assert told(found) == {
            "format": 1, "number": 1, "head": stranger.pull.head_sha, "base": newer, "branch": "main", "others": [],
        }  # fmt: skip
        assert files_in(io.BytesIO(found["tree.tar"])).keys() == {"rag-assay.yml", "eval/golden.jsonl"}
        assert files_in(io.BytesIO(found["answers.tar"])) == ANSWERS
        assert found.keys() == {"pull.json", "tree.tar", "answers.tar"}
        assert len(stranger.server.calls) <= 10

    def test_the_token_goes_to_no_other_server(self, stranger: Stranger) -> None:
        """Artifact and base lie elsewhere, behind addresses that live a minute (G5)."""
        run = stranger.run()
        stranger.leave(run)
        stranger.received(run)

        assert len(stranger.server.downloads) == 2
        assert all("authorization" not in call.headers for call in stranger.server.downloads)

    @pytest.mark.parametrize("since", [True, False])
    def test_a_deleted_fork_is_known_by_its_commit(self, stranger: Stranger, *, since: bool) -> None:
        """Before its run ended or since: the pull request has no head repository any more (G6)."""
        run = stranger.run()
        stranger.leave(run)
        stranger.pull.head_repo = None

        found = stranger.received(run, None if since else {"head_repository": None})

        assert told(found)["number"] == 1

    def test_a_fork_that_is_there_is_not_one_that_was_deleted(self, stranger: Stranger) -> None:
        """A commit that two forks have: the run of the deleted one is not of the other's pull request."""
        run = stranger.run()
        stranger.leave(run)

        assert stranger.received(run, {"head_repository": None}).keys() == {"nothing"}

    @pytest.mark.parametrize("by", ["actor", "author"])
    def test_dependabot_is_a_stranger(self, stranger: Stranger, by: str) -> None:
        """By the run's actor or, where a person pushed to its branch, by the author of the pull request (G6)."""
        stranger.pull.head_repo = stranger.world.repo
        stranger.pull.author = DEPENDABOT if by == "author" else "ada"
        run = stranger.run(head_repo=stranger.world.repo, actor=DEPENDABOT if by == "actor" else "ada")
        stranger.leave(run)

        assert told(stranger.received(run))["number"] == 1

    def test_our_own_pull_request_has_told_everything_itself(self, stranger: Stranger) -> None:
        """Its run had the keys; a second word on it could only hide the first."""
        stranger.pull.head_repo = stranger.world.repo
        run = stranger.run(head_repo=stranger.world.repo)
        stranger.leave(run)

        assert stranger.received(run).keys() == {"nothing"}

    @pytest.mark.parametrize("change", ["moved", "closed", "other fork"])
    def test_what_is_no_longer_open_with_this_head_is_nothing_to_do(self, stranger: Stranger, change: str) -> None:
        """The log says so. A name of a branch is not enough: another fork may have it, too."""
        run = stranger.run()
        stranger.leave(run)
        if change == "moved":
            stranger.pull.head_sha = stranger.world.add_commit("change")
        elif change == "closed":
            stranger.pull.state = "closed"
        else:
            stranger.pull.head_repo = stranger.world.add_repo("mallory/shop")

        found = stranger.received(run)

        assert found.keys() == {"nothing"}
        assert stranger.said == [f"no stranger's open pull request has the head {run.head_sha[:12]} any more"]

    def test_it_is_found_behind_any_number_of_others(self, stranger: Stranger, monkeypatch: pytest.MonkeyPatch) -> None:
        """Beyond the newest ones, so many as are read, by its branch; without the branch nobody can say."""
        monkeypatch.setattr(repository, "MOST_PAGES", 1)
        run = stranger.run()
        stranger.leave(run)
        other = stranger.world.add_commit("other")
        for _ in range(101):
            stranger.add_pull(other, head_branch="other")

        assert told(stranger.received(run))["number"] == 1
        with pytest.raises(errors.GitHubError, match="more open pull requests than are read"):
            stranger.received(run, {"head_repository": None})

    def test_of_a_run_that_has_only_begun_the_pull_request_is_told(self, stranger: Stranger) -> None:
        """So that its head can be pending from then on: by two calls, without the right to read artifacts."""
        stranger.server.tokens = {TOKEN: frozenset({"metadata:read", "contents:read", "pull-requests:read"})}
        found = stranger.received(stranger.run(status="queued", conclusion=None))

        assert found.keys() == {"pull.json", "begun"}
        assert (told(found)["number"], told(found)["branch"]) == (1, "main")
        assert len(stranger.server.calls) == 2

    def test_of_several_the_newest_has_begun(self, stranger: Stranger) -> None:
        """It is the one that was opened on a head that was there; nothing says of which of them a run is."""
        later = stranger.add_pull(stranger.pull.head_sha, "main")
        found = told(stranger.received(stranger.run(status="queued", conclusion=None)))

        assert (found["number"], found["others"]) == (later.number, [1])

    def test_our_own_run_that_has_begun_is_left_alone(self, stranger: Stranger) -> None:
        """It says so itself, under a name of its own, and nobody would take back what another workflow said."""
        stranger.pull.head_repo = stranger.world.repo
        run = stranger.run(head_repo=stranger.world.repo, status="queued", conclusion=None)

        assert stranger.received(run).keys() == {"nothing"}

    @pytest.mark.parametrize(
        ("settings", "why"),
        [
            ({"event": "push"}, "was started by the event push, which has no pull request"),
            ({"conclusion": "cancelled"}, "measured nothing: cancelled"),
            ({"conclusion": "action_required"}, "measured nothing: action_required"),
        ],
    )
    def test_a_run_without_a_pull_request_or_an_end_is_nothing_to_do(
        self, stranger: Stranger, settings: dict[str, str], why: str
    ) -> None:
        """It fires for every end of every run."""
        assert why in stranger.received(stranger.run(**settings))["nothing"].decode()

    def test_another_workflow_of_the_same_name_is_a_mistake(self, stranger: Stranger) -> None:
        """A stranger can add a file of his own with the name that the second workflow waits for."""
        run = stranger.run(path=".github/workflows/mine.yml")

        with pytest.raises(errors.UsageError, match=r"mine\.yml, and the input workflow names .*rag-assay\.yml"):
            stranger.received(run)


class TestSeveral:
    """Several open pull requests of one head."""

    @pytest.fixture
    def easy(self, stranger: Stranger) -> int:
        """Another one, to an old branch whose suite asks for less; its number."""
        stranger.commit("old", k=1)
        return stranger.add_pull(stranger.pull.head_sha, "old").number

    @pytest.mark.parametrize("number", [1, 2])
    def test_the_name_of_the_artifact_tells_which_is_meant(self, stranger: Stranger, easy: int, number: int) -> None:
        """Each is held to its own base, and knows of the other."""
        run = stranger.run()
        stranger.leave(run, pull=number)

        found = stranger.received(run)

        branch = "main" if number == 1 else "old"
        assert easy == 2
        assert told(found)["number"] == number
        assert (told(found)["base"], told(found)["others"]) == (stranger.world.branches[branch], [3 - number])
        assert json.loads(files_in(io.BytesIO(found["tree.tar"]))["rag-assay.yml"])["k"] == 3 - number

    def test_a_lie_settles_nothing(self, stranger: Stranger, easy: int) -> None:
        """A number that is none of theirs; whoever is meant, the head has a status that is not green."""
        run = stranger.run()
        stranger.leave(run, pull=99)
        found = stranger.received(run)

        assert found.keys() == {"pull.json", "refused"}
        assert b"(#1, #2), and what the run left names none" in found["refused"]
        assert told(found)["others"] == [easy]

    def test_a_lie_about_the_only_one_is_no_matter(self, stranger: Stranger) -> None:
        """What the run says is asked only where GitHub leaves it open."""
        run = stranger.run()
        stranger.leave(run, pull=99)

        assert told(stranger.received(run))["number"] == 1

    def test_another_forks_of_the_same_commit_shares_the_status_alone(self, stranger: Stranger) -> None:
        """Mallory copies Eve's commit: a run of Eve's is not of it, and both have to be measured."""
        mallory = stranger.add_pull(stranger.pull.head_sha, head_repo=stranger.world.add_repo("mallory/shop"))
        run = stranger.run()
        stranger.leave(run, pull=mallory.number)

        assert (told(stranger.received(run))["number"], told(stranger.received(run))["others"]) == (1, [mallory.number])


class TestAnswers:
    """What is taken of the artifacts of a run."""

    @pytest.mark.parametrize(
        ("files", "settings", "why"),
        [
            ({"records.jsonl": b""}, {}, "the archive has no collect.json"),
            (ANSWERS | {"baseline.json": b"{}"}, {}, "'baseline.json', which has no place in it"),
            (ANSWERS | {"../records.jsonl": b""}, {}, "'../records.jsonl', which has no place in it"),
            (b"no archive", {}, "the archive is no zip file, or not whole"),
            (ANSWERS, {"digest": f"sha256:{'0' * 64}"}, "not the one that GitHub names the digest of"),
            (ANSWERS, {"expired": True}, "cannot be used"),
            (ANSWERS, {"suite": "other"}, "the run left no answers to the suite 'shop'"),
            (ANSWERS, {"called": "rag-assay-report"}, "the run left no answers to the suite 'shop'"),
        ],
    )
    def test_what_cannot_be_measured_is_refused(
        self, stranger: Stranger, files: dict[str, bytes] | bytes, settings: dict[str, Any], why: str
    ) -> None:
        """Whoever edits the first workflow gets a status that says why there is no verdict, and no more."""
        run = stranger.run()
        stranger.leave(run, files, **settings)
        found = stranger.received(run)

        assert found.keys() == {"pull.json", "refused"}
        assert why in found["refused"].decode()

    def test_of_several_the_newest_counts(self, stranger: Stranger) -> None:
        """Another run's, suite's or variant's are not looked at."""
        run = stranger.run()
        stranger.leave(run, ANSWERS | {"records.jsonl": b"1\n"})
        stranger.leave(
            run, ANSWERS | {"records.jsonl": b"2\n"}, called=f"rag-assay-untrusted-shop-{NO_VARIANT}-89abcdef-1-1"
        )
        stranger.leave(run, ANSWERS | {"records.jsonl": b"3\n"}, suite="help")
        stranger.leave(
            run, ANSWERS | {"records.jsonl": b"4\n"}, called="rag-assay-untrusted-shop-89abcdef-89abcdef-1-1"
        )
        stranger.leave(stranger.run(), ANSWERS | {"records.jsonl": b"5\n"})

        assert files_in(io.BytesIO(stranger.received(run)["answers.tar"]))["records.jsonl"] == b"2\n"

    def test_a_repeated_run_is_known_by_its_attempt(self, stranger: Stranger) -> None:
        """The second attempt's answers belong to its own end; the first one's can still be measured again (G20)."""
        run = stranger.run()
        stranger.leave(run, ANSWERS | {"records.jsonl": b"1\n"})
        run.attempt = 2
        assert stranger.received(run).keys() == {"nothing"}

        stranger.leave(run, ANSWERS | {"records.jsonl": b"2\n"}, attempt=2)
        for attempt in (1, 2):
            found = stranger.received(run, {"run_attempt": attempt})
            assert files_in(io.BytesIO(found["answers.tar"]))["records.jsonl"] == f"{attempt}\n".encode()

    @pytest.mark.parametrize(
        ("files", "why"),
        [({"rag-assay.yml": b"golden: x\n"}, "names no suite"), ({"rag-assay.yml": b"- no: ["}, "names no suite")],
    )
    def test_a_base_that_names_no_suite_has_nothing_to_be_held_to(
        self, stranger: Stranger, files: dict[str, bytes], why: str
    ) -> None:
        """A mistake of ours, which is told."""
        run = stranger.run()
        stranger.leave(run)
        stranger.commit(files=files)

        assert why in stranger.received(run)["refused"].decode()
        assert (
            "there is no 'none.yml' on the branch main" in stranger.received(run, config="none.yml")["refused"].decode()
        )


class TestCap:
    """What judging strangers' answers may cost on one day."""

    def reserve(self, stranger: Stranger, run: int | None = None, **settings: Any) -> None:
        """A run of the second workflow begins."""
        made = stranger.world.add_run(stranger.world.branches["main"], "workflow_run", **settings)
        if run is not None:
            made.id = run
        stranger.world.add_artifact(TODAY, {"reserved": b""}, made)

    def judged(self, stranger: Stranger, cap: str = "5", reservation: str = TODAY) -> str:
        """Why nothing may be judged; empty where that may be."""
        run = stranger.run()
        stranger.leave(run)
        found = stranger.received(run, cap=Decimal(cap), reservation=reservation)
        return found.get("unjudged", b"").decode()

    @pytest.mark.parametrize(
        ("before", "why"), [(0, ""), (1, ""), (2, "this is run 3 today, of which each may cost 2.5")]
    )
    def test_runs_count_with_the_most_they_may_cost(self, stranger: Stranger, before: int, why: str) -> None:
        """Two of 2.50 are within 5, a third is not; a later one takes nobody's place."""
        stranger.commit(judge=JUDGE)
        for _ in range(before):
            self.reserve(stranger)
        self.reserve(stranger, 900000)
        self.reserve(stranger)

        assert why in self.judged(stranger)
        assert bool(why) == bool(self.judged(stranger))

    def test_a_repeated_run_counts_again(self, stranger: Stranger) -> None:
        """Its second attempt reserves anew."""
        stranger.commit(judge=JUDGE)
        for _ in range(3):
            self.reserve(stranger, 900000)

        assert "this is run 3 today" in self.judged(stranger)

    def test_strangers_reserve_nothing(self, stranger: Stranger) -> None:
        """A fork's run can give its artifacts any name, and uses up nobody's budget."""
        stranger.commit(judge=JUDGE)
        for _ in range(5):
            self.reserve(stranger, head_repo=stranger.fork)
        self.reserve(stranger, 900000)

        assert self.judged(stranger) == ""

    def test_who_has_reserved_nothing_judges_nothing(self, stranger: Stranger) -> None:
        """The upload failed, or the list is not whole."""
        stranger.commit(judge=JUDGE)

        assert "cannot be read as a whole" in self.judged(stranger)

    def test_a_repeated_run_that_could_not_reserve_spends_no_earlier_reservation(self, stranger: Stranger) -> None:
        """Its first attempt has reserved, and judged for that; the upload of the second one failed."""
        stranger.commit(judge=JUDGE)
        self.reserve(stranger, 900000)

        assert "nothing of the day's budget could be reserved" in self.judged(stranger, reservation="")

    def test_a_cap_needs_a_cost_to_count_with(self, stranger: Stranger) -> None:
        """Without a limit of each run nobody knows what it may come to."""
        stranger.commit(judge=JUDGE | {"max_cost_usd": None})

        with pytest.raises(
            errors.UsageError, match=r"max-cost-usd-per-day is 5, and judge\.max_cost_usd of .* is null"
        ):
            self.judged(stranger)

    def test_without_a_judge_nothing_costs_anything(self, stranger: Stranger) -> None:
        """And nothing is counted."""
        assert self.judged(stranger, "0") == ""


class TestTarball:
    """The files of a commit as GitHub packs them."""

    @pytest.mark.parametrize(
        "data", [b"", b"no archive", tarred("a-b-1", Commit("1" * 40, (), "", 0, {"a": b"b"}))[:-20]]
    )
    def test_a_broken_one_is_none(self, data: bytes) -> None:
        """Half a repository would be measured as if it were whole."""
        with pytest.raises(errors.ZoneProblem):
            tarball.to_tree(io.BytesIO(data), io.BytesIO())

    def test_the_folder_around_it_goes(self) -> None:
        """Long names and names that are no ASCII stay what they are."""
        files = {f"{'d' * 120}/é.md": b"1", "x": b"2"}
        out = io.BytesIO()
        tarball.to_tree(io.BytesIO(tarred("acme-shop-1234567", Commit("1" * 40, (), "", 0, files))), out)

        assert files_in(out) == files


def test_only_the_end_of_another_run_starts_it(stranger: Stranger) -> None:
    """On any other event there is no run to look at."""
    stranger.event = "push"

    with pytest.raises(errors.UsageError, match="on workflow_run alone"):
        stranger.received(stranger.run())
