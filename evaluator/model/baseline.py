"""Baselines on GitHub: what an artifact is called and says of itself, and what was found (design section 10)."""

from typing import Annotated, Literal, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Id, Strings, Value, digest
from evaluator.model.slugs import plain

Tier: TypeAlias = Literal["retrieval", "full"]
Half: TypeAlias = Literal["deterministic", "judged"]
Natural: TypeAlias = Annotated[int, pydantic.Field(gt=0)]
Sha256: TypeAlias = Annotated[str, pydantic.StringConstraints(pattern=r"\A[0-9a-f]{64}\z")]

MANIFEST = "baseline.json"
RUN = "run.json"
RECORDS = "records.jsonl"
FILES = (MANIFEST, RUN, RECORDS)
"""What an artifact may hold; the last one only beside a large run."""


def artifact_name(suite: str, tier: Tier, branch: str, variant: str = "") -> str:
    """The name of the artifacts that hold a suite's runs of a branch: unlike for unlike suites, tiers and branches.

    So it is for the variants in which a suite is measured; one that has none has the name without.
    """
    exact = digest([suite, tier, branch, *([variant] if variant else [])])[:8]
    shown = f"{_shown(branch)}-{_shown(variant)}" if variant else _shown(branch)
    return f"rag-assay-baseline-{_shown(suite)}-{tier}-{shown}-{exact}"


def _shown(text: str) -> str:
    return plain(text) or "x"


class Manifest(Value):
    """baseline.json: what a run in an artifact is.

    Attributes:
        commit: what was measured; a refreshed artifact keeps it.
        run_id, attempt, event: the run of the workflow that measured it.
        accepted: whether the gate passed or a person said so.
        accepted_by: ``gate``, ``always`` or who said so; None where it is not accepted.
        reason: that person's, or in half a sentence why it is not accepted.
        created_at: when it was measured, as ISO 8601.
        kind: ``refresh`` is a copy that was made by a later run of a workflow.
        run_sha256: of run.json beside it.
        chain: the commits of the accepted runs that it came through, oldest first.
    """

    format: Literal[1] = FORMAT
    suite: Id
    tier: Tier
    branch: Id
    commit: Id
    run_id: Natural
    attempt: Natural
    event: Id
    accepted: bool
    accepted_by: str | None
    reason: str | None
    created_at: Id
    kind: Literal["run", "refresh"]
    run_sha256: Sha256
    chain: Strings


class Source(Value):
    """A baseline that was found.

    Attributes:
        folder: where it lies, beside what tells of it; of a committed file too.
        tier: what was measured.
        commit: of what, as far as that is known.
        how: where it comes from, for the report.
        accepted: false for what only shows what the base had lost already.
    """

    folder: Id
    tier: Tier
    commit: str | None
    how: str
    accepted: bool = True


class Found(Value):
    """found.json: what a change is compared with, and what is to be said of it.

    Attributes:
        suite: as the base calls it; None where the base has no configuration.
        base: the commit that the change is made to.
        branch: where the base's configuration says that baselines are kept; None where it has none.
        default_branch: where a configuration that says nothing of it keeps them.
        deterministic, judged: what each half is compared with. None: nothing; of the judged half also where nobody
            asked for it.
        inherited: the run of the base itself, where it was not accepted.
        lost: halves that had a baseline once, and why there is none now.
        required: whether the base's configuration asks for one.
        notes: what a reader of the report has to know of the search.
    """

    format: Literal[1] = FORMAT
    suite: str | None
    base: str | None
    branch: str | None = None
    default_branch: str | None = None
    deterministic: Source | None = None
    judged: Source | None = None
    inherited: Source | None = None
    lost: dict[Half, str] = {}
    required: bool = False
    notes: Strings = ()
