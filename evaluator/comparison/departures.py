"""What left the exam from one run to the next: cases, flags, and what decided others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TAKEN_OVER = "the baseline's was enforced by its calibration"


class Departure(NamedTuple):
    """What left the exam (a case, mostly), and how."""

    case: str | None
    kind: str
    text: str


def departures(
    *,
    removed: Iterable[str],
    changed_critical: Iterable[str],
    flags: Iterable[str],
    taken_over: Iterable[str] = (),
    holdout: int = 0,
) -> Iterator[Departure]:
    """Removed cases (``holdout`` of them held out), changed critical ones (they count as removed), lost flags.

    ``taken_over``: critical cases that a believed judge decided in the baseline, and another one now.
    """
    for case in removed:
        yield Departure(case, "removed", "the case was removed")
    for case in changed_critical:
        yield Departure(case, "removed", "the critical case asks something else now")
    for case in flags:
        yield Departure(case, "flag", "the case is no longer critical")
    for case in taken_over:
        yield Departure(case, "undecided", f"the critical case is decided by another judge, and {TAKEN_OVER}")
    if holdout:
        yield Departure(None, "removed", f"{counted(holdout, 'holdout case')} removed")


def undecidable(
    *,
    other_list: bool = False,
    no_fixture: bool = False,
    no_judge: bool = False,
    renamed: str | None = None,
    moved: str | None = None,
) -> Iterator[Departure]:
    """What takes the ground from under the exam as a whole.

    ``other_list``: what is accepted stands in another file than the baseline's, so whoever guards that was not asked.
    ``no_fixture``: the baseline had one, so what a pipeline says of its results was held against it.
    ``no_judge``: the baseline's configuration had one, so what it would say of this run nobody can know.
    ``renamed``: what the suite was called, so that what was kept of it by that name is left behind.
    ``moved``: the branch of which runs were kept, so that what was kept of it is left behind.
    """
    if renamed is not None:
        yield Departure(None, "undecided", f"the suite was called '{renamed}': its baselines are kept by that name")
    if moved is not None:
        yield Departure(
            None, "undecided", f"baselines were kept of the branch '{moved}', which this configuration no longer names"
        )
    if no_judge:
        text = "the baseline's configuration has a judge: section and this run's has none: nothing is judged any more"
        yield Departure(None, "undecided", text)
    if no_fixture:
        text = "the baseline was measured with a fixture and this run without: its results are what they say they are"
        yield Departure(None, "undecided", text)
    if other_list:
        text = "the configuration names another list of what is accepted than the baseline's"
        yield Departure(None, "undecided", text)
