"""A context or a list of claims that is more than the judge takes at once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.judging import context, tokens
from evaluator.judging.calls import TooMuch
from evaluator.judging.context import ContextFound
from evaluator.model.judgement import Claim, Statement
from evaluator.model.score import Unscored
from tests.judged import TOKEN, Asked, Driven, Judge, drive, subject, unsupported

CHUNKS = {
    f"chunk-{place}": f"Rule {place} says {place * 11}. " + "More is said of it here. " * 60 for place in range(1, 21)
}
CLAIMS = tuple(
    Claim(id=f"s{place}.1", text=f"Rule {place} says {place * 11}.", sentence=place) for place in range(1, 31)
)
STATEMENTS = (Statement(id="r1", text="Rule 3 says 33."), Statement(id="r2", text="Rule 99 says 1089."))
SUPPORT = {f"s{place}.1": (f"c{place}", f"Rule {place} says {place * 11}.") for place in range(1, 21)}


def checked(
    judge: Any, claims: tuple[Claim, ...] = CLAIMS, statements: tuple[Statement, ...] = (), **fields: Any
) -> Driven:
    return drive(context.conversation(subject("…", fields.pop("chunks", CHUNKS), **fields), claims, statements), judge)


def of(driven: Driven) -> ContextFound:
    assert isinstance(driven.found, ContextFound)
    return driven.found


def pairs(driven: Driven) -> Counter[tuple[str, str]]:
    """How often each claim met each chunk, in the calls that were answered."""
    return Counter(
        (claim, chunk)
        for asked in driven.of("context")
        for claim in asked.values["claims"]
        for chunk in asked.values["chunks"]
    )


def test_what_fits_is_one_call() -> None:
    """J8: a large window takes 30 claims and 20 chunks at once, and so does one that is not known."""
    assert [len(round_) for round_ in checked(Judge(support=SUPPORT), window=200_000).rounds] == [1]
    assert [len(round_) for round_ in checked(Judge(support=SUPPORT)).rounds] == [1]


@pytest.mark.parametrize("window", [4000, 8000, 12_000])
def test_thirty_claims_over_twenty_long_chunks_are_each_judged_once(window: int) -> None:
    """J8: parted by the model's size: all calls fit, every claim meets every chunk once and has one verdict."""
    driven = checked(Judge(support=SUPPORT), window=window)
    requests = [asked.call.put(TOKEN) for asked in driven.of("context")]

    assert len(driven.rounds) == 1
    assert len(requests) > 1
    assert all(tokens.of_request(request) + request.room <= window + 100 for request in requests)
    assert len(pairs(driven)) == 600
    assert set(pairs(driven).values()) == {1}
    assert of(driven).claims.keys() == {claim.id for claim in CLAIMS}
    assert {name for name, found in of(driven).claims.items() if found.verdict == "supported"} == set(SUPPORT)
    assert of(driven).claims["s7.1"].chunks == ("chunk-7",)
    assert of(driven).claims["s7.1"].quote == "Rule 7 says 77."
    assert of(driven).lacking is None


def test_what_a_provider_calls_too_much_is_asked_in_halves() -> None:
    """J8: where the size is not known beforehand, each half is tried until it is taken."""

    def small(asked: Asked) -> Any:
        return TooMuch() if len(asked.values["chunks"]) > 5 else Judge(support=SUPPORT)(asked)

    driven = checked(small)
    answered = Driven(driven.found, driven.rounds[-1:])

    # 20 chunks of 390 tokens outweigh 30 claims of 170; 10 do not, but outweigh 15 claims.
    assert [len(round_) for round_ in driven.rounds] == [1, 2, 4, 8]
    assert len(pairs(answered)) == 600
    assert sum(found.verdict == "supported" for found in of(driven).claims.values()) == 20


def test_the_best_verdict_of_all_parts_counts() -> None:
    """J8: supported before unclear before unsupported; what supports alone adds up, in the order of the context."""
    verdicts = {
        ("s1.1", "c1"): "unclear", ("s1.1", "c2"): "unsupported",
        ("s2.1", "c1"): "unclear", ("s2.1", "c2"): "supported",
        ("s3.1", "c1"): "supported", ("s3.1", "c2"): "supported",
    }  # fmt: skip

    def one_by_one(asked: Asked) -> Any:
        if len(asked.values["chunks"]) > 1:
            return TooMuch()
        (chunk,) = asked.values["chunks"]
        reply = Judge()(asked)
        for claim in reply["claims"]:
            claim["verdict"] = verdicts[claim["id"], chunk]
            if claim["verdict"] == "supported":
                claim.update(chunks=[chunk], quote=f"Rule {chunk[1:]}")
        return reply

    found = of(checked(one_by_one, CLAIMS[:3], chunks=dict(list(CHUNKS.items())[:2]))).claims

    assert {name: (each.verdict, each.chunks) for name, each in found.items()} == {
        "s1.1": ("unclear", ()), "s2.1": ("supported", ("chunk-2",)), "s3.1": ("supported", ("chunk-1", "chunk-2")),
    }  # fmt: skip
    assert found["s2.1"].quote == "Rule 2"


def test_support_by_several_chunks_together_keeps_them_together() -> None:
    """Two chunks that only jointly support a claim are stored as such, by their own ids."""

    def jointly(asked: Asked) -> Any:
        reply = Judge()(asked)
        reply["claims"] = [
            {**unsupported("s1.1"), "verdict": "supported", "chunks": ["c3", "c1"], "jointly": True, "quote": "Rule 3"}
        ]
        return reply

    found = of(checked(jointly, CLAIMS[:1])).claims["s1.1"]

    assert (found.verdict, found.chunks, found.jointly) == ("supported", ("chunk-1", "chunk-3"), True)


def test_a_claim_that_a_missing_part_could_still_support_has_no_verdict() -> None:
    """S12: "unsupported" by half of the context is no verdict; "supported" by half of it is one."""

    def half(asked: Asked) -> Any:
        if len(asked.values["chunks"]) > 10:
            return TooMuch()
        return Unscored("too slow") if "c20" in asked.values["chunks"] else Judge(support=SUPPORT)(asked)

    driven = checked(half)

    assert of(driven).claims.keys() == {f"s{place}.1" for place in range(1, 11)}
    assert {found.verdict for found in of(driven).claims.values()} == {"supported"}
    assert of(driven).lacking == "too slow"


def test_a_chunk_that_alone_is_too_much_leaves_open_what_it_might_support() -> None:
    """J8: nothing is cut out of a chunk; the claims that no other chunk supports say so and make no call for ever."""
    chunks = {"short": "Rule 1 says 11.", "huge": "x " * 20_000}
    driven = checked(Judge(support=SUPPORT), CLAIMS[:2], chunks=chunks, window=6000)

    assert of(driven).claims.keys() == {"s1.1"}
    assert of(driven).lacking == "it is more than the judge takes at once"
    assert all("huge" not in asked.message for asked in driven.of("context"))


def test_a_window_that_holds_nothing_makes_no_call() -> None:
    """A window smaller than the prompt leaves everything open, at once."""
    driven = checked(Judge(), window=100)

    assert driven.rounds == []
    assert of(driven).claims == {}
    assert of(driven).lacking == "it is more than the judge takes at once"


def test_sufficiency_in_parts_is_only_known_where_one_part_suffices() -> None:
    """What no part of a context does alone, all of it together still might: that is not guessed."""

    def parted(enough: str) -> Any:
        def judge(asked: Asked) -> Any:
            names = asked.values["chunks"]
            return TooMuch() if len(names) > 10 else Judge(sufficient=enough in names)(asked)

        return judge

    yes = of(checked(parted("c15"), (), sufficiency=True))
    no = of(checked(parted("c99"), (), sufficiency=True))

    assert yes.sufficiency is not None
    assert yes.sufficiency.value
    assert yes.lacking is None
    assert no.sufficiency is None
    assert no.lacking == "the context was judged in parts, and none of them suffices by itself"


def test_statements_and_chunks_are_merged_over_parts() -> None:
    """A statement is attributable where any part states it; each chunk is judged useful or not in one part."""

    def parted(asked: Asked) -> Any:
        if len(asked.values["chunks"]) > 10:
            return TooMuch()
        reply = Judge()(asked)
        for each in reply["statements"]:
            if each["id"] == "r1" and "c3" in asked.values["chunks"]:
                each.update(attributable=True, chunks=["c3"])
        return reply

    driven = checked(parted, CLAIMS, STATEMENTS, recall=True, useful=True)

    assert {name: (each.value, each.chunks) for name, each in of(driven).statements.items()} == {
        "r1": (True, ("chunk-3",)), "r2": (False, ()),
    }  # fmt: skip
    assert [each.chunk for each in of(driven).useful] == list(CHUNKS)
    assert [each.chunk for each in of(driven).useful if each.useful] == ["chunk-1"]


def test_the_chunks_are_a_prefix_that_can_be_kept() -> None:
    """They come first and alone in their block, so that a repair or another group of claims need not be read anew."""
    (asked,) = checked(Judge(), CLAIMS[:2]).of("context")
    first, *rest = asked.call.put(TOKEN).blocks

    assert first.cached
    assert first.text.count(f"<<{TOKEN} chunk ") == 20
    assert not any(block.cached or "chunk c" in block.text for block in rest)


@pytest.mark.parametrize(("asked_for", "sent"), [(True, None), (False, {"reason": "x", "sufficient": True})])
def test_sufficiency_comes_back_just_where_it_was_asked_for(asked_for: bool, sent: Any) -> None:
    """S12: neither missing nor volunteered."""
    driven = checked(lambda asked: {**Judge()(asked), "sufficiency": sent}, CLAIMS[:1], sufficiency=asked_for)

    assert "sufficiency" in str(of(driven).lacking)
    assert of(driven).claims == {}


@pytest.mark.parametrize(
    ("attributable", "chunks"), [(True, []), (False, ["c1"]), (True, ["c99"]), (True, ["chunk-1"])]
)
def test_a_statement_names_the_chunks_that_state_it(attributable: bool, chunks: list[str]) -> None:
    """S12: attributable to nothing, to an unknown chunk or not but to one: invalid."""

    def wrong(asked: Asked) -> Any:
        reply = Judge()(asked)
        reply["statements"][0].update(attributable=attributable, chunks=chunks)
        return reply

    assert of(checked(wrong, (), STATEMENTS, recall=True)).statements == {}


@settings(max_examples=40)
@given(
    st.integers(0, 8), st.integers(0, 3), st.integers(1, 7), st.booleans(), st.booleans(),
    st.lists(st.sampled_from(["fine", "fine", "much", "lost"]), max_size=12),
)  # fmt: skip
def test_however_a_context_is_parted_nothing_is_judged_twice_or_made_up(  # noqa: PLR0917 - hypothesis passes by name
    claims: int,
    statements: int,
    chunks: int,
    sufficiency: bool,
    useful: bool,
    fates: list[str],
) -> None:
    """J8: any mixture of parts that are too much, lost or answered ends, and says why something is missing."""
    coming = iter(fates)
    answered: Counter[tuple[str, str]] = Counter()

    def judge(asked: Asked) -> Any:
        fate = next(coming, "fine")
        if fate != "fine":
            return TooMuch() if fate == "much" else Unscored("lost")
        answered.update(
            (item, chunk)
            for item in asked.values["claims"] + asked.values["statements"]
            for chunk in asked.values["chunks"]
        )
        return Judge()(asked)

    asked_claims, stated = CLAIMS[:claims], tuple(Statement(id=f"r{n}", text="x") for n in range(statements))
    found = of(
        checked(
            judge,
            asked_claims,
            stated,
            chunks=dict(list(CHUNKS.items())[:chunks]),
            sufficiency=sufficiency,
            useful=useful,
            recall=True,
        )
    )

    assert max(answered.values(), default=1) == 1
    for ids, got in ((asked_claims, found.claims), (stated, found.statements)):
        for each in ids:
            met = sum(times for (item, _), times in answered.items() if item == each.id)
            assert (each.id in got) == (met == chunks)
    whole = len(found.claims) == claims and len(found.statements) == statements
    assert found.lacking is not None or (whole and (found.sufficiency is not None) == sufficiency)
