"""Names of people's choosing as parts of names that machines compare."""

from __future__ import annotations

import hashlib
import re

LONGEST = 40


def slug(name: str) -> str:
    """Lower-case letters, digits and single hyphens; unlike for unlike names, whatever is in them."""
    plain = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST].rstrip("-")
    exact = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{exact}" if plain else exact
