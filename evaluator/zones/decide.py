"""decide: compares, judges by the rules and writes the report. Only what is written here leaves the Action."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model import baseline
from evaluator.model.comparison import Comparison
from evaluator.model.decision import Decision
from evaluator.stages.compare import compare, compare_retrieval
from evaluator.stages.gate import gate
from evaluator.stages.publication import commands, publication
from evaluator.stages.report import report
from evaluator.stores import atomic, values
from evaluator.stores.runs import read_run
from evaluator.zones import archive, fetched, keeping
from evaluator.zones.score import ALSO_SCORED, SCORED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

    from evaluator.stages.workspace import Workspace
    from evaluator.zones.fetched import Fetched
    from evaluator.zones.keeping import Keeping
    from evaluator.zones.site import Site

OUTPUTS = "outputs"
"""What the Action hands on, one ``name=value`` a line."""

PUBLICATION = "publication.json"
ANNOTATIONS = "annotations"
"""Workflow commands, one a line."""

DECIDED = (
    *SCORED, "comparison.json", "decision.json", "comment.md", "summary.md", OUTPUTS, PUBLICATION, ANNOTATIONS,
)  # fmt: skip


def decide(
    stream: IO[bytes], out: IO[bytes], site: Site, *, nonce: str, kept: Keeping | None = None,
    self_reported: bool = False,
) -> Decision:  # fmt: skip
    """Decide on a scored run; ``nonce`` is this attempt's, and the decision repeats it.

    A baseline that the configuration names is not read: it is the pull request's own. ``kept`` is what is to be known
    of this run where later ones may be compared with it. With ``self_reported`` it has to be a run of a stranger's
    records, and no other may be one.

    Raises:
        ZoneProblem: the stream is not what this zone takes.
        AssayError: as the stages.
    """
    found: list[Fetched] = []
    archive.take_parts(
        stream, {"tree.tar": site.take_tree, "scored.tar": site.taker(SCORED, ALSO_SCORED)},
        {fetched.NAME: lambda part: found.append(fetched.take(part, site.folder("fetched")))},
    )  # fmt: skip
    workspace = _without_own_baseline(site.workspace())
    head = read_run(workspace.out / "run.json").head
    tier = head.tier
    if (head.self_reported is not None) != self_reported:
        raise errors.ZoneProblem("a stranger's records were scored as our own, or our own as a stranger's")
    compare(workspace, None, found[0].standard(tier) if found else None)
    nearer = found[0].nearer(tier) if found else None
    gate(workspace, nonce, compare_retrieval(workspace, nearer) if nearer is not None else None)
    for line in report(workspace).splitlines():
        # Where files are in this zone is of no use to anybody.
        if str(workspace.out) not in line:
            workspace.log(line)
    decision = values.read_value(workspace.out / "decision.json", Decision)
    if decision.nonce != nonce:
        raise errors.ZoneProblem("the decision is not this attempt's")
    keeps = kept is not None and not self_reported and keeping.keep(workspace, decision, kept)
    outputs = {
        **_outputs(workspace.out, decision),
        **(keeping.told(workspace, kept.variant) if kept is not None and keeps else {}),
    }
    atomic.write_text(workspace.out / OUTPUTS, "".join(f"{name}={value}\n" for name, value in outputs.items()))
    published = publication(workspace, site.root)
    values.write_value(workspace.out / PUBLICATION, published)
    atomic.write_text(workspace.out / ANNOTATIONS, "".join(f"{line}\n" for line in commands(published)))
    archive.pack_files(workspace.out, out, [*DECIDED, *([baseline.MANIFEST] if keeps else [])])
    return decision


def _without_own_baseline(workspace: Workspace) -> Workspace:
    own = workspace.config.baseline
    config = workspace.config.but(baseline=own.but(file=None))
    return dataclasses.replace(workspace, config=config)


def _outputs(folder: Path, decision: Decision) -> dict[str, str | int]:
    rows = values.read_value(folder / "comparison.json", Comparison).rows
    total = failures = unscored = 0
    for stored in read_run(folder / "run.json").cases():
        total += 1
        failures += stored.case.failure is not None and not stored.case.is_unasked
        unscored += len(stored.case.unscored)
    timing = read_run(folder / "run.json").head.timing
    return {
        "outcome": decision.outcome,
        "exit-code": decision.exit_code,
        "cases": total,
        "regressions": sum(row.status == "regressed" and not row.advisory for row in rows),
        "failures": failures,
        "unscored": unscored,
        **_cost(timing.get("judge", {})),
    }


def _cost(parts: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """What judging cost, where anything was judged."""
    return {"judge-cost-usd": f"{math.fsum(part['usd'] for part in parts.values()):.4f}"} if parts else {}
