from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.human import labels
from evaluator.human.kinds import KINDS, majority

CLAIM = {"case": "c1", "annotator": "anna", "claim": "s1.1", "label": "supported"}


def write(folder: Path, *lines: Any, name: str = "labels.jsonl") -> Path:
    """A file of labels; text stands as it is."""
    path = folder / name
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def refused(*paths: Path) -> list[str]:
    """What is said of files that are refused, without their folder."""
    with pytest.raises(errors.InputError) as caught:
        labels.read(paths)
    return [str(problem).removeprefix(f"{paths[0].parent}/") for problem in caught.value.problems]


def test_every_kind_of_label_is_read_with_its_place(tmp_path: Path) -> None:
    """Seven kinds; the first of each scale is what a metric counts."""
    base = {"case": "c1", "annotator": "anna", "note": "unsure"}
    lines = [{**base, kind.name: True if kind.is_flag else "x", "label": kind.scale[0]} for kind in KINDS.values()]
    found = labels.read([write(tmp_path, *lines)])

    assert [(each.kind.metric, each.label, each.line) for each in found] == [
        ("faithfulness", "supported", 1), ("correctness", "present", 2), ("answer_completeness", "present", 3),
        ("answer_relevance", "relevant", 4), ("abstention", "answered", 5), ("context_relevance_judged", "relevant", 6),
        ("preference", "win", 7),
    ]  # fmt: skip


SCALE = "is not on the scale: a claim is supported, unclear or unsupported"
ALONE = "claim and fact are labelled in one line; give each a line of its own"
NOTHING = "nothing is labelled: one of claim, statement, fact, relevance, abstention, chunk, preference is missing"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({**CLAIM, "label": "yes"}, f"1:63: 'yes' {SCALE} [off-scale]"),
        ({**CLAIM, "label": "suported"}, f"1:63: 'suported' {SCALE}; did you mean 'supported'? [off-scale]"),
        ({**CLAIM, "label": None}, "1:63: label must be text, not null [wrong-value]"),
        ({**CLAIM, "label": ""}, "1:63: label must be text that is not empty, not empty text [wrong-value]"),
        ({**CLAIM, "label": 1}, "1:63: label must be text, not 1 (put it in quotes) [wrong-value]"),
        ({"case": "c1", "annotator": "a", "claim": "s1.1"}, "1:1: field 'label' is missing [missing-field]"),
        ({**CLAIM, "annotator": ""}, "1:29: annotator must be text that is not empty, not empty text [wrong-value]"),
        ({"case": "c1", "annotator": "a", "label": "present"}, f"1:1: {NOTHING} [wrong-value]"),
        ({**CLAIM, "fact": "f1"}, f"1:76: {ALONE} [wrong-value]"),
        ({**CLAIM, "relevence": True}, "1:76: unknown field 'relevence'; did you mean 'relevance'? [unknown-field]"),
        (
            {"case": "c1", "annotator": "a", "relevance": False, "label": "relevant"},
            "1:47: relevance must be true; leave it out otherwise [wrong-value]",
        ),
        ("not json", "1:2: not valid JSON: expected ident [syntax]"),
    ],
)
def test_each_mistake_is_named_with_its_place(tmp_path: Path, line: Any, said: str) -> None:
    """Labels off the scale, empty cells, a line about nothing or about two things: with its column."""
    assert refused(write(tmp_path, line)) == [f"labels.jsonl:{said}"]


def test_all_mistakes_of_all_files_are_named_at_once(tmp_path: Path) -> None:
    """One bad line hides no other, in this file or the next; what is said twice by one annotator is one of them."""
    one = write(tmp_path, CLAIM, {**CLAIM, "label": "x"}, {**CLAIM, "annotator": "bo"})
    two = write(tmp_path, {**CLAIM, "label": "unclear"}, {**CLAIM, "case": 3}, name="more.jsonl")
    found = refused(one, two)
    assert found[:2] == [
        "labels.jsonl:2:63: 'x' is not on the scale: a claim is supported, unclear or unsupported [off-scale]",
        "more.jsonl:2:10: case must be text, not 3 (put it in quotes) [wrong-value]",
    ]
    assert found[2] == (
        f"more.jsonl:1:1: the claim 's1.1' of case 'c1' was labelled by 'anna' already, at {one}:1 [duplicate-label]"
    )


def test_an_empty_file_is_refused_by_its_name(tmp_path: Path) -> None:
    """No label is a mistake and not an agreement of nothing; so is a file that is not there."""
    assert refused(write(tmp_path, "")) == ["labels.jsonl: there is no label in it [no-labels]"]
    assert refused(tmp_path / "gone.jsonl") == ["gone.jsonl: there is no such file [missing-file]"]


class TestMajority:
    """What several annotators say together."""

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            (["supported"], "supported"),
            (["supported", "unclear"], None),
            (["supported", "unclear", "unsupported"], "unclear"),
            (["supported", "unclear", "unsupported", "unsupported"], "unsupported"),
            (["supported", "supported", "unsupported"], "supported"),
        ],
    )
    def test_classes_that_are_gated_go_first(self, said: list[str], expected: str | None) -> None:
        """Two who find no support outvote one, however they name it; an even split decides nothing."""
        assert majority(KINDS["claim"], said) == expected

    @given(st.lists(st.sampled_from(KINDS["claim"].scale), min_size=1, max_size=9), st.randoms())
    def test_the_order_of_the_annotators_changes_nothing(self, said: list[str], random: Any) -> None:
        """Nobody's voice counts more for coming first."""
        assert majority(KINDS["claim"], said) == majority(KINDS["claim"], random.sample(said, len(said)))
