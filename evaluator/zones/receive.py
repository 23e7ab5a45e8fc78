"""receive: takes over what a stranger's run left, and the files of the base, which the API alone names."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from evaluator import errors
from evaluator.github import event
from evaluator.github.repository import Repository
from evaluator.model import received
from evaluator.stores import atomic
from evaluator.zones import archive, receiving
from evaluator.zones.receiving import Asked, Nothing, Receiving, Refused

if TYPE_CHECKING:
    from evaluator.github.client import Client
    from evaluator.zones.fetch import Workplace

NOTHING, BEGUN, REFUSED, UNJUDGED = "nothing", "begun", "refused", "unjudged"
"""Sentences: why there is nothing to be done, or no more than to say so, why what was left cannot be measured, why
nothing may be judged."""

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
    look, told = Receiving(Repository(client, around.repository), source, asked, place.root), [received.NAME]
    try:
        if source.has_ended:
            why = look.look()
            told += [receiving.TREE, receiving.ANSWERS, *([UNJUDGED] if why else [])]
            atomic.write_text(place.root / UNJUDGED, why)
        else:
            look.look_ahead()
            told, why = [*told, BEGUN], NOT_ENDED
            atomic.write_text(place.root / BEGUN, why)
    except Nothing as nothing:
        told, why = [NOTHING], str(nothing)
        atomic.write_text(place.root / NOTHING, why)
    except Refused as refused:
        told, why = [*told, REFUSED], str(refused)
        atomic.write_text(place.root / REFUSED, why)
    if why:
        place.log(why)
    archive.pack_files(place.root, out, told)
