"""A judge that is ready to be asked: its provider's client, its prompts, its cache and what it may cost."""

from __future__ import annotations

import datetime
import hashlib
import json
import random
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from evaluator import errors, judges
from evaluator.judging import fencing, tokens
from evaluator.judging.asking import Asker
from evaluator.judging.budget import Budget, prices_of
from evaluator.judging.cache import Cache, Entry, Identity, derive
from evaluator.judging.cache import key_of as key_of_call
from evaluator.judging.calls import InvalidReply, Refusal
from evaluator.judging.estimate import calls
from evaluator.judging.pool import converse
from evaluator.judging.prompts import Prompts
from evaluator.judging.requesting import Around, Terms
from evaluator.judging.watching import Watch
from evaluator.model.base import canonical, digest
from evaluator.model.judge import JudgeSetting, TokenUsage
from evaluator.model.ports import EmbedderSetting
from evaluator.model.run import JudgeInfo
from evaluator.model.score import Unscored
from evaluator.stages.tiers import key_variable
from evaluator.stores.located import did_you_mean, visible
from evaluator.stores.records import sha256_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from types import TracebackType
    from typing import TypeVar

    from evaluator.judging.calls import Call, Conversation
    from evaluator.model.config import Embeddings, Generator
    from evaluator.model.config import Judge as JudgeConfig
    from evaluator.model.judge import JudgeKind
    from evaluator.model.score import Metric
    from evaluator.model.spent import Spent
    from evaluator.stages.workspace import Workspace

    Found = TypeVar("Found")

TEMPERATURE = 0.0


class Bench:
    """The judge of a configuration. As a context manager it keeps the cache whole and ends connections.

    Attributes:
        config: the section ``judge``.
        prompts: what it is asked by.
        window: how many tokens it takes at once.
        repeat: 0, or which judging past the cache this is.
    """

    def __init__(self, workspace: Workspace, *, is_asked: bool = True) -> None:
        """Open it; where it is not asked anything, it needs no key and no client.

        Raises:
            UsageError: there is no judge section or no such provider, or its key is missing.
            FileProblem: the cache is something else.
            TemplateError: the folder of prompts holds none.
        """
        self.config = _config(workspace)
        self._workspace = workspace
        self.repeat = workspace.repeat
        self._kind = kind_of(self.config)
        self.window = self.config.window or self._kind.window(self.config.model)
        self.prompts = Prompts(workspace.path(self.config.prompts) if self.config.prompts is not None else None)
        self._open = ExitStack()
        self._identity = Identity(self.config.provider, self.config.model, self._parameters())
        key = key_of(self.config, self._kind, workspace.environment, is_needed=is_asked)
        file = workspace.judge_cache or workspace.path(self.config.cache)
        self._cache = Cache(file, derive(key), self._now, workspace.log)
        self._open.callback(self._cache.close)
        try:
            self._asker = self._opened(key) if is_asked else None
        except BaseException:
            self._open.close()
            raise

    def _opened(self, key: str | None) -> Asker:
        config, workspace = self.config, self._workspace
        setting = JudgeSetting(
            model=config.model, key=key, base_url=config.base_url, seed=config.seed,
            folder=workspace.folder,
        )  # fmt: skip
        judge = self._kind.open(setting)
        self._open.callback(judge.close)
        around = Around(
            seconds=workspace.clock.seconds, now=self._now, random=random.SystemRandom().random,
            delimiter=fencing.delimiter, log=workspace.log,
        )  # fmt: skip
        asker = Asker(
            judge, self._identity, Terms(config.max_concurrency, config.timeout, config.deadline),
            budget=Budget(self._left(), prices_of(config.prices, config.provider), tokens.of_request),
            cache=self._cache, around=around,
        )  # fmt: skip
        self._open.callback(asker.close)
        return asker

    def _left(self) -> float | None:
        """What judging may still cost."""
        most = self.config.max_cost_usd
        return None if most is None else max(0.0, most - self._workspace.spent)

    @property
    def asker(self) -> Asker:
        """Who makes the calls."""
        if self._asker is None:
            raise RuntimeError("this bench was opened to ask nothing")
        return self._asker

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.close()

    def ask(self, talks: Mapping[str, Conversation[Found]]) -> dict[str, Found]:
        """Drive conversations to their end; what each found, by its name.

        Raises:
            JudgeError: the judge can answer nothing.
        """
        if not talks:
            return {}
        progress = self._workspace.progress("judge", len(talks))
        watch = Watch(progress, len(talks), self.asker, self._workspace.clock.seconds)
        try:
            return converse(talks.items(), self.asker, watch.told, watch.ended)
        finally:
            progress.close()

    def missing(self, talk: Conversation[object]) -> dict[bytes, Call[Any]]:
        """The calls of a conversation that the cache does not answer, by what they are kept under."""
        return {key_of_call(self._identity, call): call for call in calls(talk, self._known)}

    def _known(self, call: Call[Any]) -> object | None:
        entry = self._cache.get(key_of_call(self._identity, call))
        try:
            return None if entry is None else call.read(entry.text)
        except (InvalidReply, Refusal):
            return None

    def similarities(self, question: str, others: Sequence[str]) -> tuple[float, ...] | Unscored:
        """Cosines of texts to a question, by ``judge.embeddings``; kept in the cache as replies are."""
        config = self.config.embeddings
        if config is None:
            return Unscored("judge.embeddings names no model")
        key = hashlib.sha256(canonical(["similarities", config.model_dump(exclude={"api_key_env"}), question, *others]))
        entry = self._cache.get(key.digest())
        if entry is not None:
            return tuple(json.loads(entry.text))
        if self.asker.stopped is not None:
            return Unscored(self.asker.stopped)
        try:
            found = self._cosines(config, question, others)
        except errors.UsageError as error:
            return Unscored(str(error))
        text, usage = json.dumps(found), TokenUsage(0, 0)
        self._cache.put(key.digest(), Entry("embedding", text, "stop", config.model, usage, (), self._now()))
        return found

    def _cosines(self, config: Embeddings, question: str, others: Sequence[str]) -> tuple[float, ...]:
        import numpy as np  # noqa: PLC0415 - few suites compare vectors

        from evaluator import embedders  # noqa: PLC0415 - as above

        kind, argument = embedders.choose(f"{config.provider}:{config.model}")
        setting = EmbedderSetting(
            argument, self._workspace.folder, self._workspace.environment, config.base_url,
            config.api_key_env or f"{config.provider.upper()}_API_KEY",
        )  # fmt: skip
        vectors = np.asarray(kind.open(setting).questions([question, *others]), dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1)
        if not np.all(np.isfinite(lengths)) or not np.all(lengths):
            raise errors.UsageError(f"{config.model} gave a vector without a direction")
        return tuple(float(each) for each in (vectors[1:] @ vectors[0]) / (lengths[1:] * lengths[0]))

    def stop(self, reason: str) -> None:
        """Ask nothing more; what is not known then is unscored for this reason."""
        self.asker.stop(reason)

    def spent(self) -> Spent:
        """What all of it took so far."""
        return self.asker.spent()

    def info(self) -> JudgeInfo:
        """Who judged."""
        return JudgeInfo(
            provider=self.config.provider, model=self.config.model, answered=self.asker.models(),
            adapted=self.asker.adapted(), prompts=self.prompts.digests(), stopped=self.asker.stopped,
        )  # fmt: skip

    def fingerprint(self, declared: Mapping[str, Metric]) -> str:
        """Digest of all that a verdict depends on but what is judged: another one judges otherwise."""
        info = self.info()
        formulas = {name: metric.formula for name, metric in declared.items() if metric.reads == "judge"}
        return digest(
            {
                "provider": info.provider, "models": info.answered or (info.model,), "prompts": info.prompts,
                "parameters": {**self._identity.parameters, "adapted": info.adapted}, "metrics": formulas,
            }
        )  # fmt: skip

    def _parameters(self) -> dict[str, Any]:
        # Two servers may call two models by one name.
        elsewhere = {} if self.config.base_url is None else {"base_url": self.config.base_url.rstrip("/")}
        source = self._kind.source(self.config.model, self._workspace.folder)
        # A judge that is a file is another one once the file is edited.
        written = {} if source is None else {"source": sha256_of(source)}
        return {"temperature": TEMPERATURE, "seed": self.config.seed, **elsewhere, **written}

    def _now(self) -> float:
        return datetime.datetime.fromisoformat(self._workspace.clock.now()).timestamp()


def _config(workspace: Workspace) -> JudgeConfig:
    if workspace.config.judge is None:
        raise errors.UsageError("tier full needs a judge: section in the configuration, which names a model")
    return workspace.config.judge


def kind_of(config: JudgeConfig | Generator, key: str = "judge") -> JudgeKind:
    """The provider of a judge, or of the model that a section of this ``key`` names.

    Raises:
        UsageError: there is none of that name.
    """
    try:
        return judges.kind(config.provider)
    except KeyError:
        raise errors.UsageError(unknown(f"{key}.provider", config.provider, judges.load())) from None


def unknown(key: str, provider: str, known: Collection[str]) -> str:
    """What to say of a provider that there is not."""
    return f"{key} '{visible(provider)}' is none of {', '.join(known)}{did_you_mean(provider, known)}"


def can_be_asked(config: JudgeConfig, environment: Mapping[str, str]) -> bool:
    """Whether a judge needs no key, or has one.

    Raises:
        UsageError: there is no such provider.
    """
    kind = kind_of(config)
    needs_key = config.api_key_env is not None or kind.needs_key(config.base_url)
    return bool(environment.get(key_variable(config))) or not needs_key


def key_of(
    config: JudgeConfig | Generator, kind: JudgeKind, environment: Mapping[str, str], *, is_needed: bool = True
) -> str | None:
    """The key of a judge or of another model, None where it needs none and none is named.

    Raises:
        UsageError: it needs one, and the variable is not set.
    """
    variable = key_variable(config)
    key = environment.get(variable)
    if is_needed and not key and (config.api_key_env is not None or kind.needs_key(config.base_url)):
        raise errors.UsageError(f"{config.model} needs a key, and {variable} is not set")
    return key or None
