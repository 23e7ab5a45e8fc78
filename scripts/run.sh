#!/usr/bin/env bash
# Runs every zone of the Action, one container after the other, and hands on what the last one wrote.
# Called by action.yml, which gives every input as ASSAY_<NAME>. Always succeeds: gate.sh ends the job.
set -euo pipefail
shopt -s inherit_errexit

scripts=${BASH_SOURCE[0]%/*}
: "${ASSAY_PHASE:=all}"
# shellcheck source=scripts/lib.sh
source "$scripts/lib.sh"
# shellcheck source=scripts/inputs.sh
source "$scripts/inputs.sh"
# shellcheck source=scripts/repository.sh
source "$scripts/repository.sh"
# shellcheck source=scripts/image.sh
source "$scripts/image.sh"
# shellcheck source=scripts/publish.sh
source "$scripts/publish.sh"
# shellcheck source=scripts/phases.sh
source "$scripts/phases.sh"
# shellcheck source=scripts/network.sh
source "$scripts/network.sh"

main() {
    cd -P "$GITHUB_WORKSPACE"
    prepare_attempt
    warn_of_shared_out "$out"
    [[ $GITHUB_EVENT_NAME != pull_request_target ]] ||
        stop 2 "pull_request_target is refused: it would run a stranger's code with this repository's rights; use pull_request"
    [[ $GITHUB_EVENT_NAME != workflow_run ]] ||
        stop 2 "on workflow_run use rag-assay/rag-assay/untrusted: this action runs the pipeline of what is checked out"
    need docker
    check_inputs
    choose_images
    run_phase
    clean_up
}

# Nothing of an earlier attempt is there when this one begins, and this one is told from every other by its nonce.
prepare_attempt() {
    local inputs
    out='' volume='' said='' source='' base='' tier='' told='' suite_name='' concern=some whose=stranger
    # What differs from one attempt to the next is left out: a job keeps its name when it is repeated elsewhere or later.
    inputs=$(env | sort | grep '^ASSAY_' | grep -vE '^ASSAY_(JUDGE_CACHE|HANDED_FOLDER|RESERVATION)=' | sha256sum)
    step=$(printf '%s\n' "$GITHUB_WORKFLOW" "$GITHUB_JOB" "$GITHUB_RUN_ID" "$inputs" | sha256sum | cut -c 1-8)
    temporary=$(mktemp -d "${RUNNER_TEMP:-/tmp}/rag-assay.XXXXXXXX")
    nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    # Phases of one run are one job to whoever is told of them.
    leg=$step
    [[ $ASSAY_PHASE == all ]] ||
        leg=$(printf '%s\n' "$GITHUB_RUN_ID" "$ASSAY_CONFIG" "$ASSAY_VARIANT" "${ASSAY_CALL-}" | sha256sum | cut -c 1-8)
    name=rag-assay-$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT-$step
    OWN_LABELS=(--label "rag-assay.run=$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT" --label "rag-assay.step=$step")
    output step "$step"
    trap 'stop 4 "the action stopped before there was a verdict"' EXIT
    trap 'trap - EXIT; cancelled; exit 130' INT TERM
    take_certificates
    need git
    check_checkout
    make_out "$ASSAY_OUT"
    cp "$GITHUB_EVENT_PATH" "$temporary/event.json"
    output report "$GITHUB_WORKSPACE/$out"
    output artifact-name "rag-assay-$step-$GITHUB_RUN_ATTEMPT"
    output nonce "$nonce"
    memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo) * 4 / 5))
}

need() { command -v "$1" >/dev/null || stop 4 "$1 is not on this machine; the action needs a runner that has it"; }

# run_zones HOW: how there come to be sealed answers, collect_answers or take_answers.
run_zones() {
    local -a suite=(--config "$ASSAY_CONFIG") hidden=()
    prepare_repository
    if [[ $concern == none ]]; then
        pass_by "${suite[@]}"
    else
        suite+=(--tier "$tier")
        fetch_baseline "$(git rev-parse HEAD)" "${suite[@]}"
        "$1" "${suite[@]}"
        decide_on_answers "${suite[@]}"
    fi
    hand_on
}

# suite, hidden: the caller's, what zones are told of the suite and of places that hold labels.
prepare_repository() {
    pack_repository
    [[ -z $ASSAY_BASELINE_FILE ]] || hidden=(--hide "$ASSAY_BASELINE_FILE")
    mv "$temporary/repository.tar" "$temporary/tree.tar"
    prepare_tree "${suite[@]}" "${hidden[@]}"
}

collect_answers() {
    local -a installed=()
    local network t=$temporary
    local -a way_out seen
    if [[ -n $ASSAY_REQUIREMENTS$ASSAY_PYTHON ]]; then
        install_packages "$@" "${hidden[@]}"
        installed=(--installed)
    fi
    open_network
    local -a options=(--user "$PIPELINE_USER" --network "$network" "${grants[@]}" "${way_out[@]}")
    [[ -z $volume ]] || options+=(--volume "$volume:/deps:ro")
    [[ $pipeline_image == "$image" ]] || options+=(--entrypoint rag-assay)
    run_zone collect "$pipeline_image" "$t/prepared.tar" "$t/collected.tar" "${options[@]}" -- \
        collect "$@" "${installed[@]}" "${seen[@]}" --deadline "$ASSAY_COLLECT_TIMEOUT"
    close_network
    run_zone seal "$image" "$t/collected.tar" "$t/sealed.tar" "${grants[@]}" -- seal "${keys[@]}"
    hand_on_answers
}

decide_on_answers() {
    local t=$temporary
    score_answers "$@"
    tar --create --directory "$t" --file "$t/to-decide.tar" tree.tar scored.tar fetched.tar
    run_zone decide "$image" "$t/to-decide.tar" "$t/decided.tar" "${OF_THIS_RUN[@]}" -- \
        decide "$@" --nonce "$nonce" --default-branch "$ASSAY_DEFAULT_BRANCH" --variant "$ASSAY_VARIANT"
}

# Nothing that the suite depends on changed: that is the decision.
pass_by() {
    tar --create --directory "$temporary" --file "$temporary/to-decide.tar" tree.tar
    run_zone decide "$image" "$temporary/to-decide.tar" "$temporary/decided.tar" -- \
        decide "$@" --nonce "$nonce" --passed-by
}

# fetch_baseline COMMIT [the suite, as options]
# The only zone with the token, which may read; who has one asks GitHub, which knows more of the history than a clone.
fetch_baseline() {
    local t=$temporary tested=$1
    local -a options=() parts=(event.json) workflows=()
    shift
    if [[ -n $GITHUB_TOKEN ]]; then
        options=("${AS_CLIENT[@]}")
    else
        read_baseline
        [[ -z $source ]] || parts+=(run.json)
    fi
    [[ ! -f $t/pull.json ]] || parts+=(pull.json)
    mapfile -t workflows < <(words "$ASSAY_BASELINE_WORKFLOWS")
    tar --create --directory "$t" --file "$t/to-fetch.tar" "${parts[@]}"
    run_zone fetch "$image" "$t/to-fetch.tar" "$t/fetched.tar" "${options[@]}" -- \
        fetch "$@" --tested "$tested" "${workflows[@]/#/--workflow=}" \
        --committed "${ASSAY_BASELINE_FILE#./}" --source "$source" --variant "$ASSAY_VARIANT"
}

# tier, whose: what prepare says, by what happened; what it asks for is granted after that.
prepare_tree() {
    local t=$temporary
    describe_change
    describe_dependencies
    tar --create --directory "$t" --file "$t/to-prepare.tar" event.json tree.tar "${change[@]}"
    run_zone prepare "$image" "$t/to-prepare.tar" "$t/prepared.tar" -- prepare --for collect --tier "$ASSAY_TIER" \
        --event "$GITHUB_EVENT_NAME" --actor "${GITHUB_ACTOR-}" "${judge_names[@]/#/--key=}" "${hosts[@]}" "${depends[@]}" \
        "${pipeline_names[@]/#/--granted=}" "$@"
    read_about
    grant
}

# The only zone with the judge's key; and, in tier full, with a network to use it in.
score_answers() {
    local t=$temporary
    local -a options=() judge=() parts=(tree.tar sealed.tar fetched.tar)
    if [[ $tier == full ]]; then
        options=(--network bridge "${judge_grants[@]}")
        judge=("${judge_keys[@]}" "${hosts[@]}")
        take_kept
    fi
    tar --create --directory "$t" --file "$t/to-score.tar" "${parts[@]}"
    run_zone score "$image" "$t/to-score.tar" "$t/judged.tar" "${options[@]}" -- \
        score "${judge[@]}" --commit "$(tested_commit)" "$@"
    take_parts "$t/judged.tar" "$t" scored.tar
    rm "$t/to-score.tar" "$t/judged.tar"
}

readonly KEPT=judge-cache.sqlite

# What was judged is signed by the judge's key: without one nothing is taken over, for anybody could have written it.
take_kept() {
    [[ -n ${judge_keys[*]} && -f $ASSAY_JUDGE_CACHE/$KEPT && ! -L $ASSAY_JUDGE_CACHE/$KEPT ]] || return 0
    cp "$ASSAY_JUDGE_CACHE/$KEPT" "$temporary/$KEPT"
    parts+=("$KEPT")
}

keep_judged() {
    local file=$ASSAY_JUDGE_CACHE/$KEPT
    [[ $tier == full && -n ${judge_keys[*]} ]] || return 0
    tar --extract --to-stdout --file "$1" "$KEPT" >"$temporary/$KEPT" 2>/dev/null || return 0
    mkdir -p "$ASSAY_JUDGE_CACHE"
    mv "$temporary/$KEPT" "$file"
    output judge-cache "$ASSAY_JUDGE_CACHE"
}

install_packages() {
    local t=$temporary
    volume=$name
    docker volume create "${OWN_LABELS[@]}" "$volume" >/dev/null || stop 4 "docker cannot make a volume"
    run_zone prepare-install "$image" "$t/to-prepare.tar" "$t/to-install.tar" -- prepare --for install "$@"
    run_zone install "$image" "$t/to-install.tar" /dev/null --network bridge --volume "$volume:/deps" -- \
        install --requirements "$ASSAY_REQUIREMENTS" --policy "$ASSAY_INSTALL_POLICY" --python "$ASSAY_PYTHON"
}

tested_commit() { printf '%s' "${ASSAY_HEAD_SHA:-$(git rev-parse HEAD)}"; }

# What prepare tells: the tier, the suite's name, also in the form that makes the artifact's readable, whether the
# change concerns it, whose that is, and of a stranger's answers why that tier.
read_about() {
    local said_tier
    {
        IFS= read -r suite_slug
        IFS= read -r said_tier
        IFS= read -r suite_name
        IFS= read -r concern
        IFS= read -r whose
        # shellcheck disable=SC2034 # for untrusted.sh
        IFS= read -r why_tier || true
    } < <(tar --extract --to-stdout --file "$temporary/prepared.tar" ./.rag-assay/about)
    [[ $suite_slug =~ ^[a-z0-9-]{1,60}$ ]] || stop 4 "the zone prepare named the suite '$suite_slug'"
    [[ $said_tier =~ ^retrieval$|^full$ ]] || stop 4 "the zone prepare chose the tier '$said_tier'"
    [[ $suite_name =~ ^[^[:cntrl:]]{1,4000}$ ]] || stop 4 "the zone prepare named the suite with no name"
    [[ $concern =~ ^some$|^none$ ]] || stop 4 "the zone prepare said '$concern' of the change"
    [[ $whose =~ ^ours$|^stranger$ ]] || stop 4 "the zone prepare said that the change is '$whose'"
    tier=$said_tier
    output artifact-name "rag-assay-$suite_slug-$step-$GITHUB_RUN_ATTEMPT"
    output tier "$tier"
}

hand_on() {
    local line
    local -a files=(comment.md summary.md decision.json comparison.json)
    [[ $ASSAY_UPLOAD != full || $concern == none ]] || files+=(run.json records.jsonl collect.json)
    take_parts "$temporary/decided.tar" "$out" "${files[@]}"
    take_parts "$temporary/decided.tar" "$temporary" annotations outputs publication.json
    while IFS= read -r line; do
        if [[ $line =~ ^baseline-(name|files)= ]]; then
            hand_on_baseline "$line"
            continue
        fi
        [[ $line =~ ^(outcome|exit-code|cases|regressions|failures|unscored|judge-cost-usd)=[a-z0-9.]+$ ]] ||
            stop 4 "the zone decide wrote an output that is none"
        printf '%s\n' "$line" >>"$GITHUB_OUTPUT"
    done <"$temporary/outputs"
    if (($(stat -c %s "$out/summary.md") < SUMMARY_BYTES)); then
        cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '## RAG Assay\n\nThe report is too large for this page: it is summary.md in the artifact.\n' \
            >>"$GITHUB_STEP_SUMMARY"
    fi
    annotate
    cp "$out/comment.md" "$out/decision.json" "$temporary"
    end_well
}

# Nothing that comes after takes the verdict away.
end_well() {
    output zones passed
    trap - EXIT
}

# A stranger's answers are judged by a workflow that has the keys, whatever else becomes of this run.
hand_on_answers() {
    local variant folder=${RUNNER_TEMP:-/tmp}/rag-assay-untrusted-$step
    [[ $whose == stranger && $ASSAY_PULL =~ ^[1-9][0-9]*$ ]] || return 0
    rm -rf "$folder"
    mkdir -p "$folder"
    take_parts "$temporary/sealed.tar" "$folder" collect.json records.jsonl
    variant=$(printf '%s' "$ASSAY_VARIANT" | sha256sum | cut -c 1-8)
    output answers "$folder"
    output answers-name "rag-assay-untrusted-$suite_slug-$variant-$step-$ASSAY_PULL-$GITHUB_RUN_ATTEMPT"
}

# What later runs are compared with lies apart from the report, which people may download.
hand_on_baseline() {
    local folder=${RUNNER_TEMP:-/tmp}/rag-assay-baseline-$step
    local -a files=(baseline.json run.json records.jsonl)
    case $1 in
        baseline-name=*)
            [[ $1 =~ ^baseline-name=rag-assay-baseline-[a-z0-9-]{1,160}$ ]] || stop 4 "the zone decide named no baseline"
            output baseline-name "${1#*=}"
            ;;
        baseline-files=[23])
            rm -rf "$folder"
            mkdir -p "$folder"
            take_parts "$temporary/decided.tar" "$folder" "${files[@]:0:${1#*=}}"
            output baseline "$folder"
            ;;
    esac
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main
