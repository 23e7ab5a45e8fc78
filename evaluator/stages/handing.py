"""Values that a stage leaves for the stages after it: in a file always, and in memory for this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from evaluator.model.base import Value
from evaluator.stores.values import read_value, write_value

if TYPE_CHECKING:
    from evaluator.stages.workspace import Workspace

V = TypeVar("V", bound=Value)


def leave(workspace: Workspace, name: str, value: Value) -> None:
    """Write a value to a file of the output folder, and keep it for the stages after this one.

    Raises:
        FileProblem: as :func:`evaluator.stores.values.write_value`.
    """
    write_value(workspace.out / name, value)
    workspace.handed.values[name] = value


def take(workspace: Workspace, name: str, model: type[V]) -> V:
    """The value that a stage before this one left, or that a file of the output folder holds.

    Raises:
        FileProblem: as :func:`evaluator.stores.values.read_value`.
    """
    value = workspace.handed.values.get(name)
    return value if isinstance(value, model) else read_value(workspace.out / name, model)
