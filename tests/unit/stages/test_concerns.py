"""Which changes a suite need not be measured for: only those of which it is certain that it does not depend on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import config as configuration
from evaluator.stages.concerns import Asked, Place, why_measured
from evaluator.stages.tiers import matches

PYTHON = {"kind": "python", "python": {"target": "app.rag:answer", "path": ["lib", "../shared"]}}
CONFIG: dict[str, Any] = {
    "suite": "shop", "golden": ["eval/golden.jsonl", "eval/more"], "fixture": "eval/fixture", "pipeline": PYTHON,
    "accepted": "eval/accepted.yml", "when": ["src/**", "prompts/*.md"],
}  # fmt: skip
HOME = "services/shop"


def why(root: Path, *changed: str, older: str | None = None, event: str = "pull_request", **asked: Any) -> str:
    """Why a suite below ``services/shop`` is measured."""
    config = asked.pop("config", CONFIG)
    folder = root / HOME
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(config)
    (folder / "rag-assay.yml").write_text(text)
    read, problems = configuration.look(folder / "rag-assay.yml")
    assert read is not None, problems
    told = asked.pop("told", changed)
    about = Asked(event, told, text if older is None else older, **asked)
    return why_measured(read, about, Place(root, f"./{HOME}/rag-assay.yml"))


@pytest.mark.parametrize(
    "path",
    [
        "README.md", "services/search/src/a.py", "docs/src/a.py", "services/shop/README.md",
        "services/shop/prompts/a.txt", "services/shop/eval/other.jsonl", "services/shop/srcs/a.py", "lib/a.py", "ui/",
    ],
)  # fmt: skip
def test_what_the_suite_does_not_depend_on_is_passed_by(path: str, tmp_path: Path) -> None:
    """Neither the globs nor any key of the configuration names it."""
    assert why(tmp_path, path) == ""


@pytest.mark.parametrize(
    "path",
    [
        # The globs, from the root and from the configuration's folder.
        "src/a.py", "services/shop/src/deep/a.py", "services/shop/prompts/a.md", "prompts/a.md",
        # What the configuration names, and what may hold it.
        "services/shop/rag-assay.yml", "services/shop/eval/golden.jsonl", "services/shop/eval/more",
        "services/shop/eval/fixture/chunks.jsonl", "services/shop/eval/accepted.yml", "services/shop/eval/",
        # The pipeline's modules.
        "services/shop/app.py", "services/shop/app/rag.py", "services/shop/lib/x.py", "services/shared/x.py",
        # A submodule or a link that something named lies in.
        "services/", "services/shop/src/",
        # How files are checked out, and what the action is given.
        ".gitattributes", "services/shop/.gitattributes", ".gitmodules", ".github/workflows/rag-assay.yml",
        ".github/actions/build/action.yml", "actions/measure/action.yml", "action.yaml",
    ],
)  # fmt: skip
def test_what_it_may_depend_on_is_measured(path: str, tmp_path: Path) -> None:
    """One such file is enough, whatever else changed."""
    assert why(tmp_path, "README.md", path, "docs/x.md").startswith(f"{path} changed, which")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"told": None}, "it is not known which files changed"),
        ({"event": "push"}, "the event is push"),
        ({"event": "schedule"}, "the event is schedule"),
        ({"event": "workflow_run"}, "the event is workflow_run"),
        ({"event": ""}, "the event is "),
        ({"older": ""}, "the configuration is another one than in the base"),
        ({"older": json.dumps({**CONFIG, "when": ["**"]})}, "the configuration is another one than in the base"),
        ({"config": {**CONFIG, "when": []}}, "when names no files"),
    ],
)
def test_what_is_not_known_is_measured(asked: dict[str, Any], says: str, tmp_path: Path) -> None:
    """No globs, no base, no list of changes, or a run that others are compared with; the base's globs decide."""
    assert why(tmp_path, "README.md", **asked) == says


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("build/index.bin", {"inputs": ("./build",)}),
        ("constraints.txt", {"installs": True}),
        ("pyproject.toml", {"installs": True}),
    ],
)
def test_what_the_workflow_gives_is_measured(path: str, asked: dict[str, Any], tmp_path: Path) -> None:
    """Its inputs name files that the configuration does not, and a requirements file names others."""
    assert why(tmp_path, path) == ""
    assert why(tmp_path, path, **asked).startswith(f"{path} changed, which")


@pytest.mark.parametrize(
    ("when", "path"),
    [
        ("../../libs/**", "libs/a.py"), ("libs", "libs/a.py"), ("/libs/**", "libs/a.py"), ("./libs/", "libs/a/b.py"),
        ("**/*.py", "anywhere/a.py"), ("vendor/rag/**", "vendor/rag/"), ("vendor/rag/**", "vendor/"),
        ("vendor/*/src/*.py", "vendor/rag/"), ("vendor/rag", "vendor/"), ("**/libs", "a/libs/b/c.py"),
        ("vendor/*/", "vendor/rag/a.py"), ("src/**", "src/a\nb.py"), ("src/**/*.py", "src/a\nb/c.py"),
    ],
)  # fmt: skip
def test_a_glob_is_taken_as_it_is_meant(when: str, path: str, tmp_path: Path) -> None:
    """A folder by its name, from the root or upwards, and a submodule that some of it lies in."""
    config = {**CONFIG, "when": [when]}

    assert why(tmp_path, "README.md", config=config) == ""
    assert why(tmp_path, path, config=config).startswith(f"{path} changed, which")


def test_what_is_to_be_judged_is_measured(tmp_path: Path) -> None:
    """A prompt that judge.when names and when does not: passed by, it would never be judged."""
    config = {**CONFIG, "judge": {"provider": "scripted", "model": "replies.jsonl", "when": ["texts/**"]}}

    assert why(tmp_path, "README.md", config=config) == ""
    said = why(tmp_path, "texts/system.txt", config=config)
    assert said == "texts/system.txt changed, which judge.when names by texts/**"


@pytest.mark.parametrize("glob", ["src/*.{py,md}", "src/[ab].py", "!docs/**", "a\\*"])
def test_a_wildcard_that_is_not_known_is_a_mistake(glob: str, tmp_path: Path) -> None:
    """It would name nothing, so that no change would ever be measured."""
    (tmp_path / "rag-assay.yml").write_text(json.dumps({**CONFIG, "when": [glob]}))

    _, problems = configuration.look(tmp_path / "rag-assay.yml")

    assert any("a glob has *, ? and **" in problem.message for problem in problems)


def test_what_a_link_leads_to_counts_as_the_link(tmp_path: Path) -> None:
    """Golden files, folders and links behind links: git lists what they lead to, and the configuration names them."""
    (tmp_path / HOME / "eval").mkdir(parents=True)
    (tmp_path / "data" / "sets").mkdir(parents=True)
    (tmp_path / "data" / "sets" / "golden.jsonl").write_text("")
    (tmp_path / HOME / "eval" / "golden.jsonl").symlink_to("../../../data/sets/golden.jsonl")
    (tmp_path / HOME / "src").symlink_to("../../more")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "deep").symlink_to("../deepest")
    (tmp_path / "deepest").mkdir()
    (tmp_path / "round").symlink_to(".")

    assert why(tmp_path, "data/sets/other.jsonl") == ""
    for path in ("data/sets/golden.jsonl", "more/a.py", "deepest/a.py", "data/"):
        assert "changed, which" in why(tmp_path, path), path


NAME = st.text("ab", min_size=1, max_size=2)
PART = st.sampled_from(["a", "b", "*", "**", "?", "ab"])


@given(
    st.lists(NAME, min_size=1, max_size=3),
    st.lists(NAME, min_size=1, max_size=3),
    st.lists(PART, min_size=1, max_size=5),
)
def test_a_folder_is_named_where_something_in_it_is(folder: list[str], below: list[str], glob: list[str]) -> None:
    """Whatever lies in a submodule, a glob that names it names the submodule."""
    path, pattern = "/".join([*folder, *below]), "/".join(glob)

    assert matches("/".join(folder) + "/", pattern) or not matches(path, pattern)
