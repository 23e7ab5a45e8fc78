#!/usr/bin/env bash
# What `make e2e` does: lints the Action, builds its image, and runs workflows with it as a forge would.
# Without containers it says why it does nothing, which is an error only in continuous integration.
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

make --no-print-directory lint-action
make --no-print-directory describe
.venv/bin/python -m pytest tests/integration/test_fake_github.py tests/unit/github
make --no-print-directory image BUILD_FLAGS="--network host"
ASSAY_E2E=1 .venv/bin/python -m pytest tests/container "$@"
