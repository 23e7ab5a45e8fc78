"""decide, where nothing that the suite depends on changed: the decision and the report of a run that was not made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.comparison import Comparison
from evaluator.model.decision import EXIT_CODES, Decision, Reason
from evaluator.model.publication import Publication
from evaluator.stages.publication import sentence
from evaluator.stores import atomic, values
from evaluator.zones import archive
from evaluator.zones.decide import ANNOTATIONS, DECIDED, OUTPUTS, PUBLICATION
from evaluator.zones.score import SCORED

if TYPE_CHECKING:
    from typing import IO

    from evaluator.zones.site import Site

NOTHING = Reason(code="unaffected", text="nothing that this suite depends on changed")
REPORT = f"""## ✅ Passed: {NOTHING.text}

Nothing was measured: no file that `when` or another key of the configuration names is other than in the base commit.
"""
COUNTS = ("cases", "regressions", "failures", "unscored")


def decide(stream: IO[bytes], out: IO[bytes], site: Site, *, nonce: str) -> None:
    """Write what decide writes, but for the files of a run: nothing here is kept for later runs to be compared with.

    Raises:
        ZoneProblem: the stream is not what this zone takes.
        UsageError, InputError: as the configuration is read.
    """
    archive.take_parts(stream, {"tree.tar": site.take_tree})
    folder = site.workspace().out
    decision = Decision(
        outcome="passed", exit_code=EXIT_CODES["passed"], reasons=(NOTHING,), rules=(), cases=(), accepted=False,
        nonce=nonce,
    )  # fmt: skip
    values.write_value(folder / "decision.json", decision)
    values.write_value(folder / "comparison.json", _COMPARED)
    told = Publication(outcome="passed", sentence=sentence(decision), changed=False, quiet=True)
    values.write_value(folder / PUBLICATION, told)
    outputs = {"outcome": decision.outcome, "exit-code": decision.exit_code, **dict.fromkeys(COUNTS, 0)}
    texts = {
        "comment.md": REPORT, "summary.md": REPORT, ANNOTATIONS: "",
        OUTPUTS: "".join(f"{name}={value}\n" for name, value in outputs.items()),
    }  # fmt: skip
    for name, text in texts.items():
        atomic.write_text(folder / name, text)
    archive.pack_files(folder, out, [name for name in DECIDED if name not in SCORED])


_COMPARED = Comparison(
    baseline=None, paired=0, new=(), removed=(), changed=(), configuration=(), loosened=(), rows=(), cases=()
)
