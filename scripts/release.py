#!/usr/bin/env python3
"""What a release writes and checks: version, changelog and image.lock. It asks nobody, and needs Python alone.

docs/release.md says when each is run:

    release.py prepare VERSION DATE   the version in every file that names it, and its heading in CHANGELOG.md
    release.py lock IMAGE             image.lock: this folder's hash, and the image that was built of it, by digest
    release.py check TAG              whether tag, version, changelog and image.lock agree
    release.py notes VERSION          what CHANGELOG.md says of a version
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}")
IMAGE = re.compile(r"ghcr\.io/[a-z0-9._/-]+@sha256:[0-9a-f]{64}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
UNRELEASED = "## [Unreleased]"
MODULE = "evaluator/__init__.py"
NAMING = (
    "README.md", "docs/**/*.md", "templates/**/*.yml", ".github/workflows/*.yml", "*/action.yml",
    "tests/container/*.py",
)  # fmt: skip
"""Files that tell people, or a test, which version to install or use."""

NAMED = re.compile(r"(?<=rag-assay)((?:/[\w.-]+)*(?:==|@v))(\d+\.\d+\.\d+)\b")


class Mistake(Exception):
    """Something that has to be mended first; the text says what."""


def version_of(root: Path) -> str:
    """The version of the package."""
    found = re.search(r'^__version__ = "([^"]+)"$', (root / MODULE).read_text(), re.MULTILINE)
    if found is None:
        raise Mistake(f"{MODULE} names no version")
    return found[1]


def prepare(root: Path, version: str, date: str) -> None:
    """Name the version everywhere, and begin its section of the changelog with what is unreleased."""
    if not VERSION.fullmatch(version) or not DATE.fullmatch(date):
        raise Mistake(f"{version!r} of {date!r} is no version and its day, as 1.2.3 of 2026-11-30")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text()
    if section(text, version) is not None:
        raise Mistake(f"CHANGELOG.md has a section of {version} already: it was released before")
    if not section(text, "Unreleased"):
        raise Mistake("CHANGELOG.md has nothing under Unreleased: there is nothing to release")
    changelog.write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n\n## [{version}] - {date}", 1))
    module = root / MODULE
    module.write_text(module.read_text().replace(f'"{version_of(root)}"', f'"{version}"', 1))
    for path in naming(root):
        path.write_text(NAMED.sub(lambda found: found[1] + version, path.read_text()))


def lock(root: Path, image: str) -> None:
    """Say which image was built of this folder."""
    if not IMAGE.fullmatch(image):
        raise Mistake(f"'{image}' is no image by its digest, as ghcr.io/owner/name@sha256:…")
    path = root / "image.lock"
    text = path.read_text()
    for name, value in (("source", source_hash(root)), ("image", image)):
        text = re.sub(rf"^{name}=.*$", f"{name}={value}", text, flags=re.MULTILINE)
    path.write_text(text)


def disagreements(root: Path, tag: str) -> Iterator[str]:
    """What of a tag, the version, the changelog and image.lock does not agree, a sentence each."""
    version = version_of(root)
    if tag != f"v{version}":
        yield f"the tag is '{tag}', and the version is {version}"
    if not section((root / "CHANGELOG.md").read_text(), version):
        yield f"CHANGELOG.md has no section of {version}"
    for path in naming(root):
        for other in {found[2] for found in NAMED.finditer(path.read_text())} - {version}:
            yield f"{path.relative_to(root)} names the version {other}"
    locked = dict(re.findall(r"^(source|image)=(.*)$", (root / "image.lock").read_text(), re.MULTILINE))
    if locked.get("source") != source_hash(root):
        yield "image.lock is of another folder than this: something was changed after the image was built"
    if not IMAGE.fullmatch(locked.get("image", "")):
        yield "image.lock names no image by its digest"


def check(root: Path, tag: str) -> None:
    """Demand that all agree."""
    found = list(disagreements(root, tag))
    if found:
        raise Mistake("\n".join(found))


def notes(root: Path, version: str) -> None:
    """Print what the changelog says of a version."""
    found = section((root / "CHANGELOG.md").read_text(), version)
    if not found:
        raise Mistake(f"CHANGELOG.md has no section of {version}")
    sys.stdout.write(f"{found}\n")


def section(changelog: str, name: str) -> str | None:
    """The text below a heading of the changelog; None where there is no such heading."""
    heading = rf"^## \[{re.escape(name)}\](?: - {DATE.pattern})?\n"
    found = re.search(rf"{heading}(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return None if found is None else found[1].strip()


def naming(root: Path) -> list[Path]:
    """The files that name the version beside the package itself."""
    return sorted(path for pattern in NAMING for path in root.glob(pattern))


def source_hash(root: Path) -> str:
    """What image.lock is held to."""
    done = subprocess.run([root / "scripts" / "source_hash.sh"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


COMMANDS: dict[str, tuple[Callable[..., None], list[str]]] = {
    "prepare": (prepare, ["version", "date"]), "lock": (lock, ["image"]), "check": (check, ["tag"]),
    "notes": (notes, ["version"]),
}  # fmt: skip


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Run one command; 1 where something has to be mended first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, parameters) in COMMANDS.items():
        command = commands.add_parser(name)
        for each in parameters:
            command.add_argument(each)
    given = vars(parser.parse_args(arguments))
    run, parameters = COMMANDS[given["command"]]
    try:
        run(root, *(given[each] for each in parameters))
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
