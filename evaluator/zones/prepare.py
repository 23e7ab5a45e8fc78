"""prepare: turns the files of a repository into what another zone may see of them."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator import errors
from evaluator.github import event
from evaluator.model.slugs import suite_slug
from evaluator.stages import concerns, preparing
from evaluator.stores import golden
from evaluator.stores.words import visible
from evaluator.templates import one_line
from evaluator.zones import archive, judging
from evaluator.zones.judging import Change, Happened

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from evaluator.config import Tier
    from evaluator.model.config import Config, Pipeline
    from evaluator.model.golden import Case
    from evaluator.stages.workspace import Workspace
    from evaluator.zones.site import Site

ASKED = {"id", "question", "history", "language", "split"}
"""What collect needs of a case: what is asked, and whether a log may name it. Everything else is a label."""

OURS = ".rag-assay"
"""The folder of our own results, which hold labels; what this zone has to tell the Action goes there too."""

ABOUT = "about"
EVENT = "event.json"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_YAML_BREAKS = re.compile("[\x85\u2028\u2029]")


class Passing(NamedTuple):
    """What the workflow gives the pipeline: further paths, and whether packages by a file."""

    needs: tuple[str, ...] = ()
    installs: bool = False


class Preparation(NamedTuple):
    """What is to be prepared.

    Attributes:
        purpose: the zone that gets it; ``install`` gets nothing of the suite at all.
        hidden: further places in the repository that hold labels.
        happened: what the tier is chosen by, without what the event's payload says.
        passes: what decides whether the change may be passed by; None where it is measured.
        granted: variables that the workflow grants the pipeline.
    """

    purpose: Literal["collect", "install"]
    hidden: tuple[str, ...] = ()
    happened: Happened = Happened()
    passes: Passing | None = None
    granted: tuple[str, ...] = ()


def prepare(stream: IO[bytes], out: IO[bytes], wanted: Preparation, site: Site) -> None:
    """Write a repository without golden labels, earlier runs and whatever else a pipeline could copy its answers from.

    For ``collect`` the tier is chosen too, and told to the Action beside the suite's name and whose change it is; of a
    change that nothing of the suite depends on, no more than that is written. One that no event tells of is a
    stranger's.

    Raises:
        ZoneProblem: the stream is not what this zone takes.
        GitHubError: the event's payload is none.
        UsageError: the configuration is not among the files, or Git LFS has what it names; or tier full is to be had
            and lacks its key or asks a judge that may not have it.
        InputError: configuration, golden set or fixture have mistakes: collect could not see those of the labels.
    """
    change, left_out, payload = Change(), [], []
    archive.take_parts(
        stream, {"tree.tar": lambda part: left_out.extend(archive.unpack_tree(part, site.root))},
        {
            EVENT: lambda part: payload.append(part.read(event.LARGEST)),
            "changed": change.take_files, "older.yml": change.take_older,
        },
    )  # fmt: skip
    happened = _with_trust(wanted.happened, payload)
    workspace = site.workspace()
    for name in left_out:
        workspace.log(f"left out: the link '{visible(name)}', which leads out of the repository")
    if happened.trusted and _is_passed_by(workspace, site, wanted, change):
        told = site.folder("told")
        _tell(told, workspace.config.suite, "retrieval", "none", trusted=True)
        archive.pack_tree(told, out)
        return
    _refuse_pointers(workspace)
    tier, why = workspace.tier, ""
    if wanted.purpose == "collect":
        tier, why = judging.choose(workspace, site.root, happened, change)
        _log_choice(workspace, tier, why, wanted.granted)
    cases = preparing.prepare(workspace).golden
    config, folder = workspace.config, workspace.folder
    paths = [workspace.path(name) for name in config.golden]
    hidden = [site.root / name for name in wanted.hidden]
    _remove(site.root, [site.root / OURS, folder / OURS, *hidden, *_withheld(config, folder)])
    if wanted.purpose == "collect":
        for path in paths:
            _strip(path, [case for case in cases.cases if cases.places[case.id].file == str(path)])
        said = why if happened.event == judging.UPLOADED else ""
        _tell(site.root, config.suite, tier, "some", trusted=happened.trusted, why=said)
    else:
        _remove(site.root, [*paths, *([workspace.path(config.fixture)] if config.fixture is not None else [])])
    archive.pack_tree(site.root, out)


def _with_trust(happened: Happened, payload: list[bytes]) -> Happened:
    """``payload`` is empty where no event was handed over."""
    if not payload:
        return happened._replace(trusted=False)
    why = event.why_untrusted(happened.event, happened.actor, event.decoded(payload[0]))
    return happened._replace(trusted=not why)


def _is_passed_by(workspace: Workspace, site: Site, wanted: Preparation, change: Change) -> bool:
    """Whether nothing that the suite depends on changed; the log says why it is measured where ``when`` is set."""
    if wanted.passes is None or not workspace.config.when:
        return False
    asked = concerns.Asked(
        wanted.happened.event, change.files, change.older, wanted.passes.needs, wanted.passes.installs
    )  # fmt: skip
    why = concerns.why_measured(workspace.config, asked, concerns.Place(site.root, site.config))
    workspace.log(f"measured: {visible(why)}" if why else "not measured: nothing that this suite depends on changed")
    return not why


def _tell(
    root: Path, suite: str, tier: Tier, concern: Literal["some", "none"], *, trusted: bool, why: str = ""
) -> None:
    """Tell the Action the suite's name, the tier and why, whether the change concerns the suite, and whose it is."""
    (root / OURS).mkdir()
    whose = "ours" if trusted else "stranger"
    told = (suite_slug(suite), tier, one_line(suite), concern, whose, *([one_line(why)] if why else []))
    (root / OURS / ABOUT).write_text("".join(f"{line}\n" for line in told), encoding="utf-8")


def _log_choice(workspace: Workspace, tier: Tier, why: str, granted: Iterable[str]) -> None:
    if workspace.config.judge is not None:
        workspace.log(f"tier {tier}: {visible(why)}")
    for name in _unseen(workspace.config.pipeline, granted):
        workspace.log(f"{name} is granted, and pipeline.env does not name it: the pipeline does not see it")


def _unseen(pipeline: Pipeline, granted: Iterable[str]) -> list[str]:
    """What is granted in vain, for the pipeline sees what workflow and configuration both name."""
    reads_env = pipeline.kind in {"python", "command", "http"}
    return [name for name in granted if reads_env and name not in pipeline.env]


def _refuse_pointers(workspace: Workspace) -> None:
    """A pointer is no JSON and no vector, and a message about that would send people to look for a broken file."""
    config = workspace.config
    fixture = workspace.path(config.fixture).glob("*") if config.fixture is not None else ()
    for path in [*map(workspace.path, config.golden), *fixture]:
        if not path.is_file():
            continue
        with path.open("rb") as file:
            if file.read(len(LFS_POINTER)) == LFS_POINTER:
                raise errors.UsageError(f"{path} is a pointer of Git LFS: give actions/checkout lfs: true")


def _withheld(config: Config, folder: Path) -> list[Path]:
    """What the configuration names that holds labels or earlier answers."""
    judge = config.judge
    judged = (judge.calibration, judge.cache) if judge is not None else ()
    named = (config.baseline.file, config.accepted, config.noise, *judged)
    return [folder / name for name in named if isinstance(name, str)]


def _remove(root: Path, paths: Iterable[Path]) -> None:
    for path in paths:
        # A link and what it leads to hold the same.
        for place in {path, Path(os.path.realpath(path))}:
            if not archive.is_inside(place.parent, root) or place == root:
                continue
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)


def _strip(path: Path, cases: list[Case]) -> None:
    """Write a golden file anew, with no label in it."""
    stripped = [case.model_dump(mode="json", include=ASKED, exclude_defaults=True) for case in cases]
    if path.suffix.lower() in golden.YAML_SUFFIXES:
        text = json.dumps(stripped, ensure_ascii=False, indent=0)
        # JSON is YAML but for the characters that YAML takes as line ends.
        text = _YAML_BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    else:
        text = "".join(f"{json.dumps(case, ensure_ascii=False)}\n" for case in stripped)
    path.write_text(text, encoding="utf-8")
