"""Answers of the built-in pipeline: a prompt template, filled with what was found, and the model that answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.judge import Block, JudgeBroken, JudgeBusy, JudgeDeclined, JudgeRequest, JudgeTooLong
from evaluator.model.record import Answer, AnswerFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.judge import JudgeReply
    from evaluator.model.ports import Generate, PipelineSetting, Template
    from evaluator.model.record import Hit, Reply, Request

VARIABLES = ("question", "history", "language", "chunks", "k")
"""What a template may name; ``chunks`` are what the model gets, in order, each with ``id``, ``doc`` and ``text``."""


class Writer:
    """Puts a question and what was found for it to a model."""

    def __init__(self, template: Template, generate: Generate, room: int) -> None:
        self._template = template
        self._generate = generate
        self._room = room

    def answer(self, request: Request, hits: tuple[Hit, ...]) -> Reply:
        """The model's answer as it stands; a model that declines has answered with nothing."""
        chunks = hits[: request.k]
        try:
            prompt = self._template(_values(request, chunks))
            reply = self._generate(JudgeRequest("answer", "", (Block(prompt),), {}, self._room))
        except errors.TemplateError as error:
            return AnswerFailure("error", f"pipeline.generator.template: {error}")
        except JudgeBusy as error:
            return AnswerFailure("timeout", f"the generator did not answer: {error.reason}")
        except (JudgeTooLong, JudgeDeclined, JudgeBroken) as error:
            return AnswerFailure(
                "error", f"the generator did not answer: {str(error) or 'the prompt is too long for it'}"
            )
        if reply.finish == "length":
            return AnswerFailure("invalid", f"the answer was cut off after {self._room} tokens; raise max_tokens")
        return Answer(hits, context=tuple(hit.id for hit in chunks), answer=_text(reply), usage=_usage(reply))

    def stop(self) -> None:
        """Let answers that are being written come to an end soon."""
        self._generate.stop()


def _values(request: Request, chunks: Sequence[Hit]) -> dict[str, Any]:
    found = [{"id": hit.id, "doc": hit.doc, "text": hit.text or ""} for hit in chunks]
    return {
        "question": request.question, "history": list(request.history), "language": request.language,
        "chunks": found, "k": request.k,
    }  # fmt: skip


def _text(reply: JudgeReply) -> str:
    return "" if reply.finish == "refusal" else reply.text.strip()


def _usage(reply: JudgeReply) -> dict[str, Any]:
    usage = reply.usage
    return {"model": reply.model, "input_tokens": usage.read, "output_tokens": usage.written}


def writer(setting: PipelineSetting) -> Writer:
    """The writer of a configuration.

    Raises:
        PipelineError: the template is missing or is none, or nothing was handed over that generates.
    """
    generator = setting.config.generator
    if generator is None or setting.generate is None:
        raise errors.PipelineError("pipeline.generator has nothing to generate with")
    file = setting.folder / generator.template
    try:
        template = setting.templates(file.read_text(encoding="utf-8"), VARIABLES)
    except (OSError, UnicodeDecodeError) as error:
        raise errors.PipelineError(f"pipeline.generator.template {file} cannot be read: {error}") from error
    except errors.TemplateError as error:
        raise errors.PipelineError(f"pipeline.generator.template {file}: {error}") from error
    return Writer(template, setting.generate, generator.max_tokens)
