from __future__ import annotations

import pytest

from evaluator import judges


@pytest.mark.parametrize(
    ("kind", "model", "expected"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", 200_000),
        ("anthropic", "claude-3-5-haiku-latest", 200_000),
        ("anthropic", "claude-opus-4-20250514", 200_000),
        ("anthropic", "claude-opus-4-6", 1_000_000),
        ("anthropic", "claude-sonnet-5", 1_000_000),
        ("anthropic", "eu.anthropic.claude-haiku-5-5", 1_000_000),
        ("openai", "gpt-4", 8_192),
        ("openai", "gpt-4-0613", 8_192),
        ("openai", "gpt-4-turbo-2024-04-09", 128_000),
        ("openai", "gpt-4o-mini", 128_000),
        ("openai", "gpt-4.1-nano", 1_047_576),
        ("openai", "gpt-5.4-mini", 272_000),
        ("openai", "openai/gpt-4o", 128_000),
        ("openai", "o3-mini", 200_000),
        ("openai", "llama3.1:8b", 8_192),
        ("scripted", "replies.jsonl", 1_000_000),
    ],
)
def test_a_models_window_is_known_by_its_name(kind: str, model: str, expected: int) -> None:
    """J8: what is split is split by what the provider documents; an unknown model is taken for a small one."""
    assert judges.kind(kind).window(model) == expected


@pytest.mark.parametrize(
    ("kind", "model", "expected"),
    [
        ("anthropic", "claude-sonnet-4-5", False),
        ("anthropic", "claude-sonnet-4-5-20250929", True),
        ("anthropic", "claude-haiku-4-5@20251001", True),
        ("anthropic", "claude-3-5-sonnet-latest", False),
        # From 4.6 on a name without a date is the exact version.
        ("anthropic", "claude-opus-4-6", True),
        ("anthropic", "claude-sonnet-5", True),
        ("openai", "gpt-4o", False),
        ("openai", "gpt-4o-2024-08-06", True),
        ("openai", "gpt-4-0613", True),
        ("openai", "chatgpt-4o-latest", False),
        ("openai", "gpt-5.3-chat-latest", False),
        ("openai", "ft:gpt-4o-2024-08-06:us::abc", True),
        ("openai", "mistral-large-2411", True),
        ("openai", "llama3.1:8b", False),
        ("openai", "llama3.1@sha256:0123abc", True),
        ("scripted", "replies.jsonl", True),
    ],
)
def test_an_exact_version_is_told_from_an_alias(kind: str, model: str, expected: bool) -> None:
    """A name that may come to mean another model is warned of in the report."""
    assert judges.kind(kind).is_pinned(model) is expected


def test_the_three_providers_are_found() -> None:
    """Each by the name that the configuration knows."""
    assert sorted(judges.load()) == ["anthropic", "openai", "scripted"]
