from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors, judges
from evaluator.judges.scripted import ScriptedJudge, fenced
from evaluator.model.judge import (
    Judge,
    JudgeBroken,
    JudgeBusy,
    JudgeDeclined,
    JudgeReply,
    JudgeRequest,
    JudgeSetting,
    JudgeTooLong,
    TokenUsage,
)
from tests import documents, llm


def opened(folder: Path, model: str) -> Judge:
    """The judge that a configuration's model names."""
    return judges.kind("scripted").open(JudgeSetting(model, folder=folder))


class TestReplies:
    """Which reply is given to which request."""

    def test_replies_are_given_in_order_and_only_once(self) -> None:
        """Objects are written as JSON; when none is left the call is declined and says so."""
        judge = ScriptedJudge(["first", {"claims": []}])
        assert [judge.ask(llm.request(), 1).text for _ in range(2)] == ["first", '{"claims": []}']
        with pytest.raises(JudgeDeclined, match=r"no reply left for 'context' \(call 3\)"):
            judge.ask(llm.request(), 1)

    def test_replies_may_be_listed_by_prompt(self) -> None:
        """So that a script does not depend on the order of different questions."""
        judge = ScriptedJudge({"claims": ["c"], "context": ["x", "y"]})
        assert [judge.ask(llm.request(name=name), 1).text for name in ("context", "claims", "context")] == [
            "x",
            "c",
            "y",
        ]

    def test_a_reply_may_depend_on_what_the_request_holds(self) -> None:
        """So that it does not depend on the order of cases; such a reply is not used up."""
        judge = ScriptedJudge(
            [{"contains": ["free", "30 days"], "reply": {"a": 1}}, {"contains": "never", "reply": "no"}]
        )
        assert [judge.ask(llm.request(), 1).text for _ in range(3)] == ['{"a": 1}'] * 3

    def test_a_reply_may_be_given_a_number_of_times(self) -> None:
        """``times`` counts, null is always."""
        judge = ScriptedJudge([{"reply": "a", "times": 2}, {"reply": "b", "times": None}])
        assert [judge.ask(llm.request(), 1).text for _ in range(5)] == ["a", "a", "b", "b", "b"]

    def test_an_object_with_other_keys_is_a_reply_itself(self) -> None:
        """Nothing is taken for an instruction that is not wholly one."""
        reply = {"reply": "x", "verdict": "y"}
        assert json.loads(ScriptedJudge([reply]).ask(llm.request(), 1).text) == reply

    def test_a_function_sees_the_request_and_what_is_fenced_in_it(self) -> None:
        """Text, an object or a whole reply."""
        whole = JudgeReply("w", "length", "m", TokenUsage(1, 2))
        made: list[Any] = ["t", {"o": 1}, whole]

        def script(request: JudgeRequest) -> Any:
            assert fenced(request)["chunk c1"] == "Returns are free within 30 days."
            return made.pop(0)

        judge = ScriptedJudge(script, model="mine")
        replies = [judge.ask(llm.request(), 1) for _ in range(3)]
        assert [each.text for each in replies] == ["t", '{"o": 1}', "w"]
        assert [each.model for each in replies] == ["mine", "mine", "m"]
        assert replies[2] is whole

    @pytest.mark.parametrize(
        ("error", "raised"),
        [("busy", JudgeBusy), ("too long", JudgeTooLong), ("declined", JudgeDeclined), ("broken", JudgeBroken)],
    )
    def test_failures_can_be_scripted(self, error: str, raised: type[Exception]) -> None:
        """And stand in the history as the replies do."""
        judge = ScriptedJudge([{"error": error}, "then"])
        with pytest.raises(raised):
            judge.ask(llm.request(), 1)
        assert judge.ask(llm.request(), 1).text == "then"
        first, second = (asked.given for asked in judge.history)
        assert isinstance(first, raised)
        assert isinstance(second, JudgeReply)

    def test_a_limit_says_how_long_it_lasts(self) -> None:
        """As a provider does."""
        with pytest.raises(JudgeBusy) as caught:
            ScriptedJudge([{"error": "limited", "after": 3}]).ask(llm.request(), 1)
        assert (caught.value.after, caught.value.limited) == (3, True)

    def test_a_finish_reason_can_be_scripted(self) -> None:
        """J2, J5: replies that were cut, and refusals."""
        judge = ScriptedJudge([{"reply": "x", "finish": "length"}, {"reply": "y", "finish": "refusal"}])
        assert [judge.ask(llm.request(), 1).finish for _ in range(2)] == ["length", "refusal"]

    def test_threads_use_up_each_reply_once(self) -> None:
        """However many ask at once."""
        judge = ScriptedJudge([str(number) for number in range(200)])
        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda _: judge.ask(llm.request(), 1).text, range(200)))
        assert sorted(texts, key=int) == [str(number) for number in range(200)]
        assert len(judge.history) == 200


class TestFiles:
    """Where a configuration's replies come from."""

    def test_a_json_lines_file_holds_a_reply_a_line(self, tmp_path: Path) -> None:
        """Empty lines are passed over."""
        (tmp_path / "r.jsonl").write_text('{"claims": []}\n\n"text"\n{"name": "answer", "reply": "z"}\n')
        judge = opened(tmp_path, "r.jsonl")
        assert [judge.ask(llm.request(), 1).text for _ in range(2)] == ['{"claims": []}', "text"]
        assert judge.ask(llm.request(name="answer"), 1).text == "z"

    def test_a_json_file_lists_replies_or_lists_them_by_prompt(self, tmp_path: Path) -> None:
        """Both as when a judge is made in a test."""
        (tmp_path / "a.json").write_text('["x"]')
        (tmp_path / "b.json").write_text('{"context": ["y"]}')
        assert [opened(tmp_path, name).ask(llm.request(), 1).text for name in ("a.json", "b.json")] == ["x", "y"]

    def test_the_documents_example_works(self, tmp_path: Path) -> None:
        """docs/configuration.md: each line does what the table below it says."""
        [text] = [each.text for each in documents.examples("configuration.md") if each.file == "faults.jsonl"]
        (tmp_path / "faults.jsonl").write_text(text)
        judge = opened(tmp_path, "faults.jsonl")
        for _ in range(2):
            assert judge.ask(llm.request(name="claims"), 1).text == "no JSON at all"
        with pytest.raises(JudgeBusy) as caught:
            judge.ask(llm.request(), 1)
        assert caught.value.after == 2
        assert judge.ask(llm.request(), 1).finish == "length"

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("{", "line 1 is not JSON"),
            ('"a"\n{"reply": 1, "finish": "soon"}', "reply 2: finish must be one of stop, length, refusal"),
            ('{"error": "tired"}', "reply 1: error must be one of busy"),
        ],
    )
    def test_a_mistake_in_a_file_says_where(self, tmp_path: Path, text: str, problem: str) -> None:
        """One sentence with the file and the place."""
        (tmp_path / "r.jsonl").write_text(text)
        with pytest.raises(errors.UsageError, match=rf"judge\.model r\.jsonl, {problem}"):
            opened(tmp_path, "r.jsonl")

    @pytest.mark.parametrize("text", ["3", '{"context": {"a": 1}}'])
    def test_a_json_file_of_another_shape_is_refused(self, tmp_path: Path, text: str) -> None:
        """A reply for every call is not guessed from it."""
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(errors.UsageError, match=r"r\.json, .*list"):
            opened(tmp_path, "r.json")

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        """As it was written."""
        with pytest.raises(errors.UsageError, match=r"judge\.model gone\.json, its file of replies cannot be read"):
            opened(tmp_path, "gone.json")

    @pytest.mark.parametrize(
        ("model", "file"),
        [
            ("replies.jsonl", "replies.jsonl"),
            ("mine:ask", "mine.py"),
            ("pack.inner:ask", "pack/inner.py"),
            ("pack:ask", "pack/__init__.py"),
            ("mine", None),
            ("gone:ask", None),
            (":", None),
        ],
    )
    def test_what_it_is_read_from_is_known_without_importing_it(
        self, tmp_path: Path, model: str, file: str | None
    ) -> None:
        """So that an edit makes another judge of it."""
        (tmp_path / "pack").mkdir()
        for each in ("replies.jsonl", "mine.py", "pack/inner.py", "pack/__init__.py"):
            (tmp_path / each).write_text("raise SystemExit\n")
        found = judges.kind("scripted").source(model, tmp_path)
        assert found == (None if file is None else tmp_path / file)

    def test_a_function_is_imported_beside_the_configuration(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """``module:function``."""
        monkeypatch.setattr(sys, "path", list(sys.path))
        (tmp_path / "my_script.py").write_text("def reply(request):\n    return request.name\n")
        assert opened(tmp_path, "my_script:reply").ask(llm.request(), 1).text == "context"
        for wrong in ("my_script:gone", "no_such_script:reply", "my_script:__name__"):
            with pytest.raises(errors.UsageError, match=wrong):
                opened(tmp_path, wrong)
