#!/usr/bin/env bash
# Prints the SHA-256 of everything that an image of this folder is made of and works with: what image.lock is held to.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

find Dockerfile .dockerignore requirements-image.txt action.yml baseline untrusted ghes evaluator templates examples/handbook scripts \
    -type f ! -path '*/__pycache__/*' ! -path '*/.*/*' ! -name '*.pyc' -print0 |
    sort --zero-terminated |
    xargs --null sha256sum |
    sha256sum |
    cut -d ' ' -f 1
