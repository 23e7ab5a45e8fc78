from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import facts
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Fact
from evaluator.stages.candidates import Candidates, by_place, passages_of

WORDS = {
    "en": ["refund", "refunded", "30", "days", "day", "not", "1,000", "000", "%", "thirty", "e.g.", "The", "fee."],
    "de": ["Frist", "Fristen", "30", "Tage", "nicht", "1.000,50", "1 000", "Gebühr", "Übung", "u\u0308ber"],
    "zh": ["退款", "期限", "三十天", "30", "天", "不", "。", "免费", " "],
}


def chunked(texts: list[str], docs: list[str | None]) -> Candidates:
    """Chunks with these texts, each of the document at its place."""
    chunks = tuple(Chunk(id=f"c{n}", text=text, doc=docs[n % len(docs)]) for n, text in enumerate(texts))
    return Candidates(passages_of(Fixture(chunks, Digests(chunks="x", documents=None))))


@given(st.data())
def test_no_chunk_that_states_a_fact_is_left_out(data: st.DataObject) -> None:
    """Alone or with its neighbour, as it is written or by stems or characters, as reading everything finds it."""
    language = data.draw(st.sampled_from(sorted(WORDS)))
    phrase = st.lists(st.sampled_from(WORDS[language]), min_size=1, max_size=6).map(" ".join)
    texts = data.draw(st.lists(phrase, min_size=1, max_size=7))
    candidates = chunked(texts, data.draw(st.sampled_from([["d"], ["d", "e"], [None], ["d", None]])))
    passages = candidates.passages
    alternatives = tuple(data.draw(st.lists(phrase.filter(str.strip), min_size=1, max_size=2)))
    mask = candidates.mask(alternatives, language)
    assert mask is not None

    def states(start: int, size: int) -> bool:
        fact = Fact.model_construct(id="f", text=alternatives[0], any=alternatives)
        return facts.find_facts([fact], passages[start : start + size], language)[0].found

    for place in range(len(passages)):
        single = states(place, 1)
        assert not single or mask.alone >> place & 1
        if states(place, 2) and not single and not states(place + 1, 1):
            assert mask.with_next >> place & 1


def test_most_chunks_that_state_nothing_are_left_out() -> None:
    """Bits are chunks, documents together in the order in which they begin; stems ask for the number alone."""
    texts = ["Refunds take 30 days.", "Nothing.", "A refund: 30", "No refund within a day.", "days later"]
    candidates = chunked(texts, ["a", "b"])
    assert [chunk for chunk, _ in candidates.passages] == ["c0", "c2", "c4", "c1", "c3"]
    mask = candidates.mask(("30 days",), "en")
    assert mask is not None
    assert (mask.alone, mask.with_next) == (0b00011, 0b00011)


def test_a_pattern_needs_everything_to_be_read() -> None:
    """What it matches is not known before."""
    assert chunked(["x"], ["d"]).mask(("x", "/y/"), "en") is None


def test_places_come_in_order_with_all_who_have_them() -> None:
    """Bit 0 is the first place."""
    assert list(by_place({"a": 0b101, "b": 0b100, "c": 0})) == [(0, ["a"]), (2, ["a", "b"])]
