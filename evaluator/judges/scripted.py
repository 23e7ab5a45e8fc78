"""A judge without a model: its replies come from a file, a function or a list, so that a gate can be tried out.

``model`` names a JSON or JSON Lines file, or ``module:function``. An item of a file is a reply (any object or text), or
says when it is given and what happens, by these keys: ``reply`` or ``error`` (``busy``, ``limited``, ``too long``,
``declined``, ``broken``), and ``name`` (the prompt: ``claims``, ``context``, ``answer``, …), ``contains`` (a text, or a
list of them, that the request must hold), ``finish`` (``stop``, ``length``, ``refusal``), ``after`` (seconds), and
``times`` (how often; null: always). Items are used up in order. Without ``times`` one that says ``contains`` never is,
and any other after one use. A file may also be an object that lists items by name.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from evaluator import errors
from evaluator.model.judge import (
    JudgeBroken,
    JudgeBusy,
    JudgeDeclined,
    JudgeKind,
    JudgeReply,
    JudgeRequest,
    JudgeTooLong,
    TokenUsage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evaluator.model.judge import Finish, Judge, JudgeSetting

WINDOW = 1_000_000
KEYS = frozenset({"reply", "error", "name", "contains", "finish", "after", "times"})
FINISHES = ("stop", "length", "refusal")
ERRORS: Mapping[str, Callable[[float | None], Exception]] = {
    "busy": lambda after: JudgeBusy("the script says busy", after),
    "limited": lambda after: JudgeBusy("the script says limited", after, limited=True),
    "too long": lambda _: JudgeTooLong("the script says too long"),
    "declined": lambda _: JudgeDeclined("the script says declined"),
    "broken": lambda _: JudgeBroken("the script says broken"),
}
FENCE = re.compile(r"<<(?P<token>[0-9a-f]{16}) (?P<name>[^\n>]+)>>\n(?P<text>.*?)\n<<(?P=token) end>>", re.DOTALL)
_TARGET = re.compile(r"[\w.]+:[\w.]+")

Given: TypeAlias = "JudgeReply | Exception | Mapping[str, Any] | str"
"""What a script may give: a reply, an object or a text that becomes one, or what is raised."""
Script: TypeAlias = "Sequence[Any] | Mapping[str, Sequence[Any]] | Callable[[JudgeRequest], Given]"


class Asked(NamedTuple):
    """One call: what was asked, and what it was given."""

    request: JudgeRequest
    given: JudgeReply | Exception


@dataclass
class Item:
    """One reply of a script and when it is given; ``times`` is how often still, None for always."""

    given: Any
    name: str | None = None
    contains: tuple[str, ...] = ()
    finish: Finish = "stop"
    error: str | None = None
    after: float | None = None
    times: int | None = 1

    def fits(self, request: JudgeRequest, text: str) -> bool:
        """Whether it is the reply to a request."""
        named = self.name is None or self.name == request.name
        return self.times != 0 and named and all(part in text for part in self.contains)


def fenced(request: JudgeRequest) -> dict[str, str]:
    """The data of a request by the name of its block: ``question``, ``chunk c1``, ``claims`` (a JSON object a line)."""
    text = "\n".join(block.text for block in request.blocks)
    return {found["name"]: found["text"] for found in FENCE.finditer(text)}


class ScriptedJudge:
    """Gives the replies of a script, from any number of threads.

    Args:
        script: items in order, items by the name of the prompt, or a function of the request. A function returns a
            text, an object or a JudgeReply, or raises what a judge may raise.
        model: the name it answers as.

    Attributes:
        history: all calls, in the order in which they were answered.
    """

    def __init__(self, script: Script, model: str = "scripted") -> None:
        self._function = script if callable(script) else None
        self._items = [] if callable(script) else list(items_of(script))
        self._model = model
        self._lock = threading.Lock()
        self.history: list[Asked] = []

    def ask(self, request: JudgeRequest, timeout: float) -> JudgeReply:  # noqa: ARG002 - nothing here takes time
        """The next reply that fits. A call that no item fits is declined and says so."""
        try:
            given: JudgeReply | Exception = self._reply(request)
        except (JudgeBusy, JudgeTooLong, JudgeDeclined, JudgeBroken) as error:
            given = error
        with self._lock:
            self.history.append(Asked(request, given))
        if isinstance(given, Exception):
            raise given
        return given

    def adapted(self) -> Sequence[str]:
        """Nothing is ever left out."""
        return ()

    def close(self) -> None:
        """Nothing is held."""

    def _reply(self, request: JudgeRequest) -> JudgeReply:
        if self._function is not None:
            return self._made(self._function(request), "stop", request)
        text = "\n".join((request.system, *(block.text for block in request.blocks)))
        with self._lock:
            item = next((each for each in self._items if each.fits(request, text)), None)
            if item is not None and item.times is not None:
                item.times -= 1
        if item is None:
            raise JudgeDeclined(f"the script has no reply left for {request.name!r} (call {len(self.history) + 1})")
        if item.error is not None:
            raise ERRORS[item.error](item.after)
        return self._made(item.given, item.finish, request)

    def _made(self, given: Given, finish: Finish, request: JudgeRequest) -> JudgeReply:
        if isinstance(given, Exception):
            raise given
        if isinstance(given, JudgeReply):
            return given
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        read = sum(len(block.text) for block in request.blocks) + len(request.system)
        return JudgeReply(text, finish, self._model, TokenUsage(-(-read // 4), -(-len(text) // 4)))


def items_of(script: Sequence[Any] | Mapping[str, Sequence[Any]]) -> Iterable[Item]:
    """The items of a script as it was written.

    Raises:
        UsageError: an item has keys that contradict each other or values that mean nothing.
    """
    if isinstance(script, Mapping):
        for name, listed in script.items():
            if isinstance(listed, (str, Mapping)) or not isinstance(listed, Sequence):
                raise errors.UsageError(f"the replies to {name!r} must be a list")
            for number, written in enumerate(listed, 1):
                item = _item(written, f"{name!r}, reply {number}")
                item.name = item.name or name
                yield item
    else:
        for number, written in enumerate(script, 1):
            yield _item(written, f"reply {number}")


def _item(written: Any, where: str) -> Item:
    if isinstance(written, Item):
        return written
    if not isinstance(written, Mapping) or not {"reply", "error"} & set(written) or set(written) - KEYS:
        return Item(written)
    contains = written.get("contains", ())
    contains = (contains,) if isinstance(contains, str) else tuple(contains)
    item = Item(
        given=written.get("reply"),
        name=written.get("name"),
        contains=contains,
        finish=written.get("finish", "stop"),
        error=written.get("error"),
        after=written.get("after"),
        times=written.get("times", None if contains else 1),
    )
    if item.finish not in FINISHES:
        raise errors.UsageError(f"{where}: finish must be one of {', '.join(FINISHES)}, not {item.finish!r}")
    if item.error is not None and item.error not in ERRORS:
        raise errors.UsageError(f"{where}: error must be one of {', '.join(ERRORS)}, not {item.error!r}")
    return item


def _source(model: str, folder: Path) -> Path | None:
    """The file of replies, or the module of the function; None where the module is elsewhere."""
    candidates = [folder / model]
    if _TARGET.fullmatch(model):
        module = model.partition(":")[0].replace(".", "/")
        candidates += [folder / f"{module}.py", folder / module / "__init__.py"]
    return next((each for each in candidates if each.is_file()), None)


def _open(setting: JudgeSetting) -> Judge:
    folder = setting.folder or Path()
    if _is_function(setting.model, folder):
        return ScriptedJudge(_function(setting.model, folder), setting.model)
    path = folder / setting.model
    try:
        return ScriptedJudge(_read(path), setting.model)
    except errors.UsageError as error:
        raise errors.UsageError(f"judge.model {setting.model}, {error}") from None


def _is_function(model: str, folder: Path) -> bool:
    return re.fullmatch(r"[\w.]+:[\w.]+", model) is not None and not (folder / model).is_file()


def _function(target: str, folder: Path) -> Callable[[JudgeRequest], Given]:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module, _, name = target.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise errors.UsageError(f"judge.model {target} cannot be imported: {error}") from error
    if not callable(found):
        raise errors.UsageError(f"judge.model {target} is no function of a request")
    return found  # type: ignore[no-any-return]  # what it returns is seen when it is called


def _read(path: Path) -> Sequence[Any] | Mapping[str, Sequence[Any]]:
    """The items of a file: an array, an object of arrays, or a JSON value a line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.UsageError(f"its file of replies cannot be read: {error}") from None
    if path.suffix == ".jsonl":
        lines = enumerate(text.split("\n"), 1)
        return [_decoded(line, f"line {number}") for number, line in lines if line.strip()]
    found = _decoded(text, "the file")
    if isinstance(found, (list, dict)):
        return found
    raise errors.UsageError("the file must hold a list of replies, or an object of such lists by prompt")


def _decoded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.UsageError(f"{where} is not JSON: {error}") from None


JUDGE = JudgeKind(
    name="scripted",
    open=_open,
    window=lambda _model: WINDOW,
    is_pinned=lambda _model: True,
    needs_key=lambda _base_url: False,
    lacks=lambda model, folder: not _is_function(model, folder) and not (folder / model).is_file(),
    source=_source,
)
