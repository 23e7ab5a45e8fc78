"""The prompts of a judge: found by language, checked when they are loaded, and put around fenced data.

A prompt is a file with two blocks: ``system``, the same for every case, and ``user``, said after the data. The data
itself is laid out and fenced here, so that no prompt can leave that out.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors, templates
from evaluator.judging import fencing
from evaluator.judging.calls import Call
from evaluator.judging.fencing import Datum
from evaluator.model.base import digest
from evaluator.model.judge import Block, JudgeRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import jinja2

    from evaluator.model.verdicts import Part

FALLBACK = "en"
"""The language whose prompts are used for a language that has none."""

LONGEST_REPLY = 20_000
"""How many characters of an invalid reply are shown to the judge again."""

VARIABLES: dict[str, frozenset[str]] = {
    "claims": frozenset({"token", "sentences", "again"}),
    "context": frozenset({"token", "chunks", "claims", "statements", "useful", "sufficiency"}),
    "answer": frozenset({"token", "statements", "claims", "facts"}),
    "statements": frozenset({"token"}),
    "questions": frozenset({"token", "count"}),
    "preference": frozenset({"token"}),
    "repair": frozenset({"token", "problems"}),
}
"""What the block ``user`` of each prompt may name. ``system`` may name nothing; ``repair`` has none."""


REHEARSALS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "claims": [{"sentences": ["s1", "s2"], "again": again} for again in (False, True)],
    "context": [
        {"chunks": ["c1"], "claims": ids, "statements": ids, "useful": ids, "sufficiency": bool(ids)}
        for ids in ([], ["x1", "x2"])
    ],
    "answer": [{"statements": ids, "claims": ids, "facts": ids} for ids in ([], ["x1", "x2"])],
    "statements": [{}],
    "questions": [{"count": 3}],
    "preference": [{}],
    "repair": [{"problems": ["something was wrong"]}],
}
"""What the prompts may be given, but for the token: what a run does not find out before it is half done."""

_LANGUAGE = re.compile("[a-z]{2,3}(-[a-z0-9]+)*")


class Source(NamedTuple):
    """A prompt as it was found: the language it is in, its own text, and its two blocks rendered or to be rendered."""

    language: str
    text: str
    system: str
    user: Callable[[Mapping[str, Any]], str]


class Ask(NamedTuple):
    """What a call asks beside its prompt.

    Attributes:
        case: the case it is about.
        part: the question that it belongs to.
        data: what is judged, in order.
        values: the variables of the prompt's block ``user`` other than the token.
        room: how many tokens the reply may need.
        shared: how many of the data, from the first, further calls will begin with too.
        repeat: 0, or which judging past the cache this is.
    """

    case: str
    part: Part
    data: Sequence[Datum]
    values: Mapping[str, Any] = {}
    room: int = 512
    shared: int = 0
    repeat: int = 0


@dataclass(frozen=True)
class Prompt:
    """One question in one language, with the schema of its reply."""

    name: str
    schema: Mapping[str, Any]
    source: Source
    repair: Source
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        """The digest covers all that words the question but the case; what a repair says comes after it."""
        worded = {"layout": fencing.LAYOUT, "name": self.name, "text": self.source.text, "schema": self.schema}
        object.__setattr__(self, "digest", digest(worded))

    def call(self, ask: Ask, read: Callable[[str], Any]) -> Call[Any]:
        """A call whose key (``given``) holds all that its message holds, so that nothing else can change its reply."""
        given = {"data": [list(each) for each in ask.data], "values": dict(ask.values)}
        put = functools.partial(self.request, ask)
        return Call(
            case=ask.case, part=ask.part, prompt=self.digest, given=given, put=put, read=read,
            mend=functools.partial(self._mended, put), repeat=ask.repeat,
        )  # fmt: skip

    def request(self, ask: Ask, token: str) -> JudgeRequest:
        """The request, its data fenced by a token."""
        first, rest = ask.data[: ask.shared], ask.data[ask.shared :]
        blocks = [Block(fencing.block(token, first), cached=True)] if first else []
        blocks += [Block(fencing.block(token, rest))] if rest else []
        user = Block(self.source.user({**ask.values, "token": token}))
        return JudgeRequest(self.name, self.source.system, (*blocks, user), self.schema, ask.room)

    def _mended(
        self, put: Callable[[str], JudgeRequest], token: str, reply: str, problems: Sequence[str]
    ) -> JudgeRequest:
        request = put(token)
        # The judge was told the token and may have written it.
        shown = fencing.block(token, [Datum("reply", reply[:LONGEST_REPLY].replace(token, "TOKEN"))])
        said = self.repair.user({"token": token, "problems": [fencing.clean(each) for each in problems]})
        return request._replace(blocks=(*request.blocks, Block(shown), Block(said)))


class Prompts:
    """All prompts, a user's folder going before ours file by file."""

    def __init__(self, folder: Path | None = None, *, is_trusted: bool = False) -> None:
        """Find them; what is wrong in a trusted folder shows only when it is asked for.

        Raises:
            TemplateError: there is no such folder, it holds no prompt, a file in it is none, or one does not render.
        """
        self._folder = folder
        self._environment = templates.of_prompts(folder)
        self._found: dict[tuple[str, str], Source] = {}
        for _, sentence in () if is_trusted else self.mistakes():
            raise errors.TemplateError(f"judge.prompts: {sentence}")

    def of(self, name: str, language: str, schema: Mapping[str, Any]) -> Prompt:
        """The prompt of a name in a language (BCP 47), else in its primary language, else in English.

        Raises:
            TemplateError: it does not render, or names what it is not given.
        """
        return Prompt(name, schema, self._source(name, language), self._source("repair", language))

    def mistakes(self) -> Iterator[tuple[Path, str]]:
        """What is wrong in a user's folder, file by file: each prompt is given all that it might be, in turn."""
        if self._folder is None:
            return
        found = _files(self._folder)
        wrong = list(_unusable(self._folder, found))
        yield from wrong
        for path in found if not wrong else ():
            try:
                self._rehearse(path)
            except errors.TemplateError as error:
                yield path, str(error)

    def _rehearse(self, path: Path) -> None:
        source = self._source(path.stem, path.parent.name)
        for values in REHEARSALS[path.stem]:
            source.user({"token": "0" * 16, **values})

    def digests(self) -> dict[str, str]:
        """By language, a digest over every prompt that is there, asked or not: a new case changes none of them."""
        found: dict[str, dict[str, str]] = {}
        for path in sorted(self._environment.list_templates(extensions=["j2"])):
            text, *_ = self._environment.loader.get_source(self._environment, path)  # type: ignore[union-attr]
            language, _, name = path.partition("/")
            found.setdefault(language, {})[name] = text
        return {language: digest({"layout": fencing.LAYOUT, **texts}) for language, texts in found.items()}

    def _source(self, name: str, language: str) -> Source:
        key = (name, language)
        if key not in self._found:
            self._found[key] = self._load(name, language)
        return self._found[key]

    def _load(self, name: str, language: str) -> Source:
        import jinja2  # noqa: PLC0415 - only a judged run pays for it

        tag = language.lower().replace("_", "-")
        tried = dict.fromkeys((tag, tag.partition("-")[0], FALLBACK))
        paths = [f"{each}/{name}.j2" for each in tried if each.replace("-", "").isalnum()]
        path = paths[-1]
        try:
            template = self._environment.select_template(paths)
            path = template.name or path
            text, *_ = self._environment.loader.get_source(self._environment, path)  # type: ignore[union-attr]
            return _source(template, name, text)
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError, OSError) as error:
            # Of several that might have been used, a mistake in the text says in which it is.
            path = (isinstance(error, jinja2.TemplateSyntaxError) and error.name) or path
            line = getattr(error, "lineno", None)
            raise errors.TemplateError(
                f"prompt {path}{f', line {line}' if line else ''} does not render: {error}"
            ) from error


def _source(template: jinja2.Template, name: str, text: str) -> Source:
    import jinja2.meta  # noqa: PLC0415 - as above

    parsed = template.environment.parse(text)
    if next(jinja2.meta.find_referenced_templates(parsed), None) is not None:
        raise ValueError("a prompt includes no other file, so that its own text is all of it")
    wanted = ("user",) if name == "repair" else ("system", "user")
    missing = [block for block in wanted if block not in template.blocks]
    if missing:
        raise ValueError(f"it lacks {{% block {missing[0]} %}}")
    unknown = jinja2.meta.find_undeclared_variables(parsed) - VARIABLES[name]
    if unknown:
        known = sorted(VARIABLES[name])
        near = errors.nearest(min(unknown), known)
        raise ValueError(f"it names {min(unknown)!r}, " + (f"did you mean {near!r}?" if near else f"there are {known}"))

    def said(block: str, values: Mapping[str, Any]) -> str:
        return "".join(template.blocks[block](template.new_context(dict(values)))).strip()

    def user(values: Mapping[str, Any]) -> str:
        try:
            return said("user", values)
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise errors.TemplateError(f"prompt {template.name} does not render: {error}") from error

    system = said("system", {}) if name != "repair" else ""
    return Source((template.name or FALLBACK).partition("/")[0], text, system, user)


def _unusable(folder: Path, found: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """What in a user's folder would go unused or leads elsewhere, and why: its owner believes it is asked."""
    if not any(path.parent != folder for path in found):
        yield folder, f"{folder} holds no prompt such as en/claims.j2"
    for path in found:
        language = path.parent.name
        if path.suffix != ".j2" or path.stem not in VARIABLES:
            names = [f"{name}.j2" for name in VARIABLES]
            near = errors.nearest(path.name, names)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
            yield path, f"{path} is no prompt; {hint}"
        elif path.parent == folder:
            yield path, f"{path} is for no language; put it into a folder such as {FALLBACK}"
        elif (tag := language.lower().replace("_", "-")) != language:
            yield path, f"{path} would never be asked; name its folder {tag}"
        elif not _LANGUAGE.fullmatch(language):
            yield path, f"{path} would never be asked; name its folder by a language's tag, such as sv or pt-br"
        elif not path.resolve().is_relative_to(folder.resolve()):
            yield path, f"{path} leads out of its folder; put the text itself there"


def _files(folder: Path) -> list[Path]:
    """What a user's folder holds where prompts are looked for, or nearly; nothing where there is no such folder."""
    return sorted((*folder.glob("*.j2"), *folder.glob("*/*"))) if folder.is_dir() else []
