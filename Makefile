# Every target sets up what it needs: a fresh machine with Python 3.11, pip and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
SERVERS := $(VENV)/.servers
# Five seconds a test; on a shared machine of continuous integration slowness is not a failure, hanging is.
SECONDS_A_TEST := $(if $(CI),30,5)

# What the container of examples/deploy has besides the bot itself.
CONTAINER_EXTRAS := web postgres calendars ical openapi mcp

PAGE := bot/http/pages
# Images of containers set it; the tests start hundreds of processes, and each would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

# To read what would only be left out takes a third of the time that finding the tests takes.
NO_SERVERS := --ignore=tests/integration --ignore=tests/browser

.DEFAULT_GOAL := help
.PHONY: help install run chat test integration check audit train ablate fix lock page same-page clean docs bench

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# uv installs in two seconds what pip takes half a minute for; pip is what every machine has.
define sync
	@echo "Setting up $(VENV) (once; a minute or two)…"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@{ command -v uv >/dev/null 2>&1 && \
		uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) && \
		uv pip install --quiet --python $(BIN)/python --no-deps --editable .; } || { \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(1) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .; }
endef

$(RUNTIME): pyproject.toml requirements.lock.txt
	$(call sync,requirements.lock.txt)
	@touch $@

$(DEVELOPMENT): pyproject.toml requirements-dev.lock.txt
	$(call sync,requirements-dev.lock.txt)
	@touch $(RUNTIME) $@

$(SERVERS): pyproject.toml requirements-servers.lock.txt
	$(call sync,requirements-servers.lock.txt)
	@touch $(RUNTIME) $(DEVELOPMENT) $@

install: $(DEVELOPMENT) ## the development environment in .venv

run: $(RUNTIME) ## the bot, from config.toml; no key needed
	@$(BIN)/bubbles run

chat: $(RUNTIME) ## talk to the bot in this terminal
	@$(BIN)/bubbles chat

test: $(DEVELOPMENT) ## the tests that run all day
	@$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --timeout $(SECONDS_A_TEST) $(NO_SERVERS)

integration: $(SERVERS) ## the tests with subprocesses, kills and servers
	@$(BIN)/python -m pytest -q -m integration -n 3 --dist loadfile --timeout 240

check: $(DEVELOPMENT) ## ruff, format, mypy strict, import contracts, names and layout, lock files
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest -q --no-header -n 0 --timeout 60 $(addprefix tests/architecture/test_,names.py layout.py pages.py)
	@! grep -n '://' requirements*.lock.txt || { echo "a lock file names a host"; exit 1; }

audit: ## ask the package index which requirements have known vulnerabilities; needs the network
	@test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/pip install --quiet pip-audit; }
	@build/audit/bin/pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock.txt

docs: $(DEVELOPMENT) ## the documentation as a site in site/, and what its pages show executed
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --clean --config-file .ci/mkdocs.yml
	@$(BIN)/python -m pytest -q tests/docs tests/architecture --timeout 60

train: ## train the networks that read requests without a language model, from written messages and grammars
	@test -x build/train/bin/python || { $(PYTHON) -m venv build/train && \
		build/train/bin/pip install --quiet --editable . 'scikit-learn==1.9.1' 'jax==0.10.2' optax looptime; }
	@PYTHONPATH=. build/train/bin/python -m benchmarks.understanding.train en zh
	@PYTHONPATH=. build/train/bin/python -m benchmarks.understanding.train es --epochs 20
	@PYTHONPATH=. build/train/bin/python -m benchmarks.understanding.addressee

ablate: $(DEVELOPMENT) ## the conditions of the understanding that no conversation needs (an hour or two)
	@$(BIN)/python -m benchmarks.understanding.ablation

bench: $(DEVELOPMENT) ## every benchmark as one table, saved as bench.json (ten minutes)
	@$(BIN)/python benchmarks/run.py --out bench.json

fix: $(DEVELOPMENT) ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: ## refresh the hashed requirements (needs uv)
	@uv export --quiet --no-dev --extra web --no-emit-project --no-header --no-annotate --format requirements-txt -o requirements.lock.txt
	@uv export --quiet --no-dev $(addprefix --extra ,$(CONTAINER_EXTRAS)) --no-emit-project --no-header --no-annotate --format requirements-txt -o requirements-container.lock.txt
	@uv export --quiet --no-emit-project --no-header --no-annotate --format requirements-txt -o requirements-dev.lock.txt
	@uv export --quiet --group servers --no-emit-project --no-header --no-annotate --format requirements-txt -o requirements-servers.lock.txt

page: ## build the web page into $(PAGE); only for those who change it (needs Node 20.19 or newer)
	@cd web && npm ci --silent --no-progress && npm run --silent build -- --logLevel warn

same-page: page # what continuous integration asks: the committed page is what the sources make, byte for byte
	@test -z "$$(git status --porcelain -- $(PAGE))" || { git status --short -- $(PAGE); echo "$(PAGE) is not what web/ builds: run make page and commit it"; exit 1; }

clean: ## remove the environment and caches, never data
	@rm -rf $(VENV) web/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
