# Every target sets up what it needs in .venv; no target needs another one run by hand first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help setup demo test test-all check format experiments bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(STAMP)  ## make .venv with everything the tests need

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[video,camera,ground,scan,plan,rosbridge]" --group dev
	touch $@

demo: setup  ## drive Quince over a step, print the verdict, write demo.png
	$(BIN)/python examples/00_quince_climbs_a_step.py

test: setup  ## all fast tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: setup  ## every test, the slow ones too
	$(BIN)/python -m pytest -n 2

check: setup  ## formatting, lint, types, house rules
	$(BIN)/ruff format --check src tests examples
	$(BIN)/ruff check src tests examples
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_house.py tests/test_map.py

format: setup  ## rewrite the sources as ruff wants them
	$(BIN)/ruff format src tests examples
	$(BIN)/ruff check --fix src tests examples

experiments: setup  ## every table and figure, with reports under reports/
	for name in $$($(BIN)/grouser list experiments --plain); do $(BIN)/grouser experiment $$name --report reports/$$name --json reports/$$name.json || exit 1; done

bench: setup  ## every speed question, figures under reports/
	for name in $$($(BIN)/grouser list benches --plain); do $(BIN)/grouser bench $$name --json reports/bench_$$name.json || exit 1; done

clean:  ## remove .venv and everything generated
	rm -rf $(VENV) reports .mypy_cache .pytest_cache .ruff_cache
