"""What is told to GitHub, whom it replaces, and that nothing of it decides anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator import errors
from evaluator.github import event, publishing, values
from evaluator.github.publishing import StatusText
from evaluator.github.repository import Listed
from evaluator.stages.publish import Wanted, warning
from tests.fakes.github.server import FORBIDDEN, Fault, GitHub, limited
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import Pull, World
from tests.github import Connect, StoppedClock
from tests.publishing import CONFIG, Team, verdict

STATUS = "rag-assay/shop"


@pytest.fixture
def team() -> Iterator[Team]:
    """A repository with one pull request; what is asked of GitHub and not documented fails the test."""
    clock = StoppedClock()
    connect = Connect(clock)
    with GitHub(World(clock=clock.now)) as server:
        server.world.add_commit()
        yield Team(server, connect)
    for session in connect.sessions:
        session.close()


class TestComment:
    """The one comment."""

    def test_it_is_made_once_and_then_changed(self, team: Team) -> None:
        """A regressed push and a mended one share a comment."""
        team.publish(verdict("failed"), run=1)
        first = team.comments[0].id
        team.push()
        team.publish(verdict("passed"), run=2)

        assert [each.id for each in team.comments] == [first]
        assert team.comment.startswith("## passed\n")
        assert f"[Summary and log of this run]({team.server.web}/acme/shop/actions/runs/2/attempts/1)" in team.comment
        assert team.said == []

    @pytest.mark.parametrize("before", [30, 100, 300])
    def test_it_is_found_behind_any_number_of_others(self, team: Team, before: int) -> None:
        """The 31st, 101st or 301st comment is changed in its place (G2)."""
        for number in range(before):
            team.server.world.add_comment(1, f"talk {number}", "ada")
        team.publish(verdict("failed"), run=1)
        team.publish(verdict("passed"), run=2)

        assert len(team.comments) == before + 1
        assert team.comments[-1].body.startswith("## passed")

    @pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 300_000])
    @pytest.mark.parametrize("character", ["x", "🙂"])
    def test_one_of_any_length_is_taken(self, team: Team, length: int, character: str) -> None:
        """GitHub refuses a comment that is a character too long whole; ours is there, and then changed (G1)."""
        for run in (9, 10):
            team.publish(verdict("failed", comment=f"## ❌ Failed\n\n{character * length}"), run=run)

        assert (len(team.comments), team.said) == (1, [])
        assert team.comment.startswith("## ❌ Failed\n")
        assert "/actions/runs/10/attempts/1" in team.comment

    def test_a_person_who_quotes_it_is_never_edited(self, team: Team) -> None:
        """Neither one who copies the whole comment nor another bot that does (G3)."""
        team.publish(verdict("failed"), run=1)
        copied = team.comment
        team.server.world.comments.clear()
        quotes = [team.server.world.add_comment(1, copied, author) for author in ("ada", "other-app[bot]")]

        team.publish(verdict("passed"), run=2)

        assert [each.body for each in team.comments[:2]] == [copied, copied]
        assert [each.id for each in team.comments[:2]] == [each.id for each in quotes]
        assert team.comments[2].author == "github-actions[bot]"

    def test_an_app_finds_its_own(self, team: Team) -> None:
        """An app's token may not ask who it is: its name is in the mark, and what is copied names another (G3)."""
        team.server.world.bot = "our-app[bot]"
        team.publish(verdict("failed"), run=1)
        team.server.world.add_comment(1, team.comment, "other-app[bot]")
        team.publish(verdict("passed"), run=2)

        assert [each.body.splitlines()[0] for each in team.comments] == ["## passed", "## failed"]

    def test_a_person_whose_token_it_is_finds_its_own(self, team: Team) -> None:
        """With a token of a person the comment is that person's."""
        team.server.world.bot = team.author = "ada"
        team.publish(verdict("failed"), run=1)
        team.publish(verdict("passed"), run=2)

        assert team.comment.startswith("## passed")

    @pytest.mark.parametrize(
        ("mode", "expected"),
        [
            ("always", ["same", "changed", "failed"]),
            ("on-change", ["changed", "failed"]),
            ("on-failure", ["failed"]),
            ("off", []),
        ],
    )
    def test_the_mode_says_when_there_is_one(self, team: Team, mode: str, expected: list[str]) -> None:
        """A change can be an improvement; a failure is also a run without a verdict."""
        team.wanted = team.wanted._replace(comment=mode)
        made = []
        told = {"same": verdict(), "changed": verdict(changed=True), "failed": verdict("inconclusive", changed=True)}
        for name, one in told.items():
            team.server.world.comments.clear()
            team.publish(one, run=1)
            made += [name] * len(team.comments)

        assert made == expected

    @pytest.mark.parametrize("mode", ["always", "on-change", "on-failure"])
    def test_what_nothing_depends_on_begins_no_comment(self, team: Team, mode: str) -> None:
        """The status is set; a comment that is there is brought up to date."""
        team.wanted = team.wanted._replace(comment=mode)
        team.publish(verdict()._replace(quiet=True), run=1)
        assert (team.comments, team.server.world.statuses[-1].state) == ([], "success")

        team.publish(verdict("failed"), run=2)
        team.publish(verdict()._replace(quiet=True), run=3)

        assert team.comment.startswith("## passed")

    @pytest.mark.parametrize("mode", ["on-change", "on-failure"])
    def test_one_that_is_there_is_never_left_to_tell_what_was(self, team: Team, mode: str) -> None:
        """A comment of a failure says so when the failure is mended, whatever the mode."""
        team.wanted = team.wanted._replace(comment=mode)
        team.publish(verdict("failed"), run=1)
        team.publish(verdict(), run=2)

        assert team.comment.startswith("## passed")

    def test_what_was_made_twice_is_one_again(self, team: Team) -> None:
        """Two runs that started at once both found none; the next keeps the older one."""
        team.publish(verdict("failed"), run=1)
        oldest = team.comments[0]
        team.server.world.add_comment(1, oldest.body)
        team.publish(verdict("passed"), run=2)

        assert [each.id for each in team.comments] == [oldest.id]
        assert team.comment.startswith("## passed")

    def test_one_that_vanishes_meanwhile_is_made_again(self, team: Team) -> None:
        """Somebody deletes it between two requests: a new one is made, once."""
        team.publish(verdict("failed"), run=1)
        team.server.fail(Fault(404, "Not Found"), "PATCH")
        team.publish(verdict("passed"), run=2)

        assert (len(team.comments), team.said) == (2, [])

    def test_the_same_text_is_not_written_again(self, team: Team) -> None:
        """A run that is published twice asks for nothing new."""
        team.publish(verdict("failed"), run=1)
        team.publish(verdict("failed"), run=1)

        assert team.server.made("PATCH") == []

    @pytest.mark.parametrize("change", [{"locked": True}, {"state": "closed"}])
    def test_a_pull_request_that_is_closed_or_locked_gets_none(self, team: Team, change: dict[str, object]) -> None:
        """By the event, or since: the status is set all the same."""
        hub = team.hub()
        for name, value in change.items():
            setattr(team.pull, name, value)
        team.publish(verdict("failed"), hub=hub)
        team.publish(verdict("failed"), run=2)

        assert (team.comments, team.said) == ([], [])
        assert sum("no comment" in line for line in team.log) == 2
        assert team.statuses() == {STATUS: "failure"}


class TestOrder:
    """What a run may replace (G20)."""

    def test_an_older_run_that_ends_later_replaces_nothing(self, team: Team) -> None:
        """Runs 1 and 2 are of one commit, and 1 ends last: comment and status stay those of 2 (G20)."""
        first = team.hub(1)
        team.publish(verdict("passed"), run=2)
        team.publish(verdict("failed"), hub=first)

        assert team.comment.startswith("## passed")
        assert team.statuses() == {STATUS: "success"}
        assert team.said == []
        assert sum("newer than this one" in line for line in team.log) == 2

    def test_a_run_of_a_commit_that_is_no_longer_the_head_comments_on_nothing(self, team: Team) -> None:
        """The head moved while it was going: its status goes to its own commit (G20)."""
        hub, old = team.hub(1), team.pull.head_sha
        team.push()
        team.publish(verdict("failed"), hub=hub)

        assert team.comments == []
        assert (team.statuses(old), team.statuses()) == ({STATUS: "failure"}, {})
        assert any("moved on" in line for line in team.log)

    def test_a_second_attempt_is_newer_than_the_first(self, team: Team) -> None:
        """A run that is repeated replaces what its first attempt wrote, and names it as red (G13, G20)."""
        team.publish(verdict("failed"), run=7)
        team.publish(verdict("passed"), run=7, attempt=2)

        url = f"{team.server.web}/acme/shop/actions/runs/7/attempts/1"
        assert team.comment.startswith("## passed")
        assert f"Earlier on this commit: [run 7, attempt 1]({url}): failed." in team.comment
        assert team.statuses() == {STATUS: "success"}

    def test_red_attempts_are_named_as_long_as_the_commit_is_the_same(self, team: Team) -> None:
        """They add up in their order, and are forgotten with the next commit."""
        team.publish(verdict("failed"), run=7)
        team.publish(verdict("inconclusive"), run=7, attempt=2)
        team.publish(verdict("passed"), run=8)

        assert "attempts/1): failed; [run 7, attempt 2]" in team.comment
        assert "attempts/2): inconclusive." in team.comment
        team.push()
        team.publish(verdict("passed"), run=9)
        assert "Earlier on this commit" not in team.comment

    def test_what_a_person_adds_below_does_not_hide_it(self, team: Team) -> None:
        """A maintainer edits our comment in the browser, which writes other line ends."""
        team.publish(verdict("failed"), run=1)
        team.comments[0].body = team.comment.replace("\n", "\r\n") + "we know\r\n"
        team.publish(verdict("passed"), run=2)

        assert team.comment.startswith("## passed")


class TestNames:
    """What keeps runs apart (G13)."""

    def test_suites_workflows_and_variants_have_comments_of_their_own(self, team: Team) -> None:
        """Two suites, two workflows, two variants: four comments, three statuses (G13)."""
        team.publish(verdict("failed"), run=1)
        team.publish(verdict("failed"), run=2, file="other.yml")
        team.wanted = team.wanted._replace(variant="py3.12")
        team.publish(verdict("failed"), run=3)
        team.wanted = team.wanted._replace(variant="", suite="help", config="help.yml")
        team.publish(verdict("failed"), run=4)

        assert len(team.comments) == 4
        assert set(team.statuses()) == {STATUS, "rag-assay/shop (py3.12)", "rag-assay/help"}

    @pytest.mark.parametrize("order", [("failed", "passed"), ("passed", "failed")])
    @pytest.mark.parametrize("other", [{"leg": "b"}, {"leg": "b", "file": "other.yml", "run": 9}])
    def test_two_jobs_under_one_name_never_hide_a_failure(
        self, team: Team, order: tuple[str, str], other: dict[str, object]
    ) -> None:
        """Legs of a matrix, or two workflows, with one suite and no variant: the worse outcome stays (G13)."""
        for kind in ({}, other):
            team.announce(**{"run": 5, **kind})
        for outcome, kind in zip(order, ({}, other), strict=True):
            team.publish(verdict(outcome), **{"run": 5, **kind})

        assert team.statuses() == {STATUS: "failure"}
        assert "give each its own variant" in " ".join(team.said)

    def test_a_job_that_has_yet_to_end_is_waited_for(self, team: Team) -> None:
        """A status is not green while another job that sets it is measuring (G13)."""
        team.announce(run=5)
        team.announce(run=5, leg="b")
        team.publish(verdict("passed"), run=5)

        assert team.statuses() == {STATUS: "pending"}
        team.publish(verdict("passed"), run=5, leg="b")
        assert team.statuses() == {STATUS: "success"}

    @pytest.mark.parametrize("later", [{"run": 5, "attempt": 2}, {"run": 9, "leg": "c", "file": "other.yml"}])
    def test_a_job_that_is_not_repeated_stays_red(self, team: Team, later: dict[str, object]) -> None:
        """GitHub repeats one job of several: what the others came to stands until they are repeated, too (G13)."""
        team.publish(verdict("failed"), run=5)
        team.publish(verdict("failed"), run=5, leg="b")
        team.publish(verdict("passed"), run=5, attempt=2)
        team.publish(verdict("passed"), **later)

        assert team.statuses() == {STATUS: "failure"}
        team.publish(verdict("passed"), run=5, attempt=2, leg="b")
        assert team.statuses() == {STATUS: "success"}

    def test_a_job_that_ends_meanwhile_is_not_waited_for(self, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
        """The other one ends after it was seen measuring and before that is written: nobody would come to mend it."""
        team.announce(run=5)
        team.announce(run=5, leg="b")
        hub, looks = team.hub(5), iter([False, True, False])
        look = hub.publishing.statuses

        def looked(sha: str) -> Listed[values.Status]:
            found = look(sha)
            if next(looks, False):
                team.publish(verdict("passed"), run=5, leg="b")
            return found

        monkeypatch.setattr(hub.publishing, "statuses", looked)
        team.publish(verdict("passed"), hub=hub)

        assert team.statuses() == {STATUS: "success"}

    def test_a_job_that_cannot_look_again_hides_nothing(self, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
        """GitHub fails after its status was set: what was there before counts, and it is not green."""
        team.announce(run=5)
        team.publish(verdict("failed"), run=5, leg="b")
        hub, looks = team.hub(5), iter([True])
        look = hub.publishing.statuses

        def looked(sha: str) -> Listed[values.Status]:
            if not next(looks, False):
                raise errors.GitHubError("GitHub is away")
            return look(sha)

        monkeypatch.setattr(hub.publishing, "statuses", looked)
        team.publish(verdict("passed"), hub=hub)

        assert team.statuses() == {STATUS: "failure"}

    @pytest.mark.parametrize(("outcome", "begins"), [("passed", "This commit has more"), ("failed", "Failed")])
    def test_where_not_all_statuses_are_read_nothing_is_green(
        self, team: Team, monkeypatch: pytest.MonkeyPatch, outcome: str, begins: str
    ) -> None:
        """One behind those that are read may be of another pull request, and red."""
        monkeypatch.setattr(publishing, "MOST_STATUS_PAGES", 1)
        for number in range(100):
            team.hub().publishing.set_status(team.pull.head_sha, StatusText("success", f"other/{number}", "fine"))
        team.announce(run=5)
        team.publish(verdict(outcome), run=5)

        said = team.server.world.statuses[-1]
        assert (said.context, said.state) == (STATUS, "failure")
        assert (said.description or "").startswith(begins)
        assert ("push another commit" in " ".join(team.said)) == (outcome == "passed")

    @pytest.mark.parametrize("names", [("shop", "Shop"), ("Shop", "shop")])
    def test_names_that_differ_in_capitals_alone_never_hide_a_failure(self, team: Team, names: tuple[str, str]) -> None:
        """To GitHub they are one status, whichever was set last."""
        for leg, suite, outcome in zip("ab", names, ("failed", "passed"), strict=True):
            team.wanted = team.wanted._replace(suite=suite, config=f"{suite}.yml")
            team.publish(verdict(outcome), leg=leg)

        assert team.server.world.statuses[-1].state == "failure"

    def test_the_base_names_the_suite(self, team: Team) -> None:
        """A change cannot have its suite reported under the name that another one is required by."""
        team.wanted = team.wanted._replace(suite="easy")
        team.publish(verdict("passed"))

        assert team.statuses() == {STATUS: "success"}
        assert any("renames the suite" in line for line in team.log)

    @pytest.mark.parametrize("fault", [FORBIDDEN, Fault(500)])
    def test_where_the_base_cannot_be_read_no_name_is_taken_from_the_change(self, team: Team, fault: Fault) -> None:
        """It could be the name that another suite is required by."""
        team.wanted = Wanted(CONFIG, "other")
        for tell in (team.announce, lambda: team.publish(verdict("passed"))):
            team.server.fail(fault, "/contents/", times=100)
            tell()

            assert (team.statuses(), team.comments, len(team.said)) == ({}, [], 1)

    def test_a_new_suite_names_itself(self, team: Team) -> None:
        """The base has no configuration of it."""
        team.wanted = team.wanted._replace(suite="new\nsuite", config="sub/../new.yml")
        team.publish(verdict("passed"))

        assert team.statuses() == {"rag-assay/new suite": "success"}

    def test_a_suite_without_a_name_is_a_warning(self, team: Team) -> None:
        """The change broke the configuration, and the base has none."""
        team.wanted = team.wanted._replace(suite="", config="new.yml")
        team.publish(verdict("error"))

        assert (team.statuses(), len(team.said)) == ({}, 1)


class TestStatus:
    """What a branch can require."""

    @pytest.mark.parametrize(
        ("outcome", "state"),
        [("passed", "success"), ("failed", "failure"), ("inconclusive", "failure"), ("error", "error")],
    )
    def test_an_outcome_is_a_state(self, team: Team, outcome: str, state: str) -> None:
        """It is pending from the beginning, and nothing but a pass is green."""
        team.announce()
        assert team.statuses() == {STATUS: "pending"}

        team.publish(verdict(outcome))
        assert team.statuses() == {STATUS: state}

    def test_a_merge_group_has_one_on_its_own_head(self, team: Team) -> None:
        """A queue waits for the status on the commit it is about to merge; there is nothing to comment on (G7)."""
        head = team.server.world.add_commit("gh-readonly-queue/main/pr-1")
        around = event.Surroundings("merge_group", "acme/shop", "ada", 1, 1, "rag.yml", head, "")
        told = {"merge_group": {"head_sha": head, "base_ref": "refs/heads/main", "base_sha": team.pull.base_sha}}
        activity = event.read(around, told)
        team.publish(verdict("failed"), kind="merge_group", pull=None, head_sha=head, around=activity.around)

        assert (team.comments, team.statuses(head), team.said) == ([], {STATUS: "failure"}, [])
        assert "no comment: the event merge_group has no pull request" in team.log

    def test_a_long_sentence_fits(self, team: Team) -> None:
        """GitHub takes 140 characters."""
        team.publish(verdict()._replace(sentence="ä" * 300))

        [status] = team.server.world.statuses
        assert status.description == f"{'ä' * 139}…"

    def test_what_github_refuses_in_a_status_is_left_out(self, team: Team) -> None:
        """Characters of four bytes: the status of a category with an emoji would stay pending for ever."""
        team.announce()
        team.publish(verdict("failed")._replace(sentence="Failed: recall@5 in 🚚🚚 parcels"))

        assert team.said == []
        assert [each.description for each in team.server.world.statuses] == [
            "Measuring", "Failed: recall@5 in \N{REPLACEMENT CHARACTER} parcels",
        ]  # fmt: skip

    def test_any_name_of_a_suite_makes_a_status(self, team: Team) -> None:
        """With an emoji, and as long as both names may be."""
        team.server.world.add_commit(files={CONFIG: f"suite: {'🚚' + 'x' * 199}\n".encode()})
        team.pull.base_sha = team.server.world.branches["main"]
        team.wanted = Wanted(CONFIG, "🚚" + "x" * 199, variant="v" * 60)
        team.publish(verdict())

        [status] = team.server.world.statuses
        assert team.said == []
        assert (status.context[:20], len(status.context)) == ("rag-assay/‹U+1F69A›x", 255)

    def test_it_can_be_switched_off(self, team: Team) -> None:
        """Without status, comment and check nothing is asked of GitHub at all."""
        team.wanted = team.wanted._replace(status=False, comment="off")
        team.announce()
        team.publish(verdict("failed"))

        assert team.server.calls == []


class TestOneHead:
    """Several pull requests whose head is one commit: they share its status."""

    @pytest.fixture
    def second(self, team: Team) -> Pull:
        """Another pull request of the same branch, to an old and easy one."""
        world = team.server.world
        world.branches["old"] = world.branches["main"]
        return world.add_pull(team.pull.head_sha, base="old")

    def told(self, team: Team, outcome: str, run: int, pull: Pull | None = None, **changes: object) -> str:
        """Publish a verdict about one of them; the state that counts afterwards."""
        team.announce(run, **self.about(team, pull), **changes)
        team.publish(verdict(outcome), run, **self.about(team, pull), **changes)
        return team.statuses()[STATUS]

    def about(self, team: Team, pull: Pull | None) -> dict[str, object]:
        shapes = Shapes(team.server.world, team.server.api, team.server.web)
        return {} if pull is None else {"pull": values.read(values.Pull, shapes.pull(pull, full=True))}

    def test_the_newer_one_turns_nothing_green_that_is_red_for_the_other(self, team: Team, second: Pull) -> None:
        """The first failed, and the second passed against an easier base: red, with the words of the first."""
        self.told(team, "failed", 1)

        assert self.told(team, "passed", 2, second) == "failure"
        assert team.server.world.statuses[-1].description == "Failed: so it is"
        assert "stays as it is for pull request #1, which has the same head" in team.said[0]

    def test_each_of_them_can_be_mended(self, team: Team, second: Pull) -> None:
        """A later run of the first passes: the older run of the second is no newer one that must stay."""
        self.told(team, "failed", 1)
        self.told(team, "passed", 3, second)

        assert self.told(team, "passed", 2) == "success"

    def test_one_that_is_measured_is_waited_for(self, team: Team, second: Pull) -> None:
        """Nothing is green while the other one has yet to end; what passed asks nothing of GitHub."""
        team.announce(1)
        assert self.told(team, "passed", 2, second) == "pending"

        calls = len(team.server.calls)
        assert self.told(team, "passed", 1) == "success"
        assert not [call for call in team.server.calls[calls:] if call.path.endswith("/pulls/2")]

    @pytest.mark.parametrize("change", ["closed", "moved on"])
    def test_one_that_is_closed_or_has_moved_on_holds_up_nobody(self, team: Team, second: Pull, change: str) -> None:
        """Only an open pull request of this very head has a say."""
        self.told(team, "failed", 1, second)
        if change == "closed":
            second.state = "closed"
        else:
            second.head_sha = team.server.world.add_commit("feature")

        assert self.told(team, "passed", 2) == "success"
        assert team.said == []

    def test_one_that_cannot_be_asked_for_counts(self, team: Team, second: Pull) -> None:
        """Who may not see whether it is open does not turn it green."""
        self.told(team, "failed", 1, second)
        team.server.fail(FORBIDDEN, "/pulls/2$", times=9)

        assert self.told(team, "passed", 2) == "failure"

    def test_one_behind_any_number_of_closed_ones_counts(self, team: Team) -> None:
        """To ask for each of them took all that a run may ask of GitHub, and its own success was not taken back."""
        self.told(team, "failed", 1)
        for run in range(2, 32):
            closed = team.server.world.add_pull(team.pull.head_sha)
            self.told(team, "failed", run, closed)
            closed.state = "closed"

        assert self.told(team, "passed", 90, team.server.world.add_pull(team.pull.head_sha)) == "failure"

    def test_one_that_nobody_measured_is_waited_for(self, team: Team, second: Pull) -> None:
        """It is known to be there and has no status of its own; its own run, an older one at that, sets it free."""
        others = {"others": (second.number,)}
        assert self.told(team, "passed", 5, **others) == "pending"
        said = team.server.world.statuses[-1]
        assert said.description == "Pull request #2 has the same head and was not measured"
        assert said.target_url == f"{team.server.web}/acme/shop/pull/2"

        assert self.told(team, "passed", 4, second, others=(team.pull.number,)) == "success"

    def test_a_status_of_an_older_version_counts_as_ones_own(self, team: Team) -> None:
        """Its address has no number of a pull request: a newer run replaces it."""
        self.told(team, "failed", 1)
        for status in team.server.world.statuses:
            assert status.target_url is not None
            status.target_url = status.target_url.removesuffix("/1")

        assert self.told(team, "passed", 2) == "success"


class TestCheckRun:
    """The optional check run."""

    @pytest.mark.parametrize("count", [51, 120])
    def test_every_annotation_arrives_in_batches(self, team: Team, count: int) -> None:
        """51 are two requests and 120 three (G17)."""
        team.wanted = team.wanted._replace(check=True, comment="off", status=False)
        team.publish(verdict("failed", remarks=count))

        [check] = team.server.world.checks.values()
        assert [each["start_line"] for each in check.annotations] == list(range(1, count + 1))
        assert (check.name, check.conclusion) == ("RAG Assay: shop", "failure")

    @pytest.mark.parametrize(
        ("outcome", "conclusion"),
        [("passed", "success"), ("failed", "failure"), ("inconclusive", "failure"), ("error", "failure")],
    )
    def test_only_a_pass_is_green(self, team: Team, outcome: str, conclusion: str) -> None:
        """Neutral and skipped would count as passed where the check is required."""
        team.wanted = team.wanted._replace(check=True)
        team.publish(verdict(outcome))

        assert [each.conclusion for each in team.server.world.checks.values()] == [conclusion]

    def test_an_older_run_adds_none(self, team: Team) -> None:
        """GitHub shows the check run that was made last, so an older run that ends later makes none (G20)."""
        team.wanted = team.wanted._replace(check=True)
        first = team.hub(1)
        team.publish(verdict("passed"), run=1, attempt=2)
        team.publish(verdict("failed"), hub=first)

        assert [each.conclusion for each in team.server.world.checks.values()] == ["success"]

    def test_a_run_of_another_workflow_is_no_newer_one(self, team: Team) -> None:
        """Runs of all workflows are counted together; each of two that measure the suite says what it found (G13)."""
        team.wanted = team.wanted._replace(check=True, comment="off")
        first = team.hub(1, file="a.yml")
        team.publish(verdict("passed"), hub=team.hub(2, file="b.yml"))
        team.publish(verdict("failed"), hub=first)

        assert [each.conclusion for each in team.server.world.checks.values()] == ["success", "failure"]


class TestFailures:
    """GitHub refuses (G4, G18)."""

    def test_a_missing_permission_is_one_warning(self, team: Team) -> None:
        """Each thing is asked for once, none is waited for, and the warning says what to grant (G4, G18)."""
        team.server.fail(FORBIDDEN, "^(POST|PATCH)", times=100)
        team.publish(verdict("failed"))

        said = warning(team.said)
        assert len(team.server.made("POST")) == 2
        assert team.connect.clock.slept == []
        assert said.count("Resource not accessible by integration") == 2
        assert all(scope in said for scope in ("pull-requests: write", "statuses: write"))
        assert "\n" not in said

    @pytest.mark.parametrize("stranger", ["fork", "deleted", "dependabot"])
    def test_a_strangers_pull_request_is_not_even_asked_for(self, team: Team, stranger: str) -> None:
        """Its token may only read: one warning, no call, no pending status (G4, G6)."""
        if stranger == "dependabot":
            team.pull.author = "dependabot[bot]"
        else:
            team.pull.head_repo = team.server.world.add_repo("eve/shop") if stranger == "fork" else None
        team.announce()
        assert team.said == []

        team.publish(verdict("failed"))
        assert team.server.calls == []
        assert len(team.said) == 1
        assert "may only read" in warning(team.said)

    @pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "workflow_run"])
    def test_an_event_without_a_pull_request_is_told_why(self, team: Team, name: str) -> None:
        """The log says why there is neither comment nor status, and nothing is asked (G7)."""
        around = event.Surroundings(name, "acme/shop", "ada", 1, 1, "rag.yml", "a" * 40, "refs/heads/main")
        team.announce(kind=name, pull=None, around=around)
        team.publish(verdict("failed"), kind=name, pull=None, around=around)

        assert (team.server.calls, team.said) == ([], [])
        assert [line.split(":")[0] for line in team.log] == ["no status", "no comment"]

    @pytest.mark.parametrize(
        "fault",
        [Fault(500), Fault(422, "Validation Failed"), Fault(cut="before"), Fault(200, body="<html>"), limited(429)],
    )
    def test_whatever_fails_is_told_and_raises_nothing(self, team: Team, fault: Fault) -> None:
        """Outages, refusals, broken answers and limits end in a sentence (G5, G18)."""
        team.server.fail(fault, times=1000)
        team.publish(verdict("failed"))

        assert team.said
        assert sum(team.connect.clock.slept) <= 120

    def test_one_failing_part_does_not_cost_the_others(self, team: Team) -> None:
        """The status is there although the comment is refused (G18)."""
        team.server.fail(FORBIDDEN, "comments", times=100)
        team.publish(verdict("failed"))

        assert (team.comments, team.statuses(), len(team.said)) == ([], {STATUS: "failure"}, 1)

    def test_a_whole_run_is_few_calls(self, team: Team) -> None:
        """Announcing and telling everything, with 300 comments there, stays below the budget of one run."""
        for number in range(300):
            team.server.world.add_comment(1, str(number), "ada")
        team.wanted = team.wanted._replace(check=True)
        team.announce()
        team.publish(verdict("failed", remarks=60))

        assert team.said == []
        assert len(team.server.calls) <= 15
