# Which image the zones run in. To be sourced.
# shellcheck shell=bash

readonly ACTION_FOLDER=${BASH_SOURCE[0]%/*}/..

# image: for our zones; pipeline_image: for collect, which may be the team's own.
choose_images() {
    local hash locked_source locked_image
    hash=$("$ACTION_FOLDER/scripts/source_hash.sh")
    locked_source=$(sed -n 's/^source=//p' "$ACTION_FOLDER/image.lock")
    locked_image=$(sed -n 's/^image=//p' "$ACTION_FOLDER/image.lock")
    if [[ $ASSAY_IMAGE != build && $locked_source == "$hash" && $locked_image =~ ^[^[:space:]]+@sha256:[0-9a-f]{64}$ ]]; then
        image=$locked_image
        have_image "$image"
        note "image: $image (published for this version)"
    else
        image=rag-assay:${hash:0:16}
        build_image
    fi
    pipeline_image=$image
    if [[ -n $ASSAY_IMAGE && $ASSAY_IMAGE != build ]]; then
        pipeline_image=$ASSAY_IMAGE
        have_image "$pipeline_image"
        check_own_image
    fi
}

have_image() {
    if ! docker image inspect "$1" >/dev/null 2>&1; then
        said=$temporary/pull.said
        docker pull --quiet "$1" 2>&1 | inert "$said" || stop 4 "the image $1 cannot be pulled"
        said=
    fi
}

build_image() {
    if docker image inspect "$image" >/dev/null 2>&1; then
        note "image: $image (built from this version before)"
        return
    fi
    note "image: $image (built from this version now)"
    said=$temporary/build.said
    docker build --tag "$image" "$ACTION_FOLDER" 2>&1 | inert "$said" || stop 4 "the image cannot be built"
    said=
}

# The team's image runs our collect: it has to have the same version of us.
check_own_image() {
    local wanted found
    wanted=$(start version "$image" -- --version </dev/null)
    # It may be the pull request's own: it gets no more, and no longer, than any zone.
    found=$(start version "$pipeline_image" --user "$PIPELINE_USER" --entrypoint rag-assay -- --version \
        </dev/null 2>/dev/null | head -c 100 | tr -d '\0') || found=
    docker rm --force "$name-version" >/dev/null 2>&1 || true
    [[ $found == "$wanted" ]] ||
        stop 2 "the image $pipeline_image has '$found' where '$wanted' is needed: its Dockerfile has to install this version"
    note "image of the pipeline: $pipeline_image"
}
