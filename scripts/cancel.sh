#!/usr/bin/env bash
# Ends what is left of a run that was cancelled, should run.sh have had no time to.
set -euo pipefail

# shellcheck source=scripts/lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

# Without its name nothing was started; other jobs of this run may be at work on the same machine.
[[ -z $ASSAY_STEP ]] || remove_labelled "rag-assay.step=$ASSAY_STEP"
