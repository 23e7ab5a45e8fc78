"""What every zone of the GitHub Action is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.cli import edges
from evaluator.cli.options import Given

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.cli.session import Session
    from evaluator.config import Tier
    from evaluator.stages.workspace import Workspace
    from evaluator.zones.keys import Keys
    from evaluator.zones.site import Site

# A zone imports what it runs when it runs: --help needs none of it.
# ruff: noqa: PLC0415


@dataclass(frozen=True)
class Room:
    """What every zone is given: the call, an empty folder, and the volume that install fills."""

    session: Session
    work: Path
    volume: Path

    def folder(self, name: str) -> Path:
        """A new folder."""
        folder = self.work / name
        folder.mkdir()
        return folder

    def keys(self, names: tuple[str, ...]) -> Keys:
        """The variables that the pipeline was granted; one that is not set has nothing to be found."""
        from evaluator.zones.keys import Keys

        return Keys({name: self.session.environment.get(name, "") for name in names})

    def site(self, config: str, tier: Tier, commit: str | None = None) -> Site:
        """Where a repository is unpacked and its stages write. Only the stage that judges looks for the judge's key."""
        from evaluator.zones.site import Site

        run, tree = self.folder("run"), self.folder("tree")
        # Where the repository lies in this zone is of no use to anybody: files are named as its users know them.
        self.session.console.home = tree

        def open_workspace(config_file: Path) -> Workspace:
            given = Given(config=config_file, out=run, commit=commit, quiet=False, debug=False)
            workspace = edges.workspace(self.session, given, tier)
            # Nothing that is written here outlives the zone: a traceback belongs to the log.
            self.session.out = None
            return workspace

        return Site(root=tree, run=run, config=config, open=open_workspace)
