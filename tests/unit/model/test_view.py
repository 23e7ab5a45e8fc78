from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.view import ResolvedNeed, gains
from tests.views import all_of, one_of


def test_a_need_is_satisfied_at_the_rank_of_its_first_way() -> None:
    """An OR-group counts at its first member and its other members stay relevant, without credit."""
    found = gains("XBYA", [one_of("A", "B")])

    assert (found.satisfactions, found.credited, found.relevant) == ([(2, (0,))], [(2, 2)], [2, 4])


def test_a_run_of_chunks_is_satisfied_at_its_last_chunk() -> None:
    """All chunks of a run are credited, each with the rank that completes the run."""
    found = gains("BXA", [all_of("A", "B")])

    assert (found.satisfactions, found.credited, found.relevant) == ([(3, (0,))], [(1, 3), (3, 3)], [1, 3])


def test_an_unfinished_run_satisfies_nothing() -> None:
    """Half a run is relevant but neither satisfies nor is credited."""
    found = gains("AX", [all_of("A", "B")])

    assert (found.satisfactions, found.credited, found.relevant) == ([], [], [1])


def test_of_two_ways_that_end_together_the_shorter_is_taken() -> None:
    """A chunk that only a longer way uses is not credited where a shorter way is complete as early."""
    found = gains("ABC", [ResolvedNeed((("A", "B", "C"), ("B", "C")))])

    assert found.credited == [(2, 3), (3, 3)]


def test_a_chunk_may_satisfy_two_needs_at_once() -> None:
    """Needs that resolve to one chunk stay apart and are both satisfied by it."""
    found = gains("XA", [one_of("A"), one_of("B", "A")])

    assert (found.satisfactions, found.plain) == ([(2, (0, 1))], False)


def test_a_chunk_in_two_runs_is_credited_for_the_earlier_one() -> None:
    """What counts is the first satisfaction a chunk takes part in."""
    found = gains("ABC", [all_of("A", "C"), all_of("A", "B")])

    assert (found.satisfactions, found.credited) == ([(2, (1,)), (3, (0,))], [(1, 2), (2, 2), (3, 3)])


def test_a_repeated_id_keeps_its_slot_and_counts_for_nothing() -> None:
    """Later results do not move up because an earlier one is there twice."""
    found = gains("AAB", [one_of("A"), one_of("B")])

    assert (found.length, found.relevant, found.satisfactions) == (3, [1, 3], [(1, (0,)), (3, (1,))])


def test_without_needs_nothing_is_relevant() -> None:
    """A case without needs has an empty gain vector of the ranking's length."""
    found = gains("AB", [])

    assert (found.length, found.relevant, found.satisfactions, found.credited) == (2, [], [], [])


def test_a_need_without_ways_is_never_satisfied() -> None:
    """A document of which no chunk is known cannot be satisfied, and hides no other need."""
    assert gains("A", [ResolvedNeed(()), one_of("A")]).satisfactions == [(1, (1,))]


@given(
    st.lists(st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=3, unique=True), max_size=5), st.text("ABCDEFX")
)
def test_ways_of_one_chunk_agree_with_the_general_rule(needs: list[list[str]], ranking: str) -> None:
    """The quick path for single chunks and the general one say the same."""
    plain = [one_of(*need) for need in needs]
    never = all_of("absent", "absent too")
    quick, general = gains(ranking, plain), gains(ranking, [*plain, never])

    assert (quick.relevant, quick.satisfactions, quick.credited) == (
        general.relevant, general.satisfactions, general.credited,
    )  # fmt: skip
