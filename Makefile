# Two commands do everything: `make app` runs the app, `make test` runs the tests.
# Both make their own virtual environment in .venv first.
# `make dev` is the app for those who edit it: it draws a page again when its file changes.

BIN := .venv/bin

.PHONY: app dev test test-all browser format clean

app: .venv/app
	$(BIN)/streamlit run app.py

dev: .venv/app
	$(BIN)/streamlit run app.py --server.fileWatcherType auto

test: browser .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow and not clock" -n auto --dist loadfile
	$(BIN)/pytest -m "not slow and clock"

test-all: browser .venv/dev
	$(BIN)/pytest -m "not clock" -n auto --dist loadfile
	$(BIN)/pytest -m clock

# Before PyTorch comes, which takes minutes: who lacks a browser is told at once.
browser: .venv/browser
	$(BIN)/python -m tests.browser.chromium

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache

$(BIN)/pip:
	PYTHON='$(PYTHON)' sh scripts/make_venv.sh

# PyTorch first: the rest is then happy with the build that is there.
.venv/app: requirements.txt | $(BIN)/pip
	$(BIN)/pip install --quiet $$(grep '^torch==' $<)
	$(BIN)/pip install --quiet -r $<
	touch $@

.venv/browser: requirements-dev.txt | $(BIN)/pip
	$(BIN)/pip install --quiet $$(grep '^playwright==' $<)
	touch $@

.venv/dev: .venv/app requirements-dev.txt
	$(BIN)/pip install --quiet -r requirements-dev.txt
	touch $@
