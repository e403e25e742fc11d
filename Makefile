# Two commands do everything: `make app` runs the app, `make test` runs the tests.
# Both make their own virtual environment in .venv first.
# `make dev` is the app for those who edit it: it draws a page again when its file changes.

PYTHON ?= python3
BIN := .venv/bin

SEED ?= 1
NUMBER ?= 200

.PHONY: app dev test test-all mutants format clean

app: .venv/app
	$(BIN)/streamlit run app.py

dev: .venv/app
	$(BIN)/streamlit run app.py --server.fileWatcherType auto

test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow"

test-all: .venv/dev
	$(BIN)/pytest

# Do the tests notice small faults in model/? Minutes to hours; see mutants/README.md.
mutants: .venv/mutants .coverage
	$(BIN)/python -m mutants run --number $(NUMBER) --seed $(SEED)

.coverage:
	OMP_NUM_THREADS=1 $(BIN)/python -m mutants map

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

.venv/mutants: .venv/dev requirements-mutants.txt
	$(BIN)/pip install --quiet -r requirements-mutants.txt
	touch $@
