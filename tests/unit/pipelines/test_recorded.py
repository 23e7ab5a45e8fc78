from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.base import digest
from evaluator.model.record import Answer, AnswerFailure, Hit
from evaluator.pipelines import recorded
from tests import workbench

if TYPE_CHECKING:
    from pathlib import Path

HASH = digest({"question": "why", "history": [], "language": "en"})


def section(folder: Path, text: str | bytes) -> dict[str, Any]:
    (folder / "answers.jsonl").write_bytes(text if isinstance(text, bytes) else text.encode())
    return {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}


def problems(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(errors.InputError) as caught, workbench.opened(folder, section(folder, text)):
        pass
    return [str(problem).removeprefix(f"{folder}/answers.jsonl:") for problem in caught.value.problems]


def test_a_response_is_found_by_its_id_in_any_order(tmp_path: Path) -> None:
    """Responses need not stand in golden order."""
    text = '{"id": "q2", "answer": "two"}\n{"id": "q1", "retrieved": [{"id": "a", "score": 1}]}\n'
    with workbench.opened(tmp_path, section(tmp_path, text)) as opened:
        assert opened.answer("why", "q1").retrieved == (Hit(id="a", score=1.0),)
        assert opened.answer("why", "q2").answer == "two"
        assert opened.answer("why", "q1").answer is None


def test_a_byte_order_mark_blank_lines_and_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    """What editors add to a file does not make its responses unreadable."""
    text = b'\xef\xbb\xbf{"id": "q1", "answer": "one"}\r\n\r\n  \n{"id": 2, "answer": "two"}'
    with workbench.opened(tmp_path, section(tmp_path, text)) as opened:
        assert [opened.answer("why", identifier).answer for identifier in ("q1", "2")] == ["one", "two"]


def test_a_record_of_an_earlier_run_is_a_response(tmp_path: Path) -> None:
    """A records.jsonl can be asked again: its own keys do no harm and its failures stay what they were."""
    nothing: dict[str, Any] = dict.fromkeys(("answer", "abstained", "steps", "usage", "meta"))
    hit = {"id": "a", "doc": None, "score": None, "text": None}
    failure = {"kind": "timeout", "message": "no reply within 60 s"}
    records = [
        {"retrieved": [hit], "context": ["a"], **nothing, "duplicates": ["a"], "failure": None},
        {"retrieved": [], "context": [], **nothing, "duplicates": [], "failure": failure},
    ]
    responses = [{"id": f"q{n}", "input_hash": HASH, **record} for n, record in enumerate(records, 1)]
    with workbench.opened(tmp_path, workbench.recorded(tmp_path, responses)) as opened:
        assert opened.answer("why", "q1") == Answer(retrieved=(Hit(id="a"),), context=("a",))
        assert opened.failure("why", "q2") == AnswerFailure("timeout", "no reply within 60 s")


def test_an_answer_to_another_wording_is_reported(tmp_path: Path) -> None:
    """A recorded answer whose question has been changed since is used, but not silently."""
    text = f'{{"id": "q1", "input_hash": "{HASH}", "answer": "yes"}}\n'
    with workbench.opened(tmp_path, section(tmp_path, text)) as opened:
        assert opened.answer("why").warnings == ()
        assert opened.answer("how").warnings == (recorded.OTHER_QUESTION,)


def test_a_missing_id_is_a_failure(tmp_path: Path) -> None:
    """A case without a recorded response stays in the denominator."""
    with workbench.opened(tmp_path, section(tmp_path, '{"id": "q1", "answer": "one"}\n')) as opened:
        assert opened.failure("why", "q9") == AnswerFailure("error", "no recorded response for this id")


def test_ids_are_equal_only_when_every_character_is(tmp_path: Path) -> None:
    """An id that differs in case only is another id."""
    with workbench.opened(tmp_path, section(tmp_path, '{"id": "Q1", "answer": "one"}\n')) as opened:
        assert opened.failure("why", "q1").kind == "error"


def test_a_response_of_the_wrong_shape_fails_its_case_only(tmp_path: Path) -> None:
    """What a pipeline could answer wrongly is judged when it is asked for, like any reply."""
    text = '{"id": "q1", "answer": 42}\n{"id": "q2", "answer": "two"}\n'
    with workbench.opened(tmp_path, section(tmp_path, text)) as opened:
        assert opened.failure("why", "q1").kind == "invalid"
        assert opened.answer("why", "q2").answer == "two"


def test_every_malformed_line_is_reported_at_once(tmp_path: Path) -> None:
    """Lines that are no response are named with line and column, all of them."""
    text = '{"id": "q1"}\n{"id": "ä2",}\nhello\n[]\n{"answer": "x"}\n{"id": ""}\n{"id": "q3", "a": 1, "a": 2}\n'

    assert problems(tmp_path, text) == [
        "2:13: it is not valid JSON: trailing comma [response]",
        "3:1: it is not valid JSON: expected value [response]",
        "4:1: a response is an object with an id, which is a text [response]",
        "5:1: a response is an object with an id, which is a text [response]",
        "6:1: a response is an object with an id, which is a text [response]",
        '7:26: it is not valid JSON: Detected duplicate key "a" [response]',
    ]


def test_a_duplicate_id_is_an_error_with_both_lines(tmp_path: Path) -> None:
    """Two responses for one id cannot both be meant."""
    text = '{"id": "q1", "answer": "one"}\n\n{"id": "q1", "answer": "uno"}\n{"id": "q1", "answer": "un"}\n'

    assert problems(tmp_path, text) == [
        "3:1: a second response for the id 'q1', which line 1 has already [duplicate-id]",
        "4:1: a second response for the id 'q1', which line 1 has already [duplicate-id]",
    ]


@pytest.mark.parametrize(
    ("golden", "said"),
    [
        ({"q1", "q2", "q3", "q4", "q5", "q6", "q7"}, []),
        (
            {"q1", "q3"},
            ["5 recorded responses are to ids that are not in the golden set: 'q2', 'q4', 'q5', 'q6', 'q7'"],
        ),
        ({"x"}, ["7 recorded responses are to ids that are not in the golden set: 'q1', 'q2', 'q3', 'q4', 'q5', …"]),
        (set(), []),
    ],
)
def test_responses_for_unknown_ids_are_one_warning(tmp_path: Path, golden: set[str], said: list[str]) -> None:
    """Responses for cases that the golden set no longer has are counted, the first few are named."""
    text = "".join(f'{{"id": "q{number}", "answer": "x"}}\n' for number in range(1, 8))
    with workbench.opened(tmp_path, section(tmp_path, text), ids=frozenset(golden)) as opened:
        assert opened.warnings == said


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The sentence says which file was looked for, relative to the configuration."""
    config = {"kind": "recorded", "recorded": {"file": "nowhere.jsonl"}}
    with (
        pytest.raises(errors.PipelineError, match=f"pipeline.recorded.file {tmp_path}/nowhere.jsonl cannot be read"),
        workbench.opened(tmp_path, config),
    ):
        pass


def test_a_file_that_changes_under_our_feet_is_no_crash(tmp_path: Path) -> None:
    """Asked for a response that is no longer there, the case fails and says why."""
    with workbench.opened(tmp_path, section(tmp_path, '{"id": "q1", "answer": "one"}\n')) as opened:
        (tmp_path / "answers.jsonl").write_text("short")

        assert "the file was changed while it was read" in opened.failure("why").message


def test_a_line_that_is_too_long_is_named_and_the_next_is_read(tmp_path: Path) -> None:
    """A response of more than 64 MB is a problem of its own line; what follows it is still looked at."""
    text = b'{"id": "q1", "answer": "' + b"x" * (65 << 20) + b'"}\n{"id": "q2"}\nhello\n'

    assert problems(tmp_path, text) == [
        "1:1: this line is larger than 64 MB [response]",
        "3:1: it is not valid JSON: expected value [response]",
    ]
