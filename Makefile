# `make run` starts everything, `make test` runs every test; both install what they need first.

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest --durations 12 --durations-min 8
ARGS ?=

.DEFAULT_GOAL := help
ifndef TOGETHER  # lint sets it: its checks need nothing of each other
.NOTPARALLEL:
endif
.PHONY: help setup setup-tests setup-peers run stop test test-fast test-web test-deep test-postgres \
	test-spark test-stack test-browser test-drawing test-live test-long chaos \
	lint lint-checks lint-python lint-types lint-layers lint-api lint-frontend lint-lock lock audit sbom format docs types pictures bench-live bench-state bench-history \
	bench-ingest bench-sources bench-sinks bench-evaluate bench-algebra bench-formats bench-engine bench-latency bench-cost bench-peers bench-log bench-dashboards bench-subscribers bench-lists bench-flood \
	bench-scale bench-studio clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile | awk -F': ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

setup: ## install everything (repeatable; skips what is done)
	@$(PYTHON) bootstrap.py

setup-tests: ## the same, and what the tests need (a browser, PostgreSQL, MQTT, Kafka, HDFS, S3)
	@$(PYTHON) bootstrap.py --tests

setup-peers:
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/requirements.txt

run: setup ## start the product; ARGS="--data DIR --no-demo --port N"
	@exec $(BIN)/python -m workers.stack run $(ARGS)

stop: ## stop a product that runs; ARGS="--data DIR"
	@if [ -x $(BIN)/python ]; then exec $(BIN)/python -m workers.stack stop $(ARGS); fi

test: setup-tests ## all tests but the long ones, the quick ones first
	@$(MAKE) --keep-going --no-print-directory test-fast test-web test-postgres test-live test-deep test-spark test-stack test-drawing

QUICK := not deep and not long and not spark and not browser and not stack and not postgres
WEB := tests/web tests/workers

test-fast: setup ## the quick tests: without database, Spark, browser and stack
	$(PYTEST) --numprocesses auto --dist worksteal --unmarked -m "$(QUICK)" \
		$(WEB:%=--ignore %) --ignore tests/browser --ignore tests/stack $(ARGS)
	@$(PYTHON) bootstrap.py npm run test

test-web: setup ## the quick tests of web and workers, on SQLite
	$(PYTEST) --numprocesses auto --dist worksteal --unmarked -m "$(QUICK)" $(WEB) tests/stack $(ARGS)

test-deep: setup-tests setup-peers ## the laws over many random histories, and processes that are killed while they write
	$(PYTEST) --numprocesses auto --dist worksteal --marked deep \
		-m "deep and not long and not postgres and not spark and not browser and not stack" $(ARGS)

test-postgres: setup-tests ## the tests of web and workers on a real PostgreSQL, started for them
	$(BIN)/python -m tests.postgres --numprocesses auto --dist worksteal \
		-m "(postgres or not deep) and not long and not spark and not browser and not stack" $(WEB) $(ARGS)

test-spark: setup ## tests with a real Spark
	$(PYTEST) --numprocesses 2 --dist loadfile --marked spark \
		-m "spark and not long and not browser and not stack" $(ARGS)

test-stack: setup-tests ## tests that start the product and kill its parts
	$(PYTEST) --numprocesses 2 --dist loadfile --marked stack \
		-m "stack and not long and not browser" $(ARGS)

test-long: setup-tests setup-peers ## tests that take minutes each, and the laws over many more random histories: before a release
	$(PYTEST) -m long $(ARGS)
	LONG=1 $(PYTEST) --numprocesses auto --dist worksteal --marked deep -m "deep and not long and not postgres" $(ARGS)
	LONG=1 $(PYTEST) --marked spark -m "spark and not long" tests/questions $(ARGS)
	$(BIN)/python -m tests.postgres --numprocesses auto --dist worksteal -m deep $(WEB) $(ARGS)

test-browser: test-drawing test-live

test-drawing: setup-tests ## tests in a real browser of what needs no Spark
	$(PYTEST) --numprocesses 2 --dist loadfile tests/browser/drawing $(ARGS)

test-live: setup-tests ## tests in a real browser of the whole product
	$(PYTEST) --numprocesses 2 --dist loadfile --marked browser \
		-m "browser and not long" --ignore tests/browser/drawing $(ARGS)

chaos: setup ## random faults while the product streams; ARGS="--faults N --minutes N --seed N --only KIND --each"
	@$(BIN)/python -m tests.chaos $(ARGS)

lint: setup ## every check of style, types and layers
	@$(MAKE) --no-print-directory lint-checks

lint-checks: # of what is installed already, two at a time
	@$(MAKE) TOGETHER=1 --keep-going --no-print-directory --jobs 2 --output-sync=target \
		lint-types lint-frontend lint-python lint-layers lint-api lint-lock

lint-python:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive bootstrap.py manage.py timeline_app workers

lint-types:
	$(BIN)/python -m mypy

lint-layers:
	$(BIN)/lint-imports

lint-api: ## the page's types are those of the API
	$(BIN)/python docs/api_types.py --check

lint-lock: ## the files with hashes are those of requirements.txt
	$(BIN)/python -m tests.lock --check

lock: ## write the files with the hashes of the packages that requirements.txt pins; needs a network
	$(BIN)/python -m tests.lock

sbom: setup ## write all parts of the product to sbom.json (CycloneDX): packages, jars, binaries; ARGS="--output FILE"
	@$(BIN)/python -m tests.sbom $(ARGS)

audit: setup ## known weaknesses of the packages that are installed, Python's and the browser's; needs a network
	@$(BIN)/python -m tests.audit

lint-frontend:
	@$(PYTHON) bootstrap.py npm run lint

bench-live: setup ## latency, memory, first result of the demo plan; one JSON object at the end
	@$(BIN)/python -m benchmarks.live

bench-state: setup ## what an event costs a key with a million others; one JSON object at the end
	@$(BIN)/python -m benchmarks.state

bench-history: setup ## events a second of a node that catches up, and what that costs the others; ARGS="--events N"
	@$(BIN)/python -m benchmarks.history $(ARGS)

bench-ingest: setup ## events a second over HTTP, each on disk before the answer; one JSON object at the end
	@$(BIN)/python -m benchmarks.ingest $(ARGS)

bench-sources: setup-tests ## events a second of each source, and what a micro-batch of one event costs, from a Redis Stream to the page, lost and doubled by kills; ARGS="--events N --only page"
	@$(BIN)/python -m benchmarks.sources $(ARGS)

bench-sinks: setup-tests ## rows a second to each sink, and how long one row takes; one JSON object at the end; ARGS="--only parquet"
	@$(BIN)/python -m benchmarks.sinks $(ARGS)

bench-evaluate: setup setup-peers ## events a second of evaluate, beside numpy, DuckDB and Polars; one JSON object at the end
	@$(BIN)/python -m benchmarks.evaluate $(ARGS)

bench-algebra: setup setup-peers ## events a second of a core of each operator, beside DuckDB, and of groups in Spark; ARGS="--events N --groups GROUP --write"
	@$(BIN)/python -m benchmarks.algebra $(ARGS)

bench-formats: setup setup-peers ## rows a second of each format, beside pyarrow, DuckDB and Polars; ARGS="--rows N --write"
	@$(BIN)/python -m benchmarks.formats $(ARGS)

bench-engine: setup ## events a second of the engine, beside PySpark streaming by hand; ARGS="--events N --sessions N --only together"
	@$(BIN)/python -m benchmarks.engine $(ARGS)

bench-latency: setup-tests ## from an event to the page at 1,000 events/s, first results, cores at rest; ARGS="--only together"
	@$(BIN)/python -m benchmarks.latency $(ARGS)

bench-cost: setup-tests ## CPU of a micro-batch, part by part, at 100 and 1,000 events/s; ARGS="--only together --idle"
	@$(BIN)/python -m benchmarks.cost $(ARGS)

bench-scale: setup ## rate, state, memory and recovery from a thousand keys to a million; ARGS="--keys N --events N --only WAY --write"
	@$(BIN)/python -m benchmarks.scale $(ARGS)

bench-peers: setup setup-peers ## one question asked of the product and of others; ARGS=--write puts the table into docs/
	@$(BIN)/python -m benchmarks.peers $(ARGS)

bench-log: setup-tests ## the revision log with 5 million revisions, on SQLite and PostgreSQL; one JSON object at the end
	@$(BIN)/python -m benchmarks.log $(ARGS)

bench-subscribers: setup ## two hundred pages that follow fifty keys live: delay, nothing lost or doubled; ARGS="--pages N"
	@$(BIN)/python -m benchmarks.subscribers $(ARGS)

bench-dashboards: setup-tests ## what twenty live charts at ten frames a second cost the browser; ARGS="--seconds N"
	@$(BIN)/python -m benchmarks.dashboards $(ARGS)

bench-alerts: setup-tests ## pages of alerts and the publisher's pace at 100,000 keys of which 1,000 fire, on SQLite and PostgreSQL; ARGS="KEYS FIRING"
	@$(BIN)/python -m benchmarks.alerts $(ARGS)

bench-lists: setup-tests ## every list over REST at 10,000 nodes and 1,000 plans, on SQLite and PostgreSQL; ARGS="--times N"
	@$(BIN)/python -m benchmarks.lists $(ARGS)

bench-flood: setup-tests ## `/healthz` while callers who are not logged in send slowly, much, or wrong passwords; ARGS="--seconds N"
	@$(BIN)/python -m benchmarks.flood $(ARGS)

bench-studio: setup-tests ## the page in Chromium: first load, 500 nodes, lanes of 100,000 changes; ARGS="--only lanes"
	@$(BIN)/python -m benchmarks.studio $(ARGS)

docs: pictures ## write the pages, pictures and examples that are generated
	$(BIN)/python docs/operators_page.py
	$(BIN)/python docs/recipes_page.py
	$(BIN)/python docs/templates_of_plans.py
	$(BIN)/python docs/examples_of_demos.py

types: setup ## write frontend/src/core/api/schema.ts, the page's types of the API
	$(BIN)/python docs/api_types.py

pictures: setup ## draw the examples of operators and questions that are not up to date (needs Chrome or Chromium)
	$(BIN)/python docs/operators_pictures.py
	$(BIN)/python docs/questions_pictures.py

format: setup ## format Python and TypeScript
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(PYTHON) bootstrap.py npm run format

clean: stop ## remove everything that was installed or built; keeps var/ (your data)
	rm -rf .venv frontend/node_modules frontend/dist frontend/coverage
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
