"""What ``--tier auto`` is decided by: the forge's event, and what git says of the files that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.cli import edges
from evaluator.stages import tiers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluator.model.config import Config, Judge


def choose(asked: str, config: Config, config_file: Path, environment: Mapping[str, str]) -> tiers.Choice:
    """The tier of a run in this place, now.

    Raises:
        UsageError: tier full has no judge or no key, or the change takes the judge away that would be asked.
    """
    judge, older = config.judge, _older(config_file)
    if judge is None and older is None:
        # Most suites never had one, and need not wait for git to look for what changed.
        return tiers.choose(asked, None, tiers.Occasion(), has_key=False)
    return tiers.choose(asked, judge, _occasion(config_file, environment, older), has_key=_has_key(judge, environment))


def _has_key(judge: Judge | None, environment: Mapping[str, str]) -> bool:
    if judge is None:
        return False
    from evaluator.stages import bench  # noqa: PLC0415 - only suites with a judge pay for it

    return bench.can_be_asked(judge, environment)


def _occasion(config_file: Path, environment: Mapping[str, str], older: Sequence[str] | None) -> tiers.Occasion:
    folder = config_file.parent
    return tiers.Occasion(
        event=environment.get("GITHUB_EVENT_NAME", ""), changed=_changed(folder), older=older,
        trusted=_is_trusted(environment), in_ci=bool(environment.get("CI")),
    )  # fmt: skip


def _changed(folder: Path) -> Sequence[str] | None:
    """Files, uncommitted ones included, that are other than the first parent of HEAD has them; None: not known."""
    said = edges.git(folder, "-c", "core.fsmonitor=false", "diff", "--name-only", "--no-renames", "-z", "HEAD^1", "--")
    prefix = edges.git(folder, "rev-parse", "--show-prefix")
    if said is None or prefix is None:
        return None
    return tiers.from_both([name for name in said.split("\0") if name], prefix.strip())


def _older(config_file: Path) -> Sequence[str] | None:
    """The globs of judge.when as the first parent of HEAD has them; None where it has no judge."""
    said = edges.git(config_file.parent, "show", f"HEAD^1:./{config_file.name}")
    return None if said is None or "judge" not in said else tiers.globs_in(said, config_file.name)


def _is_trusted(environment: Mapping[str, str]) -> bool:
    """False for what a stranger or Dependabot brings: neither is handed a key."""
    from evaluator.cli import hub  # noqa: PLC0415 - only suites with a judge pay for it
    from evaluator.github import event  # noqa: PLC0415 - as above

    name, actor = environment.get("GITHUB_EVENT_NAME", ""), environment.get("GITHUB_ACTOR", "")
    return not event.why_untrusted(name, actor, hub.payload(environment))
