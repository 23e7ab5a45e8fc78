"""What a release writes, and what keeps one from being made of parts that do not belong together."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evaluator import __version__
from tests.container.world import copy_action

ROOT = Path(__file__).parents[2]
IMAGE = f"ghcr.io/rag-assay/rag-assay@sha256:{'0123456789abcdef' * 4}"
NEXT = "7.0.1"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "scripts" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release: Any = script()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of this repository, as far as releases touch it."""
    copy_action(tmp_path)
    for name in ("docs", ".github"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "tests" / "container", tmp_path / "tests" / "container")
    for name in ("README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def prepared(folder: Path) -> Path:
    """The same, prepared and locked."""
    assert release.main(["prepare", NEXT, "2027-01-02"], folder) == 0
    assert release.main(["lock", IMAGE], folder) == 0
    return folder


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_what_is_prepared_agrees_and_can_be_tagged(prepared: Path) -> None:
    """Version, changelog, everything that people copy, and the lock of exactly this folder."""
    assert release.main(["check", f"v{NEXT}"], prepared) == 0

    changelog = (prepared / "CHANGELOG.md").read_text()
    assert f"\n## [Unreleased]\n\n## [{NEXT}] - 2027-01-02\n\n### Added\n" in changelog
    assert f'__version__ = "{NEXT}"\n' in (prepared / "evaluator" / "__init__.py").read_text()
    template = (prepared / "templates" / "workflows" / "rag-assay-baseline.yml").read_text()
    assert template.count(f"rag-assay/rag-assay/baseline@v{NEXT} ") == 2
    everything = "".join(
        path.read_text() for path in prepared.rglob("*") if path.suffix in {".md", ".yml"} and path.is_file()
    )
    assert not re.search(rf"rag-assay\S*(==|@v){re.escape(__version__)}\b", everything)


def test_the_image_is_used_after_it(prepared: Path) -> None:
    """The Action's own script takes the lock for this folder, and for no other."""
    shell = 'source scripts/image.sh; stop() { echo "$*"; }; note() { :; }; have_image() { :; }; build_image() { :; }'
    command = ["bash", "-c", f'{shell}; ASSAY_IMAGE=; choose_images; echo "$image"']

    def chosen() -> str:
        return subprocess.run(command, cwd=prepared, capture_output=True, text=True, check=True).stdout.strip()

    assert chosen() == IMAGE
    (prepared / "evaluator" / "later.py").write_text("")
    assert chosen().startswith("rag-assay:")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("evaluator/errors.py", "", "# later\n"), "image.lock is of another folder than this"),
        (("scripts/gate.sh", "exit 1", "exit 0"), "image.lock is of another folder than this"),
        (("image.lock", f"image={IMAGE}", "image=ghcr.io/rag-assay/rag-assay:latest"), "no image by its digest"),
        (("image.lock", f"image={IMAGE}", "image="), "no image by its digest"),
        (("CHANGELOG.md", f"## [{NEXT}] - 2027-01-02", ""), f"CHANGELOG.md has no section of {NEXT}"),
        (("README.md", f"@v{NEXT}", "@v0.0.9"), "README.md names the version 0.0.9"),
    ],
)
def test_what_does_not_agree_is_named(
    prepared: Path, change: tuple[str, str, str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence for each, and nothing is published."""
    name, old, new = change
    path = prepared / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    assert release.main(["check", f"v{NEXT}"], prepared) == 1
    assert any(sentence in line for line in said(capsys))


@pytest.mark.parametrize("tag", ["v7.0.2", "7.0.1", "v7.0.1-1", ""])
def test_another_tag_is_refused(prepared: Path, tag: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A tag is v and the version."""
    assert release.main(["check", tag], prepared) == 1
    assert said(capsys) == [f"the tag is '{tag}', and the version is {NEXT}"]


@pytest.mark.parametrize("version", ["v1.2.3", "1.2", "1.2.3-rc1", "01.2.3", "1.2.3\n", "$(id)", "1.2.1\u0663", ""])
def test_what_is_no_version_is_refused(folder: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It comes from a person, and goes into files and names of branches."""
    assert release.main(["prepare", version, "2027-01-02"], folder) == 1
    assert "is no version" in said(capsys)[0]


@pytest.mark.parametrize(
    "image", [IMAGE.replace("ghcr.io", "example.com"), "ghcr.io/a/b:1", f"{IMAGE} x", IMAGE[:-1], ""]
)
def test_only_an_image_by_its_digest_is_locked(folder: Path, image: str) -> None:
    """A name with a tag can be pointed at something else."""
    before = (folder / "image.lock").read_text()

    assert release.main(["lock", image], folder) == 1
    assert (folder / "image.lock").read_text() == before


def test_the_same_version_is_not_released_twice(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor one in which nothing has changed."""
    assert release.main(["prepare", NEXT, "2027-01-03"], prepared) == 1
    assert release.main(["prepare", "7.0.2", "2027-01-03"], prepared) == 1
    assert [line.partition(":")[0] for line in said(capsys)] == [
        f"CHANGELOG.md has a section of {NEXT} already", "CHANGELOG.md has nothing under Unreleased",
    ]  # fmt: skip


def test_preparing_is_the_same_on_every_machine(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each job of the workflow prepares its own copy, and the image of one is locked by another."""
    other = copy_action(tmp_path_factory.mktemp("other"))
    for name in ("README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, other / name)
    assert release.main(["prepare", NEXT, "2027-01-02"], other) == 0

    assert release.source_hash(other) == release.source_hash(prepared)


def test_the_notes_are_what_the_changelog_says(prepared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of this version and of no other."""
    assert release.main(["notes", NEXT], prepared) == 0
    assert capsys.readouterr().out.startswith("### Added\n\n- ")
    assert release.main(["notes", "1.0.0"], prepared) == 1
