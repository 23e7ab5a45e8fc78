#!/usr/bin/env bash
# Measures and judges what a stranger's run left, by the suite of its base: called by untrusted/action.yml, which runs on
# the end of that run. Nothing of the stranger's runs here, and nothing is checked out. As run.sh it always succeeds.
set -euo pipefail
shopt -s inherit_errexit

scripts=${BASH_SOURCE[0]%/*}
# shellcheck source=scripts/run.sh
source "$scripts/run.sh"

ASSAY_OUT=rag-assay-untrusted
ASSAY_IMAGE=
ASSAY_UPLOAD=report
ASSAY_ISSUE=false

check_checkout() { :; }

# What a stranger had judged is kept for nobody.
keep_judged() { :; }

measure_strangers() {
    local refused=''
    cd -P "$GITHUB_WORKSPACE"
    prepare_attempt
    need docker
    check_inputs_of_strangers
    choose_images
    receive
    announce
    [[ -z $refused ]] || stop 2 "$refused"
    run_zones_of_strangers
    hand_on
    publish_decision
    clean_up
}

# needed: what the pipeline has where it is trusted, as an option of prepare.
check_inputs_of_strangers() {
    local name
    local -a names
    pipeline_names=() grants=() keys=() needed=()
    check_shared_inputs
    check_workflows workflow "$ASSAY_WORKFLOW"
    ASSAY_BASELINE_WORKFLOWS="$ASSAY_WORKFLOW $ASSAY_BASELINE_WORKFLOWS"
    check_judge
    mapfile -t names < <(words "$ASSAY_PIPELINE_ENV")
    for name in "${names[@]}"; do
        [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || stop 2 "the input pipeline-env names '$name', which is no name of a variable"
        needed+=(--answers-need-keys "$name")
    done
}

# refused: why there is nothing to measure. Where there is nothing to do, or no more than to say that the run before has
# begun, that is the end, and a good one.
receive() {
    local t=$temporary part
    local -a cap=()
    [[ -z $ASSAY_MAX_COST_USD_PER_DAY ]] ||
        cap=(--cap "$ASSAY_MAX_COST_USD_PER_DAY" --reservation "$ASSAY_RESERVATION")
    run_zone receive "$image" "$GITHUB_EVENT_PATH" "$t/received.tar" "${AS_CLIENT[@]}" -- \
        receive --config "$ASSAY_CONFIG" --workflow "$ASSAY_WORKFLOW" --variant "$ASSAY_VARIANT" "${cap[@]}"
    for part in nothing begun refused unjudged pull.json tree.tar answers.tar; do
        ! has_part "$t/received.tar" "$part" || take_parts "$t/received.tar" "$t" "$part"
    done
    rm "$t/received.tar"
    [[ ! -f $t/begun ]] || announce
    if [[ -f $t/nothing || -f $t/begun ]]; then
        note "nothing more to do"
        output outcome skipped
        trap - EXIT
        clean_up
        exit 0
    fi
    [[ ! -f $t/refused ]] || refused=$(head -c 2000 "$t/refused")
}

run_zones_of_strangers() {
    local t=$temporary asked=auto
    local -a suite=(--config "$ASSAY_CONFIG")
    run_zone seal "$image" "$t/answers.tar" "$t/sealed.tar" -- seal

    [[ ! -f $t/unjudged ]] || asked=retrieval
    tar --create --directory "$t" --file "$t/to-prepare.tar" tree.tar
    run_zone prepare "$image" "$t/to-prepare.tar" "$t/prepared.tar" -- prepare --for collect --tier "$asked" \
        --event workflow_run "${judge_names[@]/#/--key=}" "${hosts[@]}" "${needed[@]}" "${suite[@]}"
    read_about
    # What judges runs none of what is the stranger's.
    grant_judge
    [[ ! -f $t/unjudged ]] || why_tier=$(head -c 2000 "$t/unjudged")
    suite+=(--tier "$tier")

    fetch_baseline "$ASSAY_HEAD_SHA" "${suite[@]}"
    score_answers "${suite[@]}" --untrusted --no-key-reason "$why_tier"
    tar --create --directory "$t" --file "$t/to-decide.tar" tree.tar scored.tar fetched.tar
    run_zone decide "$image" "$t/to-decide.tar" "$t/decided.tar" -- \
        decide "${suite[@]}" --nonce "$nonce" --self-reported
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || measure_strangers
