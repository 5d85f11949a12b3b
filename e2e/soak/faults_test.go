package soak

import (
	"math"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
	"watchglass/internal/wire"
)

// class is a kind of fault.
type class struct {
	name     string
	promises string // what it tests

	begin func(*soak)
	hold  time.Duration // how long it lasts at least
	clear func(*soak)   // when it returns, nothing is broken any more
	after func(*soak)   // once all tabs are right again

	half  bool          // only silence tells, or the browser itself was away: there is more time to be right again
	tells bool          // every tab that can be asked has to say that it is not live
	knows time.Duration // after how long a tab can know, if tells

	strikes func(*soak) int // how much it has changed, which must not stay nothing
	resumes bool            // no list may come again
	relists bool            // every list has to come again, and not more often than twice

	slow   bool // not for the short form, unless there is time left
	long   bool // not for the short form: it takes minutes to strike
	spaced bool // a worker may end of it, which the page does not bear twice within a minute
	ends   bool // it ends proxies, whose memory is then no longer that of a long life
}

// renews reports whether a fault starts anew what the long form measures.
func (c class) renews() bool { return c.spaced || c.ends }

// silence is how long a tab needs to know that nothing comes any more.
const silence = wire.StaleAfter

func nothing(*soak) {}

// atFront returns how many requests and events the front has changed.
func atFront(s *soak) int { return s.front.counted() }

// answers returns a fault in which the front answers everything in place of the apiserver.
func answers(code int, page string) (begin, clear func(*soak)) {
	begin = func(s *soak) {
		s.front.set(func(*http.Request) rule { return rule{code: code, page: page} })
		s.through(s.front)
	}
	return begin, func(s *soak) { s.front.set(nil) }
}

// gatewayPage is what load balancers say when nobody answers them.
const gatewayPage = `<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>`

// answered returns a class of answers.
func answered(name string, code int, page string) class {
	begin, clear := answers(code, page)
	return class{name: name, promises: "stale at once, no relist storm, resumes", begin: begin, clear: clear, tells: true, strikes: atFront, hold: time.Second}
}

// expires has watches from versions before the fault answered 410, and lists served. More applies to the
// others. What is newest is asked once the connections are cut: until then tabs still get events.
func expires(s *soak, more rule) {
	var newest atomic.Int64
	newest.Store(math.MaxInt64)
	s.front.set(func(r *http.Request) rule {
		q := r.URL.Query()
		if v := number(q.Get("resourceVersion")); isWatch(r) && v > 0 && v <= newest.Load() && !q.Has("sendInitialEvents") {
			return rule{code: http.StatusGone, page: failure(http.StatusGone, "Expired", "too old resource version")}
		}
		return more
	})
	s.through(s.front)
	n, err := s.truth.newest(s.ctx)
	s.must(err)
	newest.Store(n)
}

// gateFaults are the classes that a gate makes, on either side of the proxy.
func gateFaults(side string, of func(*soak) *gate) []class {
	set := func(m manner, cut bool) func(*soak) {
		return func(s *soak) {
			s.must(of(s).set(m))
			if cut {
				of(s).cut()
			}
		}
	}
	pass := set(manner{}, false)
	broken := func(s *soak) int { return of(s).counted() }
	name := func(what string) string { return side + ": " + what }
	return []class{
		{name: name("connection refused"), promises: "stale at once, resumes", begin: set(manner{refuse: true}, true), clear: pass, tells: true, hold: 2 * time.Second},
		{name: name("connection reset"), promises: "resumes without a list", begin: set(manner{}, true), clear: nothing, resumes: true},
		{name: name("stalled, half-open"), promises: "silence is noticed", begin: set(manner{stall: true}, false), clear: pass, half: true, tells: true, knows: silence},
		{name: name("cut in mid-frame"), promises: "half an event is none", begin: set(manner{cut: 64 << 10}, true), clear: pass, hold: 3 * time.Second, strikes: broken},
		{name: name("one-byte slices"), promises: "a frame is whole however it comes", begin: set(manner{slices: 64}, false), clear: pass, hold: 3 * time.Second},
		{name: name("502 page of a balancer"), promises: "a page is no answer"},
		{name: name("150 ms, 5 Mbit/s, random resets"), promises: "resumes on a slow line", begin: set(manner{latency: 75 * time.Millisecond, rate: 5e6 / 8, resets: 4 * time.Second}, false), clear: pass, hold: 6 * time.Second, strikes: broken},
	}
}

// classes returns all classes of faults.
func classes() []class {
	all := gateFaults("apiserver", func(s *soak) *gate { return s.up })
	all = append(all, gateFaults("proxy", func(s *soak) *gate { return s.down })...)
	for i := range all {
		switch c := &all[i]; c.name {
		case "apiserver: 502 page of a balancer":
			c.begin, c.clear = answers(http.StatusBadGateway, gatewayPage)
			c.tells, c.strikes, c.hold = true, atFront, time.Second
		case "proxy: 502 page of a balancer":
			c.begin = func(s *soak) {
				s.must(s.down.set(manner{says: "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + gatewayPage}))
				s.down.cut()
			}
			c.clear = func(s *soak) { s.must(s.down.set(manner{})) }
			c.tells, c.hold = true, time.Second
		}
	}
	all = append(all,
		answered("apiserver: 429 too many requests", http.StatusTooManyRequests, failure(http.StatusTooManyRequests, "TooManyRequests", "too many requests, please try again later")),
		answered("apiserver: 503 not ready", http.StatusServiceUnavailable, failure(http.StatusServiceUnavailable, "ServiceUnavailable", "apiserver is shutting down")),
		answered("apiserver: 504 timeout", http.StatusGatewayTimeout, failure(http.StatusGatewayTimeout, "Timeout", "the request timed out")),
	)
	all = append(all, answerFaults()...)
	all = append(all, clusterFaults()...)
	all = append(all, proxyFaults()...)
	return append(all, browserFaults()...)
}

// answerFaults are those in which an apiserver answers as it may, but should not.
func answerFaults() []class {
	pass := func(s *soak) { s.front.set(nil) }
	return []class{
		{name: "apiserver: 410 gone", promises: "one list, no row lost", begin: func(s *soak) { expires(s, rule{}) }, clear: pass, hold: 2 * time.Second, strikes: atFront, relists: true},
		{name: "apiserver: bookmarks lost", promises: "a resume needs none", hold: 70 * time.Second, clear: pass, long: true, strikes: atFront, resumes: true, begin: func(s *soak) {
			s.front.set(func(*http.Request) rule { return rule{drop: isEvent("BOOKMARK")} })
			s.through(s.front)
		}},
		{name: "apiserver: end of the list lost", promises: "a list follows a watch-list without its bookmark", hold: 7 * time.Second, clear: pass, strikes: atFront, begin: func(s *soak) {
			expires(s, rule{drop: isEvent("BOOKMARK")})
		}},
		{name: "apiserver: watch-list ignored", promises: "a list follows where there is no watch-list", hold: 12 * time.Second, clear: pass, strikes: atFront, begin: func(s *soak) {
			expires(s, rule{list: true})
		}},
		{name: "apiserver: watch cache behind", promises: "a replica that is behind takes nothing away", hold: 2 * time.Second, begin: func(s *soak) {
			s.must(s.lag.set(manner{stall: true}))
			s.pause(2 * time.Second)
			s.route(s.replica.Address())
			s.up.cut()
			s.pause(2 * time.Second)
			for _, b := range s.tabs { // what goes back does so now
				s.lookAt(s.ctx, b, true)
			}
		}, clear: func(s *soak) {
			s.must(s.lag.set(manner{}))
			s.route(s.apiserver())
			s.up.cut()
		}},
		{name: "apiserver: name not resolved", promises: "stale at once, resumes", tells: true, hold: time.Second, begin: func(s *soak) {
			s.must(os.WriteFile(s.hosts, []byte(unnamed), 0o644))
			s.pause(hostsFor)
			s.route(s.apiserver())
			s.up.cut()
			s.began = time.Now()
		}, clear: func(s *soak) { s.must(os.WriteFile(s.hosts, []byte(named), 0o644)) }},
		{name: "apiserver: certificate expired", promises: "nothing unverified is shown", tells: true, hold: time.Second, begin: func(s *soak) {
			s.through(s.expired)
		}, clear: func(s *soak) { s.route(s.apiserver()); s.up.cut() }},
	}
}

// clusterFaults are those of apiservers and etcd.
func clusterFaults() []class {
	return []class{
		{name: "apiserver: SIGKILL", promises: "stale at once, resumes", slow: true, tells: true, begin: func(s *soak) {
			s.route(s.apiserver())
			s.up.cut()
			s.must(s.cluster.KillAPIServer())
			s.began = time.Now()
		}, clear: func(s *soak) { s.startAPIServer() }},
		{name: "apiserver: SIGSTOP", promises: "silence is noticed", half: true, tells: true, knows: silence, begin: func(s *soak) {
			s.route(s.apiserver())
			s.up.cut()
			s.truth.prefer(1)
			s.calm()
			s.must(s.cluster.PauseAPIServer())
			s.began = time.Now()
		}, clear: func(s *soak) {
			s.must(s.cluster.ResumeAPIServer())
			s.truth.prefer(0)
		}},
		{name: "apiservers: rolling restart of two", promises: "resumes at the other", slow: true, begin: func(s *soak) {
			s.route(s.apiserver(), s.replica.Address())
			s.must(s.cluster.StopAPIServer())
			s.startAPIServer()
			s.must(s.replica.Stop())
			s.must(s.replica.Start(s.ctx))
		}, clear: nothing},
		{name: "etcd: restored from a snapshot", promises: "nothing of a history that is no more", slow: true, begin: restore, clear: nothing, after: func(s *soak) {
			s.history.Add(1)
			s.must(s.replica.Start(s.ctx))
			s.write(s.perSecond)
		}},
		{name: "etcd: compacted", promises: "resumes from the watch cache", resumes: true, begin: func(s *soak) {
			s.must(s.cluster.Compact(s.ctx))
			s.up.cut()
		}, clear: nothing},
		{name: "etcd: versions expired", promises: "one list, no row lost", slow: true, tells: true, begin: func(s *soak) {
			s.route(s.apiserver())
			s.up.cut()
			s.must(s.cluster.Compact(s.ctx))
			s.must(s.cluster.KillAPIServer())
			s.began = time.Now()
		}, clear: func(s *soak) { s.startAPIServer() }},
		{name: "etcd: leader killed", promises: "an election is no outage", hold: 3 * time.Second, begin: func(s *soak) {
			leader, err := s.cluster.EtcdLeader(s.ctx)
			s.must(err)
			s.leader = leader
			s.must(s.cluster.KillEtcdMember(leader))
		}, clear: func(s *soak) {
			s.must(s.cluster.StartEtcdMember(s.ctx, s.leader))
			_, err := s.cluster.EtcdLeader(s.ctx)
			s.must(err)
		}},
		{name: "etcd: leader moved", promises: "nothing happens", begin: func(s *soak) { s.must(s.cluster.MoveEtcdLeader(s.ctx)) }, clear: nothing},
	}
}

// restore goes back to a snapshot that lacks some writes. Nothing is written until the tabs know.
func restore(s *soak) {
	path := filepath.Join(s.TempDir(), "snapshot")
	s.must(s.cluster.Snapshot(s.ctx, path))
	taken := s.wrote.Load()
	stage.WaitFor(s.T, "writes that are lost", func() bool { return s.wrote.Load() > taken+20 })
	s.stopWriting()
	s.history.Add(1)
	s.ledger.clear()
	s.must(s.replica.Kill())
	s.route(s.apiserver())
	begin := time.Now()
	s.must(s.cluster.Restore(s.ctx, path))
	s.starts = time.Since(begin)
	s.truth.forget()
	s.must(os.Remove(path))
}

// proxyFaults are those of the proxies.
func proxyFaults() []class {
	return []class{
		{name: "proxies: SIGKILL of both", promises: "stale at once, resumes", tells: true, ends: true, begin: func(s *soak) {
			for _, p := range s.proxies {
				s.must(p.Kill())
			}
			s.began = time.Now()
		}, clear: func(s *soak) {
			for _, p := range s.proxies {
				s.must(p.Start(s.ctx))
			}
		}},
		{name: "proxies: SIGKILL of one", promises: "resumes at the other", ends: true, hold: time.Second, begin: func(s *soak) { s.must(s.proxies[0].Kill()) }, clear: func(s *soak) { s.must(s.proxies[0].Start(s.ctx)) }},
		{name: "proxies: rolling restart of two", promises: "drains, resumes at the other", slow: true, ends: true, begin: func(s *soak) {
			for _, p := range s.proxies {
				s.must(p.Terminate())
				s.must(p.Start(s.ctx))
				stage.WaitFor(s.T, "the proxy is ready", func() bool {
					resp, err := http.Get(p.Origin() + "/-/readyz")
					if err != nil {
						return false
					}
					resp.Body.Close()
					return resp.StatusCode == http.StatusOK
				})
			}
		}, clear: nothing},
	}
}

// browserFaults are those of the browser and of the machine that it runs on.
func browserFaults() []class {
	jump := func(by time.Duration) func(*soak) {
		return func(s *soak) {
			s.must(s.shared[0].clock.SetAhead(by))
			own, err := s.alone.page.Clock()
			s.must(err)
			s.must(own.SetAhead(by))
			for _, b := range s.tabs {
				s.must(b.page.SetAhead(by.Milliseconds()))
			}
			s.down.cut() // so that they connect by the new clock
		}
	}
	online := func(yes bool) func(*soak) {
		return func(s *soak) {
			s.must(s.down.set(manner{refuse: !yes}))
			if !yes {
				s.down.cut()
			}
			for _, b := range s.tabs {
				s.must(b.page.SetOnline(yes))
			}
		}
	}
	visible := func(yes bool) func(*soak) {
		return func(s *soak) {
			for _, b := range s.tabs[1:] {
				b.setAway(!yes)
				_, err := browser.Eval[bool](b.page, map[bool]string{true: shows, false: hides}[yes])
				s.must(err)
			}
		}
	}
	frozen := func(s *soak) []*tab { return []*tab{s.shared[1], s.alone} }
	return []class{
		{name: "clock: an hour ahead", promises: "only ages change", begin: jump(time.Hour), clear: jump(0), hold: 3 * time.Second},
		{name: "clock: an hour behind", promises: "only ages change", begin: jump(-time.Hour), clear: jump(0), hold: 3 * time.Second},
		{name: "browser: offline", promises: "offline at once, resumes when the network is back", tells: true, begin: online(false), clear: online(true), hold: time.Second},
		{name: "tabs: frozen", promises: "brought up to date when shown", hold: 4 * time.Second, begin: func(s *soak) {
			for _, b := range frozen(s) {
				b.setAway(true)
				s.must(b.page.Freeze())
			}
		}, clear: func(s *soak) {
			for _, b := range frozen(s) {
				s.must(b.page.Thaw())
				b.setAway(false)
			}
		}},
		{name: "tabs: hidden", promises: "brought up to date when shown", hold: 3 * time.Second, begin: visible(false), clear: visible(true)},
		{name: "tab: crashed", promises: "takes no other tab with it", spaced: true, begin: func(s *soak) {
			b := s.shared[2]
			b.setAway(true)
			s.must(b.page.Crash())
			b.page.Close()
		}, clear: func(s *soak) {
			page, err := s.shared[0].page.Beside()
			s.must(err)
			s.opens(page, false)
			s.shared[2].replace(page)
			s.must(page.AwaitState("live", stage.Soon)) // starting is measured elsewhere
		}, after: func(s *soak) { s.must(s.watchWorker()) }},
		{name: "worker: crashed", promises: "another takes over", spaced: true, begin: func(s *soak) {
			_, err := browser.Eval[bool](s.shared[0].page, panics)
			s.must(err)
		}, clear: nothing, after: func(s *soak) { s.must(s.watchWorker()) }},
		{name: "Chromium: SIGSTOP", promises: "wakes stale, resumes", half: true, hold: asleep(), begin: func(s *soak) {
			for _, b := range s.tabs {
				b.setAway(true)
			}
			s.must(stage.Chrome.Stall(true))
		}, clear: func(s *soak) {
			s.must(stage.Chrome.Stall(false))
			for _, b := range s.tabs {
				b.setAway(false)
			}
		}},
	}
}

// asleep is how long Chromium is stopped: as a laptop that is closed.
func asleep() time.Duration {
	if isLong() {
		return 120 * time.Second
	}
	return 8 * time.Second
}

// hides and shows make a page hidden, as if another tab was before it, or visible.
const (
	hides = `Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`
	shows = `Object.defineProperty(document, "visibilityState", {value: "visible", configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`
)
