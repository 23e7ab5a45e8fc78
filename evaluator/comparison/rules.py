"""Gate rules, each made to speak of one kind of row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.config import Rule

PARTS = ("max_drop", "max_rise", "min", "min_win")


class Expanded(NamedTuple):
    """A rule for one kind of row: ``per: all`` means the row ``all`` only, ``per: category`` all the others."""

    origin: int
    rule: Rule


def expand(rules: Sequence[Rule]) -> list[Expanded]:
    """Split every ``per: category`` rule into its categories and the row ``all`` that it carries.

    What an explicit ``per: all`` rule on the same metric says (a drop, a rise, a floor, wins) replaces what is carried.
    """
    found = []
    for origin, rule in enumerate(rules):
        found.append(Expanded(origin, rule))
        carried = _carried(rule, rules) if rule.per == "category" else None
        if carried is not None:
            found.append(Expanded(origin, carried))
    return found


def _carried(rule: Rule, rules: Sequence[Rule]) -> Rule | None:
    explicit = [other for other in rules if other.metric == rule.metric and other.per == "all"]
    said = {part for part in PARTS for other in explicit if getattr(other, part) is not None}
    replaced = dict.fromkeys(said)
    if "max_drop" in said:
        replaced["min_lost"] = None
    carried = rule.but(**replaced, per="all")
    return None if all(getattr(carried, part) is None for part in PARTS) else carried
