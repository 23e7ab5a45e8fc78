"""Finds plug-ins (one module each in a package, presenting itself by one module constant) and optional libraries."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from typing import Any

from evaluator import errors


def find(package: str, constant: str) -> dict[str, Any]:
    """Plug-ins of a package by their ``name``, in alphabetical order of their modules.

    A module without the constant, or whose name starts with an underscore, is no plug-in.

    Raises:
        DuplicateName: two modules present plug-ins of one name.
    """
    found: dict[str, Any] = {}
    home: dict[str, str] = {}
    for module_info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if module_info.name.startswith("_"):
            continue
        plugin = getattr(importlib.import_module(f"{package}.{module_info.name}"), constant, None)
        if plugin is None:
            continue
        if plugin.name in found:
            raise errors.DuplicateName(
                f"{package}.{home[plugin.name]} and {package}.{module_info.name} are both {plugin.name!r}; rename one"
            )
        found[plugin.name] = plugin
        home[plugin.name] = module_info.name
    return found


def named(package: str, constant: str, name: str) -> Any:
    """The plug-in of a name. The module of that name is asked first, so that the others need not be imported.

    Raises:
        KeyError: there is no such plug-in.
        DuplicateName: it was looked for in all modules, and two present plug-ins of one name.
    """
    module = f"{package}.{name}"
    if importlib.util.find_spec(module) is not None:
        plugin = getattr(importlib.import_module(module), constant, None)
        if plugin is not None and plugin.name == name:
            return plugin
    return find(package, constant)[name]


def library(module: str, extra: str) -> Any:
    """A library that only some people need, imported when it is used.

    Raises:
        MissingExtra: it is not installed; the extra of ours that brings it is named.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        missing = module.partition(".")[0]
    raise errors.MissingExtra(f"this {_needs(missing, extra)}")


def lacking(module: str, extra: str) -> str | None:
    """What to say of a library that is not installed, without importing it; None where it is."""
    return None if importlib.util.find_spec(module) is not None else _needs(module, extra)


def _needs(missing: str, extra: str) -> str:
    return f"needs {missing}, which is not installed: pip install 'rag-assay[{extra}]'"
