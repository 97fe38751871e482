# The two commands a newcomer needs: make serve, make test.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TOOLS  := build/tools
PORT   ?= 5006
NOTEBOOK ?= 01
WORKERS ?= auto

.PHONY: help serve lab slides explorables test programs quick matrix release docs check bench coverage format clean

help:            ## list the commands
	@grep -E '^[a-z]+: .*##|^[a-z]+: +##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 12

serve: $(VENV)/.serve ## serve the page with a bundled example on port 5006 (PORT=...)
	$(BIN)/workbench serve --port $(PORT)

lab: $(VENV)/.lab ## open the notebooks in JupyterLab
	JUPYTER_CONFIG_PATH="$(CURDIR)/notebooks/.jupyter:$$JUPYTER_CONFIG_PATH" \
	  $(BIN)/jupyter lab --LabApp.news_url=None --LabApp.extension_manager=readonly \
	  --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate notebooks

slides: $(VENV)/.lab ## run a notebook and write it as slides that need no network (NOTEBOOK=01), in build/slides
	$(BIN)/workbench slides notebooks/$(NOTEBOOK)-*.ipynb --output build/slides/$(NOTEBOOK).html

explorables: $(VENV)/.serve ## eight ideas, each as an HTML file for a course that needs no network, in build/explorables
	$(BIN)/workbench explorables --output build/explorables

test: programs ## the tests (installs Chromium, PostgreSQL, nginx, Caddy and npm packages if missing)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not (statistical or exhaustive)"

programs: $(VENV)/.dev
	@$(BIN)/python tests/ensure_browser.py
	@$(BIN)/python tests/ensure_postgresql.py
	@$(BIN)/python tests/ensure_proxies.py
	@$(BIN)/python tests/ensure_node.py

quick: $(VENV)/.dev ## the tests without a browser, notebooks, kernels and long simulations (installs npm packages if missing)
	@$(BIN)/python tests/ensure_node.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --ignore tests/browser \
	  -m "not (browser or notebook or kernel or statistical or slow or exhaustive)"

matrix: $(TOOLS)/.done ## the quick tests on every Python that is there, with newest and lowest versions (SESSION=newest-3.13)
	$(TOOLS)/bin/nox $(if $(SESSION),-s $(SESSION))

release: $(TOOLS)/.done ## build and check the sdist and the wheel, install each extra in an empty environment (EXTRAS="core lab")
	$(TOOLS)/bin/python -m tools.release build
	$(TOOLS)/bin/python -m tools.release notes > dist/release-notes.md
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" $(TOOLS)/bin/python -m tools.release install $(EXTRAS)

docs: $(VENV)/.docs ## the documentation site, in docs/_build/html; needs no network
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html

check: $(VENV)/.dev ## style and types, of Python and of the scripts (installs npm packages if missing)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/ensure_node.py run types
	$(BIN)/python tests/ensure_node.py run lint

bench: $(VENV)/.dev ## speed and memory, as ratios and CPU seconds
	@$(BIN)/python tests/ensure_browser.py
	$(BIN)/python -m benchmarks

coverage: programs ## false claims of every method, stored for the help, and what `make test` leaves out
	OMP_NUM_THREADS=1 $(BIN)/python data/make_coverage.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "statistical or exhaustive"

format: $(VENV)/.dev ## put the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:           ## remove the virtual environment and caches
	rm -rf $(VENV) .nox build dist tests/javascript/node_modules docs/_build docs/reference/generated docs/guide/*.ipynb .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 serve"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(TOOLS)/.done: tools/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 release"; exit 1; }
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check -r tools/requirements.txt
	@touch $@

$(VENV)/.serve: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[serve]'
	@touch $@

$(VENV)/.lab: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[lab]'
	@touch $@ $(VENV)/.serve

$(VENV)/.docs: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@ $(VENV)/.serve $(VENV)/.lab

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.serve $(VENV)/.lab $(VENV)/.docs
