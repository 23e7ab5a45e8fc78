"""Templates, and how foreign text is shown: as text and nothing else, in Markdown, in HTML and in logs.

In Markdown a character reference (``&#42;``) is enough against everything the parser acts on, but not against what the
forge does to the finished page: mentions, issue references, e-mail links, emoji names and mathematics are looked for in
the decoded text. A ``<span>`` around the one character they hang on splits that text without changing what is read or
copied.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import re
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import jinja2

MAX_TEXT = 300
"""Longest foreign text a template shows unless it is told otherwise, in code points."""

NO_CHANGE = 1e-9
"""Numbers that differ by no more are the same number: what two machines may differ by."""

_PACKAGED = Path(__file__).parent / "_data" / "templates"
_CHECKOUT = Path(__file__).parent.parent / "templates"

_JOINERS = "\u200c\u200d"
_INDICATORS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_EMOJI_STYLE = "\ufe0f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    rf"\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff{_SELECTORS}]"
)
_WHITE = re.compile(r"[ \t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_LINE_ENDS = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"

_ACTIVE = re.compile(
    r"(?P<reference>[&<>|\\`*\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[-+=](?=[ =-]|$)|^\d{1,9}[.)](?= |$))"
    r"|[$#]"
    r"|@(?!(?<=[A-Za-z0-9_]@)\d{1,4}(?![\w@/:-]|\.\w))"  # recall@5 is neither an address nor a mention
    r"|:(?=//|[A-Za-z0-9_+-]+:)"
    r"|(?<=[Ww][Ww][Ww])\."
    r"|(?<=[A-Z]{2})-(?=\d)|(?<=[Gg][Hh])-(?=\d)|(?<=GHSA|ghsa)-"
)
_COMMAND = re.compile(r"^(\s*)::")
_PLAIN_CODE = re.compile(r"(?! )[^`|\\<]+(?<! )")


class Safe(str):
    """Finished markup: shown as it is. Anything made from it by string operations is foreign text again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


class Name(str):
    """An identifier: Markdown shows it in a code span."""

    __slots__ = ()


def visible(text: str) -> str:
    """Control, bidirectional and invisible characters spelt out (``‹U+202E›``).

    Joiners and variation selectors stay where they shape visible characters.
    """
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_spell_out, text)


def _spell_out(found: re.Match[str]) -> str:
    character, text, place = found[0], found.string, found.start()
    before = text[:place][-1:]
    if character in _JOINERS:
        shaped = text[:place].rstrip(_EMOJI_STYLE)[-1:]
        kept = _is_shaped(shaped) and _is_shaped(text[place + 1 : place + 2])
    elif character in "\ufe0e\ufe0f":
        kept = _is_shaped(before) or (before != "" and before in "0123456789#*")
    else:
        kept = character > "\U000e00ff" and unicodedata.name(before or " ", "").startswith("CJK UNIFIED")
    return character if kept else f"‹U+{ord(character):04X}›"


def _is_shaped(character: str) -> bool:
    return character > "\x7f" and not _UNSEEN.match(character)


def one_line(text: str) -> str:
    """A text on one line, runs of white space made one space, everything invisible spelt out."""
    return visible(_WHITE.sub(" ", text).strip(" "))


def cut(text: str, limit: int) -> str:
    """At most ``limit`` code points, "…" included; never between the parts of one visible character."""
    if len(text) <= limit:
        return text
    end = max(limit - 1, 0)
    for place in range(end, max(end - 64, 0), -1):
        if _is_boundary(text, place):
            return f"{text[:place].rstrip(' ')}…"
    return f"{text[:end]}…"


def _is_boundary(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if unicodedata.category(after)[0] == "M" or after in _JOINERS or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\u1160" <= after <= "\u11ff":
        return False
    # Flags are pairs of regional indicators.
    indicators = len(text[:place]) - len(text[:place].rstrip(_INDICATORS))
    return not (after in _INDICATORS and indicators % 2)


def md(value: object) -> Safe:
    """Foreign text for a line of Markdown, a table cell or an HTML block in Markdown."""
    return value if isinstance(value, Safe) else Safe(_isolated(_escaped(one_line(str(value)))))


def code(value: object) -> Safe:
    """Foreign text as a code span, white space kept; right in tables too."""
    text = visible(str(value))
    if _PLAIN_CODE.fullmatch(text):
        return Safe(_isolated(f"`{text}`"))
    return Safe(_isolated(f"<code>{_escaped(text)}</code>"))


def html(value: object) -> Safe:
    """Foreign text for HTML, attributes in quotes included."""
    if isinstance(value, Safe):
        return value
    import html as escaping  # noqa: PLC0415 - its tables of names are large, and most reports are Markdown

    return Safe(escaping.escape(one_line(str(value))))


def _escaped(text: str) -> str:
    return _ACTIVE.sub(_inert, text)


def _inert(found: re.Match[str]) -> str:
    text = found[0]
    if found["reference"] is None:
        return f"<span>{text}</span>"
    return f"{text[:-1]}&#{ord(text[-1])};"


def _isolated(markup: str) -> str:
    # Without isolation "3 → 1" after a right-to-left name would read "1 ← 3".
    return f"{_FIRST_STRONG_ISOLATE}{markup}{_POP_ISOLATE}" if _RIGHT_TO_LEFT.search(markup) else markup


def num(value: float, decimals: int = 3) -> str:
    """A number with at least so many decimals, and more where fewer would make it 0 or 1 although it is not."""
    places = decimals
    while float(shown := f"{value:.{places}f}") in (0, 1, -1) and abs(float(shown) - value) > NO_CHANGE:
        places += 1
    return shown.removeprefix("-") if float(shown) == 0 else shown


def log_line(text: str) -> str:
    """One line for a log: nothing foreign in it moves the cursor, ends the line or commands the workflow runner."""
    line = visible(_LINE_ENDS.sub(" ", text).replace("\t", " "))
    return _COMMAND.sub(r"\1: :", line).replace("##[", "## [")


def render(name: str, *, text_limit: int = MAX_TEXT, **values: object) -> str:
    """A template, named by its path under templates/, with these values.

    Every value is shown as text: escaped for Markdown, or for HTML where the name ends in ``.html.j2``.

    Raises:
        TemplateError: there is no such template, or it does not render.
    """
    import jinja2  # noqa: PLC0415 - commands that render nothing do not pay for it

    try:
        return _environment().get_template(name).render(text_limit=text_limit, **values)
    except jinja2.TemplateError as error:
        line = getattr(error, "lineno", None)
        place = f"{name}, line {line}" if line else name
        raise errors.TemplateError(f"template {place} does not render: {error}") from error


def of_config(source: str, known: Collection[str], *, for_url: bool = False) -> Callable[[Mapping[str, Any]], str]:
    """A template that somebody wrote into the configuration, in a sandbox; it gives text as it is, escaped nowhere.

    ``for_url`` percent-encodes every value where it is put in, so that none of them becomes a part of the address.

    Raises:
        TemplateError: it is no template, or names a value that is not ``known``; when rendered, it does not render.
    """
    import jinja2.meta  # noqa: PLC0415 - as in render

    environment = _plain_environment(for_url=for_url)
    try:
        unknown = jinja2.meta.find_undeclared_variables(environment.parse(source)) - set(known)
        template = environment.from_string(source)
    except jinja2.TemplateError as error:
        raise errors.TemplateError(f"it is no template: {error}") from error
    if unknown:
        name = min(unknown)
        near = errors.nearest(name, known)
        hint = f"did you mean '{near}'?" if near else f"there are {', '.join(known)}"
        raise errors.TemplateError(f"it names {visible(name)!r}, which is nothing that is asked; {hint}")

    def rendered(values: Mapping[str, Any]) -> str:
        try:
            return template.render(values)
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise errors.TemplateError(f"it does not render: {error}") from error

    return rendered


def of_prompts(folder: Path | None) -> jinja2.Environment:
    """Where prompts are found by language and name (``en/claims.j2``): a user's folder goes before ours, file by file.

    They give text as it is, in a sandbox: what is judged is fenced, and escaped nowhere.
    """
    import jinja2.sandbox  # noqa: PLC0415 - as in render

    ours = (_PACKAGED if _PACKAGED.is_dir() else _CHECKOUT) / "prompts"
    return jinja2.sandbox.ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader([ours] if folder is None else [folder, ours]),
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


@functools.cache
def _plain_environment(*, for_url: bool) -> jinja2.Environment:
    from urllib.parse import quote  # noqa: PLC0415 - as in render

    import jinja2.sandbox  # noqa: PLC0415 - as in render

    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
        finalize=(lambda value: quote(str(value), safe="")) if for_url else None,
    )  # fmt: skip
    if for_url:
        # Encoded twice, a question would be another.
        environment.filters["urlencode"] = lambda value: value
    return environment


def _compiled_templates() -> jinja2.BytecodeCache:
    """Templates compiled by an earlier process, kept where Python keeps our compiled modules and trusted alike.

    Compiling them anew costs a fiftieth of a run. A changed template, Jinja or module of ours is compiled again.
    """
    import jinja2.compiler  # noqa: PLC0415 - as in render

    class Cache(jinja2.FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
            if not sys.dont_write_bytecode:
                with contextlib.suppress(OSError):
                    super().dump_bytecode(bucket)

    makers = "-".join(f"{Path(file).stat().st_mtime_ns:x}" for file in (__file__, jinja2.compiler.__file__))
    return Cache(str(Path(importlib.util.cache_from_source(__file__)).parent), f"%s-{makers}.jinja")


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2.sandbox  # noqa: PLC0415 - as in render

    @jinja2.pass_context
    def finalize(context: jinja2.runtime.Context, value: object) -> object:
        if isinstance(value, Safe | jinja2.Undefined) or context.eval_ctx.autoescape:
            return value
        shown = cut(str(value), context["text_limit"])
        return code(shown) if isinstance(value, Name) else md(shown)

    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        bytecode_cache=_compiled_templates(),
        loader=jinja2.FileSystemLoader(_PACKAGED if _PACKAGED.is_dir() else _CHECKOUT),
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(md=md, code=code, html=html, num=num)
    return environment
