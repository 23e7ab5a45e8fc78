"""The one comment of a suite and a workflow on a pull request: found again, and changed in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from evaluator import errors
from evaluator.github import values
from evaluator.github.marks import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evaluator.github.publishing import Publishing

Text = TypeVar("Text", values.Comment, values.Issue)

ACTIONS = "github-actions[bot]"
BOT = "[bot]"
"""How names of accounts end that are no person's: brackets are in no other name."""


class Draft(NamedTuple):
    """A comment that is to stand on a pull request.

    Attributes:
        number: of the pull request.
        mark: which comment it is and who writes it.
        write: the whole text of it for a mark.
        create: whether there is to be one where there is none yet.
        author: the account that writes; None for an app's token, which may not ask who it is.
    """

    number: int
    mark: Mark
    write: Callable[[Mark], str]
    create: bool
    author: str | None = None


def put(publishing: Publishing, draft: Draft) -> str:
    """Make or change the comment; what was done, in a few words.

    Raises:
        GitHubError: it could not be done.
    """
    listing = publishing.comments(draft.number)
    mine = ours(listing.items, draft.mark, draft.author)
    if why := why_kept([mark for _, mark in mine], draft.mark):
        return f"the comment stays as it is: {why}"
    mark = draft.mark.after(mark for _, mark in mine)
    if mine:
        return _change(publishing, draft, mark, [each for each, _ in mine])
    if not draft.create:
        return "no comment: there is nothing to tell, and there is none that told otherwise"
    if not listing.complete:
        raise errors.GitHubError("the pull request has more comments than are read; ours may be among the others")
    return _create(publishing, draft, mark)


def ours(found: Iterable[Text], wanted: Mark, author: str | None) -> list[tuple[Text, Mark]]:
    """What of comments or issues has a mark like ours and is by us; a person who quotes it is no author of it.

    An app's token does not know its own name, so an app writes it into the mark: what another account copies then
    names an author that it is not. ``author`` None is such a token.
    """
    return [(each, mark) for each in found if (mark := _mark_of(each, wanted, author)) is not None]


def _mark_of(text: values.Comment | values.Issue, wanted: Mark, author: str | None) -> Mark | None:
    login = text.user.login if text.user is not None else ""
    mark = Mark.read(text.body or "")
    if mark is None or mark.key != wanted.key:
        return None
    is_ours = login == author if author is not None else login == (mark.by or ACTIONS) and login.endswith(BOT)
    return mark if is_ours else None


def why_kept(found: list[Mark], wanted: Mark) -> str:
    """Why what stands there must stay; empty where it may be replaced."""
    newest = max(found, key=lambda mark: mark.stamp.order, default=None)
    if newest is None or newest.stamp.order < wanted.stamp.order:
        return ""
    if newest.stamp.order > wanted.stamp.order:
        return f"run {newest.stamp.run}, attempt {newest.stamp.attempt}, wrote it, which is newer than this one"
    if newest.stamp.is_rival(wanted.stamp) and newest.stamp.severity >= wanted.stamp.severity:
        return "another job of this run wrote it; give each its own variant"
    return ""


def _change(publishing: Publishing, draft: Draft, mark: Mark, mine: list[values.Comment]) -> str:
    """Change the oldest and remove the others, which two runs at once may have made."""
    first, *others = mine
    by = first.user.login if first.user is not None and draft.author is None else ""
    text = draft.write(mark._replace(by="" if by == ACTIONS else by))
    if text != first.body:
        try:
            publishing.change_comment(first.id, text)
        except errors.NotFound:
            # Somebody removed it between two requests.
            return _create(publishing, draft, mark)
    for other in others:
        publishing.delete_comment(other.id)
    return f"the comment is up to date: {first.html_url}"


def _create(publishing: Publishing, draft: Draft, mark: Mark) -> str:
    made = publishing.comment(draft.number, draft.write(mark))
    login = made.user.login if made.user is not None else ACTIONS
    if draft.author is None and login != ACTIONS:
        publishing.change_comment(made.id, draft.write(mark._replace(by=login)))
    return f"the comment is there: {made.html_url}"
