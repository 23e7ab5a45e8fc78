"""What a zone may see of a repository."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.slugs import suite_slug
from evaluator.stores import golden
from evaluator.zones.prepare import Preparation, prepare
from tests.zones import TOPICS, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from pathlib import Path


COLLECT = Preparation("collect")


def prepared(
    tmp_path: Path, wanted: Preparation = COLLECT, config: str = "rag-assay.yml"
) -> tuple[dict[str, bytes], str]:
    """The files that come out, and what was said."""
    out, said = io.BytesIO(), io.StringIO()
    place = dataclasses.replace(site(tmp_path / "zone", said), config=config)
    prepare(stream_of({"tree.tar": tree_of(tmp_path / "repo").getvalue()}), out, wanted, place)
    return files_in(out), said.getvalue()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one suite."""
    write_repository(tmp_path / "repo")
    return tmp_path / "repo"


def test_no_label_reaches_the_pipeline(tmp_path: Path, repo: Path) -> None:
    """Questions stay with their ids; needs, facts, references, categories, notes and tags do not."""
    files, _ = prepared(tmp_path)

    cases = [json.loads(line) for line in files["eval/golden.jsonl"].splitlines()]
    assert cases == [{"id": topic, "question": f"What about {topic}?"} for topic in TOPICS]
    assert b"label-" not in b"".join(files.values())
    assert files["eval/fixture/chunks.jsonl"] == (repo / "eval/fixture/chunks.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["eval/golden.jsonl", "eval/fixture/chunks.jsonl", "eval/fixture/vectors.npy"])
def test_what_only_lfs_has_is_named(name: str, tmp_path: Path, repo: Path) -> None:
    """A checkout without LFS has pointers where the files should be; the message says what the workflow lacks."""
    (repo / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n")

    with pytest.raises(errors.UsageError, match=rf"{name} is a pointer of Git LFS: give actions/checkout lfs: true"):
        prepared(tmp_path)


def test_what_is_asked_stays_as_it_is(tmp_path: Path, repo: Path) -> None:
    """History and language are part of the question; the split keeps held-out cases unnamed."""
    case = {
        "id": "a|b", "question": "Où\u2028ça ?", "history": [{"role": "user", "content": "Bonjour"}], "language": "fr",
        "split": "holdout", "expect": "abstain",
    }  # fmt: skip
    (repo / "eval" / "golden.jsonl").write_text(json.dumps(case))
    before = golden.read_golden([repo / "eval" / "golden.jsonl"]).cases[0]

    files, _ = prepared(tmp_path)

    (tmp_path / "out.jsonl").write_bytes(files["eval/golden.jsonl"])
    after = golden.read_golden([tmp_path / "out.jsonl"]).cases[0]
    assert after.input_hash("en") == before.input_hash("en")
    assert (after.split, after.expect) == ("holdout", "answer")


def test_a_golden_set_in_yaml_stays_yaml(tmp_path: Path, repo: Path) -> None:
    """A YAML file is read again with the same questions, whatever characters are in them."""
    case = '[{"id": "q1", "question": "\\u2028\\u0085 \U0001f600 #: {x}", "relevant": ["c-returns"]}]'
    (repo / "eval" / "golden.yaml").write_text(case)
    write_config(repo, golden="eval/golden.yaml")

    files, _ = prepared(tmp_path)

    (tmp_path / "out.yaml").write_bytes(files["eval/golden.yaml"])
    again = golden.read_golden([tmp_path / "out.yaml"]).cases
    assert [(case.question, case.relevant) for case in again] == [("\u2028\u0085 \U0001f600 #: {x}", ())]


def test_a_link_to_the_golden_set_shows_no_more(tmp_path: Path, repo: Path) -> None:
    """Another name of the file, and a configuration that names it through a link, are no way around."""
    (repo / "copy.jsonl").symlink_to("eval/golden.jsonl")
    write_config(repo, golden="copy.jsonl")

    files, _ = prepared(tmp_path)

    assert b"label-" not in b"".join(files.values())


def test_earlier_runs_are_taken_out(tmp_path: Path, repo: Path) -> None:
    """A committed baseline, accepted cases and our own results hold labels: none of them is there."""
    baseline = {"file": "eval/baseline.json"}
    write_config(repo, baseline=baseline, accepted="eval/accepted.yml")
    for name in ("eval/baseline.json", "eval/accepted.yml", "other/run.json", ".rag-assay/out/run.json"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("label-x")

    files, _ = prepared(tmp_path, Preparation("collect", hidden=("other/run.json",)))

    assert b"label-" not in b"".join(files.values())


@pytest.mark.parametrize(
    ("pipeline", "unseen"),
    [
        ({"kind": "command", "command": {"run": ["true"]}}, ["KEY", "OTHER"]),
        ({"kind": "command", "command": {"run": ["true"]}, "env": ["KEY"]}, ["OTHER"]),
        ({"kind": "builtin"}, []),
    ],
)
def test_what_is_granted_in_vain_is_named(
    pipeline: dict[str, Any], unseen: list[str], tmp_path: Path, repo: Path
) -> None:
    """A process sees what workflow and configuration both name; where there is none, nothing is lost."""
    write_config(repo, pipeline=pipeline)

    _, said = prepared(tmp_path, Preparation("collect", granted=("KEY", "OTHER")))

    assert re.findall(r"(\w+) is granted, and pipeline\.env does not name it", said) == unseen


def write_config(repo: Path, **more: Any) -> None:
    config = json.loads((repo / "rag-assay.yml").read_text())
    (repo / "rag-assay.yml").write_text(json.dumps(config | more))


def test_install_sees_nothing_of_the_suite(tmp_path: Path, repo: Path) -> None:
    """Neither questions nor documents are there when strangers' packages are installed."""
    (repo / "requirements.txt").write_text("six\n")

    files, _ = prepared(tmp_path, Preparation("install"))

    assert sorted(files) == ["rag-assay.yml", "requirements.txt"]


def test_links_that_lead_out_are_named(tmp_path: Path, repo: Path) -> None:
    """A person learns why a file is missing."""
    (repo / "hosts").symlink_to("/etc/hosts")

    files, said = prepared(tmp_path)

    assert "hosts" not in files
    assert "left out: the link 'hosts', which leads out of the repository" in said


@pytest.mark.parametrize("config", ["missing.yml", "/etc/passwd", "../repo/rag-assay.yml", "eval"])
def test_a_configuration_that_is_not_there_is_a_mistake(config: str, tmp_path: Path, repo: Path) -> None:
    """The configurations that are there are named; a workflow that is called so is none."""
    workflow = repo / ".github" / "workflows" / "rag-assay.yml"
    workflow.parent.mkdir(parents=True)
    workflow.touch()
    with pytest.raises(errors.UsageError, match=r"the input config can name rag-assay\.yml$"):
        prepared(tmp_path, config=config)


def test_a_configuration_cannot_have_files_removed_elsewhere(tmp_path: Path, repo: Path) -> None:
    """Paths that lead out of the repository, and the repository itself, are not removed."""
    (tmp_path / "precious").write_text("x")
    write_config(repo, baseline={"file": "../precious"}, accepted=".")

    files, _ = prepared(tmp_path)

    assert (tmp_path / "precious").exists()
    assert "rag-assay.yml" in files


def test_mistakes_of_the_golden_set_are_told_before_anything_runs(tmp_path: Path, repo: Path) -> None:
    """A golden set that cannot be read stops here."""
    (repo / "eval" / "golden.jsonl").write_text('{"id": "a"}\n')

    with pytest.raises(errors.InputError, match="question"):
        prepared(tmp_path)


def test_labels_that_the_fixture_lacks_are_told_before_anything_runs(tmp_path: Path, repo: Path) -> None:
    """Collect sees no labels, so what is wrong with them has to be found here."""
    chunks = repo / "eval" / "fixture" / "chunks.jsonl"
    chunks.write_text(chunks.read_text().replace("c-parcels", "c-packages"))

    with pytest.raises(errors.InputError, match="c-parcels"):
        prepared(tmp_path)


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        ("support", "support"),
        ("Support desk", "support-desk-f3aee8e6"),
        ("支持", "a2bb6ab2"),
        ("../../x", "x-7e2b1c1c"),
    ],
)
def test_the_slug_of_a_suite_is_fit_for_a_name(suite: str, expected: str) -> None:
    """Lower-case letters, digits and hyphens; names that would look alike differ."""
    assert suite_slug(suite).rpartition("-")[0] == expected.rpartition("-")[0]
    assert suite_slug(suite).replace("-", "").isalnum()
    assert suite_slug(suite).isascii()


def test_the_action_is_told_the_suite(tmp_path: Path, repo: Path) -> None:
    """The name of the artifact comes from here."""
    assert repo.is_dir()
    files, _ = prepared(tmp_path)

    assert files[".rag-assay/about"] == b"shop\nretrieval\nshop\nsome\nstranger\n"
