# `make app` runs the app, `make test` runs the tests. Both first create a virtual environment in .venv.
# `make dev` is the app for developers: it reloads a page when its file changes.

BIN := .venv/bin

# Python compiles a module when it is first imported, and caches it. Compiling everything at install
# time would double the time; without a cache each start would take three times as long.
# The constraints name one version of every library, also of those that our requirements require.
INSTALL := $(BIN)/pip install --quiet --no-compile --constraint constraints.txt
unexport PYTHONDONTWRITEBYTECODE

# Run test files in parallel, one thread each; tests/conftest.py decides how many and which.
PARALLEL := -n auto --no-loadscope-reorder
NUMBERS := tests/reference tests/property tests/claims

N ?= 2
PORT ?= 8501

.PHONY: app dev serve test checks tests test-all expected browser bench pictures docs format clean

app: .venv/app
	$(BIN)/streamlit run app.py

dev: .venv/app
	$(BIN)/streamlit run app.py --server.fileWatcherType auto --client.showErrorDetails full

# Several processes behind nginx, for a school: docs/deployment.md. HOST is the site's host name.
# VISITORS is how many visitors may come at once from one address; 100 for each process by default.
serve: .venv/serve
	$(BIN)/python -m deploy.serve --replicas $(N) --port $(PORT) $(HOST:%=--host %) $(VISITORS:%=--visitors %)

# Type checking takes a minute on one core; it runs in parallel with the first tests.
test: browser .venv/dev
	@$(MAKE) --no-print-directory -j 2 checks tests

checks:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/oxfmt --check web tests/web
	$(BIN)/oxlint --deny-warnings web tests/web
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

tests:
	OMP_NUM_THREADS=1 $(BIN)/pytest -m "not slow and not layout" $(PARALLEL)

# All tests, and the numerical tests again with the instruction sets of two older processors.
test-all: browser .venv/dev
	OMP_NUM_THREADS=1 $(BIN)/pytest $(PARALLEL)
	ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 $(BIN)/pytest $(NUMBERS)
	ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 $(BIN)/pytest $(NUMBERS)

# Write again what tests expect of each view and each picture; read the difference before you commit it.
expected: browser .venv/dev
	APPROVE=1 OMP_NUM_THREADS=1 $(BIN)/pytest -m "not slow" $(PARALLEL) \
		tests/ui/test_every_control.py tests/ui/test_frame.py tests/browser/test_hands.py \
		tests/charts/test_expected_designs.py

# Runs before PyTorch is installed, which takes minutes: a missing browser is then reported at once.
browser: .venv/browser
	$(BIN)/python -m tests.browser.chromium

# Benchmarks: half an hour on an otherwise idle machine. If one misses its target, the others still run.
bench: browser .venv/dev
	for each in rendering one_file inference classroom serving training soak profiles; do \
		$(BIN)/python -m benchmarks.$$each || failed="$$failed $$each"; \
	done; \
	test -z "$$failed" || { echo "Targets missed:$$failed"; exit 1; }

# Take the picture and the film of the README again.
pictures: browser .venv/dev
	$(BIN)/python -m docs.pictures

# Build the API reference from the docstrings; open site/index.html.
docs: .venv/dev
	$(BIN)/python -m docs.api.build

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/oxfmt web tests/web

clean:
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache

$(BIN)/pip:
	PYTHON='$(PYTHON)' sh scripts/make_venv.sh

# PyTorch first: pip then accepts the installed build for all other requirements.
.venv/torch: requirements.txt constraints.txt scripts/install_torch.py | $(BIN)/pip
	@$(BIN)/python scripts/install_torch.py $$(grep '^torch==' $<)
	@touch $@

.venv/app: requirements.txt constraints.txt .venv/torch
	$(INSTALL) -r $<
	touch $@

.venv/serve: requirements-serve.txt constraints.txt .venv/app
	$(INSTALL) -r $<
	touch $@

.venv/browser: requirements-dev.txt constraints.txt | $(BIN)/pip
	$(INSTALL) $$(grep '^playwright==' $<)
	touch $@

.venv/dev: requirements-dev.txt requirements-serve.txt requirements-hub.txt requirements.txt constraints.txt .venv/torch
	$(INSTALL) -r $<
	touch $@ .venv/app .venv/serve
