# All targets use the environment that config/bootstrap.py makes in .venv; it takes no time when nothing changed.
PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
UPGRADE ?=
LOAD ?=
BENCH ?=
CONSUMERS ?=
RUN := .venv/bin/python
BABEL := $(RUN) -m babel.messages.frontend --quiet
LOCK := .venv/bin/uv pip compile --quiet --no-emit-index-url --generate-hashes --python-version 3.11 --universal \
	--custom-compile-command "make lock"
# What torch brings for GPUs, and what it shares with the other lists of consumers.
GPU := torch triton cuda-bindings cuda-pathfinder cuda-toolkit $(addprefix nvidia-,cublas cuda-cccl cuda-cupti cuda-nvrtc \
	cuda-runtime cudnn-cu13 cufft cufile curand cusolver cusparse cusparselt-cu13 nccl-cu13 nvjitlink nvshmem-cu13 nvtx)
SHARED := filelock fsspec jinja2 markupsafe mpmath networkx setuptools sympy typing-extensions

# Values that let the settings load as in production; nothing is connected to.
PRODUCTION := env -u DATABASE_URL_FILE -u SECRET_KEY_FILE -u REDIS_URL_FILE DEBUG=False HTTPS=True \
	DATABASE_URL=postgresql://plumb@database/plumb REDIS_URL=redis://redis:6379/0 ALLOWED_HOSTS=plumb.example.org \
	SECRET_KEY=for-the-checks-alone-which-sign-nothing-0123456789-abcdef

.PHONY: help demo test test-consumers load bench check format lock messages screenshot install dev clean
.NOTPARALLEL:

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##/make \1:/p' Makefile

install:  ## make the environment and nothing else
	@$(PYTHON) config/bootstrap.py

demo: install  ## serve the demo project at PORT=8000; SERVE=0 stops after its verified release
	@exec $(RUN) manage.py demo --port $(PORT) $(if $(filter 0,$(SERVE)),--no-serve)

test: dev  ## the whole suite on SQLite, then what needs a database on PostgreSQL
	@$(RUN) -m pytest --database sqlite -n 2
	@$(RUN) -m pytest --database postgresql -n 2 -m "not files and not browser" --ignore tests/domain

test-consumers: dev  ## releases read by the programs they are made for; the first time it fetches about 1 GB
	@$(RUN) -m config.consumers
	@.consumers/main/bin/python -m pytest -c tests/consumers/pytest.ini tests/consumers $(CONSUMERS)

load: dev  ## annotators at work on both databases, measured and checked, with faults; takes about ten minutes
	@$(RUN) -m tests.load $(LOAD)

bench: dev  ## the statistics beside libraries: time, memory, equal values; BENCH=--quick takes about a minute
	@$(RUN) -m tests.bench $(BENCH)

check: dev  ## lint, import contracts, types, migrations, settings, templates, translations, lock files
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	.venv/bin/lint-imports
	$(RUN) -m mypy
	$(PRODUCTION) DATABASE_URL=sqlite://:memory: $(RUN) manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(RUN) manage.py check --deploy --fail-level WARNING
	find templates -name '*.html' -exec .venv/bin/djade --target-version 5.2 --check {} +
	$(PRODUCTION) DJANGO_SETTINGS_MODULE=config.settings $(RUN) -m tests.check_templates
	$(RUN) -m tests.check_messages
	$(RUN) -m tests.check_locks

format: dev  ## rewrite the code and the templates in the common form
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .
	find templates -name '*.html' -exec .venv/bin/djade --target-version 5.2 {} +

lock: dev  ## lock what the lists ask for, with hashes; UPGRADE=--upgrade takes the newest versions allowed
	$(LOCK) $(UPGRADE) requirements-uv.in --output-file requirements-uv.txt
	$(LOCK) $(UPGRADE) requirements-node.in --output-file requirements-node.txt
	$(LOCK) $(UPGRADE) requirements.in --output-file requirements.txt
	$(LOCK) $(UPGRADE) requirements-s3.in --output-file requirements-s3.txt
	$(LOCK) $(UPGRADE) requirements-dev.in --output-file requirements-dev.txt
	$(LOCK) $(UPGRADE) $(GPU:%=--no-emit-package=%) requirements-consumers.in --output-file requirements-consumers.txt
	$(LOCK) $(UPGRADE) $(GPU:%=--no-emit-package=%) requirements-consumers-rewardbench.in \
		--output-file requirements-consumers-rewardbench.txt
	$(LOCK) $(UPGRADE) $(SHARED:%=--no-emit-package=%) requirements-consumers-torch.in \
		--output-file requirements-consumers-torch.txt
	npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund

messages: dev  ## collect the translatable texts into locale/ and compile what is translated
	$(BABEL) extract --mapping config/babel.cfg --no-location --no-wrap --project Plumb --output .venv/django.pot \
		--keywords "gettext_lazy ngettext_lazy:1,2 pgettext_lazy:1c,2 say" annotation api authoring config curation templates
	$(BABEL) update --locale zh_Hans --input-file .venv/django.pot --output-dir locale --domain django \
		--init-missing --no-wrap --no-fuzzy-matching --ignore-pot-creation-date
	$(BABEL) compile --directory locale --domain django

screenshot: dev  ## the picture in README.md, made anew
	$(RUN) -m tests.browser.screenshot

clean:  ## remove all that make installed and cached; .data, with the demo's database, stays
	rm -rf .venv .consumers node_modules static/vendor .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find locale -name '*.mo' -delete

dev:
	@$(PYTHON) config/bootstrap.py --dev
