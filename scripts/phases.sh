# Parts of a run that are jobs of their own: nothing is shared between them but what one hands over. To be sourced.
# shellcheck shell=bash

readonly HANDED=handed.tar

run_phase() {
    case $ASSAY_PHASE in
        all)
            announce
            run_zones collect_answers
            publish_decision
            ;;
        begin)
            announce
            end_without_report
            ;;
        collect)
            collect_phase
            end_without_report
            ;;
        score)
            run_zones take_answers
            hand_over_verdict
            ;;
        publish)
            publish_phase
            end_well
            ;;
    esac
}

end_without_report() {
    output report ''
    end_well
}

# The only job that runs the pull request's code: it has neither a token nor the judge's key.
collect_phase() {
    local -a suite=(--config "$ASSAY_CONFIG") hidden=()
    prepare_repository
    [[ $concern == some ]] || return 0
    collect_answers "${suite[@]}" --tier "$tier"
    hand_over answers "$temporary/sealed.tar"
}

# Everything but the answers is taken from this job's own checkout, and of them only what seal lets through again.
take_answers() {
    take_handed "$temporary/collected.tar"
    run_zone seal "$image" "$temporary/collected.tar" "$temporary/sealed.tar" -- seal
}

# Finished text, and a token that may write it.
publish_phase() {
    told=begun
    [[ -n $ASSAY_HANDED ]] || stop 4 "a job before this one ended without a verdict: its log says why"
    take_handed "$temporary/$HANDED"
    take_parts "$temporary/$HANDED" "$temporary" comment.md decision.json publication.json suite
    suite_name=$(<"$temporary/suite")
    nonce=$ASSAY_HANDED_NONCE
    [[ $nonce =~ ^[0-9a-f]{32}$ ]] || stop 4 "what was handed over is of no attempt"
    output nonce "$nonce"
    cp "$temporary/comment.md" "$temporary/decision.json" "$out"
    publish_decision
}

# For the job that may tell it.
hand_over_verdict() {
    printf '%s' "$suite_name" >"$temporary/suite"
    tar --create --directory "$temporary" --file "$temporary/told.tar" comment.md decision.json publication.json suite
    hand_over verdict "$temporary/told.tar"
}

# hand_over WHAT STREAM: for the next job, by an artifact that it knows by its digest.
hand_over() {
    local folder=${RUNNER_TEMP:-/tmp}/rag-assay-handed-$step sum
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$2" "$folder/$HANDED"
    sum=$(sha256sum <"$folder/$HANDED")
    output handed-name "rag-assay-$1-$step-$GITHUB_RUN_ATTEMPT"
    output handed-folder "$folder"
    output handed "{\"name\":\"rag-assay-$1-$step-$GITHUB_RUN_ATTEMPT\",\"sha256\":\"${sum%% *}\",\"nonce\":\"$nonce\"}"
}

# Another job made it, perhaps one that ran a stranger's code: it is one ordinary file, of bounded size.
take_handed() {
    local file=$ASSAY_HANDED_FOLDER/$HANDED sum
    [[ -f $file && ! -L $file && ! -L $ASSAY_HANDED_FOLDER ]] || stop 4 "what the job before handed over is not there"
    (($(stat -c %s "$file") <= STREAM_BYTES)) || stop 4 "what the job before handed over is too large"
    mv "$file" "$1"
    rm -rf "$ASSAY_HANDED_FOLDER"
    sum=$(sha256sum <"$1")
    [[ ${sum%% *} == "$ASSAY_HANDED_DIGEST" ]] || stop 4 "what was handed over is not what the job before named"
}
