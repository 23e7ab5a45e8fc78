from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics.paraphrase_overlap import overlap
from evaluator.model.view import Replied
from tests.views import outcome, view

RANKINGS = st.lists(st.sampled_from("abcdefgh"), max_size=8)
DISTINCT = st.lists(st.sampled_from("abcdefghijkl"), unique=True, min_size=1, max_size=12)


def by_definition(first: list[str], second: list[str], p: float = 0.9) -> float:
    """(1 - p) times the sum of p^(d-1) x agreement at d, agreement extrapolated where a list has ended."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 - as in the paper

    def common(depth: int) -> int:
        return len(set(short[:depth]) & set(long[:depth]))

    total = 0.0
    for depth in range(1, 400):
        if depth <= s:
            agreement = common(depth) / depth
        elif depth <= l:
            agreement = (common(depth) + common(s) * (depth - s) / s) / depth
        else:
            agreement = (common(l) - common(s)) / l + common(s) / s
        total += p ** (depth - 1) * agreement
    return (1 - p) * total


class TestOverlap:
    """Extrapolated rank-biased overlap of two rankings, p = 0.9."""

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            ("abcdef", "abcdef", 1.0),
            ("abcde", "abdce", 0.973),
            ("abcde", "fghij", 0.0),
            ("ab", "abcdef", 1.0),
            ("abc", "cbadef", 0.855),
            ("abcdefghij", "jihgfedcba", 0.5116075656428573),
            ("abcd", "bxaydcz", 0.6481452857142858),
        ],
    )
    def test_a_published_implementation_gives_the_same(self, first: str, second: str, expected: float) -> None:
        """Values of the package rbo 0.1.3, ``RankingSimilarity(...).rbo_ext(p=0.9)``."""
        assert overlap(first, second) == pytest.approx(expected, abs=1e-12)
        assert overlap(second, first) == pytest.approx(expected, abs=1e-12)

    def test_uneven_lists_by_hand(self) -> None:
        """[a] and [b, a]: common 0 and 1, so 0.1/0.9 x (1/2 x 0.81) + 1/2 x 0.81 = 0.045 + 0.405."""
        assert overlap("a", "ba") == pytest.approx(0.45, abs=1e-15)

    @given(DISTINCT, DISTINCT)
    def test_it_is_what_its_definition_sums_to(self, first: list[str], second: list[str]) -> None:
        """400 terms leave less than 1e-17 of the weight."""
        assert overlap(first, second) == pytest.approx(by_definition(first, second), abs=1e-12)

    @given(RANKINGS, RANKINGS)
    def test_it_lies_between_0_and_1_and_has_no_direction(self, first: list[str], second: list[str]) -> None:
        """Whatever is retrieved, repeated ids included."""
        assert 0 <= overlap(first, second) <= 1
        assert overlap(first, second) == overlap(second, first)

    @given(DISTINCT)
    def test_the_same_ranking_is_exactly_1(self, ranking: list[str]) -> None:
        """So that a floor of 1 passes (S6), for the beginning of a ranking, too."""
        assert overlap(ranking, list(ranking)) == 1.0
        assert overlap(ranking, ranking[:1]) == pytest.approx(1.0, abs=1e-12)

    def test_a_repeated_id_is_another_item(self) -> None:
        """[a, a] has its second place from nothing in [a, b] (S9); the same ranking stays the same."""
        assert overlap("aa", "ab") == overlap("ax", "ab") < 1
        assert overlap("aab", "aab") == 1.0

    @pytest.mark.parametrize("other", ["", "abc"])
    def test_nothing_retrieved_has_nothing_in_common(self, other: str) -> None:
        """A retriever that finds nothing for any wording is not consistent but silent."""
        assert overlap("", other) == 0.0


class TestGroups:
    """Mean over the pairs of a group, on its root."""

    @staticmethod
    def of(ranking: str, *others: str | None, metric: str = "paraphrase_overlap", **fields: Any) -> float | str:
        members = tuple(None if other is None else Replied(other) for other in others)
        return outcome(metric, view(ranking, paraphrases=members, **fields))

    def test_the_mean_is_over_all_pairs(self) -> None:
        """AB with AB is 1, with BA and again with BA: 0.1 x (0 + 0.9) + 0.81 = 0.9; so (1 + 0.9 + 0.9) / 3."""
        assert self.of("AB", "AB", "BA") == pytest.approx(2.8 / 3, abs=1e-15)

    def test_with_a_cut_off_only_the_top_counts(self) -> None:
        """The first of both is the same."""
        assert self.of("AB", "AX", metric="paraphrase_overlap@1") == 1.0
        assert self.of("AB", "XA", metric="paraphrase_overlap@1") == 0.0

    def test_a_failed_member_counts_0_in_each_of_its_pairs(self) -> None:
        """Of three pairs one is left, whichever member it was that failed."""
        assert self.of("AB", "AB", None) == pytest.approx(1 / 3)
        assert self.of("", "AB", "AB", failed=True) == pytest.approx(1 / 3)
        assert self.of("AB", None) == 0.0
        assert self.of("", None, failed=True) == 0.0

    def test_it_is_not_applicable_to_every_other_case(self) -> None:
        """A case that names a root, and one that is in no group."""
        assert outcome("paraphrase_overlap@5", view("AB")) == "not the root of a group of paraphrases"
        assert outcome("paraphrase_overlap", view("", failed=True)) == "not the root of a group of paraphrases"
