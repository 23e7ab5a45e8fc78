"""Where a zone works: its folders, and how its configuration becomes a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator import errors
from evaluator.stores.words import visible
from evaluator.zones import archive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO

    from evaluator.stages.workspace import Workspace

    Taker = Callable[[IO[bytes]], object]

MOST_NAMED = 5


@dataclass(frozen=True)
class Site:
    """The place of one zone.

    Attributes:
        root: an empty folder for the repository.
        run: an empty folder for what the stages write.
        config: where the configuration is in the repository.
        open: makes a workspace of a configuration's path; it writes to ``run``.
    """

    root: Path
    run: Path
    config: str
    open: Callable[[Path], Workspace]

    def workspace(self) -> Workspace:
        """The workspace, once the repository is there.

        Raises:
            UsageError: the configuration is not in the repository; those that are there are named.
            InputError: it has mistakes.
        """
        return self.open(self._find_config())

    def _find_config(self) -> Path:
        path = self.root / self.config
        if not Path(self.config).is_absolute() and archive.is_inside(path, self.root) and path.is_file():
            return path
        # A workflow may have that name, too.
        found = (each for each in self.root.rglob(configuration.NAME) if each.parent.name != "workflows")
        others = ", ".join(visible(str(other.relative_to(self.root))) for other in sorted(found)[:MOST_NAMED])
        hint = f"the input config can name {others}" if others else "commit it"
        raise errors.UsageError(
            f"there is no configuration '{visible(self.config)}' among the files that git tracks; {hint}"
        )

    def take_tree(self, stream: IO[bytes]) -> None:
        """Take the repository."""
        archive.unpack_tree(stream, self.root)

    def taker(self, names: Sequence[str], optional: Sequence[str] = ()) -> Taker:
        """Who takes these files of a run."""
        return lambda stream: archive.take_files(stream, self.run, names, optional)

    def folder(self, name: str) -> Path:
        """A new folder beside that of the run."""
        folder = self.run.with_name(name)
        folder.mkdir()
        return folder
