"""The installer is called with what the policy allows, and its end is understood. A script stands in for uv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.zones.install import Packages, Place, Policy, install
from tests.zones import stream_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Installer:
    """A stand-in for uv that writes down how it was called and ends as it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "volume" / "cache").mkdir(parents=True)
        (folder / "tree").mkdir()
        self.ends_with(0)

    def ends_with(self, code: int) -> None:
        """The exit code of the second call, the one that installs."""
        script = self.folder / "bin" / "uv"
        script.write_text(
            f'#!/bin/sh\necho "$UV_CACHE_DIR $*" >> "{self.folder}/calls"\n[ "$1" = venv ] || exit {code}\n'
        )
        script.chmod(0o755)

    def install(
        self, requirements: str = "req.txt", policy: Policy = "hashes", python: str = "",
        files: Mapping[str, bytes] | None = None,
    ) -> list[str]:  # fmt: skip
        """The calls."""
        place = Place(
            root=self.folder / "tree", volume=self.folder / "volume", environment={"PATH": f"{self.folder}/bin:/bin"}
        )
        install(stream_of({"req.txt": b"six\n", **(files or {})}), Packages(requirements, policy, python), place)
        return (self.folder / "calls").read_text().splitlines()


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    """The stand-in."""
    return Installer(tmp_path)


@pytest.mark.parametrize(
    ("policy", "flags"),
    [
        ("hashes", "--require-hashes --only-binary :all: "),
        ("wheels", "--only-binary :all: "),
        ("source", ""),
    ],
)
def test_the_policy_decides_what_may_be_installed(policy: Policy, flags: str, installer: Installer) -> None:
    """Hashes and wheels unless the workflow says otherwise; what is downloaded stays in the volume."""
    venv, pip = installer.install(policy=policy)

    volume, tree = installer.folder / "volume", installer.folder / "tree"
    assert venv == f"{volume}/cache venv --quiet --no-project --python 3 {volume}/venv"
    assert pip == (
        f"{volume}/cache pip install --no-progress {flags}--python {volume}/venv/bin/python "
        f"--requirement {tree}/req.txt"
    )
    assert not (volume / "cache").exists()


def test_a_python_alone_needs_no_requirements(installer: Installer) -> None:
    """The version of Python can be chosen without installing anything for it."""
    (call,) = installer.install(requirements="", python="3.12")

    assert "--python 3.12 " in call


@pytest.mark.parametrize("requirements", ["missing.txt", "../req.txt", "/etc/passwd"])
def test_requirements_that_are_not_there_are_a_mistake(requirements: str, installer: Installer) -> None:
    """The file has to be in the repository."""
    with pytest.raises(errors.UsageError, match="not among the files"):
        installer.install(requirements=requirements)


@pytest.mark.parametrize(
    ("policy", "left"), [("hashes", ["a.txt"]), ("wheels", ["a.txt"]), ("source", ["a.txt", "setup.py"])]
)
def test_no_folder_can_be_built_unless_that_is_allowed(policy: Policy, left: list[str], installer: Installer) -> None:
    """What makes a folder a project is not there where only wheels may be installed."""
    installer.install(policy=policy, files={"pkg/setup.py": b"", "pkg/a.txt": b""})

    assert sorted(path.name for path in (installer.folder / "tree" / "pkg").iterdir()) == left


@pytest.mark.parametrize("policy", ["hashes", "wheels"])
def test_a_project_is_no_list_of_packages(policy: Policy, installer: Installer) -> None:
    """Reading one may run code of it, which the policy forbids."""
    with pytest.raises(errors.UsageError, match="may run code when it is read"):
        installer.install("pyproject.toml", policy=policy, files={"pyproject.toml": b""})


@pytest.mark.parametrize(("code", "kind"), [(1, errors.UsageError), (2, errors.UsageError), (137, errors.ZoneProblem)])
def test_requirements_that_cannot_be_met_are_a_mistake_and_the_rest_is_none(
    code: int, kind: type[errors.AssayError], installer: Installer
) -> None:
    """Exit code 2 for what the installer explained, 4 for one that was ended."""
    installer.ends_with(code)

    with pytest.raises(kind):
        installer.install()


def test_an_image_without_an_installer_is_told_so(installer: Installer) -> None:
    """A missing program is no verdict."""
    (installer.folder / "bin" / "uv").unlink()

    with pytest.raises(errors.ZoneProblem, match="uv is not installed"):
        installer.install()
