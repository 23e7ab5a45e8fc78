"""J7: text that gives its judge orders: what is sent then, and what a judge that obeys may still change."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.judges.scripted import FENCE, fenced
from evaluator.judging import quotes
from tests.attacked import (
    CHUNKS,
    FACTS,
    GUESS,
    MARK,
    OBEYING,
    Attack,
    Run,
    case,
    corpus,
    honest,
    is_reached,
    obedient,
    obeyed,
    run,
    spoken,
    token_of,
)

if TYPE_CHECKING:
    from evaluator.model.judge import JudgeRequest
    from evaluator.model.judgement import Judged

LANGUAGES = ("en", "sv", "hu", "pl", "zh")
PARTS = {
    "claims": "claims", "context": "context", "answer": "answer", "statements": "statements",
    "questions": "embedding", "preference": "preference",
}  # fmt: skip
"""The prompts, and the parts of a judgement that they ask for."""

PLACES = {"answer", "chunk", "question", "reference", "history", "fact"}
HIDES = {
    "zero width": "[\u200b-\u200d\u2060\ufeff]",
    "tag characters": "[\U000e0020-\U000e007f]",
    "variation selectors": "[\U000e0100-\U000e01ef]",
    "direction": "[\u202a-\u202e\u2066-\u2069]",
    "closing fence": GUESS,
    "fence in other characters": "[^<]<?[^<>]?<?" + GUESS,
    "encoded": "[A-Za-z0-9+/]{16,}",
}
"""What attacks of a shape must hold to be of it."""

every_language = pytest.mark.parametrize("language", LANGUAGES)
every_attack = pytest.mark.parametrize(
    ("language", "attack"),
    [pytest.param(each, attack, id=f"{each}-{attack.shape}") for each in LANGUAGES for attack in corpus(each)],
)


@functools.cache
def plain(language: str) -> Run:
    return run(honest, case(language), case(language, name="c-18"))


@functools.cache
def attacked(language: str, attack: Attack) -> Run:
    return run(honest, case(language, attack))


def requests(of: Run, name: str) -> list[JudgeRequest]:
    return [asked.request for asked in of.history if asked.request.name == name]


def masked(text: str, token: str) -> str:
    """Words after the data without what rightly differs: the delimiter, and how many ids there are."""
    item = r"[scrf]\d+(?:\.\d+)?"
    return re.sub(rf"(?<!\w){item}(?:, {item})*", "IDS", text.replace(token, "TOKEN"))


def unseen(text: str) -> list[str]:
    return [each for each in text if unicodedata.category(each) in {"Cf", "Cc", "Cs", "Co"} and each not in "\n\t"]


def look_like_fences(text: str) -> list[str]:
    """Runs of what a model may take for the angle brackets of a fence, whatever white space is between but ours."""
    return re.findall(
        rf"(?:[<＜‹«≪《〈⟨⟪][ \t\n]*){{2}}|(?:[>＞›»≫》〉⟩⟫][ \t\n]*){{2}}|[＜‹«≪《〈⟨⟪][ \t\n]*{GUESS}", text
    )


def assert_kept_apart(request: JudgeRequest, unattacked: JudgeRequest) -> None:
    """The data of a request stands in its fences, all else is what is sent without an attack."""
    token = token_of(request)
    blocks = fenced(request)
    assert request.system == unattacked.system
    assert list(blocks) == list(fenced(unattacked))
    assert masked(spoken(request)[0], token) == masked(spoken(unattacked)[0], token_of(unattacked))
    for name, text in blocks.items():
        assert token not in text.casefold()
        assert (unseen(text), look_like_fences(text)) == ([], [])
        if name in {"history", "claims", "statements", "facts"}:
            assert all(set(json.loads(line)) <= {"id", "text", "role", "content"} for line in text.splitlines())


@every_language
def test_the_corpus_has_attacks_of_many_shapes_in_every_place(language: str) -> None:
    """At least eight, no two of one shape, each in the place and of the kind it says."""
    attacks = corpus(language)

    assert len({attack.shape for attack in attacks}) == len({attack.text for attack in attacks}) == len(attacks) >= 8
    assert {attack.place for attack in attacks} == PLACES
    assert {attack.asks for attack in attacks} <= set(OBEYING)
    assert [each.shape for each in attacks if each.shape in HIDES and not re.search(HIDES[each.shape], each.text)] == []


@every_language
@pytest.mark.parametrize("name", PARTS)
def test_an_attack_stands_in_a_fence_and_changes_nothing_around_it(language: str, name: str) -> None:
    """J7, per prompt and language: fenced by a word it does not hold, and all around it as it is without an attack."""
    (first, *_) = requests(plain(language), name)
    reached = 0
    for attack in corpus(language):
        for request in requests(attacked(language, attack), name):
            assert_kept_apart(request, first)
            assert FENCE.sub("", "".join(block.text for block in request.blocks[:-1])).strip() == ""
            assert MARK not in request.blocks[-1].text
            reached += is_reached(request)

    assert reached >= 1


@every_language
def test_an_attack_that_the_judge_repeats_stands_in_a_fence_in_the_repair(language: str) -> None:
    """J7: a reply that holds it is data as well; what is said to be wrong quotes a few words of it, on one line."""
    for attack in corpus(language):
        order = f"{attack.text} {MARK}"

        def repeating(request: JudgeRequest, order: str = order) -> dict[str, Any]:
            reply = honest(request)
            return reply if len(spoken(request)) == 2 else {**reply, order: order}

        (found, history) = run(repeating, case(language, attack))
        mended = [asked.request for asked in history if len(spoken(asked.request)) == 2]
        said = [spoken(request)[1] for request in mended]

        assert found["c-17"].judgement.unscored == {}
        assert len(mended) == len(history) / 2
        assert all(MARK in fenced(request)["reply"] for request in mended)
        assert [each for each in said if MARK in each and len(order) > 60] == []
        assert {len(re.findall("^- ", each, re.MULTILINE)) for each in said} == {1}
        assert [(unseen(each), look_like_fences(each)) for each in said] == [([], [])] * len(said)


@every_attack
def test_a_judge_that_obeys_changes_no_more_than_its_own_verdicts(language: str, attack: Attack) -> None:
    """J7: never another case, never a verdict or an id that is none, never support without a quote that occurs.

    What asks for more than a valid reply can say leaves the parts that obeyed unscored.
    """
    found, history = run(obedient(attack.asks), case(language, attack), case(language, name="c-18"))
    changed = {
        asked.request.name
        for asked in history
        if is_reached(asked.request) and obeyed(attack.asks, honest(asked.request)) != honest(asked.request)
    }
    judged = found["c-17"]

    assert changed
    assert found["c-18"] == plain(language).found["c-18"]
    assert set(judged.judgement.unscored) == {PARTS[name] for name in changed if (name, attack.asks) not in ACCEPTED}
    assert_ours(judged, {"k1": case(language, attack).chunks[0].text, "k2": CHUNKS["k2"]})


def assert_ours(judged: Judged, chunks: dict[str, str]) -> None:
    """Ids, verdicts and quotes are of the kinds that there are, whatever the judge was told."""
    said = judged.judgement
    for claim in judged.claims or ():
        assert claim.id.startswith(f"s{claim.sentence}.")
        assert claim.sentence <= len(said.sentences)
        assert claim.verdict in {"supported", "unsupported", "unclear", None}
        assert claim.reference in {"in_reference", "contradicts", "beyond", None}
        if claim.verdict == "supported":
            assert any(quotes.occurs(claim.quote or "", chunks[each]) for each in claim.chunks)
    assert [each.id for each in said.statements] == [f"r{place}" for place in range(1, len(said.statements) + 1)]
    assert {each.answer for each in said.statements} <= {"present", "missing", "contradicted", None}
    assert {each.fact for each in said.facts} <= set(FACTS)
    assert {each.chunk for each in said.useful} <= set(CHUNKS)


MEANS_NOTHING = {
    "claims": {"supported", "misquoted", "invented", "yes"},
    "context": {"silence", "abstain"},
    "answer": {"silence"},
    "statements": {"supported", "misquoted", "invented", "yes", "foreign", "silence", "abstain"},
    "questions": {"supported", "misquoted", "invented", "yes", "foreign", "silence", "abstain"},
    "preference": {"foreign", "omit", "silence", "abstain"},
}
"""What a reply to a prompt has no place for."""

ACCEPTED = {
    ("context", "supported"), ("answer", "supported"), ("answer", "misquoted"), ("answer", "abstain"),
    ("preference", "supported"), ("preference", "misquoted"), ("preference", "invented"),
}  # fmt: skip
"""What is a valid reply all the same: an opinion, and support that a chunk states."""


@pytest.mark.parametrize(
    ("name", "asks"), [(name, asks) for name in PARTS for asks in OBEYING if asks not in MEANS_NOTHING[name]]
)
def test_obedience_in_one_part_leaves_that_part_unscored(name: str, asks: str) -> None:
    """S3, S12, J3, J4, J7: nothing of such a reply counts, and all other parts say what they would have said."""

    def judge(request: JudgeRequest) -> Any:
        return obeyed(asks, honest(request)) if request.name == name else honest(request)

    found = run(judge, case("en"), case("en", name="c-18")).found
    accepted = (name, asks) in ACCEPTED

    assert [set(each.judgement.unscored) for each in found.values()] == [set() if accepted else {PARTS[name]}] * 2
    for each in found.values():
        assert_ours(each, CHUNKS)
        assert name == "context" or all(claim.verdict != "supported" for claim in each.claims or ())


def test_an_attack_in_a_chunk_can_be_quoted_and_then_supports() -> None:
    """J7: what stands in a chunk is context, orders included: a judge that quotes one has quoted the context."""
    attack = next(each for each in corpus("hu") if each.place == "chunk" and each.asks == "supported")

    def judge(request: JudgeRequest) -> Any:
        reply = honest(request)
        if request.name == "context":
            reply["claims"][0].update(verdict="supported", chunks=["c1"], quote=attack.text)
        return reply

    (claim, *_) = run(judge, case("hu", attack)).found["c-17"].claims or ()

    assert (claim.verdict, claim.chunks, claim.quote) == ("supported", ("k1",), attack.text)
