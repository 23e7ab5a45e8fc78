#!/usr/bin/env bash
# Ends the job with the decision: only with this attempt's, and only if every zone ended well. Anything else is 4.
set -euo pipefail

# The value of a key of decision.json, which has one key a line.
value_of() {
    sed -n "s/^{\{0,1\}\"$1\":\"\{0,1\}\([a-z0-9]*\)\"\{0,1\}[,}]$/\1/p" "$ASSAY_REPORT/decision.json"
}

no_verdict() {
    printf 'RAG Assay: no verdict: %s\n' "$1" >&2
    exit "${2:-4}"
}

if [[ $ASSAY_ZONES != passed ]]; then
    [[ $ASSAY_EXIT_CODE != 2 ]] || no_verdict "a mistake has to be mended first; the step summary says which" 2
    no_verdict "not every zone ended well; the step summary says which"
fi
case $ASSAY_PHASE in
    begin | collect) echo "RAG Assay: the job of the phase publish decides" && exit 0 ;;
esac
[[ -n $ASSAY_NONCE && $(value_of nonce) == "$ASSAY_NONCE" ]] || no_verdict "decision.json is not of this attempt"

[[ $ASSAY_PHASE != score ]] || exit 0
case "$(value_of outcome) $(value_of exit_code) $ASSAY_FAIL_ON" in
    "passed 0 "*) echo "RAG Assay: passed" ;;
    "failed 1 never") echo "RAG Assay: failed, which does not fail this job (fail-on: never)" ;;
    "failed 1 "*) echo "RAG Assay: failed" >&2 && exit 1 ;;
    "inconclusive 3 inconclusive") echo "RAG Assay: inconclusive" >&2 && exit 3 ;;
    "inconclusive 3 "*) echo "RAG Assay: inconclusive, which does not fail this job (fail-on: $ASSAY_FAIL_ON)" ;;
    *) no_verdict "decision.json names no outcome that there is" ;;
esac
