#!/usr/bin/env bash
# Copies baselines, before they expire or because a person accepts one: called by baseline/action.yml. Nothing of the
# repository runs, and nothing is measured.
set -euo pipefail
shopt -s inherit_errexit

scripts=${BASH_SOURCE[0]%/*}
# shellcheck source=scripts/run.sh
source "$scripts/run.sh"

ASSAY_OUT=rag-assay-baseline
ASSAY_IMAGE=

# Nothing has to be reported before this job fails.
stop() {
    trap - EXIT
    local code=$1
    shift
    printf '::error title=RAG Assay::%s\n' "$(as_data "$*")"
    clean_up
    exit "$code"
}

keep_baselines() {
    local kept
    local -a workflows accepting=()
    cd -P "$GITHUB_WORKSPACE"
    prepare_attempt
    need docker
    place config "$ASSAY_CONFIG"
    check_workflows baseline-workflows "$ASSAY_BASELINE_WORKFLOWS"
    check_variant
    if [[ -n $ASSAY_RUN ]]; then
        [[ $ASSAY_RUN =~ ^[1-9][0-9]{0,18}$ ]] || stop 2 "the input run is '$ASSAY_RUN'; it is the number of a run"
        [[ $ASSAY_REASON =~ [^[:space:]] ]] || stop 2 "the input reason is empty: say why the run is accepted"
        accepting=(--accept "$ASSAY_RUN" --reason "$ASSAY_REASON")
    fi
    choose_images
    mapfile -t workflows < <(words "$ASSAY_BASELINE_WORKFLOWS")
    run_zone keep "$image" "$GITHUB_EVENT_PATH" "$temporary/kept.tar" "${AS_CLIENT[@]}" -- \
        keep --config "$ASSAY_CONFIG" --tested "$(git rev-parse HEAD)" \
        "${workflows[@]/#/--workflow=}" --variant "$ASSAY_VARIANT" "${accepting[@]}"
    kept=${RUNNER_TEMP:-/tmp}/rag-assay-baseline-$step
    rm -rf "$kept"
    take_copies "$kept"
    output folder "$kept"
    trap - EXIT
    clean_up
}

take_copies() {
    local tier called file
    take_parts "$temporary/kept.tar" "$temporary" names
    while read -r tier called; do
        [[ $tier =~ ^(retrieval|full)$ && $called =~ ^rag-assay-baseline-[a-z0-9-]{1,160}$ ]] ||
            stop 4 "the zone keep named no baseline"
        mkdir -p "$1/$tier"
        take_parts "$temporary/kept.tar" "$temporary" "$tier.tar"
        for file in baseline.json run.json records.jsonl; do
            ! has_part "$temporary/$tier.tar" "$file" || take_parts "$temporary/$tier.tar" "$1/$tier" "$file"
        done
        output "$tier" "$called"
    done <"$temporary/names"
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || keep_baselines
