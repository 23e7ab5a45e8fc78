"""What differs between the configurations of two runs, in words, and what that means for reading the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison.configuration import DATA
from evaluator.model.base import to_json
from evaluator.model.counting import counted
from evaluator.report import rules
from evaluator.report.numbers import NOTHING
from evaluator.report.parts import Listing, Note, Part, Table, TableRow
from evaluator.templates import Name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.comparison import ConfigurationChange
    from evaluator.report.inputs import Inputs

DOCUMENTS, CHUNKS, PROMPT = DATA["documents"], DATA["chunks"], DATA["prompt"]
INDEX = frozenset({DOCUMENTS, CHUNKS, DATA["vectors"]})
"""Other documents are other chunks and vectors: that is one change, however many digests tell of it."""

SEVERAL = "Several changed at once: their effects cannot be told apart."
OTHER_DOCUMENTS = (
    "The documents are not those of the baseline: what rose or fell may be their doing, and not that of the pipeline."
)
SAME_DOCUMENTS = "The documents are those of the baseline, cut or indexed in another way."
UNKNOWN_DOCUMENTS = (
    "The chunks are not those of the baseline. Whether the documents changed as well is not known, for not every chunk "
    "names its document."
)


class _Meaning(NamedTuple):
    """What a key is about; ``moves`` says whether values may be others for it."""

    words: str
    moves: bool = True


_MEANINGS = {
    DOCUMENTS: _Meaning("the documents"),
    CHUNKS: _Meaning("the chunks"),
    DATA["embedding"]: _Meaning("the embedding model"),
    DATA["vectors"]: _Meaning("the vectors"),
    PROMPT: _Meaning("the prompt"),
    DATA["tool"]: _Meaning("RAG Assay", moves=False),
    DATA["judge_models"]: _Meaning("the judge"),
    DATA["judge_prompts"]: _Meaning("the judge's prompts"),
    "k": _Meaning("how many chunks the model gets"),
    "language": _Meaning("the language of the cases"),
    "citations": _Meaning("how citations are written"),
    "pipeline": _Meaning("the pipeline"),
    "pipeline.version": _Meaning("the pipeline's version"),
    "pipeline.retriever": _Meaning("the retriever"),
    "pipeline.generator": _Meaning("the model that answers"),
    "pipeline.generator.template": _Meaning("the prompt"),
    "pipeline.workers": _Meaning("how the pipeline is run", moves=False),
    "pipeline.limits": _Meaning("how the pipeline is run", moves=False),
    "pipeline.env": _Meaning("how the pipeline is run", moves=False),
    "pipeline.timeout": _Meaning("how the pipeline is run"),
    "judge": _Meaning("how judging is run", moves=False),
    "judge.provider": _Meaning("the judge"),
    "judge.model": _Meaning("the judge"),
    "judge.base_url": _Meaning("the judge"),
    "judge.seed": _Meaning("the judge"),
    "judge.prompts": _Meaning("the judge's prompts"),
    "judge.embeddings": _Meaning("the judge"),
    "judge.sample": _Meaning("which cases are judged"),
    "judge.calibration": _Meaning("how far the judge is believed", moves=False),
    "judge.min_kappa": _Meaning("how far the judge is believed", moves=False),
    "judge.advisory": _Meaning("how far the judge is believed", moves=False),
    "metrics": _Meaning("the metrics", moves=False),
    "gate": _Meaning("the gate", moves=False),
    "golden": _Meaning("the golden set", moves=False),
    "fixture": _Meaning("where the fixture is", moves=False),
    "suite": _Meaning("the suite's name", moves=False),
    "noise": _Meaning("the noise file", moves=False),
    "accepted": _Meaning("the list of what is accepted", moves=False),
    "baseline": _Meaning("the baseline", moves=False),
    "check": _Meaning("check", moves=False),
    "when": _Meaning("what the suite depends on", moves=False),
    "report": _Meaning("the report", moves=False),
}
"""By key, or by what a key begins with up to a dot."""

_OTHER = _Meaning("–")


def part(inputs: Inputs) -> Part:
    """Every difference, before and now."""
    changes = inputs.comparison.configuration
    rows = [row for change in changes for row in _rows(change)]
    return Part(
        f"Configuration: {counted(len(changes), 'change')}",
        notes=Listing.of([Note(text) for text in _cautions(inputs)]),
        table=Table(("What", "Key", "Before", "Now"), Listing.of(rows)),
    )


def alerts(inputs: Inputs) -> tuple[str, ...]:
    """What is to be known before any number: a changed corpus must not be taken for a changed pipeline."""
    changed = {change.key: change for change in inputs.comparison.configuration}
    documents = changed.get(DOCUMENTS)
    if documents is None or documents.before is None or documents.after is None:
        return ()
    return (OTHER_DOCUMENTS,)


def _cautions(inputs: Inputs) -> Iterator[str]:
    changes = inputs.comparison.configuration
    moving = {"fixture" if change.key in INDEX else change.key for change in changes if _meaning(change.key).moves}
    if len(moving) > 1:
        yield SEVERAL
    yield from _about_chunks(inputs)


def _about_chunks(inputs: Inputs) -> Iterator[str]:
    changed = {change.key: change for change in inputs.comparison.configuration}
    chunks = changed.get(CHUNKS)
    if chunks is None or chunks.before is None or chunks.after is None or alerts(inputs):
        return
    is_known = DOCUMENTS not in changed and "documents" in inputs.head.fingerprint
    yield SAME_DOCUMENTS if is_known else UNKNOWN_DOCUMENTS


def _meaning(key: str) -> _Meaning:
    while key not in _MEANINGS and "." in key:
        key = key.rpartition(".")[0]
    return _MEANINGS.get(key, _OTHER)


def _rows(change: ConfigurationChange) -> Iterator[TableRow]:
    """A key's two values; for the rules, a row each that differs."""
    words = _meaning(change.key).words
    if change.key == rules.KEY:
        for key, before, after in rules.changed(change.before, change.after):
            yield TableRow((words, Name(key), before, after))
        return
    yield TableRow((words, Name(change.key), _shown(change.before), _shown(change.after)))


def _shown(value: object) -> str:
    if value is None:
        return NOTHING
    return Name(value if isinstance(value, str) else to_json(value).decode())
