"""Which tier a run has: what was asked for, and for ``auto`` what happened and which files changed (design section 12).

Nothing here looks anything up: who calls has asked git and the forge.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.config import Tier
    from evaluator.model.config import Generator, Judge

ALWAYS = ("schedule", "workflow_dispatch")
"""Events on which ``auto`` is ``full``."""


class Occasion(NamedTuple):
    """What ``auto`` is decided by.

    Attributes:
        event: the forge's name of what started the run; empty on a laptop.
        changed: paths from the repository's root that differ from the first parent of what is tested; None where that
            is not known.
        older: the globs of ``judge.when`` as the first parent has them; None where it has no judge.
        trusted: false for a pull request that is another's: it gets no key.
        in_ci: whether nobody is there to ask for more.
    """

    event: str = ""
    changed: Sequence[str] | None = None
    older: Sequence[str] | None = None
    trusted: bool = True
    in_ci: bool = False


class Choice(NamedTuple):
    """A tier and, in half a sentence, why."""

    tier: Tier
    why: str


def choose(asked: str, judge: Judge | None, occasion: Occasion, *, has_key: bool) -> Choice:
    """The tier of a run.

    Raises:
        UsageError: tier full has no judge or no key; on an untrusted pull request ``auto`` is retrieval instead. Or
            ``auto`` would be full by the judge that the change takes away.
    """
    choice = Choice("retrieval", "it was asked for") if asked == "retrieval" else _wanted(asked, judge, occasion)
    if choice.tier == "retrieval" or has_key:
        return choice
    if asked == "auto" and not occasion.trusted:
        return Choice("retrieval", "a pull request from elsewhere gets no key")
    raise errors.UsageError(
        f"tier full ({choice.why}) needs the judge's key, and {_variable(judge)} is not set; "
        "set it, or ask for --tier retrieval"
    )


def _wanted(asked: str, judge: Judge | None, occasion: Occasion) -> Choice:
    if asked == "full":
        if judge is None:
            raise errors.UsageError("--tier full needs a judge: section in the configuration, which names a model")
        return Choice("full", "it was asked for")
    if judge is None and occasion.older is None:
        return Choice("retrieval", "the configuration has no judge")
    choice = _by_occasion(() if judge is None else judge.when, occasion)
    if judge is None and choice.tier == "full":
        raise errors.UsageError(
            f"the judge: section was removed, and with it this would be judged ({choice.why}); put it back, or ask for "
            "--tier retrieval where that is meant"
        )
    return choice if judge is not None else Choice("retrieval", "the configuration has no judge")


def _by_occasion(when: Sequence[str], occasion: Occasion) -> Choice:
    if occasion.event in ALWAYS:
        return Choice("full", f"the event is {occasion.event}")
    globs = list(dict.fromkeys((*when, *(occasion.older or ()))))
    return _by_changes(globs, occasion) if globs else Choice("retrieval", "judge.when names no files")


def _by_changes(globs: Sequence[str], occasion: Occasion) -> Choice:
    if occasion.changed is None:
        # A change that nobody can see may be the one that the judge is there for.
        tier: Tier = "full" if occasion.in_ci else "retrieval"
        return Choice(tier, "it is not known which files changed")
    for path in occasion.changed:
        for glob in globs:
            if matches(path, glob):
                return Choice("full", f"{path} changed, which judge.when names by {glob}")
    return Choice("retrieval", "no file changed that judge.when names")


def matches(path: str, glob: str) -> bool:
    """Whether a path is named by a glob: ``*`` and ``?`` stay within a folder, ``**`` does not.

    One that ends with a slash is no file (a link, a submodule): it is named where something below it may be.
    """
    if path.endswith("/"):
        return matches(path[:-1], glob) or _reaches_below(path[:-1].split("/"), glob.split("/"))
    return _pattern(glob).fullmatch(path) is not None


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.findall(r"\*\*/|\*\*|.", glob, re.DOTALL)
    # A name may have the end of a line in it.
    return re.compile("".join(map(_translated, parts)), re.DOTALL)


def _reaches_below(folder: Sequence[str], parts: Sequence[str]) -> bool:
    for name, part in zip(folder, parts, strict=False):
        if "**" in part:
            return True
        if not matches(name, part):
            return False
    return len(parts) > len(folder)


def _translated(part: str) -> str:
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return known.get(part) or re.escape(part)


def from_both(names: Sequence[str], home: str) -> list[str]:
    """Paths from a repository's root and, of those below the configuration's folder, from there as well.

    ``home`` is that folder from the root with a slash at its end, or empty: globs are written either way.
    """
    return [*names, *(name.removeprefix(home) for name in names if home and name.startswith(home))]


def globs_in(text: str, name: str) -> Sequence[str] | None:
    """The globs of ``judge.when`` in the text of a configuration; None where it has no judge or is none."""
    from evaluator.stores.yaml_text import parse  # noqa: PLC0415 - only where there is an older configuration

    document = parse(text, name, [])
    judge = document.value.get("judge") if document is not None and isinstance(document.value, dict) else None
    if not isinstance(judge, dict):
        return None
    written = judge.get("when")
    return [glob for glob in written if isinstance(glob, str)] if isinstance(written, list) else ()


def key_variable(judge: Judge | Generator) -> str:
    """The variable that holds the key of a judge or of another model."""
    return judge.api_key_env or f"{judge.provider.upper()}_API_KEY"


def _variable(judge: Judge | None) -> str:
    return key_variable(judge) if judge is not None else "the variable that holds it"
