"""What is sent to an HTTP endpoint: address, headers and body, made of the configuration and one question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from evaluator import __version__, errors
from evaluator.model.base import to_json
from evaluator.model.ports import Mistake
from evaluator.model.record import Request
from evaluator.pipelines._reply import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.model.config import Http
    from evaluator.model.ports import Template, TemplateMaker

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
BODILESS = ("GET", "DELETE")
SAFE_TO_REPEAT = frozenset({"GET", "PUT", "DELETE"})
"""Methods that do the same when they are done twice: RFC 9110, section 9.2.2."""

KNOWN = Request._fields
"""What a template may name."""

FRAMING = frozenset({"connection", "content-length", "host", "transfer-encoding"})
"""Headers that are the transport's."""

JSON = "application/json"
STANDARD = {"Accept": JSON, "Accept-Encoding": "gzip, deflate", "User-Agent": f"rag-assay/{__version__}"}
"""What is sent unless the configuration says otherwise."""

TEXT = "text/plain; charset=utf-8"

_VARIABLE = re.compile(r"\$\{([^}]*)\}?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WHOLE = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]")


class Outgoing(NamedTuple):
    """One request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None

    @property
    def may_be_repeated(self) -> bool:
        """Whether sending it twice does no more than sending it once."""
        return self.method in SAFE_TO_REPEAT


@dataclass(frozen=True)
class Form:
    """How requests are made: ready templates, and headers with the values of their variables."""

    method: str
    url: Template
    headers: Mapping[str, str]
    body: Callable[[Mapping[str, Any]], bytes | None]

    def fill(self, request: Request) -> Outgoing:
        """The request that asks one question.

        Raises:
            TemplateError: a template does not render.
        """
        values = request.to_dict()
        return Outgoing(self.method, self.url(values), self.headers, self.body(values))


def form(http: Http, environment: Mapping[str, str], templates: TemplateMaker) -> Form:
    """Read the section of the configuration.

    Raises:
        PipelineError: a variable that a header needs is not set, or holds what no header may.
        TemplateError: a template is none.
    """
    written = {name: _expanded(name, text, environment) for name, text in http.headers.items()}
    named = {name.lower() for name in written}
    headers = {name: value for name, value in STANDARD.items() if name.lower() not in named} | written
    method = http.method.upper()
    body, kind = _body(http, method, templates)
    if kind is not None and "content-type" not in named:
        headers["Content-Type"] = kind
    return Form(method, templates(http.url, KNOWN, for_url=True), headers, body)


def variables(text: str) -> list[str]:
    """The names in ``${NAME}``, whatever they are."""
    return _VARIABLE.findall(text)


def _expanded(header: str, text: str, environment: Mapping[str, str]) -> str:
    for name in variables(text):
        if not environment.get(name):
            raise errors.PipelineError(f"the header {header} needs the variable {name}, which is not set")
    value = _VARIABLE.sub(lambda found: environment[found[1]], text)
    if _UNSENDABLE.search(value) or value != value.strip():
        named = ", ".join(variables(text)) or "its text"
        raise errors.PipelineError(
            f"the header {header} cannot be sent: {named} holds a line end, a control character or space around it"
        )
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise errors.PipelineError(f"the header {header} cannot be sent: it holds characters outside Latin-1") from None
    return value


def _body(
    http: Http, method: str, templates: TemplateMaker
) -> tuple[Callable[[Mapping[str, Any]], bytes | None], str | None]:
    """What makes the body, and its media type."""
    if http.body is None:
        return (lambda _: None, None) if method in BODILESS else (to_json, JSON)
    if isinstance(http.body, str):
        text = templates(http.body, KNOWN)
        return lambda values: text(values).encode("utf-8", "replace"), TEXT
    filled = _filled(http.body, templates)
    return lambda values: to_json(filled(values)), JSON


def _filled(part: Any, templates: TemplateMaker) -> Callable[[Mapping[str, Any]], Any]:
    """A part of the body: each text in it is a template, and one that is only ``{{ name }}`` keeps the value's type."""
    if isinstance(part, dict):
        members = {key: _filled(value, templates) for key, value in part.items()}
        return lambda values: {key: member(values) for key, member in members.items()}
    if isinstance(part, list | tuple):
        items = [_filled(value, templates) for value in part]
        return lambda values: [item(values) for item in items]
    if not isinstance(part, str):
        return lambda _: part
    whole = _WHOLE.fullmatch(part)
    if whole and whole[1] in KNOWN:
        name = whole[1]
        return lambda values: values[name]
    return templates(part, KNOWN)


def mistakes(http: Http, granted: tuple[str, ...], templates: TemplateMaker) -> Iterator[Mistake]:
    """What is wrong with address, method, headers and body; ``granted`` are the variables that the pipeline sees."""
    yield from _mistakes_of_url(http, templates)
    method = http.method.upper()
    if method not in METHODS:
        yield Mistake(("method",), f"'{http.method}' is none of {', '.join(METHODS)}")
    if method in BODILESS and http.body is not None:
        yield Mistake(("body",), f"a {method} request has no body; put the question into url")
    for name, text in http.headers.items():
        yield from (Mistake(("headers", name), sentence) for sentence in _mistakes_of_header(name, text, granted))
    sent = [http.url, *(text for _, text in _texts(http.body, ()))]
    if (http.body is not None or method in BODILESS) and not any("{{" in text or "{%" in text for text in sent):
        yield Mistake((), 'neither url nor body says what is asked; write "{{ question }}" where it belongs')
    for path, text in _texts(http.body, ("body",)):
        try:
            templates(text, KNOWN)
        except errors.TemplateError as error:
            yield Mistake(path, str(error))


def unfillable(http: Http, templates: TemplateMaker, requests: Sequence[Request]) -> Iterator[Mistake]:
    """Templates of address and body that render for none of these questions, so that every case would fail."""
    if not requests:
        return
    texts = [(("url",), http.url, True), *((path, text, False) for path, text in _texts(http.body, ("body",)))]
    for path, text, for_url in texts:
        try:
            template = templates(text, KNOWN, for_url=for_url)
        except errors.TemplateError:
            continue
        said = [_refusal(template, request) for request in requests]
        if all(said):
            asked = "the question" if len(requests) == 1 else f"any of the {len(requests)} questions that were tried"
            yield Mistake(path, f"it cannot be filled in for {asked}: {one_line(said[0])}")


def _refusal(template: Template, request: Request) -> str:
    try:
        template(request.to_dict())
    except errors.TemplateError as error:
        return str(error)
    return ""


def _mistakes_of_url(http: Http, templates: TemplateMaker) -> Iterator[Mistake]:
    try:
        parts = urlsplit(http.url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        yield Mistake(("url",), f"it is no address: {error}")
        return
    if parts.scheme not in ("http", "https") or not parts.hostname:
        yield Mistake(("url",), "it must be an address that begins with http:// or https:// and a host")
    elif "{" in parts.netloc:
        yield Mistake(
            ("url",), "only what comes after the host can be a template: a question must not choose the server"
        )
    elif parts.username is not None or parts.password is not None:
        yield Mistake(("url",), "it holds a user or a password; send them in a header, from a variable")
    elif _UNSENDABLE.search(http.url) or " " in parts.netloc:
        yield Mistake(("url",), "it holds a space or a control character")
    else:
        try:
            templates(http.url, KNOWN, for_url=True)
        except errors.TemplateError as error:
            yield Mistake(("url",), str(error))


def _mistakes_of_header(name: str, text: str, granted: tuple[str, ...]) -> Iterator[str]:
    if not _TOKEN.fullmatch(name):
        yield "no header may be called so"
    if name.lower() in FRAMING:
        yield f"{name} is set by what sends the request; leave it out"
    for variable in variables(text):
        if not _NAME.fullmatch(variable):
            yield "a variable is written ${NAME}"
        elif variable not in granted:
            near = errors.nearest(variable, granted)
            hint = f"; did you mean {near}?" if near else ""
            yield f"the variable {variable} is not among pipeline.env, so no header may hold it; name it there{hint}"
    if _UNSENDABLE.search(text) or text != text.strip():
        yield "it holds a line end, a control character or white space around it"


def _texts(part: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(part, str):
        yield path, part
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from _texts(value, (*path, key))
    elif isinstance(part, list | tuple):
        for index, value in enumerate(part):
            yield from _texts(value, (*path, index))


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port: what must stay the same for credentials to be sent along.

    Raises:
        ValueError: it is no address of a server, or names a user.
    """
    parts: SplitResult = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    if default is None or not parts.hostname or "@" in parts.netloc:
        raise ValueError(f"{parts.scheme} is no address to send a question to")
    return parts.scheme, parts.hostname.lower(), parts.port or default
