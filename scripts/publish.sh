# Tells GitHub that a run has begun and what was decided, by a zone that has the token and nobody's code. To be sourced.
# Nothing here ends a run or changes how it ends.
# shellcheck shell=bash

# What the zone knows of the run, beside the event's payload.
readonly AROUND=(
    GITHUB_ACTOR GITHUB_API_URL GITHUB_EVENT_NAME GITHUB_REF GITHUB_REPOSITORY GITHUB_RUN_ATTEMPT GITHUB_RUN_ID
    GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW_REF
)
readonly OF_THIS_RUN=("${AROUND[@]/#/--env=}")
readonly AS_CLIENT=(--network bridge --env GITHUB_TOKEN "${OF_THIS_RUN[@]}") # a zone that asks GitHub, as docker's options

# From here on there is somebody to tell, whatever the run comes to.
announce() {
    told=begun
    tell publish-pending -- --pending
}

# What was decided, by the files that decide handed on.
publish_decision() { tell publish comment.md decision.json publication.json -- --nonce "$nonce"; }

# That there is no verdict; $1 says why. Only once: what ends a run may be met again on the way out.
publish_failure() {
    [[ ${told-} == begun ]] || return 0
    told=failed
    tell publish -- --failure "${1:0:2000}"
}

# A status that stays pending would block for ever; the comment stays, for another run may be about to write it. There
# are seconds for all this, so what costs the machine something ends first.
cancelled() {
    remove_containers "rag-assay.step=$step"
    ASSAY_COMMENT=off ASSAY_CHECK=false ASSAY_ISSUE=false publish_failure "the run was cancelled"
    clean_up
}

# tell CONTAINER [files of $temporary] -- [the zone's arguments]
tell() {
    local container=$1
    local -a files=(event.json) wanted=(--config "$ASSAY_CONFIG" --suite "${suite_name-}" --comment "$ASSAY_COMMENT")
    [[ $ASSAY_COMMENT != off || $ASSAY_STATUS$ASSAY_CHECK$ASSAY_ISSUE == *true* ]] || return 0
    shift
    while [[ $1 != -- ]]; do
        files+=("$1")
        shift
    done
    shift
    [[ $ASSAY_STATUS != true ]] || wanted+=(--status)
    [[ $ASSAY_CHECK != true ]] || wanted+=(--check)
    [[ $ASSAY_ISSUE != true ]] || wanted+=(--issue)
    # In the background, so that a signal is acted on at once; and in there nothing stops the action.
    (
        trap - EXIT
        stop() {
            note "not published: $2"
            exit 1
        }
        # What a workflow_run is about is not in its payload: the zone receive has found it.
        [[ ! -f $temporary/pull.json ]] || files+=(pull.json)
        tar --create --directory "$temporary" --file "$temporary/to-$container.tar" "${files[@]}" ||
            stop 4 "the report cannot be packed"
        run_zone "$container" "$image" "$temporary/to-$container.tar" "$temporary/$container.out" "${AS_CLIENT[@]}" -- \
            publish "${wanted[@]}" --variant "$ASSAY_VARIANT" --leg "$leg" "$@"
    ) &
    wait "$!" || warn "the zone $container told GitHub nothing or not all; the log above says why. The verdict stays as it is"
    [[ ! -s $temporary/$container.out ]] || warn "$(head -c 4000 "$temporary/$container.out")"
}

readonly MOST_ANNOTATIONS=10

# The remarks on golden cases: commands to the runner, so only in the form that they have.
annotate() {
    local line
    local -i count=0
    while IFS= read -r line; do
        count+=1
        [[ $count -le $MOST_ANNOTATIONS && $line =~ ^::(error|warning)\ [^[:cntrl:]]+::[^[:cntrl:]]+$ ]] ||
            stop 4 "the zone decide wrote an annotation that is none"
        printf '%s\n' "$line"
    done <"$temporary/annotations"
}
