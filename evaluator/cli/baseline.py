"""``baseline``: what the Action compares with, from a laptop."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, forge
from evaluator.cli.options import FILE, OPTIONS, add, examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.cli.session import Session
    from evaluator.github.repository import Repository
    from evaluator.model.baseline import Found, Source

# Whoever asks GitHub pays for what that needs: --help needs none of it.
# ruff: noqa: PLC0415

DEFAULT_OUT = Path(".rag-assay/baseline")
MEASURING = ".github/workflows/rag-assay.yml"
KEEPING = "rag-assay-baseline.yml"
REMOTE = re.compile(
    r"(?:https?://(?:[^@/\s]+@)?(?P<web>[^@/\s]+)/|[a-z+]+://(?:[^@/\s]+@)?(?P<ssh>[^@/:\s]+)(?::\d+)?/"
    r"|[^@/\s]+@(?P<scp>[^@:/\s]+):)(?P<name>[^/\s]+/[^/\s]+?)(?:\.git)?/?\s*"
)
"""The address of a remote: by http, by another protocol, whose port is not the API's, or as scp has it."""
RUN = re.compile(r"(?:https?://\S+/actions/runs/)?([1-9][0-9]{0,18})(?:/\S*)?")


class Given(TypedDict, total=False):
    """What the commands were given."""

    config: Path | None
    repo: str | None
    at: str | None
    tier: str
    workflows: tuple[str, ...]
    variant: str
    out: Path | None
    format: str
    reason: str
    path: str | None
    workflow: str
    quiet: bool
    debug: bool


REPO = click.option("--repo", metavar="[HOST/]OWNER/NAME", help="The repository. [default: git's remote origin]")
AT = click.option("--at", metavar="REF", help="The commit to look from. [default: the newest of the default branch]")
TIER = click.option(
    "--tier", type=click.Choice(["retrieval", "full"]), default="retrieval", show_default=True, help="What for."
)
WORKFLOWS = click.option(
    "--workflow", "workflows", multiple=True, metavar="FILE",
    help=f"A workflow that keeps baselines, beside rag-assay.yml and {KEEPING}; repeats.",
)  # fmt: skip


VARIANT = click.option(
    "--variant", default="", metavar="TEXT", help="The input variant of the job that measures, where it has one."
)


@click.group(
    epilog=examples(
        "rag-assay baseline show", "rag-assay baseline fetch && rag-assay run --baseline .rag-assay/baseline/run.json",
        'rag-assay baseline accept 1234567890 --reason "the corpus has changed"',
    )
)  # fmt: skip
def baseline() -> None:
    """Look for the baseline that GitHub keeps, fetch it, or have a run accepted.

    It needs pip install 'rag-assay[github]'. GitHub is asked with the token in GITHUB_TOKEN or GH_TOKEN, which has to
    read contents and actions; accept has to write actions. A server of your own is the one that the remote names, or
    GITHUB_API_URL (https://HOST/api/v3); without that variable its token is in GH_ENTERPRISE_TOKEN.
    """


@baseline.command(
    short_help="Say what a change would be compared with.",
    epilog=examples("rag-assay baseline show", "rag-assay baseline show --at my-branch --format json"),
)
@OPTIONS["config"]
@REPO
@AT
@TIER
@WORKFLOWS
@VARIANT
@add("format")
@click.pass_obj
def show(session: Session, **given: Unpack[Given]) -> int:
    """Say what a change would be compared with, how it was found, and why other artifacts were passed by."""
    with tempfile.TemporaryDirectory() as folder:
        found = _look(session, given, Path(folder))
    if given["format"] == "json":
        console.emit(sys.stdout, f"{json.dumps(found.model_dump(mode='json'), ensure_ascii=False)}\n")
    else:
        session.console.say(*_lines(found))
    return 0


@baseline.command(
    short_help="Write it to a folder.",
    epilog=examples("rag-assay baseline fetch", "rag-assay baseline fetch --tier full --out /tmp/baseline"),
)
@OPTIONS["config"]
@REPO
@AT
@TIER
@WORKFLOWS
@VARIANT
@click.option("--out", type=FILE, metavar="DIR", help=f"Where. [default: {DEFAULT_OUT} beside the configuration]")
@add()
@click.pass_obj
def fetch(session: Session, **given: Unpack[Given]) -> int:
    """Write the run that a change would be compared with to a folder, as run.json.

    Exits 2 where there is none.
    """
    out = given["out"] or edges.config_path(given["config"]).parent / DEFAULT_OUT
    with tempfile.TemporaryDirectory() as folder:
        found = _look(session, given, Path(folder))
        source = (found.judged if given["tier"] == "full" else None) or found.deterministic
        if source is None:
            raise errors.BaselineError("; ".join(_lines(found)))
        out.mkdir(parents=True, exist_ok=True)
        for file in (Path(folder) / source.folder).iterdir():
            shutil.copyfile(file, out / file.name)
    session.console.say(*_lines(found), f"wrote {out / 'run.json'}: rag-assay run --baseline {out / 'run.json'}")
    return 0


@baseline.command(
    short_help="Ask the reviewers to accept a run.",
    epilog=examples('rag-assay baseline accept 1234567890 --reason "the corpus has changed, and the labels with it"'),
)
@click.argument("run")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in baseline.json and in the reports.")
@click.option("--config", "path", metavar="PATH", help="The suite's configuration in the repository, for the workflow.")
@VARIANT
@REPO
@click.option("--workflow", default=KEEPING, show_default=True, metavar="FILE", help="The workflow that accepts.")
@add()
@click.pass_obj
def accept(session: Session, run: str, **given: Unpack[Given]) -> int:
    """Ask the reviewers of the accepting workflow to accept a run of the baseline's branch, whatever it came to.

    RUN is its number or its address on GitHub. The workflow is a copy of templates/workflows/rag-assay-baseline.yml.
    """
    _prepare(session, given)
    number = RUN.fullmatch(run.strip())
    if number is None:
        raise errors.UsageError(f"'{run}' is no run: give its number, or its address on GitHub")
    if not given["reason"].strip():
        raise errors.UsageError("--reason is empty: say why the run is accepted")
    from evaluator.github.publishing import Publishing
    from evaluator.github.repository import Repository

    host, name = _repository(given)
    client = forge.client(session, host=host)
    branch = Repository(client, name).about().default_branch
    which = {key: value for key, value in (("config", given["path"]), ("variant", given["variant"])) if value}
    inputs = {"run": number[1], "reason": given["reason"], **which}
    Publishing(client, name).dispatch(given["workflow"], branch, inputs)
    session.console.say(
        f"{given['workflow']} of {name} was started for run {number[1]}; its environment's reviewers decide, if any"
    )
    return 0


def _prepare(session: Session, given: Given) -> None:
    session.debug |= given["debug"]
    session.console.quiet = given["quiet"]


def _repository(given: Given) -> tuple[str, str]:
    """The server and the name of the repository that was named, or of git's remote.

    Raises:
        UsageError: there is none.
    """
    if given["repo"] is not None:
        host, slash, rest = given["repo"].partition("/")
        return (host, rest) if slash and "/" in rest else (forge.PUBLIC, given["repo"])
    found = REMOTE.fullmatch(edges.git(Path.cwd(), "remote", "get-url", "origin") or "")
    if found is None:
        raise errors.UsageError("git has no remote origin on GitHub here; name the repository with --repo OWNER/NAME")
    return found["web"] or found["ssh"] or found["scp"], found["name"]


def _look(session: Session, given: Given, folder: Path) -> Found:
    from evaluator.github.repository import Repository
    from evaluator.zones.fetching import Asked, Fetching

    _prepare(session, given)
    host, name = _repository(given)
    repository = Repository(forge.client(session, host=host), name)
    about = repository.about()
    asked = Asked(
        base=_commit(repository, given["at"] or about.default_branch), config=_in_repository(given["config"]),
        tier="full" if given["tier"] == "full" else "retrieval", repository=about.id,
        default_branch=about.default_branch,
        workflows=(MEASURING, f".github/workflows/{KEEPING}", *given["workflows"]), variant=given["variant"],
    )  # fmt: skip
    return Fetching(repository, asked, folder, session.console.log).found()


def _commit(repository: Repository, ref: str) -> str:
    return repository.commit(ref).sha


def _in_repository(written: Path | None) -> str:
    """The configuration's path from the repository's root."""
    path = edges.config_path(written)
    return f"{(edges.git(path.parent, 'rev-parse', '--show-prefix') or '').strip()}{path.name}"


def _lines(found: Found) -> Iterator[str]:
    for half in ("deterministic", "judged"):
        source: Source | None = getattr(found, half)
        if source is not None:
            yield f"{half}: {source.how} (commit {source.commit})"
        elif half in found.lost:
            yield f"{half}: lost: {found.lost[half]}"
        elif half == "deterministic":
            yield f"{half}: there never was a baseline"
    if found.inherited is not None:
        yield f"inherited: {found.inherited.how}, which was not accepted"
