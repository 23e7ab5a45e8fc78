#!/usr/bin/env bash
# Ends the containers of a run that was cancelled, should run.sh have had no time to.
set -euo pipefail

mapfile -t left < <(docker ps --all --quiet --filter "label=rag-assay.run=$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT")
((${#left[@]} == 0)) || docker rm --force "${left[@]}" >/dev/null
