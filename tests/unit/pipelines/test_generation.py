"""Answers of the built-in pipeline: a template filled with what was found, and a model's reply or failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evaluator import errors, templates
from evaluator.model.config import Pipeline
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.judge import (
    JudgeBroken,
    JudgeBusy,
    JudgeDeclined,
    JudgeReply,
    JudgeRequest,
    JudgeTooLong,
    TokenUsage,
)  # fmt: skip
from evaluator.model.ports import PipelineSetting
from evaluator.model.record import Answer, AnswerFailure, Reply, Request
from evaluator.pipelines import builtin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHUNKS = (
    Chunk(id="a", text="Returns are free for 30 days.", doc="d"),
    Chunk(id="b", text="Free returns need a receipt."),
    Chunk(id="c", text="Shipping is slow."),
)
TEMPLATE = "{% for chunk in chunks %}[{{ chunk.id }}] {{ chunk.text }}\n{% endfor %}Q ({{ language }}): {{ question }}"


class Model:
    """A model by a function."""

    def __init__(self, function: Callable[[JudgeRequest], JudgeReply]) -> None:
        self.function = function
        self.stopped = False

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        """What the function replies."""
        return self.function(request)

    def stop(self) -> None:
        """Note it."""
        self.stopped = True


def ask(
    folder: Path, generate: Callable[[JudgeRequest], JudgeReply], *, template: str | bytes = TEMPLATE, k: int = 1
) -> Reply:
    """What the pipeline replies to one question."""
    written = template if isinstance(template, bytes) else template.encode()
    (folder / "answer.md.j2").write_bytes(written)
    generator = {"template": "answer.md.j2", "provider": "scripted", "model": "m", "max_tokens": 50}
    setting = PipelineSetting(
        config=Pipeline.model_validate({"kind": "builtin", "generator": generator}), folder=folder,
        fixture=Fixture(CHUNKS, Digests(chunks="", documents=None)), environment={}, language="en",
        log=lambda _: None, templates=templates.of_config, generate=Model(generate),
    )  # fmt: skip
    with builtin.PIPELINE.open(setting) as pipeline:
        return pipeline.ask(Request("q", "free returns", k=k, depth=20, language="en"), 0)


def replies(text: str, finish: str = "stop") -> JudgeReply:
    """A reply of 10 tokens to a prompt of 100."""
    return JudgeReply(text, finish, "m-1", TokenUsage(100, 10))  # type: ignore[arg-type] - each is one of Finish


def test_the_first_k_results_are_put_to_the_model_and_its_answer_is_kept(tmp_path: Path) -> None:
    """The prompt is the template's text as it stands; the ranking stays as deep as it was asked for."""
    asked: list[JudgeRequest] = []

    def generate(request: JudgeRequest) -> JudgeReply:
        asked.append(request)
        return replies(" Yes, free. \n")

    reply = ask(tmp_path, generate)
    assert isinstance(reply, Answer)
    [request] = asked
    best = reply.retrieved[0]
    assert request.blocks[0].text == f"[{best.id}] {best.text}\nQ (en): free returns"
    assert (request.system, request.schema, request.room) == ("", {}, 50)
    assert (reply.answer, reply.context, len(reply.retrieved)) == ("Yes, free.", (best.id,), 2)
    assert reply.usage == {"model": "m-1", "input_tokens": 100, "output_tokens": 10}


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (JudgeBusy("rate limited"), "timeout", "rate limited"),
        (JudgeTooLong(), "error", "too long"),
        (JudgeDeclined("content filter"), "error", "content filter"),
        (JudgeBroken("the key is wrong"), "error", "the key is wrong"),
    ],
)
def test_a_model_that_does_not_answer_is_a_failure_of_its_case(
    tmp_path: Path, raised: Exception, kind: str, message: str
) -> None:
    """It never leaves the denominator."""

    def generate(_: JudgeRequest) -> JudgeReply:
        raise raised

    reply = ask(tmp_path, generate)
    assert isinstance(reply, AnswerFailure)
    assert reply.kind == kind
    assert message in reply.message


def test_an_answer_that_was_cut_off_is_a_failure(tmp_path: Path) -> None:
    """Half an answer is not what the model would have said; the key that helps is named."""
    reply = ask(tmp_path, lambda _: replies("Yes, but", "length"))
    assert isinstance(reply, AnswerFailure)
    assert "max_tokens" in reply.message


def test_a_model_that_declines_has_answered_with_nothing(tmp_path: Path) -> None:
    """Which is an abstention."""
    reply = ask(tmp_path, lambda _: replies("I cannot", "refusal"))
    assert isinstance(reply, Answer)
    assert reply.answer == ""


@pytest.mark.parametrize(
    ("template", "problem"),
    [("{{ chunk", "no template"), ("{{ quesion }}", "did you mean 'question'"), (b"\xff", "cannot be read")],
)
def test_a_template_that_cannot_be_used_is_named_before_anything_is_asked(
    tmp_path: Path, template: str | bytes, problem: str
) -> None:
    """With its file."""
    with pytest.raises(errors.PipelineError, match=r"answer\.md\.j2") as caught:
        ask(tmp_path, lambda _: replies(""), template=template)
    assert problem in str(caught.value)


def test_what_is_recorded_of_the_settings_holds_no_variable_of_a_key() -> None:
    """The model and the template are what a later run is compared by."""
    generator = {"template": "a.j2", "provider": "openai", "model": "m", "api_key_env": "K"}
    recorded = builtin.PIPELINE.settings(Pipeline.model_validate({"kind": "builtin", "generator": generator}))
    assert recorded["generator"] == {"template": "a.j2", "provider": "openai", "model": "m", "max_tokens": 1024}
