# Everything is built in .venv, from the versions in constraints.txt. `make` alone says what can be asked for.

fits = import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))
bin  = .venv/bin
done = .venv/.installed
builder = .venv/.docs

ifndef PYTHON
PYTHON := $(shell for name in python3 python3.13 python3.12 python3.11 python3.10; do \
	$$name -c '$(fits)' 2>/dev/null && echo $$name && exit; done; echo python3)
endif

# Set here as well as in dagster_project, for the tools that start before it is imported.
export DAGSTER_DISABLE_TELEMETRY ?= 1
export GX_ANALYTICS_ENABLED ?= false

# Where this is set, every process that a test starts would compile the code anew.
unexport PYTHONDONTWRITEBYTECODE

# `make ui` keeps its runs here; a DAGSTER_HOME of your own goes first.
ui_home = $(CURDIR)/.dagster

.PHONY: help setup test lint test-kafka record demo docs ui bench lock clean machine
.DEFAULT_GOAL := help

help: ## say what can be asked for
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s  %s\n", $$1, $$2 }' Makefile

setup: $(done) ## install everything into .venv, once, and again when a version changes

# Three on two processors: the longest tests wait for brokers, stores and Spark, in turns.
test: lint ## set up, check the code, run all tests; those on a real Kafka say so where it can't be had
	$(bin)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

# The newest NumPy for Python 3.10 describes its types differently; for 3.10 the code is checked by the other versions.
old_types = import sys; sys.exit(sys.version_info >= (3, 11))

lint: $(done) ## set up and check the code without running it: ruff, mypy, import-linter, sqruff
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/sqruff lint --parsing-errors assets/models
	$(bin)/python -c '$(old_types)' || $(bin)/mypy
	$(bin)/lint-imports

test-kafka: $(done) ## set up and hold Lagbook against real brokers of every version (fetched by Maven coordinates) and recordings
	$(bin)/python -m pytest tests/broker tests/mirror tests/spark tests/benchmarks/truth tests/campaign -m "not slow" -rsx
	$(bin)/python -m pytest -m slow -rsx

record: $(done) ## set up and record incidents on real brokers, with what truly happened (OUT= KAFKA= SCENARIOS=)
	$(bin)/python -m tests.broker.record $(if $(OUT),--out $(OUT)) $(if $(KAFKA),--kafka $(KAFKA)) $(SCENARIOS)

demo: $(done) ## set up and run the whole thing on a recorded incident
	$(bin)/lagbook demo

docs: $(builder) ## set up, write the generated pages, and build the site of docs/ in site/ (Python 3.11 or later)
	@test -x $(bin)/zensical || { echo "The site is built by Python 3.11 or later: make docs PYTHON=..." >&2; exit 1; }
	$(bin)/python -m dagster_project.pages
	$(bin)/zensical build --clean --strict

ui: $(done) ## set up and open Dagster on http://127.0.0.1:3000 (PORT=)
	@mkdir -p $(ui_home) && cp dagster.yaml $(ui_home)/
	DAGSTER_HOME="$${DAGSTER_HOME:-$(ui_home)}" $(bin)/dagster dev --port $(or $(PORT),3000)

bench: $(done) ## set up and measure
	$(bin)/python -m benchmarks

lock: $(done) ## look up the newest versions that work together, for every Python, and write constraints.txt
	$(bin)/python -m pip install --quiet uv
	$(bin)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --no-annotate \
		--custom-compile-command "make lock" --extra dev --extra docs --group install --output-file constraints.txt pyproject.toml

clean: ## remove what make made
	rm -rf .venv .dagster demo site .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

machine:
	@$(PYTHON) -c '$(fits)' 2>/dev/null || { echo "Lagbook needs Python 3.10 to 3.13, and $(PYTHON) is" \
		"$$($(PYTHON) -c 'import platform; print(platform.python_version())' 2>/dev/null || echo missing):" \
		"install one, or name it with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make virtual environments:" \
		"install its venv package (on Debian and Ubuntu: apt-get install python3-venv)." >&2; exit 1; }
	@$(PYTHON) -m dagster_project.java >/dev/null

# Reading these, of every format and codec, compiles the loops of the parsers, so that nobody waits for that later.
recorded_logs = $(wildcard tests/bytes/batches/*/*/*.log tests/bytes/dump/*/__consumer_offsets-*/*.log)

# An installation that was cut short is begun again from nothing: its mark is missing.
$(done): pyproject.toml constraints.txt | machine
	@echo "Installing into .venv: two minutes or so ..."
	@$(PYTHON) -m venv $$(test -e $@ || echo --clear) .venv
	@rm -f $@
	@$(bin)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip
	@PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
		$(bin)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@echo "Compiling the loops, and loading Spark, once: half a minute or so ..."
	@find parsers -name '*.nb[ci]' -delete
	@$(bin)/python -m parsers.warm $(recorded_logs)
	@$(bin)/python -m dagster_project.class_archive >/dev/null
	@$(bin)/python -m dagster_project.rules.rules_in_sql >/dev/null
	@touch $@

# What builds the site; the build itself needs no network.
$(builder): $(done)
	@PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
		$(bin)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
