#!/usr/bin/env bash
# Ends the containers of a run that was cancelled, should run.sh have had no time to.
set -euo pipefail

own="label=rag-assay.run=$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT"
mapfile -t left < <(docker ps --all --quiet --filter "$own")
((${#left[@]} == 0)) || docker rm --force "${left[@]}" >/dev/null
mapfile -t left < <(docker volume ls --quiet --filter "$own")
((${#left[@]} == 0)) || docker volume rm --force "${left[@]}" >/dev/null
