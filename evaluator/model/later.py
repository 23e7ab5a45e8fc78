"""What the contract names and a later version brings: all of it is refused as "not yet supported", never ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LATER_KEYS: Mapping[tuple[str | int, ...], tuple[object, ...]] = {
    ("report", "html"): (False,),
    ("report", "language"): ("en",),
}
"""Keys of the configuration, with the values that ask for none of what is to come."""

LATER_COMMANDS = (
    "add",
    "init",
    "merge",
    "review",
    "sample",
)
