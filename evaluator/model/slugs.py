"""Names of people's choosing as parts of names that machines compare."""

from __future__ import annotations

import hashlib
import re

LONGEST = 40


def plain(name: str) -> str:
    """What people know it by: lower-case letters, digits and single hyphens. Unlike names may be alike, or empty."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST].rstrip("-")


def slug(name: str) -> str:
    """The plain name and a digest: unlike for unlike names, whatever is in them."""
    shown, exact = plain(name), hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{shown}-{exact}" if shown else exact


def suite_slug(suite: str) -> str:
    """A suite's name in the names of artifacts: its slug, but as it is where it is a plain name already."""
    return suite if suite == plain(suite) else slug(suite)
