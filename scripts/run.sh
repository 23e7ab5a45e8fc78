#!/usr/bin/env bash
# Runs every zone of the Action, one container after the other, and hands on what the last one wrote.
# Called by action.yml, which gives every input as ASSAY_<NAME>. Always succeeds: gate.sh ends the job.
set -euo pipefail
shopt -s inherit_errexit

scripts=${BASH_SOURCE[0]%/*}
# shellcheck source=scripts/lib.sh
source "$scripts/lib.sh"
# shellcheck source=scripts/inputs.sh
source "$scripts/inputs.sh"
# shellcheck source=scripts/repository.sh
source "$scripts/repository.sh"
# shellcheck source=scripts/image.sh
source "$scripts/image.sh"

main() {
    cd -P "$GITHUB_WORKSPACE"
    prepare_attempt
    [[ $GITHUB_EVENT_NAME != pull_request_target ]] ||
        stop 2 "pull_request_target is refused: it would run a stranger's code with this repository's rights; use pull_request"
    [[ $GITHUB_EVENT_NAME != workflow_run ]] || stop 2 "workflow_run is not yet supported; use pull_request"
    need docker
    check_inputs
    choose_images
    pack_repository
    read_baseline
    run_zones
    hand_on
}

# Nothing of an earlier attempt is there when this one begins, and this one is told from every other by its nonce.
prepare_attempt() {
    local inputs
    out='' volume='' said='' source='' base=''
    inputs=$(env | sort | grep '^ASSAY_' | sha256sum)
    step=$(printf '%s\n' "$GITHUB_WORKFLOW" "$GITHUB_JOB" "$GITHUB_RUN_ID" "$inputs" | sha256sum | cut -c 1-8)
    temporary=$(mktemp -d "${RUNNER_TEMP:-/tmp}/rag-assay.XXXXXXXX")
    nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    name=rag-assay-$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT-$step
    trap 'stop 4 "the action stopped before there was a verdict"' EXIT
    trap 'trap - EXIT; clean_up; exit 130' INT TERM
    need git
    check_checkout
    make_out "$ASSAY_OUT"
    output report "$GITHUB_WORKSPACE/$out"
    output artifact-name "rag-assay-$step-$GITHUB_RUN_ATTEMPT"
    output nonce "$nonce"
    memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo) * 4 / 5))
}

need() { command -v "$1" >/dev/null || stop 4 "$1 is not on this machine; the action needs a runner that has it"; }

readonly PLAIN_PATH='^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)*$'

make_out() {
    local written=$1
    place out "$written"
    if ! is_straight "$written" || [[ -e $written && ! -d $written || ! $written =~ $PLAIN_PATH ]]; then
        stop 2 "the input out is '$written'; it is a folder of its own, named with letters, digits, '.', '_', '-' and '/'"
    fi
    [[ -z $(git ls-files -- "$written" 2>/dev/null) ]] ||
        stop 2 "the input out is '$written', where git tracks files; it is removed before each run, so name another"
    out=$written
    rm -rf "$out"
    mkdir -p "$out"
}

run_zones() {
    local -a suite=(--config "$ASSAY_CONFIG" --tier "$ASSAY_TIER") hidden=() installed=()
    local network=$ASSAY_NETWORK t=$temporary
    [[ -z $ASSAY_BASELINE_FILE ]] || hidden=(--hide "$ASSAY_BASELINE_FILE")

    run_zone prepare "$image" "$t/repository.tar" "$t/prepared.tar" -- prepare --for collect "${suite[@]}" "${hidden[@]}"
    name_artifact
    if [[ -n $ASSAY_REQUIREMENTS$ASSAY_PYTHON ]]; then
        install_packages "${suite[@]}" "${hidden[@]}"
        installed=(--installed)
    fi

    local -a options=(--user "$PIPELINE_USER" --network "$network" "${grants[@]}")
    [[ -z $volume ]] || options+=(--volume "$volume:/deps:ro")
    [[ $pipeline_image == "$image" ]] || options+=(--entrypoint rag-assay)
    run_zone collect "$pipeline_image" "$t/prepared.tar" "$t/collected.tar" "${options[@]}" -- \
        collect "${suite[@]}" "${installed[@]}"
    run_zone seal "$image" "$t/collected.tar" "$t/sealed.tar" "${grants[@]}" -- seal "${keys[@]}"

    mv "$t/repository.tar" "$t/tree.tar"
    tar --create --directory "$t" --file "$t/to-score.tar" tree.tar sealed.tar
    run_zone score "$image" "$t/to-score.tar" "$t/scored.tar" -- score "${suite[@]}" --commit "$(tested_commit)"
    rm "$t/to-score.tar"
    local -a parts=(tree.tar scored.tar)
    [[ -z $source ]] || parts+=(baseline.json)
    tar --create --directory "$t" --file "$t/to-decide.tar" "${parts[@]}"
    run_zone decide "$image" "$t/to-decide.tar" "$t/decided.tar" -- \
        decide "${suite[@]}" --nonce "$nonce" --source "$source"
}

install_packages() {
    local t=$temporary
    volume=$name
    docker volume create --label "rag-assay.run=$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT" --label "rag-assay.step=$step" "$volume" >/dev/null || stop 4 "docker cannot make a volume"
    run_zone prepare-install "$image" "$t/repository.tar" "$t/to-install.tar" -- prepare --for install "$@"
    run_zone install "$image" "$t/to-install.tar" /dev/null --network bridge --volume "$volume:/deps" -- \
        install --requirements "$ASSAY_REQUIREMENTS" --policy "$ASSAY_INSTALL_POLICY" --python "$ASSAY_PYTHON"
}

tested_commit() { printf '%s' "${ASSAY_HEAD_SHA:-$(git rev-parse HEAD)}"; }

# The suite's name makes the artifact's readable.
name_artifact() {
    local slug
    slug=$(tar --extract --to-stdout --file "$temporary/prepared.tar" ./.rag-assay/about)
    [[ $slug =~ ^[a-z0-9-]{1,60}$ ]] || stop 4 "the zone prepare named the suite '$slug'"
    output artifact-name "rag-assay-$slug-$step-$GITHUB_RUN_ATTEMPT"
}

# Only names that are known here are taken, each as bytes: nothing is unpacked.
hand_on() {
    local file line
    local -a files=(comment.md summary.md decision.json comparison.json)
    [[ $ASSAY_UPLOAD != full ]] || files+=(run.json records.jsonl collect.json)
    for file in "${files[@]}"; do
        tar --extract --to-stdout --file "$temporary/decided.tar" "$file" >"$out/$file"
    done
    tar --extract --to-stdout --file "$temporary/decided.tar" outputs >"$temporary/outputs"
    while IFS= read -r line; do
        [[ $line =~ ^(outcome|exit-code|cases|regressions|failures|unscored)=[a-z0-9]+$ ]] ||
            stop 4 "the zone decide wrote an output that is none"
        printf '%s\n' "$line" >>"$GITHUB_OUTPUT"
    done <"$temporary/outputs"
    if (($(stat -c %s "$out/summary.md") < SUMMARY_BYTES)); then
        cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '## RAG Assay\n\nThe report is too large for this page: it is summary.md in the artifact.\n' \
            >>"$GITHUB_STEP_SUMMARY"
    fi
    output zones passed
    trap - EXIT
    clean_up
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main
