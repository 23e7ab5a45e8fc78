# What the zones get of the repository: the files that git tracks, and the baseline as of the base commit. To be sourced.
# shellcheck shell=bash

# The repository's own configuration must not decide what git runs here.
git() {
    command git -c "safe.directory=$PWD" -c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"
}

check_checkout() {
    [[ $(git rev-parse --show-toplevel 2>/dev/null) == "$PWD" ]] ||
        stop 2 "there is no checkout in $PWD: run actions/checkout before this action, without its input path"
    check_head
}

# What is decided stands on the head of the pull request, or of the merge group: it has to be in what is measured.
check_head() {
    local head wanted='' why='leave out the input ref of actions/checkout, or give it fetch-depth: 0'
    head=$(git rev-parse HEAD)
    case $GITHUB_EVENT_NAME in
        pull_request*) wanted=$ASSAY_HEAD_SHA ;;
        merge_group) wanted=${GITHUB_SHA-} ;;
    esac
    [[ -n $wanted && $head != "$wanted" ]] || return 0
    # A merge of GitHub's names it in a clone that has no history, too; and it may still be the one of an older head.
    [[ $'\n'$(parents_of_head)$'\n' != *$'\n'"$wanted"$'\n'* ]] || return 0
    [[ $head != "${GITHUB_SHA-}" ]] || why="GitHub had no merge of it yet; push again, or close the pull request and reopen it"
    # That of a later head, which was taken back, has this one in its history.
    if is_merge_of_github "$head" || ! git merge-base --is-ancestor "$wanted" "$head" 2>/dev/null; then
        stop 2 "the head $wanted of the pull request or merge group is not in what is checked out ($head): $why"
    fi
}

is_merge_of_github() { [[ $1 == "${GITHUB_SHA-}" && $(parents_of_head | wc -l) == 2 ]]; }

parents_of_head() { git cat-file commit HEAD | sed -n -e '/^$/q' -e 's/^parent //p'; }

pack_repository() {
    if ! { git ls-files -z --recurse-submodules && included; } | existing | sort --zero-terminated --unique |
        tar --create --file "$temporary/repository.tar" --null --verbatim-files-from --no-recursion --hard-dereference \
            --files-from - 2>"$temporary/pack.said"; then
        said=$temporary/pack.said
        stop 4 "the files that git tracks cannot be packed"
    fi
}

included() {
    ((${#includes[@]} == 0)) || find "${includes[@]}" -name .git -prune -o \( -type f -o -type l \) -print0
}

existing() {
    local file
    while IFS= read -r -d '' file; do
        [[ ! -e $file && ! -L $file ]] || printf '%s\0' "${file#./}"
    done
}

# base: the commit that the change is compared with; empty where there is none.
find_base() {
    local -a parents
    mapfile -t parents < <(parents_of_head)
    case $GITHUB_EVENT_NAME in
        pull_request | pull_request_review | pull_request_review_comment)
            # Only of a merge commit that GitHub made: whoever makes one himself chooses its parents.
            if [[ $(git rev-parse HEAD) == "${GITHUB_SHA-}" && ${parents[1]-} == "$ASSAY_HEAD_SHA" ]]; then
                base=${parents[0]} # the payload's base may be older
            else
                find_fork
            fi
            ;;
        merge_group) find_target ;;
        push)
            base=$ASSAY_BASE_SHA
            if [[ $base =~ ^0*$ ]] || ! has_commit "$base"; then
                base=${parents[0]-} # a new branch, or a history that was replaced
            fi
            ;;
        schedule | workflow_dispatch | release) base=$(git rev-parse HEAD) ;;
        *) stop 2 "the event $GITHUB_EVENT_NAME names no commit to read '$file' from; use pull_request, or no baseline-file" ;;
    esac
    [[ -z $base ]] || need_commit "$base"
}

# change: the parts of prepare's stream that tell of the change, where anything depends on it. What is not known is not
# told, and is no mistake here.
describe_change() {
    change=()
    [[ $ASSAY_TIER == auto || $GITHUB_EVENT_NAME == pull_request || $GITHUB_EVENT_NAME == merge_group ]] || return 0
    [[ -n $base ]] || base=$(base_if_known)
    [[ $base =~ ^[0-9a-f]{40,64}$ ]] || return 0
    if git diff-tree -r -z --raw --no-abbrev --no-renames --ignore-submodules=none "$base" HEAD >"$temporary/changed" 2>/dev/null; then
        change+=(changed)
    fi
    if git cat-file blob "$base:${ASSAY_CONFIG#./}" >"$temporary/older.yml" 2>/dev/null; then
        change+=(older.yml)
    fi
}

# depends: prepare's options that let it pass a change by that nothing of the suite depends on. They are left out where
# something else is checked out than what the event is about, where any file of the repository may be installed, and
# where history is missing.
describe_dependencies() {
    local head own path
    depends=()
    head=$(git rev-parse HEAD)
    [[ $head == "${GITHUB_SHA-}" || $head == "${ASSAY_HEAD_SHA:-none}" ]] || return 0
    # Where it left its base at several commits, no one of them shows all that it changes.
    [[ $head == "${GITHUB_SHA-}" || $(git merge-base --all HEAD "$ASSAY_BASE_SHA" 2>/dev/null | wc -l) == 1 ]] || return 0
    [[ $(git rev-parse --is-shallow-repository) == false ]] || return 0
    [[ -z $ASSAY_REQUIREMENTS || $ASSAY_INSTALL_POLICY != source ]] || return 0
    depends=(--may-pass-by)
    # An action that lies in the repository is measured by as it is there.
    own=$(realpath --relative-to . "$scripts/..")
    [[ $own == .. || $own == ../* ]] || depends+=(--needs "$own")
    for path in "${includes[@]}" ${ASSAY_REQUIREMENTS:+"$ASSAY_REQUIREMENTS"} ${ASSAY_BASELINE_FILE:+"$ASSAY_BASELINE_FILE"}; do
        depends+=(--needs "$path")
    done
    [[ -z $ASSAY_REQUIREMENTS ]] || depends+=(--installs)
}

base_if_known() {
    (
        stop() { exit 1; }
        file=''
        find_base >/dev/null
        printf %s "$base"
    ) 2>/dev/null || true
}

find_fork() {
    need_commit "$ASSAY_BASE_SHA"
    base=$(git merge-base HEAD "$ASSAY_BASE_SHA") ||
        stop 2 "the commit at which this branch left its base is not in this clone: $MORE_HISTORY"
    # Else whoever starts from before the first baseline would be compared with nothing.
    if ! has_file "$base" && has_file "$ASSAY_BASE_SHA"; then
        stop 2 "'$file' came into the base after this branch had left it: merge the base into the branch"
    fi
}

# A queue may merge groups by the status of the last one alone: what waits before it in the queue is part of the change.
find_target() {
    local branch=${ASSAY_BASE_REF#refs/heads/}
    need_commit "$ASSAY_BASE_SHA"
    base=$(git merge-base "$ASSAY_BASE_SHA" "refs/remotes/origin/$branch" 2>/dev/null) ||
        stop 2 "the branch $branch, which the merge queue is of, is not in this clone: $MORE_HISTORY"
}

has_file() { git cat-file -e "$1:$file" 2>/dev/null; }

readonly LFS_POINTER='version https://git-lfs.github.com/spec/'
readonly MORE_HISTORY='give actions/checkout fetch-depth: 0'

has_commit() {
    git cat-file -e "$1^{commit}" 2>/dev/null ||
        GIT_TERMINAL_PROMPT=0 timeout 120 git -c "safe.directory=$PWD" fetch --quiet --no-tags --no-recurse-submodules --depth=1 origin "$1" 2>/dev/null
}

need_commit() {
    [[ $1 =~ ^[0-9a-f]{40,64}$ ]] || stop 2 "the event names no base commit ('$1')"
    has_commit "$1" || stop 2 "the base commit $1 is not in this clone: $MORE_HISTORY"
}

# source: how the report calls the baseline; empty where there is none.
read_baseline() {
    local file=${ASSAY_BASELINE_FILE#./}
    source=
    if [[ -z $file ]]; then
        note "no baseline: the inputs github-token and baseline-file are empty"
        return
    fi
    find_base
    if [[ -z $base ]] || ! has_file "$base"; then
        warn "no baseline: '$file' is not in the base commit ${base:-(there is none)}"
        return
    fi
    git cat-file blob "$base:$file" >"$temporary/run.json" 2>/dev/null ||
        stop 2 "'$file' in the base commit $base is no file"
    [[ $(head -c ${#LFS_POINTER} "$temporary/run.json" | tr -d '\0') != "$LFS_POINTER" ]] ||
        stop 2 "'$file' in the base commit $base is a pointer of Git LFS: commit the file itself"
    source="$file as of ${base:0:12}"
    note "baseline: $source"
}
