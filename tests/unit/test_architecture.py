"""Holds the shape of the package: imports go one way, and nothing grows beyond its budget."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "evaluator"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)

MAY_IMPORT = {
    "errors": set(),
    "registry": {"errors"},
    "templates": {"errors"},
    "model": {"errors"},
    "metrics": {"model", "errors", "registry"},
    "comparison": {"model", "errors", "registry"},
    "report": {"model", "comparison", "templates", "errors", "registry"},
    "pipelines": {"model", "errors", "registry"},
    "judges": {"model", "errors", "registry"},
    "judging": {"model", "templates", "errors"},
    "stores": {"model", "errors", "registry"},
    "github": {"model", "errors"},
    "human": {"model", "comparison", "stores", "errors"},
    "embedders": {"model", "errors", "registry"},
    "config_checks": {"model", "errors", "stores.located"},
    "config": {"model", "errors", "stores.located", "config_checks"},
    "stages": {
        "config",
        "model",
        "metrics",
        "comparison",
        "report",
        "pipelines",
        "judges",
        "judging",
        "embedders",
        "stores",
        "github",
        "templates",
        "errors",
        "registry",
    },
}
MAY_IMPORT["zones"] = MAY_IMPORT["stages"] | {"stages", "github"}
"""Folder or module of the package -> what it may import."""

FREE = {"cli", "__init__", "__main__"}
"""What may import everything; a folder that is in neither of the two fails every test that asks for it."""

LONGEST_FUNCTION = 60
LONGEST_MODULE = 300
MOST_PARAMETERS = 6


class Import(NamedTuple):
    """One import of something of ours, wherever it stands in a file."""

    path: Path
    line: int
    target: str


def part_of(path: Path) -> str:
    """The folder or top-level module of the package that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def is_ours(dotted: str) -> bool:
    """Whether a dotted name below ``evaluator`` is a module or a folder rather than something inside one."""
    place = PACKAGE.joinpath(*dotted.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def is_inside(dotted: str) -> bool:
    """Whether a dotted name is something inside one of our modules."""
    module, dot, _ = dotted.rpartition(".")
    return bool(dot) and is_ours(module)


@cache
def nodes(source: str) -> list[ast.AST]:
    """All that a source is made of."""
    return list(ast.walk(ast.parse(source)))


def imports_of(path: Path, source: str) -> list[Import]:
    """Everything of ours that a file imports, at the top, inside functions or for type checking only."""
    found = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide what is imported"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    ours = [(line, name.removeprefix("evaluator.")) for line, name in found if name.startswith("evaluator.")]
    return [Import(path, line, name) for line, name in ours if is_ours(name) or is_inside(name)]


def is_allowed(one: Import) -> bool:
    """Whether an import goes the one way that is allowed."""
    home, target = part_of(one.path), one.target.split(".")
    if home in FREE or target[0] == home:
        return True
    return target[0] in MAY_IMPORT[home] or ".".join(target[:2]) in MAY_IMPORT[home]


def functions(source: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    return [node for node in nodes(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters a function has, ``self`` and ``cls`` aside."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"])) + (arguments.vararg is not None)


def dotted(node: ast.AST) -> str:
    """``a.b.c`` as text; empty for anything that is no plain name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


class TestEveryModule:
    """What holds for each module of the package; all in one test, for 1,369 took half a minute."""

    def test_imports_go_one_way(self) -> None:
        """A part imports only the parts it may, inside functions and for type checking too."""
        found = [one for path in MODULES for one in imports_of(path, path.read_text())]

        assert [f"{one.path}:{one.line} imports {one.target}" for one in found if not is_allowed(one)] == []
        assert len(found) > len(MODULES)

    def test_functions_are_within_their_budget(self) -> None:
        """Functions and parameter lists stay short enough to be read at once."""
        found = [(path, each) for path in MODULES for each in functions(path.read_text())]
        long = [
            f"{path}: {each.name}"
            for path, each in found
            if (each.end_lineno or 0) - each.lineno + 1 > LONGEST_FUNCTION
        ]

        assert long == []
        assert [f"{path}: {each.name}" for path, each in found if parameters(each) > MOST_PARAMETERS] == []

    def test_modules_are_within_their_budget(self) -> None:
        """And so do whole files."""
        assert [str(path) for path in MODULES if len(path.read_text().splitlines()) >= LONGEST_MODULE] == []

    def test_reads_no_environment_and_no_date_outside_the_command_line(self) -> None:
        """Variables, dates and standard output belong to the command line; everything else is handed what it needs."""
        used = {path: {dotted(node) for node in nodes(path.read_text())} & WORLD for path in MODULES}
        outside = {path: names for path, names in used.items() if part_of(path) != "cli"}
        allowed = {path: EDGES.get(path.relative_to(PACKAGE).as_posix(), set()) for path in outside}

        assert {str(path): names - allowed[path] for path, names in outside.items() if names - allowed[path]} == {}
        assert any(used.values())


WORLD = {
    "os.environ", "os.getenv", "time.time", "time.time_ns", "time.localtime", "datetime.now", "datetime.datetime.now",
    "datetime.date.today", "date.today", "print",
}  # fmt: skip
"""What the command line alone may touch."""

EDGES: dict[str, set[str]] = {}
"""Files that touch some of it all the same: they run in a process of their own, without the package."""


class TestTheRules:
    """The rules above notice what they are there for."""

    def test_an_import_against_the_grain_is_noticed(self) -> None:
        """A model that imports a store inside a function, or for type checking only, is caught."""
        path = PACKAGE / "model" / "golden.py"
        source = (
            "def read():\n    from evaluator.stores import golden\nif TYPE_CHECKING:\n    from evaluator import config"
        )

        assert [is_allowed(one) for one in imports_of(path, source)] == [False, False]

    def test_a_part_that_is_allowed_one_module_only_is_held_to_it(self) -> None:
        """The configuration may use positions of the stores and nothing else of them."""
        path = PACKAGE / "config.py"
        allowed, refused = Import(path, 1, "stores.located"), Import(path, 1, "stores.golden")

        assert (is_allowed(allowed), is_allowed(refused)) == (True, False)

    def test_every_part_of_the_package_is_in_the_table(self) -> None:
        """A new folder or module has to say what it may import."""
        parts = {part_of(path) for path in MODULES} - {"__init__", "__main__", "cli"}

        assert parts - set(MAY_IMPORT) == set()

    def test_parameters_are_counted_without_self(self) -> None:
        """Keyword-only and starred parameters count, ``self`` does not."""
        source = "class A:\n    def f(self, a, /, b, *c, d, **e): ...\n"

        assert [parameters(each) for each in functions(source)] == [4]
