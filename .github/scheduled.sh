#!/usr/bin/env bash
# Opens, changes or closes the one issue of runs of CI on the schedule, which nobody waits for. RESULT is what they came to.
# The example's suite has an issue of its own, by the Action.
set -euo pipefail

title='CI does not pass on the schedule'
page=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID/attempts/$GITHUB_RUN_ATTEMPT
export GH_REPO=$GITHUB_REPOSITORY

# A person's issue may have the same title: only our own account's counts.
issue=$(gh issue list --app github-actions --state open --limit 1000 --json number,title \
    --jq "map(select(.title == \"$title\") | .number) | min // empty")

if [[ $RESULT == success ]]; then
    [[ -z $issue ]] || gh issue close "$issue" --reason completed --comment "It has passed again: $page"
elif [[ -n $issue ]]; then
    gh issue edit "$issue" --body "The last run that did not pass: $page"
else
    gh issue create --title "$title" --body "The last run that did not pass: $page"
fi
