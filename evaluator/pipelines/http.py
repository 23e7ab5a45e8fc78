"""An HTTP endpoint: a templated request, and a map from its reply to ours (design section 6)."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator import errors, registry
from evaluator.model.ports import Mistake, PipelineKind, PipelineSetting
from evaluator.model.record import AnswerFailure
from evaluator.pipelines._reply import Invalid, decode, invalid, one_line, to_reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.ports import TemplateMaker
    from evaluator.model.record import Reply, Request
    from evaluator.pipelines._http_client import Client, Received
    from evaluator.pipelines._http_fields import Fields
    from evaluator.pipelines._http_request import Form

EXTRA = "http"
SHORTEST_SECRET = 8
"""Values with fewer characters are not looked for in replies: they occur by chance."""

PROXIES = ("http", "https", "all")
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")

CHARSET = r"charset\s*=\s*[\"']?([\w.:-]+)"


class _Http:
    """Asks one endpoint."""

    def __init__(self, client: Client, form: Form, fields: Fields, secrets: _Secrets, timeout: float) -> None:
        self._client = client
        self._form = form
        self._fields = fields
        self._secrets = secrets
        self._timeout = timeout

    def ask(self, request: Request, slot: int) -> Reply:
        """One question, one request; what the reply repeats of our secrets is replaced."""
        from evaluator.pipelines._http_failure import Failed  # noqa: PLC0415 - it brings requests

        try:
            received = self._client.send(self._form.fill(request), slot, self._timeout)
        except errors.TemplateError as error:
            return AnswerFailure("error", one_line(f"pipeline.http cannot be filled in: {error}"))
        except Failed as failed:
            return AnswerFailure(failed.kind, self._secrets.hidden(str(failed)))
        reply = self._read(received)
        if received.tries > 1 and reply.latency_ms is None:
            # Waiting for a server that was busy is not the time it takes to answer.
            reply = reply._replace(latency_ms=round(received.seconds * 1000, 3))
        return reply

    def _read(self, received: Received) -> Reply:
        try:
            text = _text(received)
            if not 200 <= received.status < 300:  # noqa: PLR2004 - what HTTP calls successful
                said = self._secrets.hidden(_first_line(text))
                return AnswerFailure("error", one_line(f"HTTP {received.status}{said and ': '}{said}"))
            try:
                value = decode(text.encode("utf-8", "surrogatepass"))
            except Invalid as problem:
                raise Invalid(self._secrets.hidden(_not_json(received, text, problem))) from None
            value, leaked = self._secrets.replaced(value)
            reply = to_reply(self._fields.read(value), len(received.body))
        except Invalid as problem:
            return invalid(problem)
        if not leaked:
            return reply
        warning = f"the reply repeated the value of {', '.join(leaked)}, which was replaced by the name"
        return reply._replace(warnings=(*reply.warnings, warning))

    def close(self) -> None:
        """End every connection."""
        self._client.close()


def _text(received: Received) -> str:
    found = re.search(CHARSET, received.content_type, re.IGNORECASE)
    encoding = found[1] if found else "utf-8"
    try:
        return received.body.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except LookupError:
        raise Invalid(f"the reply is in an encoding that is not known: {encoding}") from None
    except (UnicodeError, ValueError):
        if 200 <= received.status < 300:  # noqa: PLR2004 - what HTTP calls successful
            raise Invalid(f"the reply is not the {encoding} text that it should be") from None
        return received.body.decode("utf-8", "replace")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _not_json(received: Received, text: str, problem: Invalid) -> str:
    kind = received.content_type.partition(";")[0].strip()
    if "json" in kind.lower() or not kind:
        return str(problem)
    return f"the reply is {kind}, not JSON: {_first_line(text)}"


class _Secrets:
    """Values of variables that headers hold: they stay out of every message and record."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._forms = [
            (form, name)
            for name, value in sorted(values.items(), key=lambda item: -len(item[1]))
            if len(value) >= SHORTEST_SECRET
            for form in dict.fromkeys((value, json.dumps(value)[1:-1]))
        ]

    def hidden(self, text: str) -> str:
        """A text with the variable's name in place of each value."""
        for form, name in self._forms:
            text = text.replace(form, f"[the value of {name}]")
        return text

    def replaced(self, value: Any) -> tuple[Any, list[str]]:
        """JSON types without any of the values, and the variables that were found."""
        if not self._forms:
            return value, []
        whole = json.dumps(value, ensure_ascii=False, default=str)
        leaked = [
            name for form, name in self._forms if form in whole or json.dumps(form, ensure_ascii=False)[1:-1] in whole
        ]
        return (self._inside(value), list(dict.fromkeys(leaked))) if leaked else (value, [])

    def _inside(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.hidden(value)
        if isinstance(value, dict):
            return {self.hidden(key): self._inside(part) for key, part in value.items()}
        return [self._inside(part) for part in value] if isinstance(value, list) else value


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[_Http]:
    http, environment = setting.config.http, setting.environment
    if http is None:
        raise errors.PipelineError("pipeline.kind is http, so pipeline.http must be given")
    registry.library("requests", EXTRA)
    from evaluator.pipelines import _http_fields, _http_request  # noqa: PLC0415 - other kinds do not pay for it
    from evaluator.pipelines._http_client import Client  # noqa: PLC0415 - it brings requests

    try:
        form = _http_request.form(http, environment, setting.templates)
        fields = _http_fields.Fields(http.fields)
    except (errors.TemplateError, ValueError) as error:
        raise errors.PipelineError(f"pipeline.http cannot be used: {error}") from error
    named = {name for text in http.headers.values() for name in _http_request.variables(text)}
    secrets = _Secrets({name: environment[name] for name in named})
    client = Client(setting.config.workers, _proxies(http.url, environment), _certificates(environment))
    with closing(_Http(client, form, fields, secrets, setting.config.timeout)) as pipeline:
        yield pipeline


def _certificates(environment: Mapping[str, str]) -> str | None:
    """Where trusted certificates are, if one of the granted variables says so."""
    for name in CERTIFICATES:
        path = environment.get(name)
        if path and not Path(path).exists():
            raise errors.PipelineError(f"{name} names certificates that are not there: {path}")
        if path:
            return path
    return None


def _proxies(url: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Proxies by scheme, from the variables that the pipeline was granted."""
    from requests.utils import should_bypass_proxies  # noqa: PLC0415 - it brings requests

    def of(name: str) -> str:
        return environment.get(f"{name}_proxy") or environment.get(f"{name.upper()}_PROXY") or ""

    found = {scheme: of(scheme) for scheme in PROXIES if of(scheme)}
    return found if found and not should_bypass_proxies(url, of("no")) else {}


def _mistakes(config: PipelineConfig, templates: TemplateMaker) -> Iterator[Mistake]:
    http = config.http
    if config.kind != "http" or http is None:
        return
    from evaluator.pipelines import _http_fields, _http_request  # noqa: PLC0415 - other kinds do not pay for it

    yield from _placed(_http_request.mistakes(http, config.env, templates))
    yield from _placed(_http_fields.mistakes(http.fields))


def _rehearsal(config: PipelineConfig, templates: TemplateMaker, requests: Sequence[Request]) -> Iterator[Mistake]:
    if config.http is None:
        return
    from evaluator.pipelines import _http_request  # noqa: PLC0415 - other kinds do not pay for it

    yield from _placed(_http_request.unfillable(config.http, templates, requests))


def _placed(found: Iterable[Mistake]) -> Iterator[Mistake]:
    for path, sentence in found:
        place = ".".join(("pipeline", "http", *map(str, path)))
        yield Mistake(("http", *path), f"{place}: {sentence}")


def _settings(config: PipelineConfig) -> dict[str, object]:
    """How the endpoint is asked, headers by their names alone: somebody may have written a secret into one."""
    http = config.http
    if http is None:
        return {}
    return {**http.model_dump(mode="json", exclude={"headers"}), "headers": sorted(http.headers)}


PIPELINE = PipelineKind(name="http", open=_open, settings=_settings, mistakes=_mistakes, rehearse=_rehearsal)
