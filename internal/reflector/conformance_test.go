package reflector

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is a sequence of requests and answers, with the expected outcome.
type script struct {
	lines    []string
	store    string
	version  string
	resumes  int
	relists  int
	rewinds  int
	replaced string        // the versions of the lists that replaced
	deleted  string        // what these took away
	within   time.Duration // 0: a second
	state    string        // of the last error, in the end
	rejected int
	earlier  string // what an earlier run left behind; see leave
}

const begin = "watch-list - → +a@1 +b@2 @5! "

func (c script) run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { c.check(t) })
}

// check runs the script in a bubble and compares the outcome.
func (c script) check(t *testing.T, options ...func(*Options[thing])) {
	if c.within == 0 {
		c.within = time.Second
	}
	r := run(t, c.within, c.lines, append(options, leave(c.earlier))...)
	s := r.State()
	if r.sink.String() != c.store {
		t.Errorf("store: want %s, got %s", c.store, r.sink)
	}
	if r.position.version != c.version || s.Resumes != c.resumes || s.Relists != c.relists || s.Rewinds != c.rewinds {
		t.Errorf("want version %s, %d resumes, %d relists, %d rewinds; got %s, %d, %d, %d", c.version, c.resumes, c.relists, c.rewinds, r.position.version, s.Resumes, s.Relists, s.Rewinds)
	}
	if got := strings.Join(r.sink.replaced, " "); got != c.replaced {
		t.Errorf("replaced at %q, want %q", got, c.replaced)
	}
	if got := strings.Join(r.sink.deleted, " "); got != c.deleted {
		t.Errorf("deleted %q by lists, want %q", got, c.deleted)
	}
	if s.Rejected != c.rejected {
		t.Errorf("%d rejected, want %d", s.Rejected, c.rejected)
	}
	if c.state != "" && (s.Err == nil || !strings.Contains(s.Err.Error(), c.state)) {
		t.Errorf("the error is %v", s.Err)
	}
	if t.Failed() {
		t.Logf("asked: %q", r.server.asked)
	}
}

// TestConformance runs the scripts without a socket; socket_test.go runs them over one.
func TestConformance(t *testing.T) {
	for name, c := range conformance() {
		t.Run(name, c.run)
	}
}

// conformance are the scripts that a client of the apiserver must pass, with the numbers of the
// reference. C17, C18 and C20 concern the wire; they are in socket_test.go.
func conformance() map[string]script {
	minutes := func(n int) string {
		return strings.Repeat("1m @90 ", n)
	}
	return map[string]script{
		"C01 kubus-135 a deletion while no watch was open": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 .b@2 ?10", "watch 10 → 2s ~a@11 EOF", "watch 11 → 2s -b@12 hang"},
			store: "a@11", version: "12", resumes: 1, within: 5 * time.Second,
		},
		"C02 headlamp-7451 410 in the stream": {
			lines: []string{begin + "~a@11 410", "watch-list 11 → +a@11 @20! hang"},
			store: "a@11", version: "20", relists: 1, replaced: "20", deleted: "b",
		},
		"C03 kubernetes_asyncio-327 410 at the watch and at the list": {
			lines: []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → 410", "watch-list - → +b@9 @20! hang"},
			store: "b@9", version: "20", relists: 1, replaced: "20", deleted: "a", within: 5 * time.Second,
		},
		"C03 kdashboard-59 410 as the answer to a watch": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 .b@2 ?5", "watch 5 → 410", "all 5 → 410", "list - → .b@9 ?20", "watch 20 → hang"},
			store: "b@9", version: "20", relists: 1, replaced: "20", deleted: "a",
		},
		"C04 410 on a page": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 .x@1 ?5,c1", "list - c1 → 410", "all 0 → .a@1 .b@2 ?9", "watch 9 → hang"},
			store: "a@1 b@2", replaced: "9", deleted: "x", version: "9",
		},
		"C04 410 on a page of a later list": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?5,c1", "list - c1 → .b@2 ?5", "watch 5 → 410", "list 5 → .c@7 ?8,c2", "list - c2 → 410", "all 5 → .a@1 .c@7 ?9", "watch 9 → hang"},
			store: "a@1 c@7", replaced: "9", deleted: "b", version: "9", relists: 1,
		},
		"C05 too large, by its cause":         {lines: tooLarge("504L"), store: "b@2", version: "3", relists: 1, replaced: "3", deleted: "a", rewinds: 1, within: 5 * time.Second},
		"C05 too large, before 1.18.6":        {lines: tooLarge("504M"), store: "b@2", version: "3", relists: 1, replaced: "3", deleted: "a", rewinds: 1, within: 5 * time.Second},
		"C05 too large, before 1.17":          {lines: tooLarge("504O"), store: "b@2", version: "3", relists: 1, replaced: "3", deleted: "a", rewinds: 1, within: 5 * time.Second},
		"C05 too large, once, to a list":      {lines: tooLargeList("504L"), store: "b@2", version: "3", relists: 1, replaced: "3", deleted: "a", rewinds: 1, within: 5 * time.Second},
		"C05 too large in a watch-list, once": {lines: []string{begin + "410", "watch-list 5 → 3s 504L", "watch-list - → +b@2 @9! hang"}, store: "b@2", version: "9", relists: 1, replaced: "9", deleted: "a", within: 5 * time.Second},
		"C06 kubernetes-107457 the server went back": {
			lines: []string{begin + "+c@382 EOF", "watch 382 → refused", "watch 382 → ok", "probe - → .x@1 ?332", "watch-list - → +a@1 +d@331 @332! hang"},
			store: "a@1 d@331", version: "332", relists: 1, rewinds: 1, replaced: "332", deleted: "b c", within: 10 * time.Second,
		},
		"C06 and has overtaken ours": {
			lines: []string{begin + "+c@382 EOF", "watch 382 → refused", "watch 382 → 5s +e@400 hang", "probe - → .x@1 ?382", "audit 382 → .a@1 .d@331 ?382", "watch-list - → +a@1 +d@331 +e@400 @401! hang"},
			store: "a@1 d@331 e@400", version: "401", relists: 1, rewinds: 1, resumes: 1, replaced: "401", deleted: "b c", within: 10 * time.Second,
		},
		"C07 429 to a list": {
			lines: []string{"watch-list - → 429:7", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", within: 20 * time.Second,
		},
		"C07 429 to a watch and in it": {
			lines: []string{begin + "429:7", "watch 5 → 429:7", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 30 * time.Second,
		},
		"C08 bad credentials that are renewed": {
			lines: []string{begin + "EOF", "watch 5 → 401", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 5 * time.Second,
		},
		"C08 bad credentials that stay": {
			lines: []string{begin + "EOF", "watch 5 → 401", "watch 5 → 401", "watch 5 → 401", "watch 5 → 401"}, store: "a@1 b@2", version: "5", state: "401", within: 30 * time.Second,
		},
		"C08 bad credentials for lists": {
			lines: []string{begin + "410", "watch-list 5 → 401", "watch-list 5 → 401", "watch-list 5 → 401", "watch-list 5 → 401"}, store: "a@1 b@2", version: "5", state: "401", within: 30 * time.Second,
		},
		"C09 a refusal that stays": {
			lines:    []string{begin + "EOF", "watch 5 → 403", "watch 5 → 403", "watch-list 5 → 403", "all 5 → 403"},
			replaced: "", deleted: "a b", within: 12 * time.Second, state: "403",
		},
		"C09 and is taken back": {
			lines: []string{begin + "EOF", "watch 5 → 403", "watch 5 → 403", "watch-list 5 → 403", "all 5 → 403", "watch-list - → +a@1 @30! hang"},
			store: "a@1", version: "30", relists: 1, replaced: " 30", deleted: "a b", within: 2 * time.Minute,
		},
		"C10 the kind is removed and comes back": {
			lines: []string{begin + "-a@6 -b@7 EOF", "watch 7 → 404", "watch 7 → 404", "watch-list 7 → 404", "watch-list - → 404", "watch-list - → +n@9 @9! hang"},
			store: "n@9", version: "9", relists: 1, replaced: " 9", within: 30 * time.Second,
		},
		"C10 and its last deletions are missed": {
			lines: []string{begin + "EOF", "watch 5 → 404", "watch 5 → 404", "watch-list 5 → 404"}, deleted: "a b", within: 13 * time.Second, state: "404",
		},
		"C11 client-node-795 an apiserver that restarts": {
			lines: []string{begin + "EOF", "watch 5 → refused", "watch 5 → 503", "watch 5 → 404", "watch 5 → 404", "watch 5 → +c@9 hang", "probe - → .x@1 ?5", "audit 9 → .a@1 .b@2 .c@9 ?9"},
			store: "a@1 b@2 c@9", version: "9", resumes: 1, within: time.Minute,
		},
		"C11 and has not read its rules": {
			lines: []string{begin + "EOF", "watch 5 → refused", "watch 5 → 403", "watch 5 → 403", "watch 5 → +c@9 hang", "probe - → .x@1 ?5", "audit 9 → .a@1 .b@2 .c@9 ?9"},
			store: "a@1 b@2 c@9", version: "9", resumes: 1, within: time.Minute,
		},
		"C11 and has not filled its caches": {
			lines: []string{
				begin + "EOF", "watch 5 → refused", "watch 5 → refused", "watch 5 → refused", "watch 5 → refused",
				"watch 5 → 429:1", "watch 5 → 429:1", "watch 5 → 429:1", "watch 5 → +c@9 hang", "probe - → .x@1 ?5", "audit 9 → .a@1 .b@2 .c@9 ?9",
			},
			store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 50 * time.Second,
		},
		"C12 kubernetes-140890 no bookmark": {
			lines: []string{"watch-list - → +a@1 4s +b@2 hang", "list 0 → .a@1 .b@2 ?5", "watch 5 → hang"}, store: "a@1 b@2", version: "5", replaced: "5", within: 30 * time.Second,
		},
		"C12 a late bookmark": {
			lines: []string{"watch-list - → +a@1 4s +b@2 4s @5! hang"}, store: "a@1 b@2", version: "5", within: 30 * time.Second,
		},
		"C12 an early bookmark": {
			lines: []string{"watch-list - → +a@1 @5! +b@2 +c@6 hang"}, store: "a@1 b@2 c@6", version: "6",
		},
		"C12 antrea-8123 bookmarks that end nothing": {
			lines: []string{"watch-list - → +a@1 @2 3s @3 3s @4 hang", "list 0 → .a@1 ?5", "watch 5 → hang"}, store: "a@1", version: "5", replaced: "5", within: 30 * time.Second,
		},
		"C12 a bookmark without a version": {
			lines: []string{"watch-list - → +a@1 @! hang", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", replaced: "5", within: 3 * time.Second, rejected: 1,
		},
		"C12 the bookmark twice": {
			lines: []string{begin + "@5! +c@6 @5! hang"}, store: "a@1 b@2 c@6", version: "5",
		},
		"C12 one lost": {
			lines: []string{"watch-list - → +a@1 EOF", "list 0 → .a@1 ?5", "watch 5 → hang"}, store: "a@1", version: "5", replaced: "5",
		},
		"C13 twice and unknown": {
			lines: []string{begin + "+a@6 ~z@7 -y@8 ~z@9 ~z@9 hang"}, store: "a@6 b@2 z@9", version: "9",
		},
		"C14 without a name": {
			lines: []string{begin + "+c@6 +@7 +d@8", "watch-list 6 → +c@6 +d@8 @9! hang"}, store: "c@6 d@8", version: "9", relists: 1, replaced: "9", deleted: "a b", within: 5 * time.Second, rejected: 1,
		},
		"C14 without a version": {
			lines: []string{begin + "~a@ +d@8", "watch-list 5 → +a@6 @9! hang"}, store: "a@6", version: "9", relists: 1, replaced: "9", deleted: "b", within: 5 * time.Second, rejected: 1,
		},
		"C14 of another kind, in the list and behind it": {
			lines: []string{"watch-list - → +a@1 +wrong +b@2 @5! ~wrong", "watch-list 5 → +a@1 +wrong +b@2 @6! hang"}, store: "a@1 b@2", version: "6", relists: 1, replaced: "6", within: 5 * time.Second, rejected: 3,
		},
		"C14 what no watch holds": {
			lines: []string{begin + ".c@6", "watch-list 5 → +a@1 @9! hang"}, store: "a@1", version: "9", relists: 1, replaced: "9", deleted: "b", within: 5 * time.Second, rejected: 1,
		},
		"C15 rancher-dashboard-5997 bookmarks for half an hour": {
			lines: []string{begin + minutes(9) + "2s EOF", "watch 90 → " + minutes(9) + "2s EOF", "watch 90 → " + minutes(9) + "2s EOF", "watch 90 → hang"}, store: "a@1 b@2", version: "90", resumes: 3, within: 28 * time.Minute,
		},
		"C16 gone and back": {
			lines: []string{begin + "-a@6 +a@7 hang"}, store: "a@7 b@2", version: "7",
		},
		"C19 a page in the place of an answer": {
			lines: []string{begin + "EOF", "watch 5 → login", "watch 5 → login", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 30 * time.Second,
		},
		"C20 a list that breaks off": {
			lines: []string{"watch-list - → +a@1 +b@2 drop", "watch-list - → +b@2 +c@3 @5! hang"}, store: "b@2 c@3", version: "5", replaced: "5", deleted: "a", within: 5 * time.Second,
		},
		"C21 a tab that slept": {
			lines: []string{begin + "drop", "watch 5 → after:2h +c@9 hang", "probe - → .x@1 ?5", "audit 9 → .a@1 .b@2 .c@9 ?9"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 2*time.Hour + 10*time.Second,
		},
		"C22 rancher-50603 a replica with an older cache answers": {
			lines: []string{begin + "~b@6 410", "watch-list 6 → +a@1 +b@2 +c@4 @5!", "watch-list - → +a@1 +b@6 @7! hang"}, store: "a@1 b@6", version: "7", relists: 1, replaced: "7",
		},
		"C22 rancher-50603 a replica with an older cache answers in pages": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 .b@2 ?5", "watch 5 → ~b@6 410", "all 6 → .a@1 .b@2 .c@4 ?5", "list - → .a@1 .b@6 ?7", "watch 7 → hang"}, store: "a@1 b@6", version: "7", relists: 1, replaced: "7",
		},
		"C22 an older answer that a quorum confirms": {
			lines: []string{begin + "~b@6 410", "watch-list 6 → +a@1 +b@2 @5!", "watch-list - → +a@1 +b@2 @5! hang"}, store: "a@1 b@2", version: "5", relists: 1, rewinds: 1, replaced: "5",
		},
		"C22 a replica that is behind is compared later": {
			lines: []string{begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → 504L", "audit 5 → .a@1 .b@2 ?5"}, store: "a@1 b@2", version: "5", resumes: 1, within: 20 * time.Second,
		},
		"C22 rancher-dashboard-15414 a replica that is behind is asked for a list": {
			lines: []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → 504L", "watch-list - → +a@1 +b@2 @505! hang"}, store: "a@1 b@2", version: "505", relists: 1, replaced: "505", within: 20 * time.Second,
		},
		"C23 etcd-19179 compaction at the last version": {
			lines: []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → +a@1 @6! hang"}, store: "a@1", version: "6", relists: 1, replaced: "6", deleted: "b", within: 5 * time.Second,
		},
		"C24 an object that etcd cannot read": {
			lines: []string{begin + "StoreReadError", "watch-list 5 → +a@1 @9! hang"}, store: "a@1", version: "9", relists: 1, replaced: "9", deleted: "b", within: 5 * time.Second,
		},
	}
}

func tooLarge(dialect string) []string {
	return []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → " + dialect, "watch-list - → +b@2 @3! hang"}
}

func tooLargeList(dialect string) []string {
	return []string{"watch-list - → 400", "list 0 → .a@1 .b@2 ?5", "watch 5 → 410", "all 5 → " + dialect, "list - → .b@2 ?3", "watch 3 → hang"}
}
