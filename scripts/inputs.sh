# Checks what the workflow file gave, and makes of it what the zones take. To be sourced.
# shellcheck shell=bash

one_of() {
    local input=$1 value=$2 allowed
    shift 2
    for allowed in "$@"; do
        [[ $value != "$allowed" ]] || return 0
    done
    stop 2 "the input $input is '$value'; it is one of: $*"
}

seconds() {
    [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || stop 2 "the input $1 is '$2'; it is a number of seconds"
}

# A place in the repository: relative, and not leading out of it.
place() {
    case /$2/ in
        *[[:cntrl:]]* | // | //*/ | */../*) stop 2 "the input $1 is '$2'; it is a path in the repository, relative to its root" ;;
    esac
}

# Whether a path leads where it seems to: none of its parts is a symbolic link.
is_straight() {
    [[ $(realpath --canonicalize-missing -- "$1") == "$(realpath --canonicalize-missing --no-symlinks -- "$1")" ]]
}

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

# Steps of one job have one workspace: who comes later takes the place.
warn_of_shared_out() {
    local taken=${RUNNER_TEMP:-/tmp}/rag-assay-taken-$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT-$GITHUB_JOB-$ASSAY_JOB_INDEX
    ! grep -qxF -- "$1" "$taken" 2>/dev/null ||
        warn "an earlier step of this job has its report in '$1' too, and it is removed now: give each its own input out"
    printf '%s\n' "$1" >>"$taken"
}

check_inputs() {
    one_of phase "$ASSAY_PHASE" all begin collect score publish
    one_of tier "$ASSAY_TIER" auto retrieval full
    one_of install-policy "$ASSAY_INSTALL_POLICY" hashes wheels source
    check_network
    one_of upload "$ASSAY_UPLOAD" report full none
    one_of issue "$ASSAY_ISSUE" true false
    check_shared_inputs
    seconds collect-timeout "$ASSAY_COLLECT_TIMEOUT"
    [[ $ASSAY_PYTHON =~ ^([0-9]+\.[0-9]+(\.[0-9]+)?)?$ ]] ||
        stop 2 "the input python is '$ASSAY_PYTHON'; it is a version such as 3.12"
    [[ $ASSAY_RETENTION_DAYS =~ ^[0-9]{0,3}$ ]] ||
        stop 2 "the input retention-days is '$ASSAY_RETENTION_DAYS'; it is a number of days"
    [[ -z $ASSAY_REQUIREMENTS ]] || place requirements "$ASSAY_REQUIREMENTS"
    if [[ -n $ASSAY_IMAGE && $ASSAY_IMAGE != build && -n $ASSAY_REQUIREMENTS$ASSAY_PYTHON ]]; then
        stop 2 "the input image runs the pipeline in your own image: install there what requirements and python name"
    fi
    check_includes
    check_grants
    check_judge
}

# What the actions that decide have in common.
check_shared_inputs() {
    place config "$ASSAY_CONFIG"
    [[ -z $ASSAY_BASELINE_FILE ]] || place baseline-file "$ASSAY_BASELINE_FILE"
    one_of fail-on "$ASSAY_FAIL_ON" inconclusive regression never
    one_of comment "$ASSAY_COMMENT" always on-change on-failure off
    one_of status "$ASSAY_STATUS" true false
    one_of check "$ASSAY_CHECK" true false
    check_variant
    seconds judge-timeout "$ASSAY_JUDGE_TIMEOUT"
    check_workflows baseline-workflows "$ASSAY_BASELINE_WORKFLOWS"
}

check_variant() {
    [[ $ASSAY_VARIANT =~ ^[^[:cntrl:]]{0,60}$ ]] ||
        stop 2 "the input variant is '$ASSAY_VARIANT'; it is a few words that tell this job from others of the suite"
}

check_workflows() {
    local name
    local -a names
    mapfile -t names < <(words "$2")
    for name in "${names[@]}"; do
        [[ $name =~ ^\.github/workflows/[A-Za-z0-9._-]+\.ya?ml$ ]] ||
            stop 2 "the input $1 names '$name', which is no file of a workflow, as .github/workflows/ci.yml"
    done
}

check_includes() {
    local path
    includes=()
    while IFS= read -r path; do
        [[ -n $path ]] || continue
        place include "$path"
        [[ -e $path || -L $path ]] || stop 2 "the input include names '$path', which does not exist; it takes paths, not patterns"
        # What it names is for the workflow to say, and a link in the repository could lead anywhere.
        is_straight "$(dirname -- "$path")" ||
            stop 2 "the input include names '$path', which lies behind a symbolic link; name the place itself"
        includes+=("./${path#./}")
    done <<<"$ASSAY_INCLUDE"
}

# The words of an input, one a line.
words() { tr -s ', \t\r' '\n' <<<"$1" | sed '/^$/d'; }

readonly A_NAME='[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?'
readonly EGRESS_HOST="^((\*\.$A_NAME(\.$A_NAME)+|$A_NAME(\.$A_NAME)*)\.?|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?$"

# egress_hosts: where the pipeline may connect to, as the proxy's options.
check_network() {
    local host
    local -a hosts_named
    egress_hosts=()
    [[ $ASSAY_NETWORK =~ ^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$ ]] ||
        stop 2 "the input network is '$ASSAY_NETWORK'; it is none, egress, host or the name of a docker network"
    mapfile -t hosts_named < <(words "$ASSAY_EGRESS_HOSTS")
    for host in "${hosts_named[@]}"; do
        [[ ${#host} -le 260 && $host =~ $EGRESS_HOST && ! ($host =~ :([0-9]+)$ && BASH_REMATCH[1] -gt 65535) ]] ||
            stop 2 "the input egress-hosts names '$host', which is no host; write it as in api.example.com, *.example.com or 10.0.0.5:8000"
        egress_hosts+=(--host "$host")
    done
    if [[ $ASSAY_NETWORK == egress ]] && ((${#hosts_named[@]} == 0)); then
        stop 2 "network: egress needs the input egress-hosts; without a host, network: none is the same and costs nothing"
    elif [[ $ASSAY_NETWORK != egress ]] && ((${#hosts_named[@]} > 0)); then
        stop 2 "the input egress-hosts is for network: egress, and the input network is '$ASSAY_NETWORK'"
    fi
}

check_grantable() {
    local input=$1 name=$2
    [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] ||
        stop 2 "the input $input names '$name', which is no name of a variable"
    case ${name^^} in
        GITHUB_* | ACTIONS_* | RUNNER_* | INPUT_* | ASSAY_* | RAG_ASSAY_* | PATH | HOME | TMPDIR | LD_* | PYTHON*)
            stop 2 "the input $input names $name, which is never granted; pass what is needed by another name"
            ;;
    esac
    [[ -v $name ]] || stop 2 "the input $input names $name, which is not set: give it in the step's env"
}

# pipeline_names: variables that the pipeline may see, where what is tested is no stranger's.
check_grants() {
    local name
    mapfile -t pipeline_names < <(words "$ASSAY_PIPELINE_ENV")
    for name in "${pipeline_names[@]}"; do
        check_grantable pipeline-env "$name"
    done
}

# judge_names: the same for the zone that judges; hosts: where the judge may be, as that zone's options.
check_judge() {
    local name
    local -a names
    judge_names=() hosts=()
    mapfile -t names < <(words "$ASSAY_JUDGE_KEY_ENV")
    for name in "${names[@]}"; do
        if [[ $ASSAY_PHASE != collect ]]; then
            check_grantable judge-key-env "$name"
            [[ " ${pipeline_names[*]} " != *" $name "* ]] ||
                stop 2 "the input judge-key-env names $name, which pipeline-env grants to the pipeline: give each its own"
            # Without a value there is nothing to judge with: the zone prepare says what becomes of that.
            [[ -n ${!name} ]] || continue
        fi
        # In a job that only collects none has a value: the tier depends on whether the next job has one.
        judge_names+=("$name")
    done
    mapfile -t names < <(words "$ASSAY_JUDGE_HOSTS")
    for name in "${names[@]}"; do
        [[ $name =~ ^([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$ ]] ||
            stop 2 "the input judge-hosts names '$name', which is no host; write it as in api.example.com or 10.0.0.5:8000"
        hosts+=(--host "$name")
    done
}

# Nothing is granted before the zone prepare has said whose it is.
# grants: docker's options for what the pipeline may see; keys: the same for the zones that look for it afterwards.
grant() {
    local name
    grants=() keys=() judge_grants=() judge_keys=()
    for name in "${pipeline_names[@]}"; do
        if [[ $whose == stranger ]]; then
            note "$name is not granted: what is tested is a stranger's"
            continue
        fi
        [[ -n ${!name} ]] || warn "$name is empty: a pull request from a fork, or a secret that does not exist?"
        grants+=(--env "$name")
        keys+=(--key "$name")
    done
    [[ $whose == stranger ]] || grant_judge
}

# judge_grants, judge_keys: the same for the zone that judges.
grant_judge() {
    judge_grants=("${judge_names[@]/#/--env=}")
    judge_keys=("${judge_names[@]/#/--key=}")
}
