#!/usr/bin/env bash
# Ends the containers of a run that was cancelled, should run.sh have had no time to.
set -euo pipefail

# Without its name nothing was started; other jobs of this run may be at work on the same machine.
[[ -n $ASSAY_STEP ]] || exit 0
own="label=rag-assay.step=$ASSAY_STEP"
mapfile -t left < <(docker ps --all --quiet --filter "$own")
((${#left[@]} == 0)) || docker rm --force "${left[@]}" >/dev/null
mapfile -t left < <(docker volume ls --quiet --filter "$own")
((${#left[@]} == 0)) || docker volume rm --force "${left[@]}" >/dev/null
