"""Everything this package raises on purpose.

    AssayError                 exit code 2 unless said otherwise; never shown with a traceback
    ├── UsageError             a command line that cannot be obeyed
    │   └── NoSuchCode         a code that is asked about and that no message ends with
    ├── InputError             one or more problems in files that people write (golden set, configuration, fixture)
    ├── NotYetSupported        a documented key or name whose work comes in a later version
    ├── FileProblem            a file of ours that is missing, unreadable, of another format or not whole
    ├── BaselineError          a baseline that cannot be used: missing, unreadable or of another suite
    ├── PipelineError          the pipeline cannot be started at all (a failing case is an AnswerFailure, not an error)
    ├── JudgeError             the judge can answer nothing: its key, its model's name or its address is wrong
    ├── TemplateError          a report or prompt template that does not render
    ├── DuplicateName          two plug-ins of one name
    ├── MissingExtra           what was asked for needs a library that is not installed
    ├── LeakedKey              the value of a variable that was granted to the pipeline is in what it returned
    ├── ZoneProblem            what a zone of the Action was handed is not what it may be handed (exit code 4)
    ├── GitHubError            GitHub does not do what it is asked, or its answer cannot be read
    │   ├── Forbidden          the token is not valid, or may not do this
    │   ├── NotFound           there is no such thing, or the token may not see it
    │   ├── Gone               it was there and has been removed, as an artifact that has expired
    │   ├── RateLimited        more was asked than GitHub, or we ourselves, allow in one run
    │   └── Unreachable        no answer came, or GitHub itself is broken
    └── Interrupted            stopped by a person or the system; what was done is kept (exit code 3)

Each class has a ``slug``: the heading in docs/messages.md that says what to do about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that is most like a misspelt one; empty where none is near."""
    import difflib  # noqa: PLC0415 - only mistakes need it

    return next(iter(difflib.get_close_matches(name, list(known), 1, cutoff)), "")


class AssayError(Exception):
    """Root of the tree: a mistake that one sentence explains."""

    exit_code: ClassVar[int] = 2
    slug: ClassVar[str] = "error"


class UsageError(AssayError):
    """A command line that cannot be obeyed."""

    slug = "usage"


class NoSuchCode(UsageError):
    """A code that is asked about and that no message ends with."""


class NotYetSupported(AssayError):
    """A documented key, metric or command whose work comes in a later version."""

    slug = "not-yet-supported"


class FileProblem(AssayError):
    """A file of ours that is missing, unreadable, of another format or not whole."""

    slug = "file-problem"


class BaselineError(AssayError):
    """A baseline that cannot be used: missing, unreadable or of another suite."""

    slug = "baseline"


class PipelineError(AssayError):
    """The pipeline cannot be started at all."""

    slug = "pipeline"


class JudgeError(AssayError):
    """The judge can answer nothing: its key, its model's name or its address is wrong."""

    slug = "judge"


class TemplateError(AssayError):
    """A report or prompt template that does not render."""

    slug = "template"


class DuplicateName(AssayError):
    """Two plug-ins of one name."""

    slug = "duplicate-name"


class MissingExtra(AssayError):
    """What was asked for needs a library that is installed on demand only."""

    slug = "missing-extra"


class LeakedKey(AssayError):
    """The value of a variable that was granted to the pipeline is in what it returned."""

    slug = "leaked-key"


class ZoneProblem(AssayError):
    """What a zone of the Action was handed is not what it may be handed: no verdict can come of it."""

    exit_code = 4
    slug = "zone"


class GitHubError(AssayError):
    """GitHub does not do what it is asked, or its answer cannot be read."""

    slug = "github"


class Forbidden(GitHubError):
    """The token is not valid, or may not do this. Asking again never helps."""

    slug = "github-forbidden"


class NotFound(GitHubError):
    """There is no such thing, or the token may not see it."""

    slug = "github-not-found"


class Gone(GitHubError):
    """It was there and has been removed, as an artifact that has expired."""

    slug = "github-gone"


class RateLimited(GitHubError):
    """More was asked than GitHub, or we ourselves, allow in one run."""

    slug = "github-rate-limit"


class Unreachable(GitHubError):
    """No answer came, or GitHub itself is broken."""

    slug = "github-unreachable"


class Interrupted(AssayError):
    """Stopped by a person or by the system; what was done is kept and the next run goes on from there."""

    exit_code = 3
    slug = "interrupted"


CODES = frozenset(
    {
        "all-holdout",
        "bad-id",
        "baseline",
        "common-quote",
        "content-gap",
        "copied-wording",
        "critical-without-facts",
        "duplicate-id",
        "duplicate-key",
        "encoding",
        "expired",
        "fact-everywhere",
        "file-problem",
        "file-too-large",
        "holdout-leak",
        "impossible-noise",
        "line-too-long",
        "manifest",
        "missing-extra",
        "missing-field",
        "missing-file",
        "moved-chunk",
        "near-duplicate",
        "no-abstention",
        "no-cases",
        "no-chunks",
        "no-manifest",
        "no-needs",
        "no-rule",
        "no-vector",
        "no-when",
        "not-finite",
        "not-yet-supported",
        "nothing-to-measure",
        "paraphrase",
        "personal-data",
        "pointless-repeats",
        "reference-contradicts-fact",
        "reference-without-fact",
        "relevant-and-irrelevant",
        "resolution",
        "syntax",
        "template",
        "thin-category",
        "unknown-chunk",
        "unknown-document",
        "unknown-field",
        "unknown-metric",
        "unknown-quote",
        "unpinned-model",
        "unreadable-file",
        "unsound-fact",
        "unsound-quote",
        "vectors",
        "wrong-value",
        "yaml-alias",
    }
)
"""Every code that a problem found by ``check`` may have; each is a heading in docs/messages.md."""


class Problem(NamedTuple):
    """One problem of an input file. Lines and columns count from 1; 0 where a problem has no place."""

    code: str
    message: str
    file: str
    line: int = 0
    column: int = 0
    severity: str = "error"

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.message} [{self.code}]" if place else f"{self.message} [{self.code}]"


class InputError(AssayError):
    """All the problems that were found in the files that people write, at once."""

    slug = "input"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
