"""install: puts the user's own dependencies into a volume, where collect finds them and cannot change them."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator import errors
from evaluator.stores.words import visible
from evaluator.zones import archive

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

Policy = Literal["hashes", "wheels", "source"]

FLAGS: Mapping[Policy, tuple[str, ...]] = {
    "hashes": ("--require-hashes", "--only-binary", ":all:"),
    "wheels": ("--only-binary", ":all:"),
    "source": (),
}
"""What is installed: a wheel runs no code while it is installed, and a hash says which wheel it is."""

PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
"""What makes a folder one that can be built."""

INTERPRETER = "venv/bin/python"
"""Where the volume has the interpreter that knows what was installed."""

GIVEN_UP = (1, 2)
"""How uv ends when it has said what is wrong; any other end is none that it chose."""


class Packages(NamedTuple):
    """What is to be installed: a requirements file of the repository (or none), how, and for which Python."""

    requirements: str
    policy: Policy
    python: str


class Place(NamedTuple):
    """Where it is installed: an empty folder for the repository, a volume, and the variables of the installer."""

    root: Path
    volume: Path
    environment: Mapping[str, str]


def install(stream: IO[bytes], wanted: Packages, place: Place) -> None:
    """Make a virtual environment in a volume.

    Raises:
        UsageError: the file is not there or no list of packages, or what it asks for cannot be had.
        ZoneProblem: the stream is no repository, or the installer broke.
    """
    root, volume, _ = place
    archive.unpack_tree(stream, root)
    file = root / wanted.requirements
    if wanted.requirements and not (archive.is_inside(file, root) and file.is_file()):
        raise errors.UsageError(
            f"the requirements file '{visible(wanted.requirements)}' is not among the files that git tracks"
        )
    if wanted.policy != "source":
        _forbid_building(root, file)
    _uv(place, "venv", "--quiet", "--no-project", "--python", wanted.python or "3", str(volume / "venv"))
    if wanted.requirements:
        where = ["--python", str(volume / INTERPRETER), "--requirement", str(file)]
        _uv(place, "pip", "install", "--no-progress", *FLAGS[wanted.policy], *where)
    shutil.rmtree(volume / "cache", ignore_errors=True)


def _forbid_building(root: Path, file: Path) -> None:
    """Leave no folder that can be built: uv asks one that is to be editable for its name, whatever its flags say."""
    if file.name in PROJECT:
        raise errors.UsageError(
            f"the requirements file '{visible(file.name)}' may run code when it is read: compile it into a list of "
            f"packages, or give the input install-policy: source"
        )
    for path in root.rglob("*"):
        if path.name in PROJECT and not path.is_dir():
            path.unlink()


def _uv(place: Place, *arguments: str) -> None:
    program = shutil.which("uv", path=place.environment.get("PATH"))
    if program is None:
        raise errors.ZoneProblem("uv is not installed in this image")
    # What is downloaded goes where it is installed: a folder in memory would be too small for it. A configuration would
    # be the repository's, which could allow again what the policy forbids.
    own = {
        "UV_CACHE_DIR": str(place.volume / "cache"), "UV_PYTHON_INSTALL_DIR": str(place.volume / "python"),
        "UV_SYSTEM_CERTS": "true", "UV_NO_CONFIG": "true",
    }  # fmt: skip
    # Standard output carries streams here, so what the installer prints goes to the log.
    done = subprocess.run(
        [program, *arguments], cwd=place.root, env={**place.environment, **own}, stdout=2, check=False
    )
    if done.returncode in GIVEN_UP:
        raise errors.UsageError(
            "the requirements cannot be installed: the installer says above why not, and the input install-policy says "
            "what it may install"
        )
    if done.returncode != 0:
        raise errors.ZoneProblem(f"the installer ended with exit code {done.returncode}")
