from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator.model.config import Config
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.stages import labels, lints
from evaluator.stores import golden

if TYPE_CHECKING:
    from pathlib import Path

MARK = "zqxj"
"""A word that no message is made of."""

HOSTILE = st.text(min_size=1, max_size=40) | st.sampled_from(
    [
        "/(/",
        "/(x+x+)+y/",
        "::error::x",
        "\x1b[2J",
        "\u202eabc",
        "30 days",
        "not 30 days",
        "年假十五天",
        "0" * 40,
        "a@b.cd",
        "\ud83d\ude00",
    ]
)
TEXT = HOSTILE.map(lambda text: f"{text} {MARK} {text}".encode(errors="replace").decode())
FACT = st.fixed_dictionaries({"text": TEXT}, optional={"any": st.lists(TEXT, max_size=2)})
CASE = st.fixed_dictionaries(
    {"question": TEXT},
    optional={
        "reference": TEXT, "notes": TEXT, "source": TEXT, "tags": st.lists(TEXT, max_size=2),
        "language": st.sampled_from(["en", "sv", "hu", "pl", "zh", "ja", "xx"]), "critical": st.booleans(),
        "split": st.sampled_from(["dev", "holdout"]), "facts": st.lists(FACT, max_size=2),
        "history": st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": TEXT}), max_size=2),
        "relevant": st.lists(st.sampled_from(["c0", "gone"]) | st.fixed_dictionaries({"quote": TEXT}), max_size=2),
    },
)  # fmt: skip
CONFIG = Config.model_validate({"suite": "s", "golden": "g", "fixture": "f"})


def numbered(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Cases and facts with names."""
    facts = [[{"id": f"f{place}", **fact} for place, fact in enumerate(case.get("facts", ()))] for case in cases]
    return [{"id": f"q{place}", **case, "facts": facts[place]} for place, case in enumerate(cases)]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cases=st.lists(CASE, min_size=1, max_size=4),
    texts=st.lists(TEXT, min_size=2, max_size=3),
    ascii_only=st.booleans(),
)
def test_hostile_text_gets_remarks_with_a_place_and_never_in_them(
    tmp_path: Path, cases: list[dict[str, Any]], texts: list[str], *, ascii_only: bool
) -> None:
    """Whatever a case holds, each remark has the line of its case, prints, and repeats none of its text."""
    lines = [json.dumps(case, ensure_ascii=ascii_only) for case in numbered(cases)]
    (tmp_path / "golden.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    read, wrong = golden.look([tmp_path / "golden.jsonl"])
    chunks = tuple(Chunk(id=f"c{place}", text=text, doc="d") for place, text in enumerate(texts))
    fixture = Fixture(chunks, Digests(chunks="x", documents=None))
    found = labels.problems(read, [*lints.of_cases(read, fixture, CONFIG), *lints.of_the_set(read, CONFIG)])

    assert wrong == []
    for problem in found:
        assert problem.message.isprintable()
        assert MARK not in problem.message
        assert problem.code == "resolution" or 1 <= problem.column <= len(lines[problem.line - 1])
