"""What the contract names and a later version brings: all of it is refused as "not yet supported", never ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LATER_KEYS: Mapping[tuple[str | int, ...], tuple[object, ...]] = {
    ("baseline", "branch"): (None,),
    ("report", "html"): (False,),
    ("report", "language"): ("en",),
}
"""Keys of the configuration, with the values that ask for none of what is to come."""

LATER_VALUES: Mapping[tuple[str | int, ...], tuple[str, ...]] = {
    ("baseline", "accept"): ("manual", "always"),
}
"""Values of keys whose other values are supported."""

LATER_COMMANDS = (
    "add",
    "baseline",
    "init",
    "merge",
    "review",
    "sample",
)
