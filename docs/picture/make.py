"""Makes docs/comment.png, the picture in the README: the comment that `rag-assay demo` prints, as a browser shows it.

Needs the development environment (`make test` makes it) and a Chromium. Nothing is drawn by hand: the text is the
demo's, the Markdown is rendered by GitHub's own parser, and only the style sheet beside this file is ours.

    .venv/bin/python docs/picture/make.py [--chromium PATH]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

HERE = Path(__file__).parent
TARGET = HERE.parent / "comment.png"
LAST = "### fact_coverage@5 by category"
"""The picture ends before this heading: what follows is more of the same."""

SIZE = "960,1290"
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}</style>
<article><header><b>rag-assay</b> commented now</header><main>{body}</main></article>"""


def comment() -> str:
    """The comment that the demo prints."""
    command = [sys.executable, "-m", "evaluator", "demo"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def page(markdown: str) -> str:
    """The beginning of the comment as a page of its own."""
    body = cmarkgfm.github_flavored_markdown_to_html(markdown.partition(LAST)[0], Options.CMARK_OPT_UNSAFE)
    return PAGE.format(style=(HERE / "comment.css").read_text(encoding="utf-8"), body=body)


def main() -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    chromium = parser.parse_args().chromium
    if chromium is None:
        print("no Chromium was found; install one or name it with --chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "comment.html"
        source.write_text(page(comment()), encoding="utf-8")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"]
        flags += ["--disable-component-update", "--disable-sync", "--no-first-run", f"--user-data-dir={folder}/profile"]
        flags += ["--force-device-scale-factor=1", f"--window-size={SIZE}", f"--screenshot={TARGET}"]
        subprocess.run([chromium, *flags, source.as_uri()], check=True, capture_output=True, timeout=120)
    print(f"wrote {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
