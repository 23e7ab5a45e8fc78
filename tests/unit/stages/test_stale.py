from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.metrics import quotes
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case
from evaluator.stages import lint, stale
from evaluator.stages.check import check
from evaluator.stages.score import score
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
    "Return the product within thirty days of delivery.", "The refund is paid within five working days.",
    "Express parcels arrive on the next morning.", "The warranty covers two years from the purchase.",
)  # fmt: skip


def fixture(*texts: str, name: str = "new") -> Fixture:
    """A document of these chunks."""
    made = tuple(Chunk(id=f"{name}-{number}", text=text, doc="d") for number, text in enumerate(texts))
    return Fixture(made, Digests(chunks=name, documents=None))


def case(*needs: Any, **fields: Any) -> Case:
    """A golden case."""
    return Case.model_validate({"id": "q", "question": "?", "relevant": list(needs), **fields})


def resolved(one: Case, held: Fixture) -> dict[str, quotes.Found]:
    """What became of a case's quotes."""
    return quotes.resolve(one.relevant, held)


class TestLostQuotes:
    """Quotes that mean no place of a fixture."""

    def test_one_that_is_nowhere_is_an_error_at_its_place_with_what_is_most_like_it(self) -> None:
        """The document was edited: the message leads to the sentence that took its place."""
        held = fixture(*TEXTS)
        one = case({"quote": TEXTS[1]}, {"quote": "The refund is paid within six working days."})
        [doubt] = stale.lost_quotes([one], resolved(one, held), held)

        assert doubt == lint.Doubt(
            "unknown-quote",
            "the quote 'The refund is paid within six working days.' is in no chunk of the fixture; "
            "what is most like it stands in 'new-1'; " + stale.GONE,
            "q",
            ("relevant", 1),
            "error",
        )

    def test_nothing_like_it(self) -> None:
        """Where no chunk is like it, none is named; a long quote is shown cut, and escaped."""
        held = fixture(*TEXTS)
        one = case({"quote": "Xylophones\x1b " + "quite absent " * 20})
        [doubt] = stale.lost_quotes([one], resolved(one, held), held)

        assert doubt.message.endswith(f"…' is in no chunk of the fixture; {stale.GONE}")
        assert len(doubt.message) < 120 + len(stale.GONE)
        assert "\x1b" not in doubt.message

    def test_too_many_places(self) -> None:
        """A passage of every page is an error, whatever else is there."""
        held = fixture(*(f"{text} Page {number} of the handbook." for number, text in enumerate(TEXTS * 6)))
        one = case({"quote": "of the handbook"})
        [doubt] = stale.lost_quotes([one], resolved(one, held), held)

        assert (doubt.code, doubt.severity) == ("common-quote", "error")
        assert "more than 20 places" in doubt.message
        assert stale.alert([doubt]) == (
            "1 label of 1 case cannot be retrieved: the fixture does not hold what they name, "
            "or holds it in too many places."
        )

    def test_marks_alone_are_told_once(self) -> None:
        """A quote without a letter is unsound, and not lost besides."""
        held = fixture(*TEXTS)
        one = case({"quote": "***"})

        assert stale.lost_quotes([one], resolved(one, held), held) == []
        assert [doubt.code for doubt in stale.unsound_quotes([one])] == ["unsound-quote"]

    def test_a_chunk_that_is_labelled_irrelevant_and_holds_the_quote(self) -> None:
        """It counts as relevant, and the contradiction is pointed at; a part of the passage is none."""
        held = fixture("Return the product", "within thirty days of delivery.", TEXTS[1])
        one = case({"quote": TEXTS[0]}, {"quote": "the refund is paid"}, irrelevant=["new-0", "new-2"])
        found = list(stale.contradicted_quotes([one], resolved(one, held)))

        assert [(doubt.code, doubt.path) for doubt in found] == [("relevant-and-irrelevant", ("relevant", 1))]


class World:
    """A folder that was collected and scored over one index, and holds another now."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.bench = Bench(
            folder,
            [{"id": "q", "question": "?", "relevant": ["c-1", "c-2"]}],
            recorded(folder, [{"id": "q", "retrieved": [{"id": f"c-{number}"} for number in range(4)]}]),
            chunks=[{"id": f"c-{number}", "doc": "d", "text": text} for number, text in enumerate(TEXTS)],
            config=config,
        )
        self.bench.collect()
        score(self.bench.workspace())

    def rechunk(self, *ids: str, size: int = 2) -> None:
        """Join so many chunks to one."""
        parts = [" ".join(TEXTS[at : at + size]) for at in range(0, len(TEXTS), size)]
        self.bench.chunks = [{"id": name, "doc": "d", "text": text} for name, text in zip(ids, parts, strict=True)]

    def told(self) -> list[tuple[str, str]]:
        """Code and message of what check says of chunks."""
        found = check(self.bench.write(), today="2026-03-01", out=self.bench.out)
        return [(each.code, each.message) for each in found if each.code in {"unknown-chunk", "moved-chunk"}]


class TestTrail:
    """Where the text of a lost chunk went."""

    @pytest.mark.parametrize("known_by", ["collect", "baseline"])
    def test_the_chunks_that_hold_it_now_are_named(self, tmp_path: Path, known_by: str) -> None:
        """By what was last collected, or by the committed baseline (L5)."""
        world = World(tmp_path)
        if known_by == "baseline":
            (world.bench.out / "run.json").rename(tmp_path / "baseline.json")
            (world.bench.out / "records.jsonl").unlink()
            world.bench.config = {"baseline": {"file": "baseline.json"}}
        world.rechunk("n-1", "n-2")

        assert world.told() == [
            ("unknown-chunk", "the fixture holds no chunk 'c-1'; its text in the last run stands in 'n-1' now"),
            ("unknown-chunk", "the fixture holds no chunk 'c-2'; its text in the last run stands in 'n-2' now"),
        ]

    def test_several_chunks_that_share_it(self, tmp_path: Path) -> None:
        """A text that was cut in two is named with both parts."""
        world = World(tmp_path)
        half = TEXTS[1].index("paid")
        parts = {"n-0": TEXTS[0], "n-1": TEXTS[1][:half], "n-2": TEXTS[1][half:], "c-2": TEXTS[2]}
        world.bench.chunks = [{"id": name, "doc": "d", "text": text} for name, text in parts.items()]

        assert world.told() == [
            (
                "unknown-chunk",
                "the fixture holds no chunk 'c-1'; its text in the last run stands in 'n-1' and 'n-2' now",
            )
        ]

    def test_collect_names_them_too(self, tmp_path: Path) -> None:
        """A run is refused with the same words, and goes on with --allow-stale."""
        world = World(tmp_path)
        world.rechunk("n-1", "n-2")
        world.bench.cases[0]["relevant"].append({"quote": "nowhere to be found"})

        with pytest.raises(errors.InputError, match="stands in 'n-2' now") as caught:
            world.bench.collect()
        assert [problem.code for problem in caught.value.problems] == [
            "unknown-chunk", "unknown-chunk", "unknown-quote",
        ]  # fmt: skip
        world.bench.collect(allow_stale=True)
        assert world.bench.collection()["timing"]["alerts"] == [
            "3 labels of 1 case cannot be retrieved: the fixture does not hold what they name."
        ]

    def test_an_id_that_another_text_took_over(self, tmp_path: Path) -> None:
        """Ids that are counted anew are there and mean something else: a warning says where the text is now (L5)."""
        world = World(tmp_path)
        world.rechunk("c-0", "c-1")
        world.bench.cases[0]["relevant"] = ["c-0", "c-1"]

        assert world.told() == [
            ("moved-chunk", "the chunk 'c-1' had another text in the last run, which stands in 'c-0' now")
        ]

    def test_a_text_that_is_gone(self, tmp_path: Path) -> None:
        """A chunk that was rewritten is pointed at as well."""
        world = World(tmp_path)
        world.bench.chunks[1] |= {"text": "Something quite different is written in its place."}

        assert world.told() == [
            ("moved-chunk", "the chunk 'c-1' had another text in the last run, which is in no chunk now")
        ]

    def test_the_same_index_and_white_space_are_no_news(self, tmp_path: Path) -> None:
        """Nothing moved where texts are the same, or only set differently."""
        world = World(tmp_path)
        assert world.told() == []
        world.bench.chunks[1] |= {"text": f"**{TEXTS[1]}**\n"}
        assert world.told() == []

    @pytest.mark.parametrize("broken", ["collect.json", "records.jsonl"])
    def test_what_cannot_be_read_says_nothing(self, tmp_path: Path, broken: str) -> None:
        """Without evidence the nearest id is named, and no reading problem of an old file is told."""
        world = World(tmp_path)
        (world.bench.out / broken).write_text("{")
        world.rechunk("n-1", "n-2")

        assert [message.partition("; ")[2] for _, message in world.told()] == [
            "the nearest id is 'n-1'",
            "the nearest id is 'n-2'",
        ]
