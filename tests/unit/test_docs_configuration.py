"""Holds docs/configuration.md and docs/golden-set.md to what is read."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import pydantic
import pytest
import yaml

from evaluator import config, errors, metrics
from evaluator.metrics._numbers import DECIMAL_COMMA
from evaluator.metrics.facts import find_facts
from evaluator.model import later
from evaluator.model.accepted import AcceptedCase, AcceptedRow
from evaluator.model.config import Config
from evaluator.model.fixture import Manifest
from evaluator.model.golden import NEED_KINDS, Case, Fact
from evaluator.model.view import Passage
from evaluator.stores import fixtures
from evaluator.stores.accepted import read_accepted
from evaluator.stores.golden import read_golden
from tests import documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECTIONS = documents.sections("configuration.md")
LATER = documents.tables(SECTIONS["Not yet supported"])
KEYS = [
    row
    for heading, text in SECTIONS.items()
    if heading != "Not yet supported"
    for table in documents.tables(text)
    for row in table
    if len(row) == 4
]
GOLDEN = documents.sections("golden-set.md")
EXAMPLES = documents.examples("configuration.md")
BASE = {"suite": "s", "golden": "golden.jsonl", "fixture": "fixture"}
REQUIRED = object()


def fields_of(model: type[pydantic.BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of the configuration with its default, sections left out."""
    for name, field in model.model_fields.items():
        inside = [part for part in _models(field.annotation) if issubclass(part, pydantic.BaseModel)]
        is_list = name == "rules"
        if inside and not is_list:
            yield from fields_of(inside[0], f"{prefix}{name}.")
            continue
        yield f"{prefix}{name}", REQUIRED if field.is_required() else field.default
        if is_list:
            yield from fields_of(inside[0], f"{prefix}{name}[].")


def _models(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)


def spelled(path: tuple[str | int, ...]) -> str:
    """A path of the configuration as the document writes it."""
    return ".".join(map(str, path))


FIELDS = dict(fields_of(Config))
WRITTEN_OUT = {"metrics", "gate.rules"}
"""Defaults that the document tells in words."""


class TestKeys:
    """Every key, its default and what is refused."""

    def test_each_key_is_described_or_listed_as_not_yet_supported(self) -> None:
        """A reader finds every key that the model reads, each once, and no key that it does not read."""
        described = [documents.bare(row[0]) for row in KEYS if documents.bare(row[0]) != "pipeline.retriever"]
        coming = {documents.bare(row[0]) for row in LATER[0]}
        assert len(described) == len(set(described))
        assert set(described) & coming == set()
        assert {*described, *coming} == set(FIELDS)

    @pytest.mark.parametrize("row", KEYS, ids=lambda row: documents.bare(row[0]))
    def test_a_default_is_the_codes(self, row: list[str]) -> None:
        """The third column says what holds where nothing is written."""
        key, shown = documents.bare(row[0]), row[2]
        if key in WRITTEN_OUT or key == "pipeline.retriever":
            return
        if shown in ("required", "none"):
            assert FIELDS[key] is {"required": REQUIRED, "none": None}[shown]
        else:
            default = FIELDS[key]
            assert yaml.safe_load(shown.strip("`")) == (list(default) if isinstance(default, tuple) else default)

    def test_what_is_refused_is_what_the_code_refuses(self) -> None:
        """Keys with the values that may stand there."""
        keys = {documents.bare(row[0]): row[1].strip("`") for row in LATER[0]}
        allowed = {spelled(path): yaml.safe_dump(values[0]).split("\n")[0] for path, values in later.LATER_KEYS.items()}

        assert keys == allowed

    def test_default_metrics_and_rules_are_those_of_the_code(self) -> None:
        """What is measured and gated where nothing is written."""
        [shown] = [row[2] for row in KEYS if documents.bare(row[0]) == "metrics"]
        measured = config.resolve_metrics(Config.model_validate(BASE), metrics.load())
        [table] = documents.tables(SECTIONS["Rules"])
        rules = [(row[0].split("`")[1].replace("@k", "@5"), row[1], float(row[2])) for row in table]

        assert shown.replace("@k", "@5").split(", ") == [str(metric) for metric in measured]
        assert rules == [(rule.metric, rule.per, rule.max_drop) for rule in config._default_rules(5)]
        assert {rule.min_lost for rule in config._default_rules(5)} == {2}


class TestExamples:
    """What the documents show can be copied."""

    @pytest.mark.parametrize("text", [each.text for each in EXAMPLES if each.file == "rag-assay.yml"])
    def test_a_piece_of_configuration_is_accepted(self, text: str, tmp_path: Path) -> None:
        """Each example is valid beside the keys that have to be there, rules and metrics included."""
        file = tmp_path / "rag-assay.yml"
        file.write_text(yaml.safe_dump({**BASE, **yaml.safe_load(text)}), encoding="utf-8")
        found = config.load_config(file)
        measured = config.resolve_metrics(found, metrics.load(), file)

        assert config.effective_rules(found, measured, answers_exist=True)

    def test_accepted_is_read(self, tmp_path: Path) -> None:
        """Both forms of an entry, with every field that there is."""
        [text] = [each.text for each in EXAMPLES if each.file == "accepted.yml"]
        (tmp_path / "accepted.yml").write_text(text, encoding="utf-8")
        found = read_accepted(tmp_path / "accepted.yml", known_metrics=metrics.load(), today="2027-01-31")

        assert (len(found.rows), len(found.cases)) == (1, 1)
        section = SECTIONS["Loosening on purpose: accepted.yml"]
        fields = {*AcceptedRow.model_fields, *AcceptedCase.model_fields}
        assert [field for field in fields if f"`{field}`" not in section] == []
        with pytest.raises(errors.InputError, match="expired"):
            read_accepted(tmp_path / "accepted.yml", known_metrics=metrics.load(), today="2027-02-01")

    def test_golden_files_and_fixture_are_read(self, tmp_path: Path) -> None:
        """Cases in both forms and chunks; the manifest has the keys that are described."""
        for file, text in documents.examples("golden-set.md"):
            (tmp_path / file).write_text(text, encoding="utf-8")
        cases = read_golden([tmp_path / "golden.jsonl", tmp_path / "golden.yml"]).cases
        manifest = fixtures.write_manifest(tmp_path)

        assert [case.id for case in cases] == ["r1", "r1-b", "r2", "x1", "s1"]
        assert (manifest.chunks, manifest.documents) == (3, 2)


class TestGoldenSet:
    """docs/golden-set.md."""

    def test_every_field_of_a_case_is_described(self) -> None:
        """Fields and defaults are those of the model."""
        rows = {documents.bare(row[0]): row[2].strip("`") for row in documents.tables(GOLDEN["Cases"])[0]}
        odd = {"language": "that of the configuration"}
        defaults = {
            name: "required" if field.is_required() else odd.get(name, _shown(field.default))
            for name, field in Case.model_fields.items()
        }

        assert {name: rows[name] for name in defaults} == defaults
        assert set(rows) == set(defaults)

    def test_every_form_of_a_need_and_field_of_a_fact_is_described(self) -> None:
        """None is left for a reader to find out by trying."""
        forms = " ".join(row[0] for row in documents.tables(GOLDEN["Needs"])[0])
        [facts, *_] = documents.tables(GOLDEN["Facts"])

        assert [kind for kind in NEED_KINDS if f'"{kind}"' not in forms] == []
        assert [documents.bare(row[0]) for row in facts] == list(Fact.model_fields)

    @pytest.mark.parametrize(
        "row", [row for table in documents.tables(GOLDEN["Facts"])[1:] for row in table], ids=lambda row: row[1]
    )
    def test_a_fact_is_found_where_the_table_says(self, row: list[str]) -> None:
        """Numbers, whole words and negations, in the language of the row."""
        text, alternative, language, found = row
        fact = Fact(id="f", text=alternative.strip("`"))

        [result] = find_facts([fact], [("c", Passage(None, text))], language)
        assert result.found == (found == "yes")

    def test_the_languages_of_numbers_are_named(self) -> None:
        """A decimal comma is assumed for exactly these."""
        text = " ".join(GOLDEN["Facts"].split())
        named = text.partition("decimal comma is assumed for ")[2].partition(", and a decimal point")[0]

        assert set(named.replace(" and ", ", ").split(", ")) == DECIMAL_COMMA

    def test_the_keys_of_a_manifest_are_described(self) -> None:
        """Top-level keys, and the two digests one by one."""
        keys = [documents.bare(row[0]) for row in documents.tables(GOLDEN["The fixture"])[1]]

        assert list(dict.fromkeys(key.partition(".")[0] for key in keys)) == list(Manifest.model_fields)


def _shown(default: Any) -> str:
    if default is None:
        return "none"
    return {(): "[]", False: "false"}.get(default, str(default))
