# Every target installs what it needs into .venv; stamp files there make a second run quick.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPING := $(VENV)/.developing

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench schema clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(INSTALLED) ## install, then show the comment of a change that made the bundled example worse
	@$(BIN)/rag-assay demo

test: lint ## lint, then run every test with branch coverage
	@$(BIN)/python -m pytest --cov --cov-report=term

lint: $(DEVELOPING) ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(DEVELOPING) ## run the benchmarks and print what they measured
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

schema: $(INSTALLED) ## write docs/schema/rag-assay.schema.json from the configuration's model
	@$(BIN)/python docs/schema/write_schema.py

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) .rag-assay .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed (make PYTHON=python3.12 ... names another one)" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "python3-venv is missing: apt-get install python3-venv" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(VENV)/bin/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(DEVELOPING): $(INSTALLED)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@
