"""What check says of the judge's section, and of what it names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.judging.prompts import REHEARSALS, VARIABLES
from evaluator.model.base import to_json
from evaluator.stages.check import check
from tests.court import calibration

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.errors import Problem

CASES = [
    {"id": "q1", "question": "one?", "relevant": ["c-1"], "reference": "One.", "facts": [{"id": "f", "text": "one"}]},
    {"id": "q2", "question": "three?", "expect": "abstain"},
]
JUDGE = {"provider": "scripted", "model": "replies.json", "when": ["prompts/**"]}
PROMPT = "{% block system %}Judge.{% endblock %}{% block user %}Now {{ token }}.{% endblock %}"


def checked(folder: Path, judge: dict[str, Any] | None = None, **fields: Any) -> list[Problem]:
    """What is said of a suite that has nothing else wrong with it, and of no size."""
    (folder / "golden.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in fields.pop("cases", CASES)))
    config = {"suite": "s", "golden": "golden.jsonl", "gate": {"min_cases": 1}, "judge": {**JUDGE, **(judge or {})}}
    config["pipeline"] = {"kind": "python", "python": {"target": "app:answer"}}
    (folder / "rag-assay.yml").write_text(json.dumps({**config, **fields}))
    (folder / "replies.json").write_text("[]")
    found = check(folder / "rag-assay.yml", today="2026-03-01")
    return [each for each in found if each.code not in ("resolution", "reference-without-fact")]


def written(folder: Path, **texts: str) -> dict[str, Any]:
    """A folder of prompts, each by its path with two lines for a slash; the key that names it."""
    for name, text in texts.items():
        path = folder / "mine" / f"{name.replace('__', '/')}.j2"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"prompts": "mine"}


def test_a_sound_section_is_silent(tmp_path: Path) -> None:
    """A provider that there is, prompts that render, a calibration, a window, metrics that can be measured."""
    (tmp_path / "calibration.json").write_bytes(to_json(calibration()))
    judge = {
        **written(tmp_path, en__claims=PROMPT, hu__repair=PROMPT), "calibration": "calibration.json", "window": 8192,
        "embeddings": {"provider": "openai", "model": "text-embedding-3-small"},
    }  # fmt: skip
    metrics = [
        "faithfulness", "correctness", "answer_completeness", "answer_relevance_embedding", "citation_precision",
        "preference",
    ]  # fmt: skip
    gate = {"rules": [{"metric": "preference", "min_win": 0.5}], "min_cases": 1}
    assert checked(tmp_path, judge, metrics=metrics, gate=gate) == []


@pytest.mark.parametrize(
    ("judge", "code", "sentence"),
    [
        (
            {"provider": "antropic"}, "wrong-value",
            "judge.provider 'antropic' is none of anthropic, openai, scripted; did you mean 'anthropic'?",
        ),
        (
            {"embeddings": {"provider": "opnai", "model": "m"}}, "wrong-value",
            "judge.embeddings.provider 'opnai' is none of openai, python; did you mean 'openai'?",
        ),
        ({"prompts": "nowhere"}, "missing-file", "judge.prompts: there is no folder 'nowhere'"),
        ({"calibration": "none.json"}, "missing-file", "judge.calibration: there is no file 'none.json'"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named_with_its_place(
    tmp_path: Path, judge: dict[str, Any], code: str, sentence: str
) -> None:
    """In the configuration, where it is written."""
    [found] = checked(tmp_path, judge)
    assert (found.code, found.message, found.severity) == (code, sentence, "error")
    assert found.file.endswith("rag-assay.yml")
    assert found.column


def test_a_window_that_not_even_the_prompt_fits_into(tmp_path: Path) -> None:
    """Ours take some 2,000 tokens; whoever wrote 1,000 would have nothing judged."""
    [found] = checked(tmp_path, {"window": 1000})
    assert found.code == "wrong-value"
    assert found.message.startswith("judge.window: 1000 is too small: the prompt 'context' takes about ")
    assert checked(tmp_path, {"window": 8192}) == []


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("en__claim", PROMPT, "en/claim.j2 is no prompt; did you mean 'claims.j2'?"),
        ("claims", PROMPT, "claims.j2 is for no language; put it into a folder such as en"),
        ("EN__claims", PROMPT, "EN/claims.j2 would never be asked; name its folder en"),
        ("english__claims", PROMPT, "english/claims.j2 would never be asked; name its folder by a language's tag"),
        ("en__claims", PROMPT.replace("token", "tokn"), "it names 'tokn', did you mean 'token'?"),
        ("sv__context", PROMPT + "{% if %}", "prompt sv/context.j2, line 1 does not render"),
        ("en__claims", PROMPT.replace("token", "sentences / 2"), "prompt en/claims.j2 does not render"),
        ("en__claims", PROMPT.replace("token", "1 / (0 if again else 1)"), "prompt en/claims.j2 does not render"),
        ("en__context", PROMPT.replace("token", "claims[0]"), "prompt en/context.j2 does not render"),
        ("en__repair", PROMPT.replace("token", "problems.first"), "prompt en/repair.j2 does not render"),
    ],
)
def test_a_prompt_that_would_go_wrong_is_named_with_its_file(
    tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    """Also where it would only go wrong once it is filled in; a sound one beside it says nothing."""
    judge = written(tmp_path, **{"pl__claims": PROMPT, name: text})
    found = checked(tmp_path, judge)
    assert [each.code for each in found] == ["template"]
    assert sentence in found[0].message
    assert found[0].file == str(tmp_path / "mine" / f"{name.replace('__', '/')}.j2")


def test_every_prompt_that_goes_wrong_is_named(tmp_path: Path) -> None:
    """Not the first alone."""
    bad = PROMPT.replace("token", "tokn")
    assert len(checked(tmp_path, written(tmp_path, en__claims=bad, sv__answer=bad, pl__repair=bad))) == 3


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 2, "judge_fingerprint": "x", "metrics": {}}'])
def test_a_calibration_that_is_none(tmp_path: Path, text: str) -> None:
    """It would end the first judged run."""
    (tmp_path / "calibration.json").write_text(text)
    [found] = checked(tmp_path, {"calibration": "calibration.json"})
    assert (found.code, found.file) == ("file-problem", str(tmp_path / "calibration.json"))


@pytest.mark.parametrize(
    ("metric", "code", "severity", "sentence"),
    [
        ("correctness", "nothing-to-measure", "warning", "needs a reference, and no case has any"),
        ("context_recall", "nothing-to-measure", "warning", "needs a reference, and no case has any"),
        ("noise_sensitivity", "nothing-to-measure", "warning", "needs a reference, and no case has any"),
        ("answer_completeness", "nothing-to-measure", "warning", "needs facts or a reference, and no case has any"),
        ("answer_relevance_embedding", "nothing-to-measure", "warning", "needs judge.embeddings, which names no model"),
        ("preference", "no-rule", "info", "is judged by two calls a case, and no rule with min_win reads it"),
    ],
)
def test_a_metric_that_nothing_lets_be_computed_or_read(
    tmp_path: Path, metric: str, code: str, severity: str, sentence: str
) -> None:
    """At its place in the list, and silenced like any other warning."""
    bare = [{**case, "reference": None, "facts": []} for case in CASES]
    bare = [{key: value for key, value in case.items() if value} for case in bare]
    [found] = checked(tmp_path, metrics=["faithfulness", metric], cases=bare)
    assert (found.code, found.severity, found.message) == (code, severity, f"metrics[1]: '{metric}' {sentence}")
    assert found.line == 1
    assert checked(tmp_path, metrics=["faithfulness", metric], cases=bare, check={"ignore": [code]}) == []


def test_a_judge_that_no_pull_request_asks(tmp_path: Path) -> None:
    """A remark: who means to judge nights alone has nothing to mend."""
    [found] = checked(tmp_path, {"when": []})
    assert (found.code, found.severity) == ("no-when", "info")
    assert "pull requests are not judged, only schedules and runs by hand" in found.message


@pytest.mark.parametrize(
    ("judge", "moves"),
    [
        ({"provider": "openai", "model": "gpt-4o"}, True),
        ({"provider": "openai", "model": "gpt-4o-2024-08-06"}, False),
        ({"provider": "anthropic", "model": "claude-sonnet-4-5"}, True),
        ({"provider": "anthropic", "model": "claude-sonnet-4-5-20250929"}, False),
        ({"provider": "openai", "model": "qwen", "base_url": "http://127.0.0.1:8000/v1"}, False),
    ],
)
def test_a_model_that_may_move(tmp_path: Path, judge: dict[str, Any], *, moves: bool) -> None:
    """Where the provider moves it; on a server of one's own nobody else does."""
    found = checked(tmp_path, judge)
    assert [(each.code, each.severity) for each in found] == [("unpinned-model", "warning")] * moves


def test_facts_are_enough_for_completeness(tmp_path: Path) -> None:
    """Any one of the labels lets it be computed, in a single case."""
    case = {key: value for key, value in CASES[0].items() if key != "reference"}
    assert checked(tmp_path, metrics=["answer_completeness"], cases=[case, CASES[1]]) == []


def test_what_is_rehearsed_is_all_that_a_prompt_is_given() -> None:
    """A variable that no rehearsal holds would be called undefined."""
    assert REHEARSALS.keys() == VARIABLES.keys()
    for name, values in REHEARSALS.items():
        assert {frozenset({"token", *each}) for each in values} == {VARIABLES[name]}


def test_a_script_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    """A file of replies is looked for; a function is not imported."""
    [found] = checked(tmp_path, {"model": "typo.jsonl"})

    assert (found.code, found.severity, found.message) == (
        "missing-file", "error", "judge.model: there is no file 'typo.jsonl'",
    )  # fmt: skip
    assert checked(tmp_path, {"model": "court:replies"}) == []


@pytest.mark.parametrize(
    ("lines", "silent"),
    [
        (['{"id": "q1"}', '{"id": "q2", "answer": null}'], True),
        (['{"id": "q1"}', '{"id": "q2", "answer": "No."}'], False),
    ],
)
def test_a_judge_of_recorded_replies_without_answers_is_told(tmp_path: Path, lines: list[str], silent: bool) -> None:
    """Where no reply has an answer there is nothing to judge; one answer is enough."""
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    found = checked(tmp_path, pipeline={"kind": "recorded", "recorded": {"file": "answers.jsonl"}})

    assert [(each.code, each.severity) for each in found] == [("nothing-to-measure", "warning")] * silent
    assert all("returned no answers" in each.message for each in found)
