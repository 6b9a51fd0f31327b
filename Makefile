# Short names for frequent tasks, which CMake and its presets carry out. `make help` lists them.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
PRESET ?= release

.PHONY: build help demo dist test check sanitize viewer lint viewer-and-lint benches quick campaign threads bench book gallery install format coverage clean

build: ## compile the library and the program (the default)
	@scripts/setup.sh build
	cmake --preset release
	cmake --build --preset release --target product

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## compile, then demonstrate the main uses of Camber
	@scripts/setup.sh report || echo "demo: continues without reports"
	@$(MAKE) --no-print-directory build
	scripts/demo.sh

test: ## run the repository checks and the test suite
	@scripts/setup.sh test
	cmake --preset release -DCAMBER_TESTS=ON
	cmake --build --preset release
	ctest --preset release -j $(JOBS) -LE lint

check: ## run the tests that the uncommitted changes can affect, shortest first, until one fails; BASE=COMMIT: the changes since COMMIT
	@scripts/setup.sh test
	cmake --preset dev
	cmake --build --preset dev
	scripts/affected.py --jobs $(JOBS) $(BASE)

sanitize: ## run the test suite under the address and undefined-behaviour sanitizers, and fuzzing
	@scripts/setup.sh test
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan -j $(JOBS)

benches: ## run each program of bench/ once, under the same sanitizers
	@scripts/setup.sh test
	scripts/benches_once.sh

viewer: ## test reports in a browser: install node and Chromium, make the viewer, and open the report of each model
	$(call browser_tests,^cli\.(viewer|film))

lint: ## check the code with clang-tidy
	@scripts/setup.sh test
	cmake --preset release -DCAMBER_TESTS=ON
	cmake --build --preset release
	ctest --preset release -j $(JOBS) -L lint

viewer-and-lint: ## both at the same time, so that no processor is idle while a test waits for the browser
	$(call browser_tests,^(cli\.(viewer|film)|repo\.tidy))

define browser_tests
@scripts/setup.sh test
@scripts/setup.sh viewer
cmake --preset release -DCAMBER_TESTS=ON -DCAMBER_VIEWER=ON
cmake --build --preset release
CAMBER_NEEDS_BROWSER=1 ctest --preset release -j $(JOBS) --output-on-failure -R '$(1)'
endef

quick: ## run the unit tests and the verification without slow tests; PRESET=clang: with clang
	@scripts/setup.sh test
	cmake --preset $(PRESET) -DCAMBER_TESTS=ON
	cmake --build --preset $(PRESET)
	ctest --preset $(PRESET) -j $(JOBS) -L 'unit|verify' -LE slow

campaign: ## run thousands of random cases, long fuzzing, and mutants of the code; takes hours
	@scripts/setup.sh test
	cmake --preset release -DCAMBER_TESTS=ON
	cmake --build --preset release
	cmake --preset asan
	cmake --build --preset asan
	scripts/campaign.sh

threads: ## run one model in many threads, under the thread sanitizer
	@scripts/setup.sh test
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan

book: ## write every table and figure of the papers to a page in docs/benchmarks, and their numbers to the documents; can be continued after an interruption
	@scripts/setup.sh bench
	cmake --preset release
	cmake --build --preset release
	scripts/book.sh
	scripts/quotes.py write docs/benchmarks

gallery: build ## draw a picture of every bundled model with the viewer, for docs/gallery.md
	@scripts/setup.sh viewer
	scripts/gallery.sh

bench: ## run the benchmarks, also those of other programs
	@scripts/setup.sh bench
	cmake --preset release
	cmake --build --preset release
	@set -e; for program in build/release/bench/bin/*; do \
	  [ -x "$$program" ] || continue; echo "== $$(basename $$program)"; "$$program"; done

install: build ## install below PREFIX (default /usr/local), or below DESTDIR/PREFIX
	cmake --install build/release --prefix $(PREFIX)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi # programs find the library in /usr/local/lib at once

dist: ## make the source archive of the commit with the viewer of reports, for machines without node: build/release/camber-VERSION.tar.gz
	@scripts/setup.sh viewer
	cmake --preset release -DCAMBER_VIEWER=ON
	cmake --build --preset release --target dist

format: ## format the C code with clang-format
	find $(wildcard src include tests examples bench) -name '*.[ch]' -exec clang-format -i {} +

coverage: ## run the test suite and count the lines of src/ that it executes
	@scripts/setup.sh test
	cmake --preset coverage
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage -j $(JOBS)
	scripts/coverage.sh build/coverage

clean: ## delete everything that was built
	rm -rf build
