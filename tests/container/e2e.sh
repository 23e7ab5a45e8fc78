#!/usr/bin/env bash
# What `make e2e` does: lints the Action, builds its image, and runs workflows with it as a forge would.
# Without containers it says why it does nothing, which is an error only in continuous integration.
# Of what it builds rag-assay:dev stays. ASSAY_DESCRIBED=1: `make test` has run with GitHub's description there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
    echo "make e2e: skipped: $*" >&2
    [[ -z ${CI:-} ]] || exit 1
    exit 0
}

setup=../shared/e2e/setup.sh
if [[ -f $setup ]]; then
    # shellcheck source=/dev/null
    source "$setup"
fi
command -v docker >/dev/null || skip "there is no docker"
docker info >/dev/null 2>&1 || skip "docker does not answer"
command -v act >/dev/null || skip "there is no act (https://nektosact.com) to run workflows with"
if docker --version | grep -qi podman && [[ ! -e /usr/libexec/podman/catatonit ]]; then
    # Podman's docker run --init needs it.
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends catatonit
fi
tests/container/disk.sh 4

make --no-print-directory lint-action
if [[ -z ${ASSAY_DESCRIBED:-} ]]; then
    make --no-print-directory describe
    .venv/bin/python -m pytest --numprocesses auto tests/integration/test_fake_github.py tests/unit/github
fi
make --no-print-directory image BUILD_FLAGS="--network host"
# By this name the Action knows that there is an image of its sources.
built=rag-assay:$(scripts/source_hash.sh | cut -c 1-16)
if ! docker image inspect "$built" >/dev/null 2>&1; then
    docker tag rag-assay:dev "$built"
    trap 'docker rmi "$built" >/dev/null' EXIT
fi
# A run of a workflow waits for containers about half of its time.
ASSAY_E2E=1 .venv/bin/python -m pytest --numprocesses "$(($(nproc) + 1))" --dist worksteal tests/container "$@"
