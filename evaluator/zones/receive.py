"""receive: takes over what a stranger's run left, and the files of the base, which the API alone names."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from evaluator import errors
from evaluator.github import event
from evaluator.github.repository import Repository
from evaluator.model import received
from evaluator.stores import atomic
from evaluator.zones import archive
from evaluator.zones.receiving import ANSWERS, TREE, Asked, Nothing, Receiving, Refused

if TYPE_CHECKING:
    from evaluator.github.client import Client
    from evaluator.zones.fetch import Workplace

NOTHING, BEGUN, REFUSED, UNJUDGED = "nothing", "begun", "refused", "unjudged"
"""Files of a sentence each: why there is nothing to do, that no more is to be said yet, why what was left cannot be
measured, why nothing may be judged."""

NOT_ENDED = "the run before has only begun"


def receive(stream: IO[bytes], out: IO[bytes], wanted: Asked, place: Workplace, client: Client) -> None:
    """Write what was found: pull.json and the streams of the base's files and of the answers.

    In place of the streams there is the sentence of :data:`REFUSED`, or that of :data:`BEGUN` where the run has not
    ended; in place of everything that of :data:`NOTHING`. ``stream`` is the event's payload.

    Raises:
        UsageError: this is no run of a workflow after another, or of another one than the workflow says.
        GitHubError: the event is none of GitHub's, or GitHub does not say what there is.
        ZoneProblem: GitHub's archive of the base is none.
    """
    around = event.Surroundings.of(place.environment)
    source = event.read(around, event.decoded(stream.read(event.LARGEST))).source
    if source is None:
        raise errors.UsageError(f"the event is {around.event}; a stranger's answers are judged on workflow_run alone")
    asked = wanted._replace(own=around.run)
    receiving = Receiving(Repository(client, around.repository), source, asked, place.root)
    told, sentence, why = _look(receiving, has_ended=source.has_ended)
    if why:
        atomic.write_text(place.root / sentence, why)
        place.log(why)
        told.append(sentence)
    archive.pack_files(place.root, out, told)


def _look(receiving: Receiving, *, has_ended: bool) -> tuple[list[str], str, str]:
    """The files that were found, and the name of a sentence with its text, if there is one to say."""
    try:
        if not has_ended:
            receiving.look_ahead()
            return [received.NAME], BEGUN, NOT_ENDED
        return [received.NAME, TREE, ANSWERS], UNJUDGED, receiving.look()
    except Nothing as nothing:
        return [], NOTHING, str(nothing)
    except Refused as refused:
        return [received.NAME], REFUSED, str(refused)
