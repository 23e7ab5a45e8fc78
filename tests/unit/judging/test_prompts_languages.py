"""What the prompts of all languages have in common, and what each has to have of its own."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2.meta
import pytest

from evaluator import templates
from evaluator.judges.scripted import fenced
from evaluator.judging import (
    answer,
    claims,
    context,
    context_reading,
    fencing,
    preference,
    questions,
    statements,
    tokens,
)
from evaluator.judging.answer import Compared
from evaluator.judging.prompts import VARIABLES, Prompts
from evaluator.judging.sentences import sentences
from evaluator.judging.subject import Fact
from evaluator.model.judgement import Claim, Statement
from tests import documents
from tests.attacked import case, honest, run
from tests.judged import subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path(__file__).parents[3] / "templates" / "prompts"
LANGUAGES = ("en", "sv", "hu", "pl", "zh")
SCHEMAS: dict[str, Mapping[str, Any]] = {
    "claims": claims.SCHEMA, "context": context_reading.SCHEMA, "answer": answer.SCHEMA,
    "statements": statements.SCHEMA, "questions": questions.SCHEMA, "preference": preference.SCHEMA,
}  # fmt: skip
BLOCK = re.compile(
    r"(?:^- |<<TOKEN |[;；,、] ?)"
    r"(history|question|answer(?: first| second)?|statements|claims|facts|reference|chunk c\d)(?=[:：,、…]|>>)",
    re.MULTILINE,
)
"""Where a block is called by its name, to say what it holds."""

LETTERS = {"en": "[a-z]", "sv": "[åä]", "hu": "[áíőúű]", "pl": "[ąćęłńśżź]", "zh": "[\u4e00-\u9fff]"}
"""Letters that a text in a language has, and one in another of these languages has not; English has fewest."""

REASONS_IN = {"sv": "på svenska", "hu": "magyar mondatban", "pl": "zdaniem po polsku", "zh": "用中文"}
ENGLISH = {"en": "", "sv": "på engelska", "hu": "angol", "pl": "angielski", "zh": "英文"}
PROMPTS = Prompts()


class Parts(NamedTuple):
    """The fixed part of a prompt by its headings."""

    role: str
    data: str
    rules: str
    example: str
    output: str


class Example(NamedTuple):
    """What an example shows: named data, texts by their ids, and the reply."""

    named: dict[str, str]
    items: dict[str, str]
    reply: str

    def of(self, start: str) -> dict[str, str]:
        """The items whose ids begin so."""
        return {each: text for each, text in self.items.items() if each.startswith(start)}


def parts(name: str, language: str) -> Parts:
    system = PROMPTS.of(name, language, SCHEMAS[name]).source.system
    return Parts(*re.split(r"^# .+$", system, flags=re.MULTILINE))


def example(name: str, language: str) -> Example:
    shown, reply = re.split(r"\n\n(?=\{)", parts(name, language).example.strip())
    lines = shown.splitlines()
    items = [json.loads(line) for line in lines if line.startswith("{")]
    named = dict(line.split(": ", 1) for line in lines if not line.startswith("{"))
    assert len(named) + len(items) == len(lines)
    return Example(named, {each["id"]: each["text"] for each in items}, reply)


def words(schema: Mapping[str, Any]) -> Iterator[str]:
    """Every key and every verdict of a schema."""
    yield from schema.get("enum", ())
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])):
        yield from words(inner)
    for key, inner in schema.get("properties", {}).items():
        yield key
        yield from words(inner)


def is_word_of(word: str, text: str) -> bool:
    return re.search(rf"(?<![A-Za-z_]){word}(?![A-Za-z_])", text) is not None


def sent() -> dict[str, set[str]]:
    """The names of the blocks that are sent with each prompt when everything is asked of a case that has everything."""
    return {asked.request.name: set(fenced(asked.request)) for asked in run(honest, case("en")).history}


every_language = pytest.mark.parametrize("language", LANGUAGES)
every_prompt = pytest.mark.parametrize("name", SCHEMAS)


def test_there_are_prompts_in_these_languages() -> None:
    """Those the documentation promises, and none that no test of this file reads."""
    assert {path.name for path in FOLDER.iterdir()} == set(LANGUAGES)


@every_language
@pytest.mark.parametrize("name", VARIABLES)
def test_a_prompt_has_the_variables_of_the_english_one(language: str, name: str) -> None:
    """A translation that names none or another asks less, or something else."""
    environment = templates.of_prompts(None)
    parsed = environment.parse((FOLDER / language / f"{name}.j2").read_text())

    assert jinja2.meta.find_undeclared_variables(parsed) == VARIABLES[name]


@every_language
@every_prompt
def test_a_prompt_names_every_key_and_every_verdict(language: str, name: str) -> None:
    """J3: they are English in all languages, so a judge has to be told each of them, and that they are English."""
    system = PROMPTS.of(name, language, SCHEMAS[name]).source.system

    assert [each for each in words(SCHEMAS[name]) if not is_word_of(each, system)] == []
    assert ENGLISH[language] in parts(name, language).output


@every_language
def test_a_prompt_explains_the_blocks_that_are_sent_with_it(language: str) -> None:
    """Blocks are named alike in every language: what is not explained is guessed at."""
    assert {name: set(BLOCK.findall(parts(name, language).data)) for name in SCHEMAS} == sent()


def test_the_guide_lists_each_prompt_with_its_blocks_and_variables() -> None:
    """Whoever writes another language finds all of it in docs/prompts.md."""
    (table,) = documents.tables(documents.sections("prompts.md")["A prompt"])
    listed = {row[0].strip("`"): [set(re.findall(r"`([^`]+)`", cell)) for cell in row[2:]] for row in table}
    blocks = {**sent(), "repair": {"reply"}}

    assert listed == {
        f"{name}.j2": [blocks[name] - {"chunk c2"}, variables - {"token"}] for name, variables in VARIABLES.items()
    }


@every_language
@pytest.mark.parametrize("name", VARIABLES)
def test_a_prompt_holds_no_delimiter_and_nothing_invisible(language: str, name: str) -> None:
    """J7: the delimiter is random and stands with the data alone; a prompt hides nothing from who reviews it."""
    text = (FOLDER / language / f"{name}.j2").read_text()
    system, _, user = text.rpartition("{% block user %}")

    assert re.search(r"[0-9a-f]{8}", text) is None
    assert not any(mark in user for mark in ("<<", ">>"))
    assert all(re.match(r"<<TOKEN [^<>]+>>", system[found.start() :]) for found in re.finditer("<<", system))
    assert fencing.clean(text).replace("\u200a", "") == text


@every_language
@every_prompt
def test_a_prompt_is_about_as_long_as_the_english_one(language: str, name: str) -> None:
    """Rules that one language leaves out or adds make another judge; languages themselves differ by less than this."""
    length, english = (
        tokens.estimate(PROMPTS.of(name, each, SCHEMAS[name]).source.system) for each in (language, "en")
    )

    assert 0.9 * english <= length <= 1.4 * english


@every_language
@every_prompt
def test_the_rules_are_as_many_as_in_english(language: str, name: str) -> None:
    """Numbered alike, each with its points."""
    counted = [Counter(re.findall(r"^(\d\.| -)", parts(name, each).rules, re.MULTILINE)) for each in (language, "en")]

    assert counted[0] == counted[1]


@every_language
@pytest.mark.parametrize("name", ["context", "answer", "preference"])
def test_reasons_are_written_in_the_language_of_the_case(language: str, name: str) -> None:
    """Whoever labels answers in a language reads the judge's reasons in it; English ones serve every other language."""
    rules = parts(name, language).rules

    assert {each for each, phrase in REASONS_IN.items() if phrase in rules} == {language} - {"en"}


@every_language
@every_prompt
def test_an_example_is_in_its_language_and_of_its_own(language: str, name: str) -> None:
    """A translated example has the traps of the language it comes from."""
    mine = example(name, language)
    shown = "\n".join((*mine.named.values(), *mine.items.values(), mine.reply))
    others = [each for each in LANGUAGES if each != language]

    assert re.search(LETTERS[language], shown)
    assert [each for each in others if each != "en" and re.search(LETTERS[each], shown)] == []
    numbers = [re.findall(r"\d+", "".join((*example(name, each).named.values(),))) for each in others]
    assert re.findall(r"\d+", "".join(mine.named.values())) not in [each for each in numbers if each]


@every_language
def test_the_example_of_claims_is_read(language: str) -> None:
    """J4: it is a valid reply about sentences that our own numbering would make."""
    shown = example("claims", language)
    text = ("" if language == "zh" else " ").join(shown.items.values())
    numbered = sentences(text, language)
    found = claims.call(subject(text, language=language), numbered).read(shown.reply)

    assert numbered == tuple(shown.items.values())
    assert {each.sentence for each in found.claims} == {2}
    assert len(found.claims) >= 2
    assert [each.sentence for each in found.silent] == [1]


@every_language
def test_the_example_of_the_context_is_read(language: str) -> None:
    """J4: valid for what it shows, its quote word for word; one claim holds, by two chunks together."""
    shown = example("context", language)
    chunks = {each.partition(" ")[2]: text for each, text in shown.named.items() if each.startswith("chunk ")}
    about = subject("An answer.", chunks, language=language, sufficiency=True)
    asked = [Claim(id=each, text=text, sentence=int(each[1])) for each, text in shown.of("s").items()]
    (call,) = next(context.conversation(about, asked))
    found = call.read(shown.reply)

    assert [each.verdict for each in found.claims.values()] == ["unsupported", "supported", "unsupported"]
    assert [each.chunks for each in found.claims.values() if each.jointly] == [("c1", "c2")]
    assert found.sufficiency is not None
    assert found.sufficiency.value


@every_language
def test_the_example_of_the_answer_is_read(language: str) -> None:
    """J4: valid for what it shows: a statement of either kind, a claim against one, and a fact that is missing."""
    shown = example("answer", language)
    text = shown.named["answer"]
    compared = Compared(
        tuple(Statement(id=each, text=said) for each, said in shown.of("r").items()),
        tuple(Claim(id=each, text=said, sentence=int(each[1])) for each, said in shown.of("s").items()),
        tuple(Fact(each, said) for each, said in shown.of("f").items()),
    )
    found = answer.call(subject(text, language=language), compared).read(shown.reply)

    assert {each.sentence for each in compared.claims} == set(range(1, len(sentences(text, language)) + 1))
    assert {each.verdict for each in found.statements.values()} == {"present", "contradicted"}
    assert {"in_reference", "contradicts"} <= set(found.claims.values())
    assert [each.present for each in found.facts] == [False]
    assert (found.relevance.value, found.abstained.value) == (True, False)


@every_language
def test_the_examples_of_statements_questions_and_preference_are_read(language: str) -> None:
    """J4: each is a valid reply to what it shows."""
    stated, asked, preferred = (example(name, language) for name in ("statements", "questions", "preference"))
    about = subject(asked.named["answer"], language=language, questions=2)
    compared = subject(preferred.named["answer first"], language=language)
    reference = stated.named["reference"]

    assert statements.own(reference, language) is None
    assert len(statements.call(about, reference).read(stated.reply)) == 3
    assert len(questions.call(about).read(asked.reply)) == 2
    assert {
        call.read(preferred.reply).result for call in preference.calls(compared, preferred.named["answer second"])
    } == {"win", "loss"}
