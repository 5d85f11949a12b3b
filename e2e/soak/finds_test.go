package soak

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// lies has a page always say that it is live.
const lies = `(soak.lie = () => { const root = document.documentElement; if (root.dataset.state !== "live") root.dataset.state = "live"; }), true`

// findsWhatItIsFor breaks what the soak watches over, and checks that the soak complains: an event that
// is lost without a gap in the versions, and a page that always says live.
func (s *soak) findsWhatItIsFor() {
	s.Helper()
	s.slack = 1 // what is wrong stays wrong
	s.write(s.perSecond)
	loses := s.losesDeletions()
	s.finds("a deletion that nobody heard of", "1 ghosts", func() {
		s.front.set(func(*http.Request) rule { return rule{drop: loses} })
		s.through(s.front)
	})
	s.front.set(nil)
	_, err := browser.Eval[bool](s.shared[1].page, lies)
	s.must(err)
	s.finds("a page that always says live", "shared 2 still says live", func() {
		s.must(s.down.set(manner{refuse: true}))
		s.down.cut()
		s.began = time.Now()
		s.awaitStale(class{name: "a lie", tells: true})
	})
	s.finds("a page that says live before it can be", "shared 2 said live again", func() {
		s.staysStale(class{name: "a lie"}, time.Now())
	})
	s.finds("a page that says live while it differs", "said live for", func() {
		stage.WaitWithin(s.T, patience, "a difference", func() bool { // the scale may grow before it is judged
			s.mu.Lock()
			r := result{class: class{name: "a lie"}, differed: s.differed, who: s.who}
			s.mu.Unlock()
			s.judgeFault(r.class, r)
			return s.caughtOne("said live for") != ""
		})
	})
	s.must(s.down.set(manner{}))
}

// loseEvery is how often a deletion is lost. The comparison that follows the change of address may heal the first
// before anybody has looked.
const loseEvery = 45 * time.Second

// losesDeletions returns what loses a deletion, in whichever stream it comes first.
func (s *soak) losesDeletions() (drop func(event []byte) bool) {
	deleted := isEvent("DELETED")
	var mu sync.Mutex
	var last time.Time
	return func(event []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		if !deleted(event) || time.Since(last) < loseEvery {
			return false
		}
		last = time.Now()
		return true
	}
}

// finds breaks something, and waits for a complaint with some words.
func (s *soak) finds(what, words string, broken func()) {
	s.Helper()
	var complaints []string
	s.mu.Lock()
	s.caught, s.differed, s.who, s.fault = &complaints, 0, "", what
	s.mu.Unlock()
	broken()
	if !stage.Within(patience, func() bool { return s.caughtOne(words) != "" }) {
		s.Errorf("nobody found %s: %q", what, complaints)
		return
	}
	s.Logf("found %s: %s", what, s.caughtOne(words))
}

// caughtOne returns a complaint that has some words; "" if there is none.
func (s *soak) caughtOne(words string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range *s.caught {
		if strings.Contains(c, words) {
			return c
		}
	}
	return ""
}
