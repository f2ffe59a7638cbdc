# Every target sets up what it needs in .venv; no target needs another one run by hand first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# The demo takes the developers' .venv where there is one, else a light one of its own.
DEMO       := $(if $(wildcard $(STAMP)),$(VENV),.venv-demo)
DEMO_BIN   := $(DEMO)/bin
DEMO_STAMP := $(if $(wildcard $(STAMP)),$(STAMP),$(DEMO)/.demo-installed)

.PHONY: help setup clib docs demo test test-all check format experiments bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(STAMP)  ## make .venv with everything the tests need

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[video,camera,ground,scan,plan,rosbridge,can,record]" --group dev
	touch $@

clib:  ## the robot library hrt in C: libhrt_sim and libhrt_can, in clib/build
	$(MAKE) -C clib

demo: $(DEMO_STAMP)  ## plan over the bumpy double bridge with the roach, write report/index.html
	$(DEMO_BIN)/grouser plan bumps --from -1.6,0 --to 1.6,0 --within -1.7,-1,1.7,1 \
		--candidates 12 --trials 2 --rounds 2 --set physics.timestep=0.002 --report report

$(DEMO)/.demo-installed: pyproject.toml
	test -x $(DEMO_BIN)/python || $(PYTHON) -m venv $(DEMO)
	$(DEMO_BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[plan]"
	touch $@

test: setup  ## all fast tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: setup  ## every test, the slow ones too
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group models
	$(BIN)/python -m pytest -n 2

check: setup  ## formatting, lint, types, rules of the source tree
	$(BIN)/ruff format --check src tests examples tools
	$(BIN)/ruff check src tests examples tools
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_source_rules.py tests/test_language.py

format: setup  ## rewrite the sources as ruff wants them
	$(BIN)/ruff format src tests examples tools
	$(BIN)/ruff check --fix src tests examples tools

docs: setup  ## the documentation as a site, under site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

experiments: setup  ## every table and figure, with reports under reports/
	for name in $$($(BIN)/grouser list experiments --plain); do $(BIN)/grouser experiment $$name --report reports/$$name --json reports/$$name.json || exit 1; done

bench: setup  ## every speed question, figures under reports/
	for name in $$($(BIN)/grouser list benches --plain); do $(BIN)/grouser bench $$name --json reports/bench_$$name.json || exit 1; done

clean:  ## remove .venv and everything generated
	rm -rf $(VENV) .venv-demo clib/build report reports site .mypy_cache .pytest_cache .ruff_cache
