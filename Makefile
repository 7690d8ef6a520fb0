# The newest Python that the machine has, unless `make PYTHON=...` names one, and the newest JAX.
ifndef PYTHON
PYTHON := $(shell tools/find_python.sh)
endif
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

# What the tests start imports the package again: once compiled to bytecode, in half the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: check test-long lock release demo expressions faults fuzz programs readings signals soak strangers threads wrong-arguments test test-oldest test-wheel test-all long-rows test-distributed test-migrate coverage docs stubs wheel lint bench clean

# One environment for demo, tests and linters; made again when the project's needs change.
$(READY): pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(if $(LOCKED),--constraint locks/tests.txt) --editable '.[demo,test,lint]'
	touch $@

demo: $(READY)
	$(BIN)/sporax run examples/digits.py --out outputs
	$(BIN)/python examples/digits_picture.py outputs

# Most of the time is the compiler's, on programs that run once: here without LLVM's optimisations,
# and by the interpreter where the subject is not what XLA computes; all of it in test-all.
test: export XLA_FLAGS += --xla_backend_optimization_level=0
test: $(READY)
	$(BIN)/python -m pytest -n 2 -m 'not slow'
	SPORAX_EXECUTOR=immediate $(BIN)/python -m pytest -n 2 -m 'executors and not slow' \
		$$(grep -rl --include=test_*.py mark.executors tests)

# The functions that `make test` leaves out, since each of their rows takes seconds.
test-long: export XLA_FLAGS += --xla_backend_optimization_level=0
test-long: $(READY)
	$(BIN)/python -m pytest -n 2 -m long

# Two minutes, for each commit: the linters' quick part, changed test files, a sample of all rows.
check: export XLA_FLAGS += --xla_backend_optimization_level=0
check: $(READY)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/python -m pytest -n 2 -m 'not slow' --sample 12

# The oldest Python, with the JAX that it can have: the rows that touch JAX's internals.
OLDEST := .venvs/oldest/bin/python
.venvs/oldest/ready: pyproject.toml
	$$(tools/find_python.sh 3.11) -m venv --clear .venvs/oldest
	$(OLDEST) -m pip install --quiet --upgrade pip
	$(OLDEST) -m pip install --quiet --editable '.[demo,test]'
	touch $@

test-oldest: export XLA_FLAGS += --xla_backend_optimization_level=0
test-oldest: .venvs/oldest/ready
	$(OLDEST) -m pytest -n 2 -m 'not slow' $(addprefix tests/, \
		autodiff batching compilation_cache control_flow core engine expressions \
		graph_capture io numpy_interpreter sharding staging storage xla_kernels test_versions.py)

# Anew, which rows take so long that `make test` leaves them out: tests/long_*.txt
long-rows: export XLA_FLAGS += --xla_backend_optimization_level=0
long-rows: $(READY)
	$(BIN)/python -m pytest -n 2 -m 'not slow' --long-rows

# Scripts as several processes: collectives, data parallel training, ranks that fail.
test-distributed: $(READY)
	$(BIN)/python -m pytest tests/distributed

test-all: $(READY)
	$(BIN)/python -m pytest -n 2 --compiled
	SPORAX_EXECUTOR=immediate $(BIN)/python -m pytest -n 2 --compiled

# Mutations of files of all formats, for a night: make fuzz SEED=3 DURATION=3600
SEED ?= 0
DURATION ?= 28800
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seed $(SEED) --seconds $(DURATION) $(ARGS)

# Exceptions and interrupts at 5000 places of training steps, ten minutes: make faults COUNT=100000
COUNT ?= 5000
faults: $(READY)
	$(BIN)/python -m tests.faults --seed $(SEED) --count $(COUNT) $(ARGS)

# State of all kinds that Python has, read by captured functions and changed, half an hour:
# make readings COUNT=30000 SEED=3
readings: COUNT = 10000
readings: $(READY)
	$(BIN)/python -m tests.guards.readings --seed $(SEED) --count $(COUNT) $(ARGS)

# Signals at 5000 places, whose handlers raise, compute and save, and those of a timer; some hours
signals: export XLA_FLAGS += --xla_backend_optimization_level=0
signals: $(READY)
	for act in raise compute save; do \
		$(BIN)/python -m tests.faults --act $$act --seed $(SEED) --count $(COUNT) $(ARGS) || exit 1; done
	$(BIN)/python -m tests.faults.real_signals

# A capture held at each of its steps, while 64 threads use what it captures: make threads ARGS="--only split"
threads: export XLA_FLAGS += --xla_backend_optimization_level=0
threads: $(READY)
	$(BIN)/python -m tests.graph_capture.gates $(ARGS)

# A million training steps of six kinds: memory, files, threads and programs, outputs/soak.csv and .svg
STEPS ?= 1000000
soak: $(READY)
	$(BIN)/python -m tools.soak --steps $(STEPS) $(ARGS)

# Everything public with one wrong argument at a time: make wrong-arguments ARGS="--count 3000 layers"
wrong-arguments: $(READY)
	$(BIN)/python -W ignore -m tests.wrong_arguments $(ARGS)

# Random programs in all ways to run them, for a night: make programs SEED=3 ARGS="--seconds 3600"
programs: export XLA_FLAGS += --xla_backend_optimization_level=0
programs: $(READY)
	$(BIN)/python -m tests.programs.random --seed $(SEED) $(ARGS)

# Random expressions on edge values, both executors against NumPy: make expressions SEED=3
expressions: export XLA_FLAGS += --xla_backend_optimization_level=0
expressions: $(READY)
	$(BIN)/python -m tests.expressions --seed $(SEED) $(ARGS)

# Libraries of others, fetched outside the repository, docs/libraries.md: make strangers ARGS=mindocr
# records them under MindSpore with ARGS="mindocr --mindspore PYTHON --record".
INTO ?= $(HOME)/.cache/sporax/strangers
strangers: $(READY)
	$(BIN)/python -m tools.strangers --into $(INTO) $(ARGS)

# Apart: PyTorch takes 750 MB. Records its runs anew with: make test-migrate RECORD=1
MIGRATE := .venvs/migrate/bin/python
test-migrate:
	$(PYTHON) -m venv .venvs/migrate
	$(MIGRATE) -m pip install --quiet torch==2.13.0 --editable '.[test]'
	$(if $(RECORD),$(MIGRATE) -m tools.record migrate)
	$(MIGRATE) -m pytest tests/migrate

# Which of the names that public scripts use the tests call: docs/coverage.md.
coverage: $(READY)
	rm -rf .calls
	$(BIN)/python -m pytest -n 2 -m 'not slow' --calls .calls
	$(BIN)/python tools/write_coverage.py --calls .calls

# The pages, in build/html: guides, and every public name, from the objects themselves. All snippets
# are run, in both languages, and must print what the pages show; then the built site is tested.
docs: export XLA_FLAGS += --xla_backend_optimization_level=0
docs: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	rm -rf build/pages
	$(BIN)/python tools/write_pages.py build/pages
	$(BIN)/sphinx-build -q -W --keep-going -j auto -c docs build/pages build/html
	$(BIN)/python tools/finish_site.py build/html
	$(BIN)/python -m pytest -n 2 tests/docs tests/diagnosis/test_error_index.py tests/insight/test_accessibility.py

# Stubs for editors and basedpyright, which git does not keep.
stubs: $(READY)
	$(BIN)/python tools/write_stubs.py

# The distributions, with stubs, in dist: an isolated build lacks what writes them.
wheel: $(READY)
	$(BIN)/python -m pip install --quiet build hatchling
	$(BIN)/python -m build --no-isolation

# The wheel in fresh environments on each Python of this machine, from a folder of its own.
test-wheel: wheel
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests/test_wheel.py

# The distributions built twice, compared bit by bit and examined: make release REPOSITORY=https://...
release: $(READY)
	$(BIN)/python -m pip install --quiet build hatchling twine
	$(BIN)/python -m tools.release $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(TAG),--tag $(TAG))

# The versions that `make test LOCKED=1` installs, those that users get today, and the list of parts
# in the wheel (CycloneDX).
lock: $(READY)
	$(BIN)/python -m pip install --quiet uv cyclonedx-bom
	$(BIN)/python -m tools.lock

lint: stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/python tools/plain_english.py --limit 10

# PyTorch lives in an environment of its own, under .venvs; see bench/README.md. What has been
# measured with the code as it is remains: run it again to go on, or ARGS="--rows GPT --again".
bench: $(READY)
	$(BIN)/python bench/run.py $(ARGS)

clean:
	rm -rf $(VENV) .venvs outputs
