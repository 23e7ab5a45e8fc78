"""Groups of paraphrases from the golden set to the comparison: every stage with its files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from evaluator.stages import score as stage
from evaluator.stages.collect import collect
from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.score import score
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

METRIC = "paraphrase_overlap@2"
RULES = {"rules": [{"metric": METRIC, "max_drop": 0.02}, {"metric": METRIC, "min": 0.1}], "min_cases": 1}
SWAPPED = 0.9
"""[x, y] with [y, x]: 0.1 / 0.9 x (0 + 0.81) + 0.81."""
FIRST_ALIKE = 0.1 / 0.9 * (0.9 + 0.5 * 0.81) + 0.5 * 0.81
"""[x, y] with [x, z]: 0.55."""


def case(name: str, root: str | None = None, **fields: Any) -> dict[str, Any]:
    """A question, in other words than its root's."""
    return {"id": name, "question": f"{name}?", "paraphrase_of": root, **fields}


GOLDEN = [
    case("a2", "a"), case("a"), case("b"), case("a3", "a"), case("b2", "b"), case("alone"),
    case("h", "b", split="holdout"),
]  # fmt: skip
FOUND: dict[str, str | None] = {"a": "xy", "a2": "xy", "a3": "yx", "b": "xy", "b2": "xz", "alone": "x", "h": "q"}


def reworded(*names: str, golden: list[dict[str, Any]] = GOLDEN) -> list[dict[str, Any]]:
    """The golden set with some questions in other words."""
    return [{**each, "question": "else?"} if each["id"] in names else each for each in golden]


class Compared(NamedTuple):
    """What comparison.json and exam.json say of the metric."""

    row: dict[str, Any]
    cases: dict[str, tuple[float | None, float | None]]
    loosened: list[str]
    warnings: list[str]
    outcome: str


class Suite:
    """Recorded rankings of one-letter chunks; None is a question without a reply."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bench(self, name: str, golden: list[dict[str, Any]], found: dict[str, str | None]) -> Bench:
        """A folder with everything in it."""
        folder = self.folder / name
        folder.mkdir()
        known = {**FOUND, **found}
        rankings = {each["id"]: known[each["id"]] for each in golden}
        replies = [
            {"id": each, "retrieved": [{"id": chunk} for chunk in chunks]}
            for each, chunks in rankings.items()
            if chunks is not None
        ]
        return Bench(folder, golden, recorded(folder, replies), config={"metrics": [METRIC], "gate": RULES})

    def run(
        self, name: str, golden: list[dict[str, Any]] = GOLDEN, found: dict[str, str | None] | None = None,
        **fields: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Collect and score in a folder of this name, as ``run`` does; the cases by id."""
        workspace = self.bench(name, golden, found or {}).workspace(**fields)
        collect(workspace)
        score(workspace)
        return self.cases(name)

    def cases(self, name: str) -> dict[str, Any]:
        """The cases of a run by id."""
        whole = json.loads((self.folder / name / "out" / "run.json").read_text(encoding="utf-8"))
        return {each["id"]: each for each in whole["cases"]}

    def compare(self, name: str, baseline: str, golden: list[dict[str, Any]] = GOLDEN, **found: str | None) -> Compared:
        """Run under a name and compare with another run, in one go and with the run read back from its file."""
        made = self.bench(name, golden, found)
        workspace = made.workspace()
        collect(workspace)
        score(workspace)
        compare(workspace, self.folder / baseline / "out" / "run.json")
        file = made.out / "comparison.json"
        whole = file.read_bytes()
        compare(made.workspace(), self.folder / baseline / "out" / "run.json")
        assert file.read_bytes() == whole
        read = json.loads(whole)
        [row] = [row for row in read["rows"] if row["scope"] == "all"]
        cases = {each["id"]: (each["before"], each["after"]) for each in read["cases"]}
        loosened = [each["kind"] for each in read["loosened"]]
        warnings = json.loads((made.out / "exam.json").read_bytes())["warnings"]
        return Compared(row, cases, loosened, warnings, gate(made.workspace()).outcome)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """An empty folder to make runs in."""
    return Suite(tmp_path)


class TestScore:
    """run.json."""

    def test_the_value_stands_on_the_root(self, suite: Suite) -> None:
        """Wherever its members stand; the one that is held out is in no group."""
        cases = suite.run("new")
        scores = {name: each["scores"][METRIC] for name, each in cases.items()}

        assert scores["a"] == pytest.approx((1 + SWAPPED + SWAPPED) / 3)
        assert scores["b"] == pytest.approx(FIRST_ALIKE)
        assert [name for name, value in scores.items() if value is not None] == ["a", "b"]
        assert {name: each["paraphrases"] for name, each in cases.items() if each["paraphrases"]} == {
            "a": ["a2", "a3"], "b": ["b2"],
        }  # fmt: skip

    def test_a_failed_member_counts_0(self, suite: Suite) -> None:
        """Its pairs are in the mean, also where it is the root."""
        cases = suite.run("new", found={"a3": None, "b": None})

        assert cases["a"]["scores"][METRIC] == pytest.approx(1 / 3)
        assert cases["b"]["scores"][METRIC] == 0.0

    def test_what_is_left_out_on_purpose_is_in_no_group(self, suite: Suite) -> None:
        """``--only`` measures the pairs there are."""
        cases = suite.run("new", only=("a", "a2", "b"))

        assert (cases["a"]["scores"][METRIC], cases["b"]["scores"][METRIC]) == (1.0, None)

    def test_records_are_read_from_their_file_alike(self, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
        """With score as a process of its own, and a run too large to hold its rankings."""
        made = suite.bench("new", GOLDEN, {})
        collect(made.workspace())
        workspace = made.workspace()
        score(workspace)
        small = suite.cases("new")
        monkeypatch.setattr(stage, "MAX_INLINE_CASES", 3)
        score(workspace)
        large = suite.cases("new")

        assert large["a"]["retrieved"] is None
        assert {name: each["scores"] for name, each in large.items()} == {
            name: each["scores"] for name, each in small.items()
        }
        assert small["a"]["scores"][METRIC] == pytest.approx((1 + SWAPPED + SWAPPED) / 3)


class TestCompare:
    """Both runs are measured again, root by root."""

    def test_a_wording_that_is_answered_otherwise_now(self, suite: Suite) -> None:
        """Only the paraphrase changed, and the root is where it shows."""
        suite.run("old")
        found = suite.compare("new", "old", a2="zq")

        assert found.cases["a"] == (pytest.approx(2.8 / 3), pytest.approx(0.9 / 3))
        assert found.row["n"] == 2
        assert (found.row["status"], list(found.cases)) == ("regressed", ["a"])

    def test_a_new_paraphrase_is_not_held_against_the_system(self, suite: Suite) -> None:
        """The group is new: its value counts for floors, and nothing before can be compared with it."""
        suite.run("old", [each for each in GOLDEN if each["id"] != "b2"])
        found = suite.compare("new", "old")

        assert (found.row["n"], found.row["status"]) == (1, "unchanged")
        assert found.cases == {"b": (None, pytest.approx(FIRST_ALIKE))}

    def test_a_paraphrase_with_another_question_is_left_out_of_its_group(self, suite: Suite) -> None:
        """The rest of the group is compared: a with a3, which was [x, y] with [y, x] and is the same now."""
        suite.run("old")
        found = suite.compare("new", "old", reworded("a2"), a3="xy")

        assert found.cases["a"] == (pytest.approx(SWAPPED), 1.0)
        assert found.row["n"] == 2
        assert found.warnings == [
            "1 paraphrase in 1 group, first 'a' not asked as in the baseline; what is left of each group is compared"
        ]

    def test_asking_what_fell_in_other_words_does_not_hide_that_it_fell(self, suite: Suite) -> None:
        """The group is green without a2, and one in three paraphrases is gone: nothing is decided."""
        suite.run("old")
        assert suite.compare("red", "old", a2="zq").outcome == "failed"
        found = suite.compare("hidden", "old", reworded("a2"), a2="zq")

        assert (found.row["status"], found.outcome) == ("not comparable", "inconclusive")
        assert found.row["reason"] == "1 of 3 paraphrases are not asked as in the baseline; accepted.yml can name them"

    @pytest.mark.parametrize("names", [("b2",), ("b",), ("a", "b"), ("a2", "a3", "b2")])
    def test_groups_asked_in_other_words_do_not_leave_their_row_without_a_word(
        self, suite: Suite, names: tuple[str, ...]
    ) -> None:
        """Whether the root is reworded or what names it, and also where no group is left to compare."""
        suite.run("old")
        found = suite.compare("hidden", "old", reworded(*names), b2="zq")

        assert (found.row["status"], found.outcome) == ("not comparable", "inconclusive")
        assert len(found.warnings) == 1

    def test_what_fell_in_the_rest_of_a_group_fails_all_the_same(self, suite: Suite) -> None:
        """A row that is red is not made undecided by rewording."""
        suite.run("old")
        found = suite.compare("new", "old", reworded("a2"), b2="zq")

        assert (found.row["status"], found.outcome) == ("regressed", "failed")

    def test_a_few_reworded_paraphrases_are_said_and_decide_nothing(self, suite: Suite) -> None:
        """One of twenty, as with any other question."""
        many = [*GOLDEN, *(case(f"b{n}", "b") for n in range(3, 20))]
        found = {f"b{n}": "xz" for n in range(3, 20)}
        suite.run("old", many, found)
        changed = suite.compare("new", "old", reworded("a2", golden=many), **found)

        assert (changed.row["status"], changed.outcome, len(changed.warnings)) == ("unchanged", "passed", 1)

    def test_a_floor_reads_the_whole_group_of_today(self, suite: Suite) -> None:
        """A new paraphrase finds nothing the others do: [x, z] with nothing alike brings b to (0.55 + 0 + 0) / 3."""
        suite.run("old")
        more = [*GOLDEN, case("b3", "b")]
        suite.compare("new", "old", more, b3="q")
        exam = json.loads((suite.folder / "new" / "out" / "exam.json").read_bytes())["exam"]
        [row] = [each for each in exam["rows"] if exam["rules"][each["rule"]]["min"] is not None][:1]

        assert row["row"]["candidate"] == pytest.approx((2.8 / 3 + FIRST_ALIKE) / 2)
        assert row["floor"] == pytest.approx((2.8 / 3 + FIRST_ALIKE / 3) / 2)

    def test_taking_a_paraphrase_out_of_its_group_does_not_hide_what_it_lost(self, suite: Suite) -> None:
        """Under the baseline's groups the rule fails still, so the exam was made easier."""
        suite.run("old")
        apart = [{**each, "paraphrase_of": None} if each["id"] == "a2" else each for each in GOLDEN]
        found = suite.compare("new", "old", apart, a2="zq")

        assert found.row["status"] == "unchanged"
        assert "rule" in found.loosened

    def test_a_baseline_that_knew_no_groups_is_measured_by_those_of_today(self, suite: Suite) -> None:
        """Its rankings are stored, so nothing is missing."""
        suite.run("old", [{**each, "paraphrase_of": None} for each in GOLDEN])
        found = suite.compare("new", "old", b2="xy")

        assert found.cases["b"] == (pytest.approx(FIRST_ALIKE), 1.0)
        assert found.row["n"] == 2

    def test_a_root_that_is_gone_takes_its_group_with_it(self, suite: Suite) -> None:
        """Its paraphrases have a new root, which the baseline can be measured by."""
        suite.run("old")
        renamed = [case("a2"), case("a3", "a2"), *(each for each in GOLDEN if each["id"][0] != "a")]
        found = suite.compare("new", "old", renamed)

        assert (found.row["n"], found.row["candidate"]) == (2, pytest.approx((SWAPPED + FIRST_ALIKE) / 2))
        assert "removed" in found.loosened
