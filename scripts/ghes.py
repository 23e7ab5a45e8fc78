"""Writes ghes/: each action of this folder for GitHub Enterprise Server, which has no artifacts newer than v3."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = "ghes"
PINS = {
    "upload-artifact": "c6a366c94c3e0affe28c06c8df20a878f24da3cf # v3.2.2",
    "download-artifact": "a9bc5e6ef2cb54c177f32aa5726adaa15e7e2d59 # v3.1.0",
}
NOTE = "# Written by `make ghes` from {source}: GitHub Enterprise Server has no artifacts newer than v3.\n"


def variant(source: str, text: str) -> str:
    """The text of an action as it is below ``ghes``: with other pins, and scripts one folder further up."""
    for name, pin in PINS.items():
        text = re.sub(rf"(uses: actions/{name}@).*", rf"\g<1>{pin}", text)
    return NOTE.format(source=source) + text.replace("$GITHUB_ACTION_PATH/", "$GITHUB_ACTION_PATH/../")


def variants(root: Path = ROOT) -> dict[Path, str]:
    """What is to be written, by where."""
    sources = [root / "action.yml", *sorted(root.glob("*/action.yml"))]
    names = [path.relative_to(root) for path in sources if path.parent.name != FOLDER]
    return {root / FOLDER / name: variant(name.as_posix(), (root / name).read_text(encoding="utf-8")) for name in names}


if __name__ == "__main__":
    for path, text in variants().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
