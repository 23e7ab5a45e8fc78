"""The issue of a suite whose runs on a schedule do not pass: one, kept up to date, and closed in the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.github import event
from evaluator.github.marks import Mark
from evaluator.stages.posting import Verdict
from tests.fakes.github.server import FORBIDDEN, Fault, GitHub, limited
from tests.fakes.github.world import Issue, World
from tests.github import Connect, StoppedClock
from tests.publishing import Team, verdict


class Nights:
    """A repository and the runs of its schedule."""

    def __init__(self, team: Team) -> None:
        self.team, self.world, self.server = team, team.server.world, team.server
        team.wanted = team.wanted._replace(issue=True)

    def run(
        self, told: Verdict, run: int = 1, attempt: int = 1, *, name: str = "schedule", file: str = "rag.yml",
        leg: str = "a",
    ) -> None:  # fmt: skip
        """A run that was started by an event and came to a verdict."""
        sha = self.world.branches["main"]
        around = event.Surroundings(
            name, "acme/shop", "ada", run, attempt, f".github/workflows/{file}", sha, "refs/heads/main"
        )
        activity = event.read(around, {"repository": {"id": self.world.repo.id, "default_branch": "main"}})
        changes = {each: getattr(activity, each) for each in ("kind", "around", "head_sha", "base", "pull")}
        self.team.publish(told, hub=self.team.hub(leg=leg, **changes))

    @property
    def open(self) -> list[Issue]:
        """Issues that are open."""
        return [each for each in self.world.issues.values() if each.state == "open"]


@pytest.fixture
def nights() -> Iterator[Nights]:
    """A main with a suite, and one open pull request; what is not documented fails the test."""
    clock = StoppedClock()
    connect = Connect(clock)
    with GitHub(World(clock=clock.now)) as server:
        server.world.add_commit()
        yield Nights(Team(server, connect))
    for session in connect.sessions:
        session.close()


class TestIssue:
    """From the first red night to the first green one."""

    def test_one_is_opened_changed_and_closed(self, nights: Nights) -> None:
        """Two red nights are one issue with the newer report; a green one closes it as completed and says so."""
        nights.run(verdict("failed", comment="## first"), run=1)
        nights.run(verdict("inconclusive", comment="## second"), run=2)

        [issue] = nights.open
        assert (issue.title, issue.labels) == ("RAG Assay: shop does not pass on a schedule", ["rag-assay"])
        assert issue.body.startswith("## second\n")
        assert f"{nights.server.web}/acme/shop/actions/runs/2/attempts/1" in issue.body
        assert nights.world.comments == {}

        nights.run(verdict("passed"), run=3)
        assert (issue.state, issue.reason) == ("closed", "completed")
        assert issue.body.startswith("## second\n")
        [comment] = nights.world.comments.values()
        assert comment.number == issue.number
        assert comment.body.startswith("The suite has passed again: [run 3, attempt 1](")
        assert nights.team.said == []

    def test_one_that_was_closed_is_never_opened_again(self, nights: Nights) -> None:
        """Whoever closed it: the next red night has an issue of its own, and only that is changed from then on."""
        nights.run(verdict("failed"), run=1)
        [first] = nights.open
        first.state = "closed"
        closed = first.body
        for run in (2, 3):
            nights.run(verdict("failed"), run=run)

        assert (first.state, first.body) == ("closed", closed)
        assert len(nights.world.issues) == 2
        [second] = nights.open
        assert "runs/3/" in second.body

    def test_nights_that_pass_open_none(self, nights: Nights) -> None:
        """Nothing is written at all."""
        nights.run(verdict("passed"))

        assert nights.server.made("POST") + nights.server.made("PATCH") == []
        assert nights.team.log[-1] == "no issue: the run passed, and none is open"

    def test_no_verdict_is_told_too(self, nights: Nights) -> None:
        """A run that broke before anybody read the configuration is told by the name that main's has."""
        nights.team.wanted = nights.team.wanted._replace(suite="")
        nights.run(Verdict.none("the zone collect was killed"))

        [issue] = nights.open
        assert "the zone collect was killed" in issue.body
        assert "shop" in issue.title

    @pytest.mark.parametrize("name", ["push", "workflow_dispatch", "pull_request", "merge_group"])
    def test_other_events_open_none(self, nights: Nights, name: str) -> None:
        """Who pushes, or starts a run by hand, looks at it; the log says why there is none (G7)."""
        if name in {"push", "workflow_dispatch"}:
            nights.run(verdict("failed"), name=name)
        else:
            nights.team.publish(verdict("failed"), kind=name)

        assert nights.world.issues == {}
        assert any(line.startswith("no issue: the event ") for line in nights.team.log)

    def test_nobody_asked_for_it(self, nights: Nights) -> None:
        """Without the input there is none, and GitHub is not asked."""
        nights.team.wanted = nights.team.wanted._replace(issue=False)
        nights.run(verdict("failed"))

        assert nights.server.calls == []

    @pytest.mark.parametrize("length", [65_000, 65_535, 65_536, 65_537, 300_000])
    def test_it_fits(self, nights: Nights, length: int) -> None:
        """65,536 characters at most, also where it is changed; what is too long is replaced by where it is (G1)."""
        for run in (9, 10):
            nights.run(verdict("failed", comment=f"## ❌ Failed\n\n{'🙂' * (length // 2)}"), run=run)

        [issue] = nights.open
        assert issue.body.startswith("## ❌ Failed\n")
        assert "runs/10/" in issue.body
        assert nights.team.said == []

    def test_a_name_of_any_length_fits_the_title(self, nights: Nights) -> None:
        """GitHub takes 256 characters, and an emoji may be two of them."""
        nights.team.wanted = nights.team.wanted._replace(suite="🙂" * 200, config="new.yml", variant="x" * 60)
        nights.run(verdict("failed"))

        assert len(nights.open) == 1


class TestWhose:
    """Which issue is ours."""

    @pytest.mark.parametrize("before", [99, 100, 301])
    def test_it_is_found_behind_any_number_of_others(self, nights: Nights, before: int) -> None:
        """The 100th, 101st or 302nd of our label is changed in its place (G2)."""
        nights.run(verdict("failed"), run=1)
        nights.team.connect.clock.sleep(60)
        for number in range(before):
            nights.world.add_issue(f"talk {number}", "x", ("rag-assay",), "ada")
        nights.run(verdict("failed"), run=2)

        assert len(nights.world.issues) == before + 1
        assert "runs/2/" in nights.open[0].body

    def test_where_the_label_was_taken_away_it_is_found_by_its_mark(self, nights: Nights) -> None:
        """Labels are people's: without ours it is among those that changed last, beside pull requests."""
        nights.run(verdict("failed"), run=1)
        nights.open[0].labels.clear()
        nights.run(verdict("failed"), run=2)

        [issue] = nights.open
        assert "runs/2/" in issue.body

    @pytest.mark.parametrize("author", ["ada", "other-app[bot]"])
    def test_a_person_who_quotes_it_is_never_edited(self, nights: Nights, author: str) -> None:
        """Neither one who copies the whole issue, label and all, nor another bot that does (G3)."""
        nights.run(verdict("failed"), run=1)
        copied = nights.open[0].body
        nights.world.issues.clear()
        quoted = nights.world.add_issue("copied", copied, ("rag-assay",), author)
        nights.run(verdict("failed"), run=2)
        nights.run(verdict("passed"), run=3)

        assert (quoted.body, quoted.state) == (copied, "open")
        assert [each.state for each in nights.world.issues.values()] == ["open", "closed"]

    def test_a_pull_request_is_no_issue(self, nights: Nights) -> None:
        """GitHub lists them together; one of a bot that quotes us is left alone."""
        nights.run(verdict("failed"), run=1)
        pull = nights.team.pull
        pull.author, pull.body = nights.world.bot, nights.open[0].body
        nights.world.issues.clear()
        nights.run(verdict("failed"), run=2)

        assert len(nights.open) == 1
        assert [call.path for call in nights.server.made("PATCH")] == []

    def test_an_app_finds_its_own(self, nights: Nights) -> None:
        """An app's token may not ask who it is: its name is in the mark."""
        nights.world.bot = "our-app[bot]"
        nights.run(verdict("failed"), run=1)
        nights.run(verdict("failed"), run=2)
        nights.run(verdict("passed"), run=3)

        [issue] = nights.world.issues.values()
        mark = Mark.read(issue.body)
        assert mark is not None
        assert (mark.by, issue.state, nights.team.said) == ("our-app[bot]", "closed", [])

    def test_suites_workflows_and_variants_have_their_own(self, nights: Nights) -> None:
        """None of them closes what another has opened (G13)."""
        nights.world.add_commit(files={"help.yml": b"suite: help\n"})
        nights.run(verdict("failed"), run=1)
        nights.run(verdict("failed"), run=2, file="other.yml")
        nights.team.wanted = nights.team.wanted._replace(variant="py3.12")
        nights.run(verdict("failed"), run=3)
        nights.team.wanted = nights.team.wanted._replace(variant="", suite="help", config="help.yml")
        nights.run(verdict("passed"), run=4)

        assert len(nights.open) == 3

    def test_what_was_opened_twice_is_one_again(self, nights: Nights) -> None:
        """Two runs that began at once both found none; the next keeps the older one."""
        nights.run(verdict("failed"), run=1)
        first = nights.open[0]
        twin = nights.world.add_issue(first.title, first.body, ("rag-assay",))
        nights.run(verdict("failed"), run=2)

        assert nights.open == [first]
        assert (twin.state, twin.reason) == ("closed", "not_planned")


class TestOrder:
    """What a run may replace (G20)."""

    @pytest.mark.parametrize("outcome", ["failed", "passed"])
    def test_an_older_run_that_ends_later_changes_nothing(self, nights: Nights, outcome: str) -> None:
        """Neither its failure opens again what a newer one has closed, nor does its pass close what that has opened."""
        nights.run(verdict("failed"), run=1)
        nights.run(verdict("passed" if outcome == "failed" else "failed"), run=3)
        states = [each.state for each in nights.world.issues.values()]
        nights.run(verdict(outcome), run=2)

        assert [each.state for each in nights.world.issues.values()] == states
        assert "is newer than this one" in nights.team.log[-1]

    def test_a_second_attempt_closes_what_the_first_opened(self, nights: Nights) -> None:
        """Somebody ran it again in the morning."""
        nights.run(verdict("failed"), run=1)
        nights.run(verdict("passed"), run=1, attempt=2)

        assert nights.open == []

    @pytest.mark.parametrize("order", [("failed", "passed"), ("passed", "failed")])
    def test_two_jobs_under_one_name_never_hide_a_failure(self, nights: Nights, order: tuple[str, str]) -> None:
        """Legs of a matrix without a variant: the issue of the one that failed stays open (G13)."""
        nights.run(verdict("failed"), run=1)
        for leg, outcome in zip("ab", order, strict=True):
            nights.run(verdict(outcome), run=2, leg=leg)

        assert len(nights.open) == 1

    @pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
    def test_two_legs_under_one_name_share_one_issue(self, nights: Nights, order: tuple[str, str]) -> None:
        """Night after night one of them fails: whichever ends first, there is the one issue, open until both pass."""
        outcomes = {"a": "failed", "b": "passed"}
        for run in (1, 2, 3):
            for leg in order:
                nights.run(verdict(outcomes[leg]), run=run, leg=leg)
            [issue] = nights.open
            assert f"runs/{run}/" in issue.body

        for leg in order:
            nights.run(verdict("passed"), run=4, leg=leg)
        assert [each.state for each in nights.world.issues.values()] == ["closed"]


class TestFailures:
    """GitHub refuses (G4, G18)."""

    def test_a_missing_permission_is_one_warning(self, nights: Nights) -> None:
        """It is asked for once, and the warning says what to grant (G4)."""
        nights.server.fail(FORBIDDEN, "POST", times=9)
        nights.run(verdict("failed"))

        [said] = nights.team.said
        assert "issues: write" in said
        assert len(nights.server.made("POST")) == 1

    def test_where_issues_are_switched_off_it_is_one_warning(self, nights: Nights) -> None:
        """GitHub answers 410."""
        nights.world.has_issues = False
        nights.run(verdict("failed"))

        [said] = nights.team.said
        assert "Issues are disabled for this repo" in said

    @pytest.mark.parametrize("status", [404, 410])
    def test_one_that_vanishes_meanwhile_is_opened_again(self, nights: Nights, status: int) -> None:
        """Somebody deletes it between two requests: a new one is opened, once."""
        nights.run(verdict("failed"), run=1)
        nights.server.fail(Fault(status, "Not Found"), "PATCH")
        nights.run(verdict("failed"), run=2)

        assert (len(nights.world.issues), nights.team.said) == (2, [])

    def test_one_that_is_locked_is_closed_without_a_word(self, nights: Nights) -> None:
        """Nobody may comment there; that is no warning."""
        nights.run(verdict("failed"), run=1)
        [issue] = nights.open
        issue.locked = True
        nights.run(verdict("passed"), run=2)

        assert (issue.state, nights.world.comments, nights.team.said) == ("closed", {}, [])

    def test_an_answer_that_is_lost_opens_no_second_one(self, nights: Nights) -> None:
        """Nobody knows whether it was opened: the next night finds it by its mark."""
        nights.server.fail(Fault(cut="body", after=True), "POST")
        nights.run(verdict("failed"), run=1)
        assert len(nights.team.said) == 1

        nights.run(verdict("failed"), run=2)
        assert len(nights.world.issues) == 1

    @pytest.mark.parametrize(
        "fault",
        [Fault(500), Fault(422, "Validation Failed"), Fault(cut="before"), Fault(200, body="<html>"), limited(429)],
    )
    def test_whatever_fails_is_told_and_raises_nothing(self, nights: Nights, fault: Fault) -> None:
        """Outages, refusals, broken answers and limits end in a sentence (G5, G18)."""
        nights.server.fail(fault, times=1000)
        nights.run(verdict("failed"))

        assert nights.team.said
        assert sum(nights.team.connect.clock.slept) <= 120

    def test_more_issues_than_are_read_are_no_reason_to_open_another(self, nights: Nights) -> None:
        """Ours may be among those that were not read."""
        for number in range(501):
            nights.world.add_issue(str(number), "x", ("rag-assay",), "ada")
        nights.run(verdict("failed"))

        [said] = nights.team.said
        assert "ours may be among the others" in said

    def test_a_night_is_few_calls(self, nights: Nights) -> None:
        """Opening, changing and closing take eight at most."""
        for number in range(300):
            nights.world.add_issue(str(number), "x", (), "ada")
        for run, outcome in enumerate(("failed", "failed", "passed"), 1):
            nights.server.calls.clear()
            nights.run(verdict(outcome), run=run)
            assert len(nights.server.calls) <= 8
