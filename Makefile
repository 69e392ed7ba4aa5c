# Two commands are enough: `make serve` and `make test`. Everything else is for people who change wellworn.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO_DATA ?= .wellworn-demo
PORT ?= 7421

.PHONY: help serve test lint format clean

help:
	@echo "make serve   install, start the service on examples/skills, resolve one message (PORT=$(PORT))"
	@echo "make test    install, then lint, types, layers and all tests"
	@echo "make lint    ruff, mypy --strict and import-linter only"
	@echo "make format  ruff format and safe fixes"
	@echo "make clean   remove the environment, caches and the demo's data"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The markers are remade when pyproject.toml changes, so a pull never leaves an old environment.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing wellworn into $(VENV) (once; a minute or so) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Installing wellworn and what its tests need into $(VENV) (once; a minute or so) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

serve: $(VENV)/.installed
	@WELLWORN_DATA_DIR=$(DEMO_DATA) WELLWORN_HOME=examples WELLWORN_LIBRARY=examples/skills $(BIN)/wellworn serve \
		--port $(PORT) --try "ship this and install the latest locally"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) $(DEMO_DATA) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
