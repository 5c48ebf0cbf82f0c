# Everything runs in .venv, made here on first use from the hash-pinned locks; nothing outside the checkout changes.

VENV := .venv
BIN := $(VENV)/bin
SOURCES := ceopt_tui judges texttargets schemas tests
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := $(BIN)/uv pip compile --universal -p 3.11 --generate-hashes --no-header --quiet

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help tour demo test coverage exhaustive check format lint types imports bench bench-decisions bench-judge bench-leaks bench-guards bench-themes bench-pruning bench-coverage crash pictures compare browser test-local tour-replies lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

tour: $(VENV)/run.stamp ## Look around in the app on a recorded run: no key, no download, nothing left behind
	@$(BIN)/ceopt tour

demo: $(VENV)/run.stamp ## Optimize a bad prompt with a small real model: no key, about 0.5 GB to download once
	@$(BIN)/ceopt demo --dir demo

test: coverage ## Run the tests (no network, no model): those of the core with their coverage, then all others
	@$(BIN)/pytest -n 2 -m "not local_model and not exhaustive and not peers and not browser" --ignore=tests/core

coverage: $(VENV)/dev.stamp ## Run the tests of the core alone; they must take every branch of it
	@$(BIN)/pytest -n 2 tests/core --cov=ceopt_tui.core --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100

exhaustive: $(VENV)/dev.stamp ## Run the tests that take minutes: every cut of a journal, every key of the larger screens
	@$(BIN)/pytest -n 2 -m exhaustive

check: lint types imports test ## All that CI checks: format, lint, types, import rules, tests, coverage of the core

format: $(VENV)/dev.stamp ## Bring the code into its format
	@$(BIN)/ruff format $(SOURCES)
	@$(BIN)/ruff check --fix $(SOURCES)

lint: $(VENV)/dev.stamp ## Check format and lint
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/ruff check $(SOURCES)

types: $(VENV)/dev.stamp ## Check types, strictly
	@$(BIN)/mypy

imports: $(VENV)/dev.stamp ## Check who may import whom
	@$(BIN)/lint-imports

bench: $(VENV)/dev.stamp ## Measure start-up, the engine's overhead, a run of 10,000 experiments, and texts of 200 kB
	@$(BIN)/python tests/benchmarks/bench_startup.py
	@$(BIN)/python tests/benchmarks/bench_engine.py
	@$(BIN)/python tests/benchmarks/bench_long_run.py
	@$(BIN)/python tests/benchmarks/bench_long_app.py
	@$(BIN)/python tests/benchmarks/bench_stalls.py
	@$(BIN)/python tests/benchmarks/bench_workers.py
	@$(BIN)/python tests/benchmarks/bench_texts.py

bench-decisions: $(VENV)/dev.stamp ## Compare decision rules in simulated worlds: false keeps, true gain (minutes)
	@$(BIN)/python tests/benchmarks/bench_decisions.py

bench-judge: $(VENV)/dev.stamp ## Simulate judges that are wrong: what a person's scores find, and keep from being kept
	@$(BIN)/python tests/benchmarks/bench_judge_bias.py

bench-leaks: $(VENV)/dev.stamp ## Count what the leak guard refuses wrongly and lets pass, on texts it was not tuned on too
	@$(BIN)/python tests/benchmarks/bench_leaks.py

bench-guards: $(VENV)/dev.stamp ## Count what the other guards refuse wrongly and let pass, on texts they were not tuned on too
	@$(BIN)/python tests/benchmarks/bench_guards.py

bench-themes: $(VENV)/dev.stamp ## Compare themes made without a model with themes labelled by hand
	@$(BIN)/python tests/benchmarks/bench_themes.py

bench-coverage: $(VENV)/dev.stamp ## Simulate texts with planted rules: how many coverage calls what they are
	@$(BIN)/python tests/benchmarks/bench_coverage.py

bench-pruning: $(VENV)/dev.stamp ## Prune texts with planted rules: useless ones removed, useful ones lost, by number of cases
	@$(BIN)/python tests/benchmarks/bench_pruning.py

crash: $(VENV)/dev.stamp ## Interrupt a run at every write, fsync, rename, git and network call, and resume it
	@$(BIN)/pytest -m crash
	@PYTHONPATH=tests $(BIN)/python tests/crash/crash_matrix.py $(ARGS)

pictures: $(VENV)/dev.stamp ## Draw docs/pictures anew from the app
	@CEOPT_UPDATE_PICTURES=1 $(BIN)/pytest -m "not local_model" tests/ui

compare: $(VENV)/dev.stamp ## Run other optimizers through ceopt, with their real libraries (installs them in folders of their own)
	@$(BIN)/pytest -m peers

browser: $(VENV)/dev.stamp $(VENV)/browser.stamp ## Work in a real browser, headless (installs its driver; Chromium where there is none)
	@command -v chromium chromium-browser google-chrome >/dev/null || $(BIN)/playwright install --with-deps chromium
	@$(BIN)/pytest -m browser

test-local: $(VENV)/dev.stamp ## Test against a small real model (downloads it once)
	@$(BIN)/pytest -m local_model

tour-replies: $(VENV)/dev.stamp ## Record anew what the small real model answers in the tour (minutes)
	@PYTHONPATH=tests $(BIN)/python tests/local/record_tour.py

lock: $(BIN)/uv ## Resolve the locks anew from pyproject.toml
	@$(LOCK) --group build -o requirements/build.txt
	@$(LOCK) --extra local -o requirements/run.txt pyproject.toml
	@$(LOCK) --extra local --group dev -o requirements/dev.txt pyproject.toml
	@$(LOCK) --group browser -o requirements/browser.txt

clean: ## Remove the environment and all caches
	@rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build *.egg-info

$(BIN)/python:
	@python=$$(for name in $${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do \
		"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done); \
	if [ -z "$$python" ]; then \
		echo "ceopt needs Python 3.11 or newer; $${PYTHON:-python3} is $$($${PYTHON:-python3} --version 2>/dev/null || echo not there)." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.12 …" >&2; exit 1; \
	fi; \
	echo "making $(VENV) with $$($$python --version)" >&2; \
	"$$python" -m venv $(VENV) || { echo "python -m venv failed; Debian and Ubuntu keep it in python3-venv" >&2; rm -rf $(VENV); exit 1; }

$(VENV)/%.stamp: requirements/build.txt requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "installing requirements/$*.txt" >&2
	@$(PIP) install --require-hashes -r requirements/build.txt
	@$(PIP) install --require-hashes -r requirements/$*.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(BIN)/uv: | $(BIN)/python
	@$(PIP) install uv
