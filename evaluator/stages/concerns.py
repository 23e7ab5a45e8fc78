"""Whether a change has to do with a suite (``when``). What is in doubt has: a run that is not made finds nothing."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.stages.tiers import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.config import Config

EVENTS = ("pull_request", "merge_group")
"""What may be passed by: everything else is measured for later runs to be compared with."""

ANYWHERE = {
    **dict.fromkeys((".gitattributes", ".gitmodules", ".lfsconfig"), "which decides how files are checked out"),
    **dict.fromkeys(("action.yml", "action.yaml"), "which is an action"),
}
"""Names that count in whichever folder: a workflow may call an action from anywhere in the repository."""

INSTALLED = frozenset({".txt", ".in", ".toml", ".lock", ".cfg", ".whl"})
"""Files that a requirements file may name."""

WORKFLOWS = ".github"
MOST_LINKS = 5
"""So many links that lie behind each other are followed."""


class Asked(NamedTuple):
    """What is known of a change.

    Attributes:
        event: the forge's name of what started the run.
        changed: paths from the repository's root, ending with a slash where one is or was no file; None: not known.
        older: the text of the configuration at the base; empty where there is none.
        inputs: further paths that the workflow gives the pipeline.
        installs: whether it gives it packages by a file.
    """

    event: str
    changed: Sequence[str] | None
    older: str
    inputs: Sequence[str] = ()
    installs: bool = False


class Place(NamedTuple):
    """Where the repository is unpacked, and its configuration, from there."""

    root: Path
    config: str

    @property
    def home(self) -> str:
        """The folder of the configuration from the root; empty for the root itself."""
        return posixpath.dirname(posixpath.normpath(self.config))


def why_measured(config: Config, asked: Asked, place: Place) -> str:
    """Why a suite is measured; empty where nothing that it depends on changed.

    The configuration is the base's too then, or it would have changed itself: a change cannot choose its own globs.
    """
    if not config.when:
        return "when names no files"
    if asked.event not in EVENTS:
        return f"the event is {asked.event}"
    if asked.changed is None:
        return "it is not known which files changed"
    if asked.older != (place.root / place.config).read_bytes().decode(errors="replace"):
        return "the configuration is another one than in the base"
    named = _named(config, asked, place)
    globs = _globs(config)
    for path in _with_links(asked.changed, _links(place.root)):
        if why := _why(path, globs, named, place.home) or _why_installed(path, asked):
            return f"{path} changed, {why}"
    return ""


def _globs(config: Config) -> list[tuple[str, str]]:
    """Every glob and the key it stands under: what is to be judged where it changes is to be measured."""
    judged = config.judge.when if config.judge is not None else ()
    return [*((glob, "when") for glob in config.when), *((glob, "judge.when") for glob in judged)]


def _why(path: str, globs: Sequence[tuple[str, str]], named: Mapping[str, str], home: str) -> str:
    if why := ANYWHERE.get(posixpath.basename(path.rstrip("/"))):
        return why
    for glob, key in globs:
        if any(_is_named(path, each) for each in _from_root(glob, home)):
            return f"which {key} names by {glob}"
    return next((why for place, why in named.items() if _touch(path.rstrip("/"), place)), "")


def _is_named(path: str, glob: str) -> bool:
    """Whether a glob names a path or a folder that it lies in: all in that is meant."""
    parts = path.split("/")
    return matches(path, glob) or any(matches("/".join(parts[:end]), glob) for end in range(1, len(parts)))


def _from_root(glob: str, home: str) -> tuple[str, str]:
    """A glob is written from the root or from the configuration's folder."""
    return posixpath.normpath(glob.lstrip("/")), posixpath.normpath(posixpath.join(home, glob))


def _why_installed(path: str, asked: Asked) -> str:
    return "which requirements may name" if asked.installs and posixpath.splitext(path)[1] in INSTALLED else ""


def _touch(path: str, place: str) -> bool:
    """Whether one is the other or lies in it; a link or a submodule may have a place in it that git does not list."""
    return place in {".", path} or path.startswith(f"{place}/") or place.startswith(f"{path}/")


def _named(config: Config, asked: Asked, place: Place) -> dict[str, str]:
    """Places from the root that decide what a run finds, and why.

    Every text of the configuration is taken for a path: too many places are better than one too few.
    """
    home = place.home
    found = {posixpath.normpath(each): "which the workflow names" for each in asked.inputs}
    # A folder is meant by its name alone, too.
    found |= {path: "which when names" for glob in config.when for path in _from_root(glob, home)}
    found |= {posixpath.normpath(place.config): "which is the configuration", WORKFLOWS: "which is part of a workflow"}
    texts = [*_texts(config.model_dump(mode="json")), *_modules(config)]
    paths = (posixpath.normpath(posixpath.join(home, text)) for text in texts if text)
    return dict.fromkeys(paths, "which the configuration names") | found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _modules(config: Config) -> Iterator[str]:
    """Where the module of a Python pipeline may lie."""
    if config.pipeline.python is not None:
        name = config.pipeline.python.target.partition(":")[0].partition(".")[0]
        for folder in ("", *config.pipeline.python.path):
            yield from (posixpath.join(folder, name), posixpath.join(folder, f"{name}.py"))


def _links(root: Path) -> dict[str, str]:
    """Every link of the repository and what it leads to, from the root."""
    found, real = {}, os.path.realpath(root)
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            if path.is_symlink():
                found[os.path.relpath(path, root)] = os.path.relpath(os.path.realpath(path), real)
    return found


def _with_links(changed: Iterable[str], links: Mapping[str, str]) -> list[str]:
    """What changed under every name that it has: a folder that is named may be a link to it."""
    known = dict.fromkeys(changed)
    new = list(known)
    for _ in range(MOST_LINKS):
        new = [
            other for path in new for link, target in links.items()
            if _touch(path.rstrip("/"), target) and (other := _behind(path, link, target)) not in known
        ]  # fmt: skip
        known |= dict.fromkeys(new)
    return list(known)


def _behind(path: str, link: str, target: str) -> str:
    below = posixpath.relpath(path, target)
    tail = "/" if path.endswith("/") else ""
    return f"{link}/" if below.startswith(".") else f"{link}/{below}{tail}"
