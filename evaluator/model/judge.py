"""The seam between what is asked of a judge and the provider that answers (design section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Finish: TypeAlias = Literal["stop", "length", "refusal"]
"""Why a reply ended: it was done, it ran out of room, or the model declined."""


class Block(NamedTuple):
    """A part of the message to the judge; ``cached`` ends a prefix that a provider may keep for the next call."""

    text: str
    cached: bool = False


class JudgeRequest(NamedTuple):
    """One question to a judge.

    ``system`` is the same for every case of one prompt and language. ``schema`` is a JSON Schema within what every
    provider's structured output takes: objects name all properties as required and allow no others; there are no
    bounds. Without one the reply is any text. ``name`` is its name: letters, digits and underscores. ``room`` is how
    many tokens the reply may have.
    """

    name: str
    system: str
    blocks: tuple[Block, ...]
    schema: Mapping[str, Any]
    room: int


class TokenUsage(NamedTuple):
    """Tokens of one call: all that were read, all that were written, and how many of the read came from a cache."""

    read: int
    written: int
    from_cache: int = 0


class JudgeReply(NamedTuple):
    """What came back; ``model`` as the provider named it. ``pause`` is how many seconds its limits ask for now."""

    text: str
    finish: Finish
    model: str
    usage: TokenUsage
    pause: float = 0.0


class JudgeBusy(Exception):
    """A call that may be made again: limited, overloaded, cut off or too slow. ``after`` is in seconds, if told."""

    def __init__(self, reason: str, after: float | None = None, *, limited: bool = False) -> None:
        self.reason = reason
        self.after = after
        self.limited = limited
        super().__init__(reason)


class JudgeTooLong(Exception):
    """What was asked is more than the model takes at once."""


class JudgeDeclined(Exception):
    """This one call is refused for what it holds; others may be answered."""


class JudgeBroken(Exception):
    """No call can be answered: the key, the model's name or the address is wrong."""


class Judge(Protocol):
    """A provider's client. It makes each call once: trying again is one layer's work, and not its own."""

    def ask(self, request: JudgeRequest, timeout: float) -> JudgeReply:
        """Ask once, for at most ``timeout`` seconds. Called from many threads.

        Raises:
            JudgeBusy: try again.
            JudgeTooLong: ask for less at once.
            JudgeDeclined: this call will never be answered.
            JudgeBroken: no call will.
        """
        ...

    def adapted(self) -> Sequence[str]:
        """What had to be left out or asked for otherwise, as short stable words (``no temperature``), sorted."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


class JudgeSetting(NamedTuple):
    """What a judge is built from.

    Attributes:
        model: the provider's name of it.
        key: the secret, None where an endpoint needs none.
        base_url: where it is served, if not at its usual place.
        seed: asked for where the provider takes one.
        folder: what relative paths are relative to.
    """

    model: str
    key: str | None = None
    base_url: str | None = None
    seed: int | None = None
    folder: Path | None = None


class JudgeKind(NamedTuple):
    """How a judge module presents itself: as the module constant JUDGE.

    ``window`` is how many tokens a model reads at once, by its name. ``is_pinned`` tells an exact version from an
    alias that may move. ``needs_key`` says whether a setting with or without a base URL needs one. ``usual`` is the
    address that is asked where there is no base URL. ``library`` is what must be installed, by the extra of the same
    name. ``lacks`` says whether a model, looked for from a folder, names a file that is not there. ``source`` is the
    file that a judge is made of, if it is one: edited, it judges otherwise.
    """

    name: str
    open: Callable[[JudgeSetting], Judge]
    window: Callable[[str], int]
    is_pinned: Callable[[str], bool]
    needs_key: Callable[[str | None], bool]
    usual: str | None = None
    library: str | None = None
    lacks: Callable[[str, Path], bool] = lambda _model, _folder: False
    source: Callable[[str, Path], Path | None] = lambda _model, _folder: None
