"""TREC: judgements (qrels), runs and topics, as trec_eval reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator.model.exchange import Draft, Format, Option, path
from evaluator.stores.importers._leaving import graded, name_lost, results, unspaced
from evaluator.stores.importers._trec_files import (
    Judged,
    Ranked,
    named,
    read_qrels,
    read_run,
    read_topics,
    single,
    trec_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.model.exchange import Intake, Settings, Suite

NAME = "TREC"
DEFAULT_TAG = "rag-assay"


def _read(settings: Settings, intake: Intake) -> None:
    qrels_file, run_file, topics_file = (path(settings, name) for name in ("qrels", "run", "topics"))
    if qrels_file is None:
        raise TypeError("qrels is a required option")
    judged = read_qrels(qrels_file, intake)
    topics = read_topics(topics_file, intake) if topics_file is not None else {}
    for topic in topics or judged:
        question, line = topics.get(topic, (topic, judged[topic][0].line if topic in judged else 0))
        draft = {"id": topic, "question": question, **labels(judged.get(topic, ()))}
        intake.cases.append(Draft(draft, str(topics_file or qrels_file), line))
    name_unmeasured(judged, topics, intake)
    if run_file is not None:
        intake.answers = answers(read_run(run_file, intake), [draft.value["id"] for draft in intake.cases], intake)


def labels(judged: Sequence[Judged]) -> dict[str, Any]:
    """Needs and irrelevant chunks of one question: what is graded 0 or below was judged irrelevant."""
    relevant = [
        found.document if found.grade == 1 else {"chunk": found.document, "grade": found.grade}
        for found in judged
        if found.grade > 0
    ]
    irrelevant = [found.document for found in judged if found.grade <= 0]
    return {**({"relevant": relevant} if relevant else {}), **({"irrelevant": irrelevant} if irrelevant else {})}


def name_unmeasured(judged: Mapping[str, Sequence[Judged]], topics: Mapping[str, Any], intake: Intake) -> None:
    """Name the topics that no ranking metric can read, and judgements that no topic is there for."""
    without = [topic for topic in topics or judged if not any(found.grade > 0 for found in judged.get(topic, ()))]
    if without:
        intake.remark(
            f"topic without a relevant document, which ranking metrics leave out: {named(without)}", len(without)
        )
    unasked = [topic for topic in judged if topics and topic not in topics]
    if unasked:
        intake.remark(f"judged topic that is not among the topics, left out: {named(unasked)}", len(unasked))


def answers(
    rankings: Mapping[str, Sequence[tuple[str, float]]], ids: Sequence[str], intake: Intake
) -> dict[str, Draft]:
    """A recorded answer to every case: a topic that a run does not hold is one that retrieved nothing."""
    missing = [topic for topic in ids if topic not in rankings]
    if missing:
        intake.remark(f"topic that is not in the run, taken as nothing retrieved: {named(missing)}", len(missing))
    known = set(ids)
    unknown = [topic for topic in rankings if topic not in known]
    if unknown:
        intake.remark(f"topic of the run that is not in the golden set, left out: {named(unknown)}", len(unknown))
    return {
        topic: Draft(
            {"id": topic, "retrieved": [{"id": name, "score": score} for name, score in rankings.get(topic, ())]}, ""
        )
        for topic in ids
    }


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    name_lost(suite, {"relevant", "irrelevant"}, NAME)
    files = {"qrels.trec": _qrels(suite), "topics.tsv": _topics(suite)}
    if suite.answers:
        files["run.trec"] = run_lines(suite, unspaced(settings.get("tag") or DEFAULT_TAG, NAME))
    return {name: "".join(f"{line}\n" for line in lines).encode() for name, lines in files.items()}


def _qrels(suite: Suite) -> Iterable[str]:
    for case in suite.cases:
        topic = unspaced(case.id, NAME)
        yield from (f"{topic} 0 {unspaced(chunk, NAME)} {grade}" for chunk, grade in graded(case, suite, NAME))


def _topics(suite: Suite) -> Iterable[str]:
    for case in suite.cases:
        question = " ".join(case.question.split())
        if question != case.question:
            suite.remark(f"question whose white space {NAME} cannot hold: each run of it becomes one space")
        yield f"{case.id}\t{question}"


def run_lines(suite: Suite, tag: str) -> Iterable[str]:
    """The lines of a run; scores that do not give the order are replaced, since order is made of scores alone."""
    for topic, ranking in results(suite, NAME):
        for rank, (chunk, score) in enumerate(_scored(ranking, suite), 1):
            yield f"{unspaced(topic, NAME)} Q0 {unspaced(chunk, NAME)} {rank} {score!r} {tag}"


def _scored(ranking: Sequence[Mapping[str, Any]], suite: Suite) -> list[tuple[str, float]]:
    given = [(hit["id"], hit["score"]) for hit in ranking if type(hit.get("score")) in {int, float}]
    order = trec_order(Ranked(single(score), chunk, score) for chunk, score in given)
    if [chunk for chunk, _ in order] == [hit["id"] for hit in ranking]:
        return given
    suite.remark("ranking that its scores do not give, written with scores that do")
    return [(hit["id"], float(len(ranking) - place)) for place, hit in enumerate(ranking)]


FORMAT = Format(
    name="trec",
    title="qrels, a run and topics of TREC",
    options=(
        Option("--qrels", "Judgements: topic, iteration, document, grade.", required=True),
        Option("--run", "A run, which becomes recorded answers, ordered as trec_eval orders it."),
        Option("--topics", "Questions: id, tab and question a line, or TREC's <top>. [default: the topic's id]"),
    ),
    examples=(
        "import trec --qrels qrels.txt --run bm25.run --topics topics.tsv --out eval",
        "export trec --golden eval/golden.jsonl --answers eval/answers.jsonl --out trec",
    ),
    read=_read,
    write=_write,
    export_options=(Option("--tag", "Name of the run. [default: rag-assay]", "text", "TEXT"),),
)
