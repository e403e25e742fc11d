# Two commands do everything: `make app` runs the app, `make test` runs the tests.
# Both make their own virtual environment in .venv first.
# `make dev` is the app for those who edit it: it draws a page again when its file changes.

BIN := .venv/bin

# What is imported is compiled then, and kept: to compile all that is installed took as long as to
# install it, and to compile it at each start makes a start three times as long.
INSTALL := $(BIN)/pip install --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE

# Files of tests side by side, with one thread each; tests/conftest.py says how many and which.
ABREAST := -n auto --no-loadscope-reorder
NUMBERS := tests/reference tests/property tests/claims

N ?= 2
PORT ?= 8501

.PHONY: app dev serve test checks tests test-all browser bench pictures docs format clean

app: .venv/app
	$(BIN)/streamlit run app.py

dev: .venv/app
	$(BIN)/streamlit run app.py --server.fileWatcherType auto --client.showErrorDetails full

# Several processes behind nginx, for a school: docs/deployment.md. HOST is what others call it.
serve: .venv/serve
	$(BIN)/python -m deploy.serve --replicas $(N) --port $(PORT) $(HOST:%=--host %)

# The check of types, a minute on one core, goes on beside the first tests.
test: browser .venv/dev
	@$(MAKE) --no-print-directory -j 2 checks tests

checks:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

tests:
	OMP_NUM_THREADS=1 $(BIN)/pytest -m "not slow" $(ABREAST)

# The slow ones too, and what is computed once more as two other processors compute it.
test-all: browser .venv/dev
	OMP_NUM_THREADS=1 $(BIN)/pytest $(ABREAST)
	ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 $(BIN)/pytest $(NUMBERS)
	ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 $(BIN)/pytest $(NUMBERS)

# Before PyTorch comes, which takes minutes: who lacks a browser is told at once.
browser: .venv/browser
	$(BIN)/python -m tests.browser.chromium

# How long does a visitor wait, and a class, and a training? Half an hour; on a machine that does
# nothing else. Each goes on if one before keeps no promise.
bench: browser .venv/dev
	for each in rendering inference classroom serving training soak profiles; do \
		$(BIN)/python -m benchmarks.$$each || failed="$$failed $$each"; \
	done; \
	test -z "$$failed" || { echo "Not as promised:$$failed"; exit 1; }

# Those of the README: the app as it is now, in both languages.
pictures: browser .venv/dev
	$(BIN)/python -m docs.pictures

# A page for every module, from its docstrings; open site/index.html.
docs: .venv/dev
	$(BIN)/python -m docs.api.build

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache

$(BIN)/pip:
	PYTHON='$(PYTHON)' sh scripts/make_venv.sh

# PyTorch first: the rest is then content with the build that is there.
.venv/torch: requirements.txt scripts/install_torch.py | $(BIN)/pip
	@$(BIN)/python scripts/install_torch.py $$(grep '^torch==' $<)
	@touch $@

.venv/app: requirements.txt .venv/torch
	$(INSTALL) -r $<
	touch $@

.venv/serve: requirements-serve.txt .venv/app
	$(INSTALL) -r $<
	touch $@

.venv/browser: requirements-dev.txt | $(BIN)/pip
	$(INSTALL) $$(grep '^playwright==' $<)
	touch $@

.venv/dev: requirements-dev.txt requirements-extra.txt requirements-serve.txt requirements.txt .venv/torch
	$(INSTALL) -r $<
	touch $@ .venv/app .venv/serve
