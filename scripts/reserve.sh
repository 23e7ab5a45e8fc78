#!/usr/bin/env bash
# Names what this run reserves of the day's budget: an artifact that is uploaded before anything is judged, and counted.
set -euo pipefail

suite=$(printf '%s\n%s' "$ASSAY_CONFIG" "$ASSAY_VARIANT" | sha256sum | cut -c 1-8)
folder=$RUNNER_TEMP/rag-assay-reserved-$suite
mkdir -p "$folder"
printf '%s\n' "$GITHUB_RUN_ID" >"$folder/run"
printf 'folder=%s\nname=%s\n' "$folder" "rag-assay-untrusted-judged-$suite-$(date -u +%Y%m%d)" >>"$GITHUB_OUTPUT"
