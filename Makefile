# Watchglass. Every target says what it does: bare 'make' prints them.
GO         ?= go
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
PORTABLE    = ./internal/timeslice ./internal/wire/... ./internal/socket ./internal/reflector ./internal/deltafifo ./internal/indexer ./internal/slots ./internal/columns ./internal/informer ./internal/document ./internal/message ./internal/object/... ./internal/query ./internal/quote ./internal/view/... ./internal/detail/... ./internal/problem/... ./internal/port ./internal/history/... ./internal/hub/... ./internal/savedlist/... ./web/...
# What differs in WebAssembly, or may: the hops of the tab, what they carry, and the loop of the hub (LOOP, of internal/hub).
DIFFERS     = ./internal/timeslice ./internal/wire/... ./internal/socket ./internal/reflector ./internal/deltafifo ./internal/indexer ./internal/slots ./internal/columns ./internal/informer ./internal/object/... ./internal/view/... ./internal/port ./web/grid
LOOP        = ^Test(Loop|Hidden|Back|Unpainted|SlowPage|Dues|Lists)
# What only ever runs on the one thread of the tab, and takes ten times as long with the race detector: make race is for nights.
TAB         = /internal/(hub|view|history)(/|$$)
WASM        = GOOS=js GOARCH=wasm $(GO) test -vet=off -timeout 30m -exec='$(CURDIR)/bin/build-site -run --'
# Packages of e2e that change seldom, or take long: make nightly runs them.
NIGHTLY     = cluster|controllers|deploy|image|kubeconfig|looks|printers|problems|soak
E2E         = $(GO) test -count=1 -vet=off -ldflags='-s -w' -p 4 -timeout 50m
# UNCACHED=-count=1 runs the unit tests of packages that have not changed, too.
UNCACHED   ?=
FUZZTIME   ?= 20s
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null | sed 's/^v//')
REVISION   ?= $(shell git rev-parse HEAD 2>/dev/null)
IMAGES      = amd64 arm64
RELEASE     = -trimpath -ldflags='-s -w -X main.releaseVersion=v$(VERSION) -X main.releaseCommit=$(REVISION)'
# Without paths in what is compiled, another clone finds it in the cache: a change compiles and tests the packages that it reaches.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
ARGS       ?=

.DEFAULT_GOAL = help
.PHONY: help build run dev test nightly deps check lint vuln unit race flakes wasm wasm-all controlplane e2e e2e-nightly oracle size lines fuzz faults bench parts connections crowd plots tabs overview logs large again past screenshots looks recordings soak soak-short schema image reproducible release-check clean

help: ## print this
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-15s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the page and the proxy: bin/watchglass
	$(GO) run ./web/static/build
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/watchglass ./proxy

image: build ## build the OCI image, and print its digest (bin/image; VERSION=1.2.3, ARGS="-push NAME:TAG")
	@for arch in $(IMAGES); do GOOS=linux GOARCH=$$arch CGO_ENABLED=0 $(GO) build $(RELEASE) -o bin/linux-$$arch/watchglass ./proxy || exit 1; done
	@$(GO) build -C proxy/deploy/image -trimpath -o $(CURDIR)/bin/make-image .
	@bin/make-image $(foreach arch,$(IMAGES),-binary $(arch)=bin/linux-$(arch)/watchglass) -version "$(VERSION)" -revision "$(REVISION)" -layout bin/image $(ARGS)

run: build ## build, and serve your current kubeconfig context (ARGS="--context x")
	bin/watchglass $(ARGS)

dev: ## serve; rebuild and reload open pages on every save (ARGS as for run)
	$(GO) run ./web/static/build -dev -- $(ARGS)

test: ## what every change has to pass, installing what it needs; prints how long each package took
	@.ci/timed test deps check build+wasm lint unit size controlplane e2e

nightly: ## the tests that take longer: soak, oracle, herd, real controllers, deployments, image, printers, all of unit, race and wasm, looks, faults, fuzzing
	@UNCACHED=-count=1 FUZZTIME=1m .ci/timed nightly deps build controlplane e2e-nightly oracle unit race wasm-all looks reproducible faults fuzz

deps: ## install what the tests need and is missing: gcc, Node, npm, shells, Chromium
	@.ci/deps

check: ## what is generated or written down matches the code: words, sizes, and counts of what a step costs (internal/counts.txt)
	$(GO) mod tidy -diff
	cd e2e && $(GO) mod tidy -diff
	cd proxy/deploy/image && $(GO) mod tidy -diff
	$(GO) test -count=1 -vet=off ./internal -run .
	$(GO) test -count=1 -vet=off ./internal/object -run 'TestSchema|TestPlans'
	$(GO) test -count=1 -vet=off ./proxy -run 'TestReadme|TestLinks'
	cd e2e && $(GO) test -count=1 -vet=off ./faults

lint: ## gofmt, vet, staticcheck, and patterns that no source may contain
	@test -z "$$(gofmt -l internal proxy web wasm e2e)" || { gofmt -l internal proxy web wasm e2e; echo "run gofmt -w"; exit 1; }
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./wasm ./web/... ./internal/... ./internal/testdata/frame
	GOBIN=$(CURDIR)/bin $(GO) install $(STATICCHECK)
	bin/staticcheck -checks inherit,-U1000 ./...
	bin/staticcheck ./proxy ./internal/apiserver ./internal/demo/... ./internal/edge/... ./internal/relay/... ./web/static/...
	GOOS=js GOARCH=wasm bin/staticcheck ./wasm ./web/... ./internal/... ./internal/testdata/frame
	cd e2e && $(GO) vet ./... && ../bin/staticcheck ./...
	cd proxy/deploy/image && $(GO) vet . && ../../../bin/staticcheck .
	cd e2e && $(GO) test -count=1 -vet=off ./tools/once # comparisons of what a page shows wait for it
	$(GO) test -count=1 -vet=off ./internal -run 'TestTLS|TestMethods' # nothing unverified, nothing written

vuln: ## look up known vulnerabilities of the proxy and the page at vuln.go.dev; not part of test
	GOBIN=$(CURDIR)/bin $(GO) install $(GOVULNCHECK)
	@for target in "$(shell $(GO) env GOOS GOARCH) ./..." "js wasm ./wasm"; do set -- $$target; echo "govulncheck $$3 for $$1/$$2"; \
		GOOS=$$1 GOARCH=$$2 bin/govulncheck $$3; code=$$?; \
		case $$code in 0) ;; 3) echo "affected: upgrade the modules above"; exit 1;; *) echo "the lookup failed: can you reach https://vuln.go.dev?"; exit 1;; esac; \
	done # e2e's control plane is not shipped

unit: ## run the tests of every package natively, with the race detector where goroutines run at once
	$(GO) test $(UNCACHED) -vet=off -race -timeout 30m $$(.ci/concurrent yes | grep -vE '/internal$$|/web/static|$(TAB)') # lint has vetted them, and check has tested internal
	$(GO) test -count=1 -vet=off -race -timeout 30m ./web/static/... # they have other programs read sources, which the cache does not see
	$(GO) test $(UNCACHED) -vet=off -timeout 30m $$(.ci/concurrent no; .ci/concurrent yes | grep -E '$(TAB)')
	$(GO) test $(UNCACHED) -vet=off ./internal/relay -run TestHerd # the race detector dies of it
	cd proxy/deploy/image && $(GO) test $(UNCACHED) -vet=off .

race: ## the race detector for what unit runs without it
	$(GO) test $(UNCACHED) -vet=off -race -timeout 60m $$(.ci/concurrent yes | grep -E '$(TAB)')

flakes: build ## find tests that fail now and then: the native ones 200 times with the race detector, for an hour at most (COUNT=20 SHARD=1/4 PACKAGES=./web), then those of e2e that changed, beside a busy core
	@.ci/flakes

wasm: ## the same tests of what differs there, as WebAssembly under Node, with direct jumps as in the page
	$(GO) build -o bin/build-site ./web/static/build
	$(WASM) $(DIFFERS)
	$(WASM) -run '$(LOOP)' ./internal/hub

wasm-all: ## the same tests of all that runs in the tab
	$(GO) build -o bin/build-site ./web/static/build
	$(WASM) $(PORTABLE)

controlplane: ## build the etcd and Kubernetes that the tests run, if they are missing, and say how far that is
	cd e2e && $(GO) run ./tools/controlplane

e2e: ## a real apiserver, the real proxy, a real browser
	cd e2e && $(E2E) -skip '^TestHerd$$' . $(addprefix ./,detail list identity tabs front embed attack oracle) $$($(GO) list ./... | grep -vE '/($(NIGHTLY))$$') # the longest first; Go does not see that bin/watchglass is another

e2e-nightly: ## what make e2e leaves out
	cd e2e && $(E2E) -run '^TestHerd$$' ./identity
	cd e2e && $(E2E) $$($(GO) list ./... | grep -E '/($(NIGHTLY))$$' | grep -v '/soak$$')
	cd e2e && SOAK_LASTS=100s SOAK_SLACK=6 $(E2E) ./soak # alone, and with time for a slow machine: it finds what never recovers

oracle: ## compare every version of a list with the apiserver's, ten times as many as make test does
	cd e2e && SOAK=1 $(GO) test -count=1 -timeout 60m -run Oracle ./oracle

size: ## the bytes of the page against their budget
	$(GO) run ./web/static/build -size

lines: ## add file and line to a Go stack trace of the page, read from standard input; check out the commit of the page first
	@$(GO) run ./web/static/build -lines

fuzz: ## every fuzz target for a while (FUZZTIME)
	@for target in $$(grep -rl 'func Fuzz' internal web proxy e2e/attack --include=*_test.go | xargs -n1 dirname | sort -u); do \
		module=.; case $$target in e2e/*) module=e2e;; esac; \
		for f in $$(grep -ho 'func Fuzz[A-Za-z]*' $$target/*_test.go | cut -c6-); do \
			echo "$$target $$f"; $(GO) -C $$module test ./$${target#e2e/} -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || exit 1; \
		done; done

faults: ## put each fault of e2e/faults/faults.yaml into the code, and check that its test fails (ARGS="-run relay", "-seen")
	cd e2e && $(GO) run ./faults $(ARGS)

bench: build parts connections ## measure against native client-go on a real apiserver; writes e2e/bench/README.md, its plots and history, and the summary in README.md
	cd e2e && $(GO) run ./bench -readme bench/README.md -summary ../README.md $(ARGS)

parts: ## measure store, queue and decoder against client-go's; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench parts -readme bench/README.md

connections: build ## measure many connections to the proxy, and to kubectl proxy; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench connections -readme bench/README.md

crowd: build ## measure 200 users who open three lists each at once through one replica, and after it was killed, beside direct clients (ARGS="-users 30")
	cd e2e && $(GO) run ./bench crowd $(ARGS)

plots: ## draw the plots of e2e/bench/README.md from its figures, and add them to e2e/bench/history.jsonl
	cd e2e && $(GO) run ./bench plots bench/README.md

tabs: build ## measure what many tabs of one browser cost (ARGS="-against ../other/bin/watchglass")
	cd e2e && $(GO) run ./bench tabs $(ARGS)

overview: build ## measure the overview of a large cluster against the list of its pods; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench overview -readme bench/README.md $(ARGS)

logs: build ## measure a structured log that grows by 10 MB/s, and how long a filter takes
	cd e2e && $(GO) run ./bench logs $(ARGS)

large: build ## measure the first load of 50,000 and 100,000 pods, against the alternatives; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench large -readme bench/README.md $(ARGS)

again: build ## measure a return to 10,000 and 100,000 pods, with and without saved rows; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench again -readme bench/README.md $(ARGS)

past: build ## measure how long it takes to open a recording of a busy cluster, and to go to moments of it; writes e2e/bench/README.md
	cd e2e && $(GO) run ./bench past -readme bench/README.md $(ARGS)

screenshots: build ## take the README's pictures, and one of every state in every look (e2e/out)
	cd e2e && SCREENSHOTS=1 $(GO) test -count=1 -run 'TestScreenshots|TestStates' .

looks: build ## take a picture of every view in every size and theme, and check each with axe (ARGS="-dir DIR")
	cd e2e && LOOKS=1 $(GO) test -count=1 -v -parallel 2 -timeout 10m ./looks $(ARGS)

recordings: build ## record a real apiserver under faults, and a cluster with real controllers, again (e2e/replay/testdata, internal/hub/problems/recorded/testdata)
	cd e2e && RECORDINGS=1 $(GO) test -count=1 ./replay/record && $(GO) test -count=1 ./replay -update
	cd e2e && RECORDINGS=1 $(GO) test -count=1 -run 'TestFaults|TestCluster/rows|TestRollouts' -timeout 30m ./problems && $(GO) test -C .. -count=1 ./internal/hub/problems/recorded

soak-short: build ## one fault after another under four tabs for 200 s, with tight limits of time: on a quiet machine
	cd e2e && $(GO) test -v -count=1 -timeout 30m ./soak

soak: build oracle ## the tests that take hours: run them before a release
	SOAK=1 $(GO) test -timeout 3h -run 'Oracle|Differential' ./internal/deltafifo ./internal/informer
	cd e2e && SOAK=1 $(GO) test -v -count=1 -timeout 3h ./soak

schema: ## regenerate internal/object/schema/schema.txt from the types of the API
	$(GO) test ./internal/object -run TestSchema -update

reproducible: ## build the page, the programs and the image twice, the second time from nothing, and compare
	@.ci/reproducible

release-check: bin/goreleaser ## check the configuration of releases
	GITHUB_REPOSITORY=watchglass/watchglass GITHUB_REPOSITORY_OWNER=watchglass bin/goreleaser check

bin/goreleaser: e2e/tools/goreleaser/go.sum # takes minutes
	$(GO) build -C e2e/tools/goreleaser -trimpath -ldflags='-s -w' -o $(CURDIR)/$@ github.com/goreleaser/goreleaser/v2

clean: ## remove what was built
	rm -rf bin web/static/dist/files web/static/dist/index.html* web/static/dist/licenses.txt.gz
