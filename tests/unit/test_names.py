"""Names that must not collide, and those that are shared: suites, workflows, legs of a matrix and attempts (G13)."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from evaluator.github.marks import Mark, Stamp
from evaluator.model.baseline import artifact_name
from evaluator.model.slugs import slug, suite_slug
from evaluator.stages.standing import Names
from tests.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).parents[2]
STEPS: dict[str, dict[str, Any]] = {
    step["name"]: step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
}
SUITES = ("Shop A", "shop-a")
"""Alike once they are written in letters, digits and hyphens."""


class Leg(NamedTuple):
    """One job of one attempt of one run of a workflow."""

    suite: str
    workflow: str
    python: str
    attempt: str

    @property
    def variables(self) -> dict[str, str]:
        """What GitHub and action.yml give the scripts."""
        return {
            "GITHUB_WORKFLOW": "RAG Assay", "GITHUB_JOB": "rag",
            "GITHUB_RUN_ID": {"a.yml": "11", "b.yml": "12"}[self.workflow],
            "GITHUB_RUN_ATTEMPT": self.attempt, "ASSAY_CONFIG": f"{SUITES.index(self.suite)}/rag-assay.yml",
            "ASSAY_VARIANT": f"py{self.python}", "ASSAY_JOB_INDEX": {"3.12": "0", "3.13": "1"}[self.python],
        }  # fmt: skip

    @property
    def context(self) -> dict[str, str]:
        """What the expressions of action.yml read."""
        of = self.variables
        return {
            "inputs.config": of["ASSAY_CONFIG"], "github.job": "rag", "strategy.job-index": of["ASSAY_JOB_INDEX"],
            "github.run_id": of["GITHUB_RUN_ID"], "github.run_attempt": self.attempt, "runner.temp": "/t",
        }  # fmt: skip


LEGS = [Leg(*parts) for parts in itertools.product(SUITES, ("a.yml", "b.yml"), ("3.12", "3.13"), ("1", "2"))]


def rendered(text: str, context: dict[str, str]) -> str:
    """A text of action.yml with its expressions worked out."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: context[found[1]], text)


class Named(NamedTuple):
    """Everything that a leg is called."""

    report: str
    container: str
    label: str
    kept: str
    cache: str
    restored: list[str]
    cache_folder: str
    baseline: str
    mark: tuple[str, str, str]
    status: str


def named(leg: Leg, runner: Runner) -> Named:
    """By the scripts, by action.yml and by the zones that name things."""
    about = runner.folder / ".rag-assay"
    about.mkdir(exist_ok=True)
    (about / "about").write_text(f"{suite_slug(leg.suite)}\nretrieval\n{leg.suite}\nsome\nours\n")
    pack = f'tar --create --directory {runner.folder} --file "$temporary/prepared.tar" ./.rag-assay/about'
    said = runner.attempt(f'{pack}; read_about; printf "%s %s" "$name" "$step"', **leg.variables)
    container, step = said.splitlines()[-1].split()
    context = {**leg.context, "steps.run.outputs.step": runner.outputs["step"]}
    saved, restored = STEPS["Save what was judged"]["with"], STEPS["Restore what was judged before"]["with"]
    variant = leg.variables["ASSAY_VARIANT"]
    mark = Mark((slug(leg.suite), slug(leg.workflow), slug(variant)), Stamp(11, int(leg.attempt)), head="c" * 40)
    return Named(
        report=runner.outputs["artifact-name"], container=container, label=step, kept=f"rag-assay-baseline-{step}",
        cache=rendered(saved["key"], context), cache_folder=rendered(saved["path"], context),
        restored=rendered(restored["restore-keys"], context).split(), status=Names(leg.suite, variant).context,
        baseline=artifact_name(leg.suite, "retrieval", "main", variant), mark=mark.key,
    )  # fmt: skip


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[Leg, Named]:
    """Those of every leg."""
    runner = Runner(tmp_path_factory.mktemp("runner"))
    return {leg: named(leg, runner) for leg in LEGS}


def groups(names: dict[Leg, Named], of: Callable[[Named], Any]) -> list[set[Leg]]:
    """The legs that share a name."""
    found: dict[Any, set[Leg]] = {}
    for leg, each in names.items():
        found.setdefault(of(each), set()).add(leg)
    return list(found.values())


def differing(legs: Iterable[Leg]) -> set[str]:
    """In what legs that share a name are unlike."""
    return {field for field, values in zip(Leg._fields, zip(*legs, strict=True), strict=True) if len(set(values)) > 1}


@pytest.mark.parametrize("of", ["report", "cache"])
def test_what_is_uploaded_is_called_like_nothing_else(names: dict[Leg, Named], of: str) -> None:
    """An artifact of a name that is there is refused (409), and so is a cache."""
    assert all(len(legs) == 1 for legs in groups(names, lambda each: getattr(each, of)))


@pytest.mark.parametrize("of", ["container"])
def test_containers_and_volumes_of_one_machine_are_apart(names: dict[Leg, Named], of: str) -> None:
    """Runners may share a machine."""
    assert all(len(legs) == 1 for legs in groups(names, lambda each: getattr(each, of)))


@pytest.mark.parametrize(
    ("of", "shared"),
    [
        # Attempts of a job follow each other, and a later one removes what an earlier one left.
        ("label", {"attempt"}),
        ("kept", {"attempt"}),
        # They write to one comment; each workflow, suite and leg has its own.
        ("mark", {"attempt"}),
        # What a branch requires is of the suite, whichever workflow measures it: the worst of them stays.
        ("status", {"attempt", "workflow"}),
        # Artifacts are of a run and an attempt, so this is found by the same name whatever made it.
        ("baseline", {"attempt", "workflow"}),
        ("cache_folder", {"attempt", "workflow", "python"}),
    ],
)
def test_what_is_shared_is_shared_by_these_alone(names: dict[Leg, Named], of: str, shared: set[str]) -> None:
    """Neither more nor fewer jobs have a name in common."""
    for legs in groups(names, lambda each: getattr(each, of)):
        assert differing(legs) == shared


def test_what_was_judged_is_found_by_who_judged_it(names: dict[Leg, Named]) -> None:
    """First by the leg itself, in whichever run and attempt, then by any of the suite; never by another suite."""
    for one, other in itertools.product(LEGS, repeat=2):
        own, suite = (names[other].cache.startswith(prefix) for prefix in names[one].restored)
        assert own == ((one.suite, one.python) == (other.suite, other.python))
        assert suite == (one.suite == other.suite)


def test_a_suite_without_a_variant_has_its_own_name() -> None:
    """The name of the contract, and no variant has it."""
    plain = artifact_name("shop", "retrieval", "main")

    assert re.fullmatch("rag-assay-baseline-shop-retrieval-main-[0-9a-f]{8}", plain)
    named = [artifact_name("shop", "retrieval", "main", variant) for variant in ("a b", "a-b", "A b")]
    assert len({plain, *named}) == 4
    longest = artifact_name("s" * 99, "retrieval", "b" * 99, "v" * 60)
    [limit] = {int(found) for found in re.findall(r"rag-assay-baseline-\[a-z0-9-\]\{1,(\d+)\}", SCRIPTS)}
    assert len(longest) - len("rag-assay-baseline-") <= limit


SCRIPTS = "".join((ROOT / "scripts" / name).read_text() for name in ("run.sh", "baseline.sh"))


def test_a_folder_that_two_steps_share_is_told(tmp_path: Path) -> None:
    """Two suites in one job: what the second removes was the first one's report."""
    runner = Runner(tmp_path)

    def begin(out: str, **variables: str) -> str:
        return runner.attempt('warn_of_shared_out "$out"', ASSAY_OUT=out, **variables)

    assert [begin("a", ASSAY_CONFIG="a.yml"), begin("b", ASSAY_CONFIG="b.yml")] == ["", ""]
    assert "an earlier step of this job has its report in 'a' too" in begin("a", ASSAY_CONFIG="c.yml")
    assert begin("a", GITHUB_RUN_ATTEMPT="2") == ""
