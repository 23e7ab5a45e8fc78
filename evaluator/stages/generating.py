"""The model that writes the answers of the built-in pipeline: one call a question, made again where that helps."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import tenacity

from evaluator.judging.patience import Patience
from evaluator.model.judge import Judge, JudgeBusy, JudgeReply, JudgeRequest, JudgeSetting
from evaluator.stages.bench import key_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evaluator.model.config import Generator
    from evaluator.model.ports import Generate
    from evaluator.stages.workspace import Workspace

LEAST_SECONDS = 0.01


@contextmanager
def generating(workspace: Workspace, generator: Generator) -> Iterator[Generate]:
    """Have the model of ``pipeline.generator`` ready. Each call has ``pipeline.timeout`` seconds, repetitions included.

    Raises:
        UsageError: there is no such provider, or its key is missing.
    """
    kind = kind_of(generator, "pipeline.generator")
    pipeline = workspace.config.pipeline
    setting = JudgeSetting(
        model=generator.model, key=key_of(generator, kind, workspace.environment), base_url=generator.base_url,
        folder=workspace.folder,
    )  # fmt: skip
    model = kind.open(setting)
    try:
        yield _Generator(model, pipeline.timeout, workspace.clock.seconds)
    finally:
        model.close()


class _Generator:
    """Has a model answer, for at most so many seconds a prompt."""

    def __init__(self, model: Judge, timeout: float, seconds: Callable[[], float]) -> None:
        self._model = model
        self._timeout = timeout
        self._seconds = seconds
        self._stopped = threading.Event()

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        until = self._seconds() + self._timeout
        patience = Patience(lambda: until - self._seconds(), random.SystemRandom().random, lambda: 0, 0)
        again = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._is_worth_another), wait=patience.wait, stop=patience.stop,
            reraise=True, sleep=self._rest,
        )  # fmt: skip
        return again(lambda: self._model.ask(request, max(LEAST_SECONDS, until - self._seconds())))

    def stop(self) -> None:
        """Make no call again, and wait for none to be."""
        self._stopped.set()

    def _is_worth_another(self, error: BaseException) -> bool:
        return isinstance(error, JudgeBusy) and not self._stopped.is_set()

    def _rest(self, seconds: float) -> None:
        self._stopped.wait(seconds)
