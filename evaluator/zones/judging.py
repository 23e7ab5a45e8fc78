"""What a workflow lets the judge have: which tier comes of it, and whom the configuration may name with the key."""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.stages import tiers
from evaluator.stores.words import visible
from evaluator.zones import archive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import IO

    from evaluator.model.config import Judge
    from evaluator.stages.workspace import Workspace

MOST_CHANGED = 64 << 20
"""Bytes of names of changed files."""

MOST_OLDER = 4 << 20
"""Bytes of an older configuration."""

RAW = re.compile(r":[0-7]{6} [0-7]{6} ")
FILES = re.compile(r":(?:000000|100644|100755) (?:000000|100644|100755) ")
"""Neither before nor now a link or a submodule."""

ADDRESS = re.compile(r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[!-~]*)?")
"""An address without a user's name or anything else that two programs could read differently."""

UPLOADED = "workflow_run"
"""The event on which answers are measured that another run of a workflow uploaded: a stranger's."""

EMBEDDER = "openai"
"""The only kind of embedder that runs nothing of the repository's."""


class Granted(NamedTuple):
    """What the workflow grants the judge: names of variables, and hosts beside the provider's own."""

    keys: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


NOTHING = Granted()


class Happened(NamedTuple):
    """What a run is asked for and by what.

    Attributes:
        tier: as the workflow asks for it.
        event: the forge's name of what started the run.
        actor: who started it, for the forge.
        trusted: false for a stranger's change: it gets no key. The zone ``prepare`` says so, by the event's payload.
        granted: what the judge may have.
        answers_need: variables that the pipeline has where it is trusted: a stranger's run had none of them.
    """

    tier: str = "auto"
    event: str = ""
    actor: str = ""
    trusted: bool = False
    granted: Granted = NOTHING
    answers_need: tuple[str, ...] = ()


class Change:
    """What git says of a change: the files that it touches, and the configuration of the commit before it.

    Attributes:
        files: paths from the repository's root, with a slash at the end of what is or was no file; None where nothing
            was handed over.
        older: the text of that configuration; empty where there is none.
    """

    def __init__(self) -> None:
        self.files: list[str] | None = None
        self.older = ""

    def take_files(self, stream: IO[bytes]) -> None:
        """Take what git says of each: how it was and is, and its name; each ends with a zero byte."""
        told = os.fsdecode(_read(stream, MOST_CHANGED)).split("\0")[:-1]
        if len(told) % 2 or not all(map(RAW.match, told[::2])):
            raise errors.ZoneProblem("a change is not described as git does")
        pairs = zip(told[::2], told[1::2], strict=True)
        self.files = [name if FILES.match(how) else f"{name}/" for how, name in pairs]

    def take_older(self, stream: IO[bytes]) -> None:
        """Take the configuration."""
        self.older = _read(stream, MOST_OLDER).decode(errors="replace")


def _read(stream: IO[bytes], most: int) -> bytes:
    data = stream.read(most + 1)
    if len(data) > most:
        raise errors.ZoneProblem(f"a change is described by more than {most >> 20} MB")
    return data


def choose(workspace: Workspace, root: Path, happened: Happened, change: Change) -> tiers.Choice:
    """The tier of a run of the Action; ``root`` is where the repository is.

    Raises:
        UsageError: tier full has no judge or no key, the judge is one that may not have it, or the change takes away
            the judge that would be asked.
    """
    judge = workspace.config.judge
    if happened.event == UPLOADED:
        return _of_uploaded(workspace, root, happened)
    keys = happened.granted.keys if happened.trusted else ()
    occasion = tiers.Occasion(
        event=happened.event, changed=_named(change.files, workspace.folder, root),
        older=tiers.globs_in(change.older, workspace.config_file.name), trusted=happened.trusted, in_ci=True,
    )  # fmt: skip
    try:
        choice = tiers.choose(happened.tier, judge, occasion, has_key=judge is not None and _has_key(judge, keys))
    except errors.UsageError as error:
        raise errors.UsageError(f"{error}{'' if judge is None else _hint(happened)}") from None
    if choice.tier == "full":
        check(workspace, root, Granted(tuple(keys), happened.granted.hosts))
    return choice


def _of_uploaded(workspace: Workspace, root: Path, happened: Happened) -> tiers.Choice:
    """The tier of answers that a stranger's run uploaded, by the base's own configuration."""
    judge = workspace.config.judge
    if judge is None:
        return tiers.Choice("retrieval", "the configuration has no judge")
    if happened.tier == "retrieval":
        return tiers.Choice("retrieval", "it was asked for")
    if happened.answers_need:
        needed = visible(", ".join(happened.answers_need))
        return tiers.Choice("retrieval", f"the pipeline needs {needed}, which a stranger's run does not get")
    if not _has_key(judge, happened.granted.keys):
        return tiers.Choice("retrieval", f"{visible(tiers.key_variable(judge))} is not granted")
    check(workspace, root, happened.granted)
    return tiers.Choice("full", "the base has a judge, and a key for it")


def _hint(happened: Happened) -> str:
    if happened.trusted:
        return "; in a workflow, give it in the step's env and name it in judge-key-env"
    return "; a pull request from elsewhere gets no key, and tier auto is retrieval there"


def _named(files: Sequence[str] | None, folder: Path, root: Path) -> Sequence[str] | None:
    if files is None:
        return None
    home = posixpath.normpath(folder.relative_to(root).as_posix())
    return tiers.from_both(files, "" if home == "." else f"{home}/")


def _has_key(judge: Judge, keys: Sequence[str]) -> bool:
    from evaluator.stages.bench import can_be_asked  # noqa: PLC0415 - only suites with a judge pay for it

    return can_be_asked(judge, dict.fromkeys(keys, "granted"))


def is_signed(judge: Judge | None, granted: Granted) -> bool:
    """Whether what the judge says can be signed by a key that only the workflow knows."""
    return judge is not None and tiers.key_variable(judge) in granted.keys


def check(workspace: Workspace, root: Path, granted: Granted) -> None:
    """Hold the judge to what may be asked with the key: the configuration is the pull request's own.

    Raises:
        UsageError: it would run the repository's code beside the key, take something else for the key, or send the key
            to a host that the workflow does not name.
    """
    judge = workspace.config.judge
    if judge is None:
        return
    _refuse_code(judge, workspace.folder, root)
    for key, variable in _variables(judge):
        if variable not in granted.keys:
            raise errors.UsageError(f"{key} is {visible(variable)}, which the input judge-key-env does not name")
    for key, provider, address in _addresses(judge):
        if not may_ask(address, [*granted.hosts, *_own(provider)]):
            raise errors.UsageError(
                f"{key} is {visible(address)}, which is neither the provider's own nor in the input judge-hosts "
                "(a host there stands for https on its usual port, host:port for that port)"
            )


def _refuse_code(judge: Judge, folder: Path, root: Path) -> None:
    if judge.provider == "scripted" and not _is_file(folder / judge.model, root):
        raise errors.UsageError(
            f"judge.model {visible(judge.model)} is no file of the repository: where the judge's key is, no code of "
            "the repository runs"
        )
    if judge.embeddings is not None and judge.embeddings.provider != EMBEDDER:
        raise errors.UsageError(
            f"judge.embeddings.provider is {visible(judge.embeddings.provider)}, and in the Action it can only be "
            f"{EMBEDDER}: where the judge's key is, no code of the repository runs"
        )


def _variables(judge: Judge) -> Iterator[tuple[str, str]]:
    if judge.api_key_env is not None:
        yield "judge.api_key_env", judge.api_key_env
    if judge.embeddings is not None and judge.embeddings.api_key_env is not None:
        yield "judge.embeddings.api_key_env", judge.embeddings.api_key_env


def _is_file(path: Path, root: Path) -> bool:
    return archive.is_inside(path, root) and path.is_file()


def _addresses(judge: Judge) -> Iterator[tuple[str, str, str]]:
    if judge.base_url is not None:
        yield "judge.base_url", judge.provider, judge.base_url
    if judge.embeddings is not None and judge.embeddings.base_url is not None:
        yield "judge.embeddings.base_url", judge.embeddings.provider, judge.embeddings.base_url


def _own(provider: str) -> Iterator[str]:
    from evaluator import judges  # noqa: PLC0415 - as above

    usual = judges.kind(provider).usual
    if usual is not None and (found := ADDRESS.fullmatch(usual)):
        yield found[2]


def may_ask(address: str, hosts: Sequence[str]) -> bool:
    """Whether an address is one of some hosts': ``host`` by https and its usual port, ``host:port`` by that port."""
    found = ADDRESS.fullmatch(address)
    if found is None:
        return False
    scheme, host, port = found[1], found[2].lower(), found[3] or ("443" if found[1] == "https" else "80")
    known = {each.lower() for each in hosts}
    return f"{host}:{int(port)}" in known or (host in known and (scheme, int(port)) == ("https", 443))
