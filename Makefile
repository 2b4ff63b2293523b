# Every target works on a fresh clone with python3 (3.11 or later) alone; gcc adds the production evaluator.
PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.bench-installed
# Extra arguments for pytest, for example: make test ARGS="-k facade -x"
ARGS ?=
JOBS ?= auto
# How many changes of the rules `make rules` tries in each rulebook; 0 tries all of them.
MUTANTS ?= 100

# What pip may choose: the lock, also for what builds the package.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# A virtual environment that the caller has active must not leak into ours.
unexport PYTHONPATH PYTHONHOME

TYPES := MYPYPATH=.typing:benchmarks $(VENV)/bin/mypy

.DEFAULT_GOAL := help
.PHONY: help install demo test check full fixtures lint types format imports rules pages bench lock clean

help: ## show this list
	@echo "Tollens: make TARGET [PYTHON=python3.12] [VENV=.venv-3.12]"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

install: $(STAMP) ## create .venv with everything that the other targets need

$(STAMP): pyproject.toml constraints.txt .ci/engine
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Tollens needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1 || echo missing). Name another one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -m venv --clear $(VENV) || { echo "$(PYTHON) cannot make a virtual environment; install its venv module." >&2; exit 2; }
	@echo "installing into $(VENV) (about half a minute)"
	@$(PY) -m pip install --quiet --quiet -e '.[dev]'
	@.ci/engine $(PY)
	@touch $@

$(BENCH_STAMP): $(STAMP)
	@$(PY) -m pip install --quiet --quiet -e '.[bench]'
	@$(PY) -m pip install --quiet --quiet --no-deps experta
	@touch $@

demo: $(STAMP) ## see what Tollens does, on real failures
	@$(PY) fixtures/demo.py

test: $(STAMP) ## run the tests (no network)
	@$(VENV)/bin/pytest -q -n $(JOBS) --dist loadgroup $(ARGS)

check: lint types imports rules test ## everything that must hold before a change is submitted

lint: $(STAMP) ## ruff: style, bugs, formatting
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check --quiet

format: $(STAMP) ## let ruff repair what it can
	@$(VENV)/bin/ruff check --fix
	@$(VENV)/bin/ruff format --quiet

types: $(STAMP) ## mypy --strict over the packages, the tests and the scripts
	@$(TYPES) -p tollens
	@$(TYPES) $(wildcard tests benchmarks .ci/*.py fixtures/*.py)

rules: $(STAMP) ## the cases of the shipped rules, what they cover, and a sample of the changes that they must notice
	@$(VENV)/bin/tollens rules test
	@$(VENV)/bin/tollens rules coverage --fail-under 100
	@$(VENV)/bin/tollens rules mutate --sample $(MUTANTS) --fail-under 90

pages: $(STAMP) ## write anew what is made from the rules: docs/rules, docs/diagnosis-pack.md and docs/schema
	@$(VENV)/bin/tollens rules docs
	@$(PY) .ci/pack_page.py
	@for what in rules pack cases; do $(VENV)/bin/tollens rules schema --open --for $$what > docs/schema/$$what.schema.json || exit 2; done

imports: $(STAMP) ## which part may import which
	@PYTHONPATH=.typing $(VENV)/bin/lint-imports --no-cache

full: $(STAMP) ## all checks with unlimited budgets; writes docs/full-report.md
	@$(PY) .ci/full.py $(ARGS)

fixtures: $(STAMP) ## make the fixtures anew with the real toolchains
	@$(PY) fixtures/regenerate.py

bench: $(BENCH_STAMP) ## measure, beside other engines
	@$(PY) benchmarks/run.py $(ARGS)

lock: ## resolve all dependencies anew into constraints.txt (network; nothing younger than 72 hours)
	@$(PYTHON) -m venv --clear .venv-lock
	@env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT .venv-lock/bin/python -m pip install --quiet --quiet --upgrade 'pip>=26.1'
	@env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT .venv-lock/bin/python .ci/lock.py

clean: ## remove everything that was made here
	@rm -rf .venv .venv-* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
