# Everything a developer does, one word each. The first of them sets up $(VENV) from the lock file;
# later ones find it there, and set it up again only when the lock or pyproject.toml has changed.
# `make demo` installs only what holdfast itself needs, which takes seconds.
#
# Needs Python 3.11 or later and make. All paths are relative, so the checkout may lie anywhere.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
# More than there are cores: most tests wait, for a process to start or a lease to run out.
WORKERS ?= 4

LOCK := requirements.lock
DEMO_LOCK := requirements-demo.lock
IMAGE_LOCK := deploy/requirements.lock
RUN := $(VENV)/bin/python
PIP_INSTALL := $(RUN) -m pip install --disable-pip-version-check --quiet --no-compile
READY := $(VENV)/.ready
DEMO_READY := $(VENV)/.ready-demo
UI_LOCK := ui/requirements.lock
SOURCES := $(wildcard src tests bench examples ui/*.py hatch_build.py)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help:  ## list what there is to do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The web pages: built from ui/ into the package, with a Node that pip installs. Does nothing if nothing has changed.
.PHONY: pages
pages: $(or $(wildcard $(READY)),$(DEMO_READY))  ## build the web pages
	@$(RUN) ui/build.py

.PHONY: screenshots
screenshots: $(READY) pages  ## take a picture of every page, at two widths and in both themes, into build/screenshots
	@$(RUN) -m tests.pages.screenshots $(ARGS)

.PHONY: demo
demo: $(or $(wildcard $(READY)),$(DEMO_READY))  ## see runs survive a crash: in Python, as a DAG in YAML, as a flow graph
	@PYTHONPATH='$(CURDIR)/src' $(RUN) examples/demo.py $(ARGS)
	@PYTHONPATH='$(CURDIR)/src' $(RUN) examples/demo_dag.py
	@PYTHONPATH='$(CURDIR)/src' $(RUN) examples/demo_flow.py
	@$(RUN) ui/build.py
	@PYTHONPATH='$(CURDIR)/src' $(RUN) examples/demo_pages.py

# What a developer runs after each edit: all that needs no server, no other process and no waiting.
QUICK := tests/core tests/authoring tests/stores tests/engine tests/faults tests/test_architecture.py

.PHONY: quick
quick: $(READY)  ## run the tests of the inner loop in a minute: pure code, the engine and the store in memory
	@$(RUN) -m pytest --numprocesses 2 --dist worksteal --hypothesis-profile quick -m quick $(QUICK) $(ARGS)

.PHONY: test
test: $(READY) pages  ## run the tests in five minutes, the same in every run (ARGS="-k lease" for some)
	@$(RUN) -m pytest --numprocesses $(WORKERS) --dist worksteal -m "not long" $(ARGS)

# The seed is printed, so that what it found can be found again: make test-long SEED=n.
.PHONY: test-long
test-long: $(READY) pages  ## run what takes longer, and explore: new seeds and examples each time (SEED=n repeats them)
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')); echo "make test-long SEED=$$seed"; \
	$(RUN) -m pytest --numprocesses $(WORKERS) --dist worksteal -m "long or explores or hypothesis" \
		--hypothesis-profile explore --hypothesis-seed $$seed $(ARGS)

.PHONY: coverage
coverage: $(READY) pages  ## run every test, and show the branches of core, engine and stores that none takes
	@$(RUN) -m tests.branches $(ARGS)

.PHONY: check
check: $(READY)  ## check format, lint and types
	@$(RUN) -m ruff format --check $(SOURCES)
	@$(RUN) -m ruff check $(SOURCES)
	@$(RUN) -m basedpyright --pythonpath $(RUN)
	@$(RUN) ui/build.py check

.PHONY: format
format: $(READY)  ## format the code and fix what can be fixed by itself
	@$(RUN) -m ruff check --fix-only --quiet $(SOURCES)
	@$(RUN) -m ruff format $(SOURCES)
	@$(RUN) ui/build.py format

.PHONY: bench
bench: $(READY)  ## measure the workloads, as JSON lines
	@$(RUN) -m bench $(ARGS)

.PHONY: fuzz
fuzz: $(READY)  ## feed holdfast with nonsense for 5 minutes (ARGS="--minutes 60")
	@$(RUN) -m tests.fuzz $(ARGS)

.PHONY: soak
soak: $(READY)  ## hold half of the peak for an hour: does anything grow? (ARGS="--store postgres")
	@$(RUN) -m tests.soak $(ARGS)

.PHONY: simulate
simulate: $(READY)  ## 10,000 histories in which everything goes wrong (SEED=n tells one), 1,000 edits under runs
	@$(RUN) -m tests.simulation $(if $(SEED),--seed $(SEED)) $(ARGS)
	@$(if $(SEED),,$(RUN) -m tests.programs --edits --seeds 1200)

.PHONY: chaos
chaos: $(READY)  ## kill, freeze, cut and fill for three minutes, and check (ARGS="--minutes 60")
	@$(RUN) -m tests.chaos $(ARGS)

.PHONY: faults
faults: $(READY)  ## plant every known fault, one at a time, and see each caught (ARGS="--only no-fence")
	@$(RUN) -m tests.faults $(ARGS)

.PHONY: mutate
mutate: $(READY)  ## change the source in small ways, and list what no test notices (ARGS="--minutes 60")
	@$(RUN) -m tests.mutation $(ARGS)

# Pinned as a requirements file and not as uv.lock: plain pip can install it, and it names no package
# index. Resolved for every platform and Python at once, so it is the same wherever it is made.
# The locks of the demo and of the image are constrained by the whole one, so that all have the same versions.
# ARGS=--upgrade takes newer versions; without it only what pyproject.toml asks for changes.
COMPILE_ONLY := $(RUN) -m uv pip compile --no-config --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make lock' --quiet
COMPILE := $(COMPILE_ONLY) pyproject.toml

.PHONY: lock
lock: | $(RUN)  ## write the lock files again (ARGS=--upgrade for newer versions)
	@echo "Resolving pyproject.toml into $(LOCK), $(DEMO_LOCK), $(UI_LOCK) and $(IMAGE_LOCK)"
	@$(PIP_INSTALL) 'uv>=0.9'
	@$(COMPILE) --extra dev --output-file $(LOCK) $(ARGS)
	@$(COMPILE) --constraint $(LOCK) --output-file $(DEMO_LOCK) --extra server ui/requirements.in $(ARGS)
	@$(COMPILE_ONLY) ui/requirements.in --constraint $(LOCK) --output-file $(UI_LOCK) $(ARGS)
	@$(COMPILE) --constraint $(LOCK) --output-file $(IMAGE_LOCK) \
		--extra server --extra postgres --extra metrics --extra tracing --extra encryption --extra oidc deploy/build.in $(ARGS)

.PHONY: clean
clean:  ## remove caches and build output
	@rm -rf build dist ui/build src/holdfast/server/pages/built .pytest_cache .ruff_cache .hypothesis
	@find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: distclean
distclean: clean  ## remove the virtual environment too
	@rm -rf $(VENV) ui/node_modules

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "holdfast needs Python 3.11 or later, but $(PYTHON) is $$($(PYTHON) --version 2>&1);" >&2; \
		echo "name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

# holdfast is not installed for the demo, which finds it by PYTHONPATH: building it needs the tools.
$(DEMO_READY): $(DEMO_LOCK) | $(RUN)
	@echo "Installing $(DEMO_LOCK) into $(VENV) (about ten seconds)"
	@$(PIP_INSTALL) --require-hashes --requirement $(DEMO_LOCK)
	@touch $@

# hatchling is in the lock, so the package is built with it and not with whatever is newest today:
# that is what --no-build-isolation is for.
$(READY): $(LOCK) pyproject.toml | $(RUN)
	@echo "Installing $(LOCK) into $(VENV) (about a minute)"
	@$(PIP_INSTALL) --require-hashes --requirement $(LOCK)
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@
