# Two commands do everything: `make app` runs the app, `make test` runs the tests.
# Both make their own virtual environment in .venv first.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: app test test-all format clean

app: .venv/app
	$(BIN)/streamlit run app.py

test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow"

test-all: .venv/dev
	$(BIN)/pytest

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache

# PyTorch first: the rest is then happy with the build that is there.
.venv/app: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet $$(grep '^torch==' requirements.txt)
	$(BIN)/pip install --quiet -r requirements.txt
	touch $@

.venv/dev: .venv/app requirements-dev.txt
	$(BIN)/pip install --quiet -r requirements-dev.txt
	touch $@
