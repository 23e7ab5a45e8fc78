"""Which baseline a change is held to: by ancestry, accepted, verified, and named in the report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.baselines import WORKFLOW, Baselines
from tests.fakes.github.server import FORBIDDEN, Fault, limited


class TestNearest:
    """The nearest accepted run in the history of the base."""

    def test_the_base_itself_comes_first(self, baselines: Baselines) -> None:
        """What was measured of the very commit a change is made to; the report says so."""
        baselines.keep(baselines.commit())
        base = baselines.commit()
        baselines.keep(base)

        found = baselines.find()

        assert found.deterministic is not None
        assert (found.deterministic.commit, found.lost, found.inherited) == (base, {}, None)
        assert found.deterministic.how.endswith(f"of the base commit {base[:12]}")
        assert (baselines.root / found.deterministic.folder / "run.json").is_file()

    def test_else_its_nearest_ancestor(self, baselines: Baselines) -> None:
        """However far back, with the number of commits between."""
        kept = baselines.commit()
        baselines.keep(kept)
        for _ in range(3):
            baselines.commit()

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == kept
        assert "3 commits before the base" in found.deterministic.how

    def test_a_run_that_finished_late_is_no_newer(self, baselines: Baselines) -> None:
        """The artifact of an older commit that was uploaded last does not win over the base's own."""
        first = baselines.commit()
        base = baselines.commit()
        baselines.keep(base)
        baselines.keep(first)

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == base

    def test_of_a_repeated_run_the_last_one_counts(self, baselines: Baselines) -> None:
        """A second attempt may have an artifact of the same name (G13)."""
        base = baselines.commit()
        baselines.keep(base)
        last = baselines.keep(base)

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.folder == str(last.id)

    def test_only_the_branch_itself_is_its_history(self, baselines: Baselines) -> None:
        """A commit that was merged into main was never main's newest, whatever its artifact says."""
        before = baselines.commit()
        side = baselines.world.add_commit("side", parents=(before,))
        merge = baselines.world.add_commit("main", parents=(before, side))
        wrong = baselines.keep(side)
        baselines.keep(before)

        found = baselines.find(merge)

        assert found.deterministic is not None
        assert found.deterministic.commit == before
        assert "not in the history of the base" in baselines.said(wrong)

    def test_what_came_after_the_base_is_no_baseline(self, baselines: Baselines) -> None:
        """A pull request is held to the commit it was merged with, though main has moved on (G19)."""
        base = baselines.commit()
        baselines.keep(base)
        baselines.keep(baselines.commit())

        found = baselines.find(base)

        assert found.deterministic is not None
        assert found.deterministic.commit == base

    def test_each_half_finds_its_own(self, baselines: Baselines) -> None:
        """The judged half goes back to the last judged run; a newer one without a judge serves the other half."""
        nightly, base = baselines.commit(), baselines.commit()
        baselines.keep(nightly, tier="full")
        baselines.keep(base)

        found = baselines.find(tier="full")

        assert found.judged is not None
        assert found.deterministic is not None
        assert (found.judged.commit, found.deterministic.commit) == (nightly, base)
        assert (found.judged.tier, found.deterministic.tier) == ("full", "retrieval")

    @pytest.mark.parametrize("tier", ["retrieval", "full"])
    def test_a_full_run_serves_both(self, baselines: Baselines, tier: str) -> None:
        """It has everything the other tier has."""
        base = baselines.commit()
        baselines.keep(base, tier="full")

        found = baselines.find(tier=tier)

        assert found.deterministic is not None
        assert found.deterministic.commit == base
        assert (found.judged == found.deterministic) is (tier == "full")

    def test_it_is_told_where_baselines_are_kept(self, baselines: Baselines) -> None:
        """As the base has it, whatever the change makes of that."""
        named = baselines.commit(branch="release")
        silent = baselines.commit()

        found = [baselines.find(each) for each in (named, silent)]

        assert [(each.branch, each.default_branch) for each in found] == [("release", "main"), ("main", "main")]

    def test_another_branch_can_be_the_baseline(self, baselines: Baselines) -> None:
        """``baseline.branch`` of the base's configuration says which; main's own artifacts are none then."""
        base = baselines.commit(branch="stable")
        baselines.keep(base)

        found = baselines.find()

        assert (found.deterministic, found.lost) == (None, {})

    def test_it_takes_few_calls(self, baselines: Baselines) -> None:
        """Configuration, history, two lists, and a run and an archive: far below what a run may ask."""
        baselines.keep(baselines.commit())

        baselines.find()

        assert baselines.calls == 6


class TestAcceptance:
    """A run that was not accepted is no baseline."""

    def test_a_regressed_main_keeps_the_old_one(self, baselines: Baselines) -> None:
        """It was merged anyway; the next change is held to what was accepted, and told what the base had lost (G12)."""
        good = baselines.commit()
        baselines.keep(good)
        base = baselines.commit()
        baselines.keep(base, accepted=False, chain=(good,))

        found = baselines.find()

        assert found.deterministic is not None
        assert found.inherited is not None
        assert (found.deterministic.commit, found.inherited.commit) == (good, base)
        assert (found.deterministic.accepted, found.inherited.accepted) == (True, False)

    def test_a_run_before_the_base_says_nothing_of_it(self, baselines: Baselines) -> None:
        """What an ancestor of the base had lost may have been mended since."""
        good = baselines.commit()
        baselines.keep(good)
        baselines.keep(baselines.commit(), accepted=False, chain=(good,))
        baselines.commit()

        assert baselines.find().inherited is None

    def test_a_main_that_stays_red_costs_few_calls(self, baselines: Baselines) -> None:
        """After a few of them the search goes on at what they were compared with themselves."""
        good = baselines.commit()
        baselines.keep(good)
        for _ in range(30):
            baselines.keep(baselines.commit(), accepted=False, chain=(good,))

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == good
        assert baselines.calls <= 16

    def test_a_person_may_have_said_so(self, baselines: Baselines) -> None:
        """A copy that was accepted later stands where its commit stands, and the report says who accepted it."""
        good = baselines.commit()
        baselines.keep(good)
        red = baselines.commit()
        measured = baselines.keep(red, accepted=False, chain=(good,)).run
        assert measured is not None
        tip = baselines.commit()
        files = baselines.files(
            red, measured, chain=(good,), kind="refresh", accepted_by="ada", reason="a better corpus"
        )
        baselines.keep(tip, files, run={"event": "workflow_dispatch"})

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == red
        assert "1 commit before the base" in found.deterministic.how
        assert "accepted by ada" in found.deterministic.how

    def test_a_copy_is_no_newer_than_what_it_is_a_copy_of(self, baselines: Baselines) -> None:
        """A scheduled refresh of an old run does not stand before a newer one that was accepted since."""
        old = baselines.commit()
        measured = baselines.keep(old).run
        assert measured is not None
        newer = baselines.commit()
        baselines.keep(newer)
        tip = baselines.commit()
        baselines.keep(tip, baselines.files(old, measured, kind="refresh"), run={"event": "schedule"})

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == newer

    def test_a_copy_outlives_the_first_artifact(self, baselines: Baselines) -> None:
        """That is what a refresh is for: the original has expired."""
        old = baselines.commit()
        measured = baselines.keep(old, artifact={"expired": True}).run
        assert measured is not None
        baselines.keep(baselines.commit(), baselines.files(old, measured, kind="refresh"), run={"event": "schedule"})

        found = baselines.find()

        assert found.deterministic is not None
        assert (found.deterministic.commit, found.lost) == (old, {})


class TestNeverOrLost:
    """A baseline that never was leaves floors to decide; one that was lost leaves the outcome open."""

    def test_there_never_was_one(self, baselines: Baselines) -> None:
        """The first run ever (G11)."""
        baselines.commit()

        found = baselines.find(tier="full")

        assert (found.deterministic, found.judged, found.lost) == (None, None, {})

    def test_runs_that_were_never_accepted_are_none(self, baselines: Baselines) -> None:
        """A main that has not passed once has no baseline that could be lost."""
        baselines.keep(baselines.commit(), accepted=False)

        assert baselines.find().lost == {}

    def test_an_expired_one_was_there(self, baselines: Baselines) -> None:
        """It is named with its reason (G11)."""
        baselines.keep(baselines.commit(), artifact={"expired": True})

        lost = baselines.find().lost

        assert lost.keys() == {"deterministic"}
        assert "it has expired" in lost["deterministic"]

    def test_the_judged_half_can_be_lost_alone(self, baselines: Baselines) -> None:
        """The last judged run has expired, and the others go on."""
        base = baselines.commit()
        baselines.keep(base)
        baselines.keep(base, tier="full", artifact={"expired": True})

        found = baselines.find(tier="full")

        assert found.deterministic is not None
        assert found.lost.keys() == {"judged"}

    @pytest.mark.parametrize("fault", [Fault(500), FORBIDDEN, Fault(200, body="[1]")])
    def test_a_list_that_cannot_be_read_may_have_had_one(self, baselines: Baselines, fault: Fault) -> None:
        """Nobody knows, so nothing passes (G11)."""
        baselines.commit()
        baselines.server.fail(fault, "/actions/artifacts", times=8)

        lost = baselines.find().lost

        assert "the list of artifacts cannot be read" in lost["deterministic"]
        assert ("actions: read" in lost["deterministic"]) is (fault is FORBIDDEN)

    def test_more_than_can_be_read_is_no_answer(self, baselines: Baselines) -> None:
        """A list that goes on may have the one that counts on a later page."""
        base = baselines.commit()
        stranger = baselines.world.add_repo("mallory/shop")
        for _ in range(501):
            baselines.keep(base, b"", run={"head_repo": stranger})

        assert "more artifacts of that name than were read" in baselines.find().lost["deterministic"]

    def test_a_limit_ends_the_search(self, baselines: Baselines) -> None:
        """What was not looked at may have been one."""
        baselines.keep(baselines.commit())
        baselines.server.fail(limited(retry_after=4000), "/actions/runs")

        assert "the search was not finished" in baselines.find().lost["deterministic"]

    def test_a_stranger_cannot_make_one_lost(self, baselines: Baselines) -> None:
        """Anybody may fork and upload a name; the first pull requests of a team are not held up by that."""
        base = baselines.commit()
        baselines.keep(base, run={"head_repo": baselines.world.add_repo("mallory/shop")})

        assert baselines.find().lost == {}

    def test_what_this_run_made_itself_is_none(self, baselines: Baselines) -> None:
        """A first run that is repeated has lost nothing."""
        made = baselines.keep(baselines.commit())
        assert made.run is not None

        assert baselines.find(own=made.run.id).lost == {}

    def test_a_base_can_ask_for_one(self, baselines: Baselines) -> None:
        """``baseline.required`` of the base counts, whatever the change makes of it."""
        baselines.commit(required=True)

        found = baselines.find(tier="full")

        assert found.lost.keys() == {"deterministic", "judged"}
        assert found.required

    def test_until_then_it_is_recommended(self, baselines: Baselines) -> None:
        """Whoever has a baseline should say so: else its disappearance looks like a first run."""
        baselines.keep(baselines.commit())

        assert any("baseline.required: true" in note for note in baselines.find().notes)

    def test_not_where_it_is_set(self, baselines: Baselines) -> None:
        """It was done."""
        baselines.keep(baselines.commit(required=True))

        assert baselines.find().notes == ()

    def test_a_base_without_a_configuration_had_none(self, baselines: Baselines) -> None:
        """The change that brings RAG Assay into a repository."""
        baselines.world.add_commit()

        found = baselines.find()

        assert (found.suite, found.lost) == (None, {})
        assert found.notes[0].startswith("no baseline: there is no 'rag-assay.yml' of the base commit")

    @pytest.mark.parametrize("text", [b"[1]", b"k: 5", b"\xff\xfe", b"suite: {"])
    def test_one_that_cannot_be_read_leaves_it_open(self, baselines: Baselines, text: bytes) -> None:
        """Nobody knows what to look for."""
        baselines.commit({"rag-assay.yml": text})

        assert "names no suite" in baselines.find().lost["deterministic"]

    def test_a_mistake_elsewhere_in_it_does_not(self, baselines: Baselines) -> None:
        """Suite and baseline are sound; a key of another version is nobody's concern here."""
        baselines.config["of_another_version"] = 1
        base = baselines.commit()
        baselines.keep(base)

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == base


class TestCommittedFile:
    """A run in the repository, as of the base commit, where no artifact can be used."""

    def test_it_is_what_is_left(self, baselines: Baselines) -> None:
        """It is named in the report, and why it stands in."""
        baselines.keep(baselines.commit(), artifact={"expired": True})
        base = baselines.commit({"eval/run.json": baselines.run_json("0" * 40)}, file="eval/run.json")

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.how == f"eval/run.json as of {base[:12]}"
        assert found.lost == {}
        assert any("it has expired" in note and "stands in for it" in note for note in found.notes)

    def test_an_artifact_comes_first(self, baselines: Baselines) -> None:
        """A file is as old as the last person who thought of it."""
        base = baselines.commit({"eval/run.json": baselines.run_json("0" * 40)}, file="eval/run.json")
        baselines.keep(base)

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == base

    def test_the_workflow_can_name_it(self, baselines: Baselines) -> None:
        """From the repository's root, before what the configuration names."""
        baselines.commit({"other.json": baselines.run_json("1" * 40)}, file="eval/run.json")

        found = baselines.find(committed="./other.json")

        assert found.deterministic is not None
        assert found.deterministic.commit == "1" * 40

    def test_it_serves_the_half_it_was_measured_for(self, baselines: Baselines) -> None:
        """One of tier retrieval is no judged baseline."""
        baselines.commit({"run.json": baselines.run_json("1" * 40)}, file="run.json")

        found = baselines.find(tier="full")

        assert (found.judged, found.deterministic is not None) == (None, True)

    def test_one_that_is_not_there_yet_is_none(self, baselines: Baselines) -> None:
        """The change that brings it is compared with nothing."""
        baselines.commit(file="eval/run.json")

        found = baselines.find()

        assert (found.deterministic, found.lost) == (None, {})
        assert "'eval/run.json' is not in the base commit" in found.notes[0]

    @pytest.mark.parametrize("data", [b"[]", b"{", b'{"format": 2}'])
    def test_one_that_is_broken_leaves_it_open(self, baselines: Baselines, data: bytes) -> None:
        """A base that cannot be read is no base that was never there."""
        baselines.commit({"run.json": data}, file="run.json")

        assert "'run.json' of the base commit cannot be used" in baselines.find().lost["deterministic"]


def changed(files: dict[str, bytes], **said: Any) -> dict[str, bytes]:
    """The files of an artifact whose baseline.json says something else."""
    return {**files, "baseline.json": json.dumps(json.loads(files["baseline.json"]) | said).encode()}


class TestWhoMadeIt:
    """Only our own branch's own workflow keeps baselines, whatever a name or a manifest says."""

    @pytest.mark.parametrize(
        ("run", "reason"),
        [
            ({"event": "pull_request"}, "started by the event pull_request"),
            ({"event": "workflow_run"}, "started by the event workflow_run"),
            ({"path": ".github/workflows/other.yml"}, "of the workflow .github/workflows/other.yml"),
            ({"head_branch": "feature"}, "on another branch than main"),
        ],
    )
    def test_other_runs_do_not(self, baselines: Baselines, run: dict[str, Any], reason: str) -> None:
        """Any workflow on any branch can upload any name (G8, G9)."""
        wrong = baselines.keep(baselines.commit(), run=run)

        found = baselines.find()

        assert found.deterministic is None
        assert reason in baselines.said(wrong)
        assert reason in found.lost["deterministic"]

    def test_a_forks_main_does_not(self, baselines: Baselines) -> None:
        """It lies in our list, under our name, of a branch of the same name (G8)."""
        base = baselines.commit()
        forged = baselines.keep(base, run={"head_repo": baselines.world.add_repo("mallory/shop")})
        baselines.keep(base)

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.folder != str(forged.id)
        assert "made by a fork" in baselines.said(forged)

    def test_a_run_that_github_forgot_does_not(self, baselines: Baselines) -> None:
        """An artifact whose run was deleted is of nobody."""
        base = baselines.commit()
        name = baselines.keep(base).name
        baselines.world.artifacts.clear()
        orphan = baselines.world.add_artifact(name, b"", None)

        baselines.find()

        assert "does not say which run made it" in baselines.said(orphan)

    def test_another_workflow_can_be_named(self, baselines: Baselines) -> None:
        """A nightly one, say, or the one that accepts."""
        nightly = ".github/workflows/nightly.yml"
        baselines.keep(baselines.commit(), run={"path": nightly})

        assert baselines.find(workflows=(WORKFLOW, nightly)).deterministic is not None

    @pytest.mark.parametrize(
        ("said", "reason"),
        [
            ({"suite": "other"}, "says suite other, and it is shop"),
            ({"tier": "full"}, "says tier full, and it is retrieval"),
            ({"branch": "next"}, "says branch next, and it is main"),
            ({"commit": "0" * 40}, "says commit"),
            ({"run_id": 1}, "says run_id 1"),
            ({"event": "schedule"}, "says event schedule"),
            ({"run_sha256": "0" * 64}, "is not the one that baseline.json names the digest of"),
            ({"chain": ["0" * 40]}, "name another chain"),
            ({"format": 2}, "format 2"),
            ({"accepted": "yes"}, "accepted"),
            ({"extra": 1}, "extra"),
        ],
    )
    def test_a_forged_manifest_is_found_out(self, baselines: Baselines, said: dict[str, Any], reason: str) -> None:
        """It has to agree with GitHub, with the name of its artifact and with the run beside it (G9)."""
        good = baselines.commit()
        baselines.keep(good)
        base = baselines.commit()
        run = baselines.world.add_run(base)
        forged = baselines.keep(base, changed(baselines.files(base, run), **said))
        forged.run = run

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == good
        assert reason in baselines.said(forged)

    def test_a_copy_of_another_commits_run_is_found_out(self, baselines: Baselines) -> None:
        """baseline.json names the base, and the run beside it was measured elsewhere."""
        base = baselines.commit()
        run = baselines.world.add_run(base)
        forged = baselines.keep(base, changed(baselines.files("1" * 40, run), commit=base))
        forged.run = run

        baselines.find()

        assert "name another commit" in baselines.said(forged)
