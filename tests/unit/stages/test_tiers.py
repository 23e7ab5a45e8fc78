"""The tier of a run: asked for, or chosen by what happened and what changed."""

from __future__ import annotations

import pytest

from evaluator import errors
from evaluator.model.config import Judge
from evaluator.stages.tiers import Occasion, choose, globs_in, key_variable, matches

JUDGE = Judge(provider="anthropic", model="m-20250929", when=("prompts/**", "src/*.py"))
PULL = Occasion(event="pull_request", changed=("docs/a.md",), in_ci=True)


@pytest.mark.parametrize(
    ("asked", "judge", "occasion", "tier", "why"),
    [
        ("retrieval", JUDGE, PULL._replace(event="schedule"), "retrieval", "it was asked for"),
        ("full", JUDGE, PULL, "full", "it was asked for"),
        ("auto", None, PULL._replace(event="schedule"), "retrieval", "the configuration has no judge"),
        ("auto", JUDGE, PULL._replace(event="schedule"), "full", "the event is schedule"),
        ("auto", JUDGE, PULL._replace(event="workflow_dispatch"), "full", "the event is workflow_dispatch"),
        ("auto", JUDGE, PULL, "retrieval", "no file changed that judge.when names"),
        (
            "auto", JUDGE, PULL._replace(changed=("prompts/en/a.j2",)), "full",
            "prompts/en/a.j2 changed, which judge.when names by prompts/**",
        ),
        (
            "auto", JUDGE, PULL._replace(older=("docs/**",)), "full",
            "docs/a.md changed, which judge.when names by docs/**",
        ),
        ("auto", JUDGE.but(when=()), PULL, "retrieval", "judge.when names no files"),
        ("auto", JUDGE, PULL._replace(changed=None), "full", "it is not known which files changed"),
        ("auto", JUDGE, Occasion(), "retrieval", "it is not known which files changed"),
    ],
)  # fmt: skip
def test_a_tier_is_chosen_with_its_reason(
    asked: str, judge: Judge | None, occasion: Occasion, tier: str, why: str
) -> None:
    """The base's globs count beside one's own, so that a change cannot take itself out of the judge's sight."""
    assert choose(asked, judge, occasion, has_key=True) == (tier, why)


@pytest.mark.parametrize(
    ("occasion", "is_refused"),
    [
        (PULL._replace(older=("docs/**",)), True),
        (PULL._replace(older=("prompts/**",)), False),
        (PULL._replace(older=()), False),
        (PULL._replace(event="schedule", older=()), True),
        (PULL._replace(event="workflow_dispatch", older=("x",)), True),
        (PULL._replace(older=("x",), changed=None), True),
        (PULL._replace(older=("docs/**",), trusted=False), True),
    ],
)
def test_a_change_cannot_take_the_judge_away_unseen(occasion: Occasion, *, is_refused: bool) -> None:
    """Where the base's judge would have been asked; who means it asks for tier retrieval."""
    if is_refused:
        with pytest.raises(errors.UsageError, match="the judge: section was removed"):
            choose("auto", None, occasion, has_key=False)
    else:
        assert choose("auto", None, occasion, has_key=False) == ("retrieval", "the configuration has no judge")
    assert choose("retrieval", None, occasion, has_key=False).tier == "retrieval"


def test_globs_in_a_configuration() -> None:
    """A judge that is asked on schedule alone has none, and is one all the same."""
    assert globs_in("judge: {model: m}", "a.yml") == ()
    assert globs_in("judge: {when: [a, b]}", "a.yml") == ["a", "b"]
    assert [globs_in(text, "a.yml") for text in ("suite: s", "judge:", "judge: [", "")] == [None] * 4


def test_without_a_key_tier_full_is_a_mistake() -> None:
    """Asked for or chosen, and the variable is named."""
    for asked, occasion in (("full", PULL), ("auto", PULL._replace(event="schedule"))):
        with pytest.raises(errors.UsageError, match="ANTHROPIC_API_KEY is not set"):
            choose(asked, JUDGE, occasion, has_key=False)


def test_a_strangers_pull_request_is_measured_without_a_judge() -> None:
    """It gets no key even where it asks for one; what is asked for outright stays a mistake."""
    theirs = PULL._replace(changed=("src/a.py",), trusted=False)
    assert choose("auto", JUDGE, theirs, has_key=False).tier == "retrieval"
    with pytest.raises(errors.UsageError):
        choose("full", JUDGE, theirs, has_key=False)


def test_tier_full_needs_a_judge() -> None:
    """The sentence says what to write."""
    with pytest.raises(errors.UsageError, match="judge: section"):
        choose("full", None, PULL, has_key=True)


@pytest.mark.parametrize(
    ("path", "glob", "named"),
    [
        ("prompts/a.j2", "prompts/**", True),
        ("prompts/en/a.j2", "prompts/**", True),
        ("prompts", "prompts/**", False),
        ("src/a.py", "src/*.py", True),
        ("src/b/a.py", "src/*.py", False),
        ("src/b/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("a.py", "**/a.py", True),
        ("x/y/a.py", "**/a.py", True),
        ("x/ya.py", "**/a.py", False),
        ("a+b.py", "a+b.py", True),
        ("aab.py", "a+b.py", False),
        ("a1.py", "a?.py", True),
    ],
)
def test_globs(path: str, glob: str, *, named: bool) -> None:
    """As workflows write them."""
    assert matches(path, glob) is named


def test_the_variable_of_a_key() -> None:
    """The provider's usual one, unless another is named."""
    assert key_variable(JUDGE) == "ANTHROPIC_API_KEY"
    assert key_variable(JUDGE.but(api_key_env="KEY")) == "KEY"
