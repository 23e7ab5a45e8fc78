"""Plug-ins are found by the module constant they present themselves with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from evaluator import errors, registry

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty package ``plugins_of_a_test`` that is found, and forgotten afterwards."""
    folder = tmp_path / "plugins_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def write(folder: Path, module: str, name: str) -> None:
    """A plug-in in a module, named as it likes."""
    (folder / f"{module}.py").write_text(
        f"from types import SimpleNamespace\nPLUGIN = SimpleNamespace(name={name!r}, home={module!r})\n"
    )


def test_a_plugin_is_taken_from_the_module_of_its_name(plugins: Path) -> None:
    """The others are not even imported: here one could not be."""
    write(plugins, "plain", "plain")
    (plugins / "broken.py").write_text("raise RuntimeError\n")

    assert registry.named(plugins.name, "PLUGIN", "plain").home == "plain"


def test_a_plugin_may_live_in_a_module_of_another_name(plugins: Path) -> None:
    """What decides is the name it presents itself by, also where a module is called like it."""
    write(plugins, "one", "two")
    write(plugins, "two", "one")

    assert registry.named(plugins.name, "PLUGIN", "two").home == "one"
    with pytest.raises(KeyError):
        registry.named(plugins.name, "PLUGIN", "three")


def test_two_of_one_name_are_refused(plugins: Path) -> None:
    """Nobody could say which of them was meant."""
    write(plugins, "one", "same")
    write(plugins, "two", "same")

    with pytest.raises(errors.DuplicateName, match="both 'same'"):
        registry.find(plugins.name, "PLUGIN")
