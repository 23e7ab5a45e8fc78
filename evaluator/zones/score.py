"""score: measures the sealed records by the whole golden set."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.stages import score as stage
from evaluator.stages.judged_run import RESCORED
from evaluator.stores import golden
from evaluator.zones import archive, fetched, judging, vouching
from evaluator.zones.judging import NOTHING
from evaluator.zones.kept import Replies
from evaluator.zones.keys import Keys
from evaluator.zones.seal import RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import IO

    from evaluator.stages.workspace import Workspace
    from evaluator.zones.fetched import Fetched
    from evaluator.zones.judging import Granted
    from evaluator.zones.site import Site
    from evaluator.zones.untrusted import Stranger

SCORED = (*RECORDED, "run.json")
ALSO_SCORED = (RESCORED,)
"""Files of the stage that may be there."""

PART = "scored.tar"
"""The stream of those files, beside which the judge's replies leave this zone."""


def score(
    stream: IO[bytes], out: IO[bytes], site: Site, granted: Granted = NOTHING, keys: Keys | None = None, *,
    stranger: Stranger | None = None,
) -> None:  # fmt: skip
    """Score the sealed records of a repository's pipeline; write the run and, where it has new ones, a judge's replies.

    ``granted`` is what the judge may have, ``keys`` has the values of it.

    What collect said of itself was written beside the user's code: everything that is known here as well is taken from
    here, and the records have to answer exactly the questions of the golden set. Where the stage fails, what it writes
    are the judge's replies alone, for they were paid for.

    Where the records are of a ``stranger``, the repository is the base, and each question that they leave out is one
    that the pipeline failed on.

    Raises:
        ZoneProblem: they do not, or the stream is not what this zone takes.
        UsageError: the judge is one that may not have its key.
        LeakedKey: the judge's key is in the run, which is not written then.
        AssayError: as the stage.
    """
    found: list[Fetched] = []
    kept = Replies(site.run.with_name("kept"))
    archive.take_parts(
        stream, {"tree.tar": site.take_tree, "sealed.tar": site.taker(RECORDED)},
        {
            fetched.NAME: lambda part: found.append(fetched.take(part, site.folder("fetched"))),
            kept.file.name: kept.take,
        },
    )  # fmt: skip
    # A baseline and a cache that the configuration names are the pull request's own.
    workspace = dataclasses.replace(site.workspace(), judge_cache=kept.file, reads_own_baseline=False)
    if workspace.tier == "full":
        judging.check(workspace, site.root, granted)
        _begin(kept, workspace, granted)
    workspace = _vouched(workspace, stranger)
    try:
        stage.score(workspace, _baseline(workspace, found))
    except errors.AssayError:
        archive.pack_files(kept.folder, out, kept.news())
        raise
    written = [*SCORED, *(name for name in ALSO_SCORED if (workspace.out / name).exists())]
    _refuse_keys([workspace.out / name for name in written], keys or Keys({}))
    with (kept.folder / PART).open("xb") as part:
        archive.pack_files(workspace.out, part, written)
    archive.pack_files(kept.folder, out, [PART, *kept.news()])


def _begin(kept: Replies, workspace: Workspace, granted: Granted) -> None:
    """Without a key that nobody knows, anybody could have written what was kept."""
    if judging.is_signed(workspace.config.judge, granted):
        kept.begin(workspace.log)
    else:
        kept.forget()


def _vouched(workspace: Workspace, stranger: Stranger | None) -> Workspace:
    """Hold the records to the questions of the golden set."""
    cases = golden.read_golden([workspace.path(file) for file in workspace.config.golden])
    if stranger is None:
        vouching.vouch(workspace, cases)
        return workspace
    from evaluator.zones import untrusted  # noqa: PLC0415 - only strangers' runs pay for it

    return untrusted.adopt(workspace, cases, stranger)


def _baseline(workspace: Workspace, found: Sequence[Fetched]) -> Path | None:
    """What answers are held beside; a suite that has another name now is compared, and judged by itself."""
    path = found[0].standard(workspace.tier).baseline if found else None
    named = found[0].found.suite if found else None
    return path if named in {None, workspace.config.suite} else None


def _refuse_keys(files: Iterable[Path], keys: Keys) -> None:
    """A judge's reply may repeat what it was sent."""
    for file in files:
        with file.open("rb") as lines:
            if any(keys.are_in(line) for line in lines):
                raise errors.LeakedKey("the judge's key is in what the judge replied; nothing was kept: change the key")
