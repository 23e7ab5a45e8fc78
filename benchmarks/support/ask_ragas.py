"""Runs the metrics of Ragas; see asking.py. As its documentation has it: metrics of ``collections`` and llm_factory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from asking import KEY, MODEL, Work, begin
from openai import AsyncOpenAI
from ragas.cache import DiskCacheBackend
from ragas.embeddings.base import embedding_factory
from ragas.llms import llm_factory
from ragas.metrics import collections

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FIELDS = {
    "user_input": "question", "response": "answer", "reference": "reference", "retrieved_contexts": "contexts",
}  # fmt: skip
RELEVANCY = ("user_input", "response")
RETRIEVAL = ("user_input", "retrieved_contexts", "reference")


def metrics(work: Work) -> list[tuple[Any, Sequence[str]]]:
    """The metrics, each with what it reads."""
    client = AsyncOpenAI(base_url=work.url, api_key=KEY, max_retries=0)
    cache = DiskCacheBackend(cache_dir="cache") if work.cached else None
    llm = llm_factory(MODEL, client=client, cache=cache)
    embeddings = embedding_factory("openai", model="text-embedding-3-small", client=client, cache=cache)
    return [
        (collections.Faithfulness(llm=llm), (*RELEVANCY, "retrieved_contexts")),
        (collections.AnswerRelevancy(llm=llm, embeddings=embeddings), RELEVANCY),
        (collections.ContextPrecision(llm=llm), RETRIEVAL),
        (collections.ContextRecall(llm=llm), RETRIEVAL),
        (collections.FactualCorrectness(llm=llm), ("response", "reference")),
    ]


async def judge(work: Work, tell: Callable[[str, Sequence[float | None]], None]) -> None:
    """All cases by each metric."""
    for metric, reads in metrics(work):
        given = [{name: case[FIELDS[name]] for name in reads} for case in work.cases]
        results = await asyncio.gather(*(metric.ascore(**each) for each in given))
        tell(type(metric).__name__, [float(each.value) for each in results])


if __name__ == "__main__":
    asyncio.run(judge(*begin()))
