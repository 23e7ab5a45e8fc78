"""Looks for what a stranger's run left: its pull request, the answers, and the files of the base they are held to."""

from __future__ import annotations

import hashlib
import posixpath
import tempfile
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import errors
from evaluator.github import candidates, event, strangers
from evaluator.model import received
from evaluator.model.received import Received
from evaluator.model.slugs import suite_slug
from evaluator.stores import values, zipped
from evaluator.stores.words import visible
from evaluator.zones import archive, tarball
from evaluator.zones.seal import RECORDED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluator.github.repository import Repository
    from evaluator.github.strangers import Answers
    from evaluator.github.values import Pull, Run
    from evaluator.model.config import Config

TREE, ANSWERS = "tree.tar", "answers.tar"


class Nothing(Exception):
    """There is nothing to be done; the text says why."""


class Refused(Exception):
    """What the run left cannot be measured; the text says why."""


class Asked(NamedTuple):
    """What is looked for.

    Attributes:
        config: the configuration's path in the repository.
        workflow: the file of the workflow that the run has to be of.
        cap: what judging strangers' answers may cost on one day, in US dollars; None: whatever it does.
        reservation: what the artifact is called by which each run counts against the cap.
        variant: what tells runs of one suite apart.
        own: the run that asks.
    """

    config: str
    workflow: str
    cap: Decimal | None = None
    reservation: str = ""
    variant: str = ""
    own: int = 0


class Receiving:
    """One look at a run; what is found lies in ``root``, and which pull request it was of in its pull.json."""

    def __init__(self, repository: Repository, run: Run, asked: Asked, root: Path) -> None:
        self._repository, self._run, self._asked, self._root = repository, run, asked, root

    def look(self) -> str:
        """Find everything; why nothing may be judged, empty where that may be.

        Raises:
            Nothing: there is no open pull request that the run was of, or it has moved on.
            Refused: it left nothing that can be measured.
            UsageError: it is another workflow's run, or there is a cap and nothing to count with.
            GitHubError: GitHub does not say.
        """
        pulls, of_head = self._strangers()
        left = self._left()
        answers = [each for each in left if each.attempt == self._run.run_attempt]
        if left and not answers:
            # Another job of the run was repeated, and this one was not.
            raise Nothing(f"attempt {self._run.run_attempt} of the run before measured nothing anew")
        pull = strangers.meant(pulls, answers)
        base = self._tell(pull or pulls[0], of_head)
        if pull is None:
            numbers = ", ".join(f"#{each.number}" for each in pulls)
            raise Refused(f"several open pull requests have this head ({numbers}), and what the run left names none")
        config = self._settings(base, pull.base.ref)
        self._take(answers, config.suite)
        self._take_tree(base)
        return self._why_not_judged(config)

    def look_ahead(self) -> None:
        """Find whose run has only begun, and no more: of several pull requests the newest, for it is not told which.

        Raises:
            Nothing, UsageError, GitHubError: as :meth:`look`.
        """
        pulls, of_head = self._strangers()
        self._tell(pulls[-1], of_head)

    def _strangers(self) -> tuple[list[Pull], list[Pull]]:
        """The strangers' pull requests that the run may have been of, oldest first, and all of its head."""
        self._check_run()
        of_head = self._of_head()
        pulls = [each for each in of_head if strangers.is_from(each, self._run) and _is_strange(each, self._run)]
        if not pulls:
            raise Nothing(f"no stranger's open pull request has the head {self._run.head_sha[:12]} any more")
        return pulls, of_head

    def _check_run(self) -> None:
        path, wanted = self._run.path.partition("@")[0], self._asked.workflow
        if why := strangers.why_nothing(self._run):
            raise Nothing(why)
        if path != wanted:
            raise errors.UsageError(
                f"the run before is of the workflow {visible(path)}, and the input workflow names {wanted}"
            )

    def _of_head(self) -> list[Pull]:
        """All open pull requests of the head, a stranger's or not: they share its status."""
        run, found = self._run, self._repository.pulls()
        items = found.items
        if not found.complete and run.head_repository is not None and run.head_branch:
            owner = run.head_repository.full_name.partition("/")[0]
            items += self._repository.pulls_from(owner, run.head_branch).items
        pulls = strangers.with_head(items, run)
        if not (pulls or found.complete):
            raise errors.GitHubError("there are more open pull requests than are read, and none of these has the head")
        return pulls

    def _left(self) -> list[Answers]:
        found = self._repository.artifacts_of(self._run.id)
        return strangers.answers_in(found.items, self._run)

    def _tell(self, pull: Pull, of_head: Sequence[Pull]) -> str:
        """Say which pull request it is; the newest commit of its base, for that is what it would be merged into."""
        base = self._repository.commit(f"heads/{pull.base.ref}").sha
        others = tuple(each.number for each in of_head if each.number != pull.number)
        told = Received(number=pull.number, head=self._run.head_sha, base=base, branch=pull.base.ref, others=others)
        values.write_value(self._root / received.NAME, told)
        return base

    def _settings(self, base: str, branch: str) -> Config:
        name, file = self._asked.config, self._root / configuration.NAME
        try:
            file.write_bytes(self._repository.content(posixpath.normpath(name), base))
        except errors.NotFound:
            raise Refused(f"there is no '{visible(name)}' on the branch {visible(branch)}") from None
        config, _ = configuration.look(file)
        if config is None or not config.suite:
            raise Refused(f"'{visible(name)}' on the branch {visible(branch)} names no suite")
        return config

    def _take(self, answers: Sequence[Answers], suite: str) -> None:
        """Take the answers to the suite as the base calls it; of several the newest."""
        variant = hashlib.sha256(self._asked.variant.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        wanted = (suite_slug(suite), variant)
        found = next((each.artifact for each in answers if (each.suite, each.variant) == wanted), None)
        if found is None:
            raise Refused(f"the run left no answers to the suite '{visible(suite)}'")
        folder = self._root / "answers"
        folder.mkdir()
        try:
            self._download(found.id, found.digest, folder)
        except (errors.FileProblem, errors.Gone, errors.NotFound) as error:
            said = visible(str(error).replace(f"{folder}/", ""), limit=300)
            raise Refused(f"the answers that the run left cannot be used: {said}") from None
        with (self._root / ANSWERS).open("xb") as stream:
            archive.pack_files(folder, stream, RECORDED)

    def _download(self, artifact: int, digest: str | None, folder: Path) -> None:
        with tempfile.TemporaryFile(dir=self._root) as file:
            self._repository.download(artifact, file, candidates.LARGEST)
            file.seek(0)
            made = hashlib.file_digest(file, "sha256").hexdigest()
            if digest not in {None, f"sha256:{made}"}:
                raise errors.FileProblem("the archive is not the one that GitHub names the digest of")
            zipped.take(file, folder, RECORDED)
        missing = [name for name in RECORDED if not (folder / name).is_file()]
        if missing:
            raise errors.FileProblem(f"the archive has no {missing[0]}")

    def _take_tree(self, base: str) -> None:
        with tempfile.TemporaryFile(dir=self._root) as packed, (self._root / TREE).open("xb") as tree:
            self._repository.tarball(base, packed, tarball.LARGEST)
            tarball.to_tree(packed, tree)

    def _why_not_judged(self, config: Config) -> str:
        """Each run counts with the most that it may cost: what it comes to is known too late."""
        cap, each = self._asked.cap, config.judge.max_cost_usd if config.judge is not None else 0.0
        if cap is None or config.judge is None:
            return ""
        if each is None:
            raise errors.UsageError(
                f"max-cost-usd-per-day is {cap}, and judge.max_cost_usd of {self._asked.config} is null: name the most "
                "that one run may cost, by which runs are counted"
            )
        if not self._asked.reservation:
            # That of an earlier attempt was spent by it.
            return "nothing of the day's budget could be reserved for this run, and its cost is capped"
        made = self._repository.artifacts(self._asked.reservation)
        place = strangers.place_of(made.items, self._run.repository.id, self._asked.own)
        if place is None or not made.complete:
            return "the list of what was judged today cannot be read as a whole, and its cost is capped"
        if place * Decimal(str(each)) <= cap:
            return ""
        return f"max-cost-usd-per-day is {cap}, and this is run {place} today, of which each may cost {each:g} USD"


def _is_strange(pull: Pull, run: Run) -> bool:
    """Whether a run of a pull request had no keys, so that this one is to judge it."""
    authors = [person.login for person in (pull.user, run.actor) if person is not None]
    return bool(event.why_strange(authors, run.repository.id, pull.head.repo and pull.head.repo.id))
