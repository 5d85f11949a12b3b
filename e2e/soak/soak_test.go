package soak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// The promises.
const (
	rightWithin     = 5 * time.Second  // after a fault has cleared
	rightWithinHalf = 15 * time.Second // after one that only silence tells
	tellsWithin     = 3 * time.Second  // after a tab can know that it is not live
	differsAtMost   = 5 * time.Second  // while it says live
)

const (
	// startsWithin, listsWithin and listsEach are how long an apiserver takes to start, and to list at a
	// version, where nothing else runs. A machine that is slower gets as much more time for the promises.
	startsWithin = 6 * time.Second
	listsWithin  = 100 * time.Millisecond
	listsEach    = 40 * time.Microsecond // for each object

	// patience is far more than anything here takes.
	patience = 2 * time.Minute

	// spacing lies between two faults of which a worker may end: a page that loses its worker twice
	// within a minute stops.
	spacing = 75 * time.Second

	// outage is how long the long form holds what tabs know of: retries have become rare by then.
	outage = 9 * time.Second

	// fewest is how many classes come up however slow a machine is.
	fewest = 5

	lookEvery = 200 * time.Millisecond // while something is awaited
	calmEvery = time.Second            // else

	// rowsLate is how many rows the screen may be off by, for each write a second: a tenth of the writes
	// make or delete an object, and a busy page paints some seconds late. At the end, every row counts.
	rowsLate = 0.3
)

// form is a form of the soak.
type form struct {
	perSecond  float64       // writes
	every      time.Duration // between the beginnings of faults
	wholeEvery time.Duration // between comparisons of the whole of a tab
	lasts      time.Duration
	least      int     // classes that have to come up
	slack      float64 // how much more time than the promises: in the short form, the machine does other things too
}

var (
	shortForm = form{perSecond: 30, every: 500 * time.Millisecond, wholeEvery: 10 * time.Second, lasts: 200 * time.Second, least: 20, slack: 3}
	longForm  = form{perSecond: 100, every: 20 * time.Second, wholeEvery: 8 * time.Second, lasts: 75 * time.Minute, least: 30, slack: 1}
)

// soak is one run.
type soak struct {
	*world
	form

	// history is that of the server, which a restore changes. While it is odd, what a tab has may be of
	// the one before.
	history atomic.Int64
	// renewing says that a worker may have ended: its successor begins with the rows of the last visit.
	renewing atomic.Bool
	hurry    atomic.Int64 // how many wait for a look
	goal     atomic.Pointer[goal]

	slowest float64   // the highest scale
	leader  int       // of etcd, that was killed
	began   time.Time // the fault

	compared, uncompared atomic.Int64 // looks
	listed               int          // lists of an apiserver that were compared

	mu       sync.Mutex
	fault    string        // that is on, or was last
	caught   *[]string     // takes the complaints, if somebody means to cause them
	differed time.Duration // the longest that a tab said live while it differed, in this fault
	who      string        // which tab

	results []result
	samples []sample
	ended   time.Time // when a worker may last have ended
	start   time.Time
}

// result is what came of a fault.
type result struct {
	class
	tells    time.Duration // until the last tab said that it was not live, from when it could know
	right    time.Duration // until the last tab was right, from when it cleared
	differed time.Duration // the longest that a tab said live while it differed, and which
	who      string
	last     string // the tab that was right last, and what it lacked
}

// TestSoak breaks one thing after another. SOAK_SEED chooses the order, and SOAK_CLASSES a part of
// the classes, by words in their names. SOAK_LASTS is for how long, SOAK_WRITES how many writes
// there are a second, if a machine bears fewer, and SOAK_SLACK multiplies
// every limit of time (default 3; 1 in the long form).
func TestSoak(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("SOAK_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("SOAK_SEED=%d", seed)
	s := startSoak(t, seed)
	q := newQueue(seed, chosen(os.Getenv("SOAK_CLASSES")), !isLong())
	s.measure()
	s.breakThings(q)
	s.settle()
	s.measure()
	s.report(q)
	s.findsWhatItIsFor()
}

// startSoak starts the world, and looks at every tab until the test ends.
func startSoak(t *testing.T, seed uint64) *soak {
	t.Helper()
	f := shortForm
	if isLong() {
		f = longForm
	}
	f.perSecond, f.slack = fromEnv(t, "SOAK_WRITES", f.perSecond), fromEnv(t, "SOAK_SLACK", f.slack)
	if text := os.Getenv("SOAK_LASTS"); text != "" {
		lasts, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		f.lasts, f.least = lasts, int(float64(f.least)*min(1, lasts.Seconds()/f.lasts.Seconds()))
	}
	s := &soak{form: f, start: time.Now(), slowest: 1, fault: "the start"}
	s.world = newWorld(t, seed, f.perSecond)
	ctx, cancel := context.WithCancel(context.Background())
	var looking sync.WaitGroup
	t.Cleanup(func() { cancel(); looking.Wait() })
	for _, b := range s.tabs {
		looking.Go(func() { s.watch(ctx, b) })
	}
	s.began = time.Now()
	s.converge("the start", s.began)
	s.compareList()
	t.Logf("started in %s: an apiserver in %s, a list in %s", time.Since(s.start).Round(time.Second), s.starts.Round(100*time.Millisecond), s.truth.lastTook().Round(time.Millisecond))
	return s
}

// fromEnv returns an environment variable as a number, or another if it is not set.
func fromEnv(t *testing.T, name string, otherwise float64) float64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// chosen returns the classes with some words in their names, or all.
func chosen(words string) []class {
	all := classes()
	if words == "" {
		return all
	}
	return slices.DeleteFunc(all, func(c class) bool {
		return !slices.ContainsFunc(strings.Split(words, ","), func(w string) bool { return strings.Contains(c.name, w) })
	})
}

// queue is the order in which faults come: all classes, shuffled, again and again.
type queue struct {
	all    []class
	random *rand.Rand
	quick  bool // the slow ones come last
	left   []class
	rounds int
	spared bool // nothing comes that starts anew what is measured
}

func newQueue(seed uint64, all []class, quick bool) *queue {
	return &queue{all: all, random: rand.New(rand.NewPCG(seed, 0)), quick: quick}
}

// next returns the next fault. One that may end a worker comes later if mayEnd is false.
func (q *queue) next(mayEnd bool) (c class, ok bool) {
	if len(q.left) == 0 {
		q.left = slices.DeleteFunc(slices.Clone(q.all), q.skips)
		q.random.Shuffle(len(q.left), func(i, j int) { q.left[i], q.left[j] = q.left[j], q.left[i] })
		if q.quick {
			slices.SortStableFunc(q.left, func(a, b class) int { return cmp.Compare(order(a.slow), order(b.slow)) })
			q.hasten(func(c class) bool { return c.slow })   // one of them in each run
			q.hasten(func(c class) bool { return c.spaced }) // the other can only come much later
		}
		if q.rounds++; q.rounds == 1 && !q.quick { // before the measurements that count
			slices.SortStableFunc(q.left, func(a, b class) int { return cmp.Compare(order(!a.renews()), order(!b.renews())) })
		}
	}
	i := slices.IndexFunc(q.left, func(c class) bool { return mayEnd || !c.spaced })
	if i < 0 {
		return class{}, false
	}
	c = q.left[i]
	q.left = slices.Delete(q.left, i, i+1)
	return c, true
}

// hasten has the first class of a kind come next.
func (q *queue) hasten(of func(class) bool) {
	if i := slices.IndexFunc(q.left, of); i >= 0 {
		q.left = slices.Insert(slices.Delete(slices.Clone(q.left), i, i+1), 0, q.left[i])
	}
}

// skips reports whether a class does not come.
func (q *queue) skips(c class) bool { return q.quick && c.long || q.spared && c.renews() }

// spare has nothing come any more that starts anew what is measured.
func (q *queue) spare() {
	q.spared = true
	q.left = slices.DeleteFunc(q.left, q.skips)
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// breakThings raises faults until the time is over. The short form ends after every class came up once.
func (s *soak) breakThings(q *queue) {
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	begin := time.Now()
	for time.Since(begin) < s.lasts {
		if !isLong() && q.rounds == 1 && len(q.left) == 0 {
			return
		}
		if isLong() && time.Since(s.start) > firstFrom && !q.spared {
			q.spare()
		}
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
		if c, ok := q.next(time.Since(s.ended) > spacing); ok {
			s.raise(c)
		} else if !isLong() && time.Since(begin) > s.lasts-spacing {
			return // what is left must wait for longer than there is time
		}
	}
}

// raise raises a fault, clears it, and waits until every tab is right again.
func (s *soak) raise(c class) {
	if d, who := s.takeDiffered(); d > s.scaled(differsAtMost) {
		s.complain("after %q: %s said live for %s while it differed", s.now(), who, d)
	}
	s.mu.Lock()
	s.fault = c.name
	s.mu.Unlock()
	if s.renewing.Store(c.spaced); c.spaced {
		s.ended = time.Now()
	}
	r, lists := result{class: c}, s.lists()
	changed := s.hold(c, &r)
	c.clear(s)
	cleared := time.Now()
	r.right, r.last = s.converge(c.name, cleared)
	r.differed, r.who = s.takeDiffered()
	s.compareList()
	listed := s.judgeLists(c, lists, s.lists())
	if c.after != nil {
		c.after(s)
	}
	s.results = append(s.results, r)
	if isLong() {
		s.measure()
	}
	may := s.scale()
	s.slowest = max(s.slowest, may)
	s.Logf("%7s %-40s stale %5s  right %6s  live while different %5s  (time × %.1f, %d changed, %d lists)%s",
		time.Since(s.start).Round(time.Second), c.name, tenths(c.tells, r.tells), tenths(true, r.right), tenths(true, r.differed), may, changed, listed, r.last)
	s.judgeFault(c, r)
}

// hold begins a fault and waits for as long as it lasts. It returns how much that has changed.
func (s *soak) hold(c class, r *result) (changed int) {
	s.Helper()
	s.began = time.Now()
	c.begin(s)
	if c.tells {
		r.tells = s.awaitStale(c)
	}
	told, hold := time.Now(), c.hold
	if c.tells && isLong() {
		hold = max(hold, outage)
	}
	s.pause(hold - time.Since(s.began))
	if c.strikes != nil && !stage.Within(patience, func() bool { return c.strikes(s) > 0 }) {
		s.complain("%s: it changed nothing", c.name)
	}
	if c.tells {
		s.staysStale(c, told)
	}
	if c.strikes == nil {
		return 0
	}
	return c.strikes(s)
}

// staysStale complains of tabs that have said live again since a moment, though the fault lasts.
func (s *soak) staysStale(c class, since time.Time) {
	s.Helper()
	for _, b := range s.tabs {
		if l, ok := s.lookAt(s.ctx, b, false); ok && (l.State == "live" || b.wasLive(since)) {
			s.complain("%s: %s said live again before it was over", c.name, b.name)
		}
	}
}

// lists returns how often each tab that can be asked has listed again.
func (s *soak) lists() map[*tab]int {
	all := make(map[*tab]int)
	for _, b := range s.tabs {
		if l, ok := s.lookAt(s.ctx, b, false); ok && l.Error == "" {
			all[b] = l.Lists
		}
	}
	return all
}

// judgeLists holds the lists that a fault caused to the promises. It returns how many all tabs counted.
func (s *soak) judgeLists(c class, before, after map[*tab]int) (all int) {
	s.Helper()
	for b, n := range after {
		was, ok := before[b]
		switch n -= was; {
		case !ok:
		case c.resumes && n > 0:
			s.complain("%s: %s listed again, though it could resume", c.name, b.name)
		case c.relists && (n < 1 || n > 2):
			s.complain("%s: %s listed %d times", c.name, b.name, n)
		}
		if n < 0 { // a new worker counts from none
			n = after[b]
		}
		if ok {
			all += n
		}
	}
	return all
}

// judgeFault holds what came of a fault to the promises.
func (s *soak) judgeFault(c class, r result) {
	s.Helper()
	if within := s.scaled(rightFor(c)); r.right > within {
		s.complain("%s: it took %s until every tab was right, and not %s: %s", c.name, r.right, within, r.last)
	}
	if within := s.scaled(tellsWithin); c.tells && r.tells > within {
		s.complain("%s: it took %s until every tab said that it was not live, and not %s", c.name, r.tells, within)
	}
	if within := s.scaled(differsAtMost); r.differed > within {
		s.complain("%s: %s said live for %s while it differed, and not %s at most", c.name, r.who, r.differed, within)
	}
}

func tenths(known bool, d time.Duration) string {
	if !known {
		return "-"
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// rightFor is how soon after a fault all has to be right.
func rightFor(c class) time.Duration {
	if c.half {
		return rightWithinHalf
	}
	return rightWithin
}

// scale is how much slower the apiserver is now than where nothing else runs, at least 1.
func (s *soak) scale() float64 {
	lists := listsWithin + time.Duration(objects())*listsEach
	return max(1, s.starts.Seconds()/startsWithin.Seconds(), s.truth.lastTook().Seconds()/lists.Seconds())
}

func (s *soak) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * s.scale() * s.slack).Round(100 * time.Millisecond)
}

// watch looks at a tab until the context ends. A whole look is rare: when a tab may have reached a goal, and from time
// to time, but not while the tab is awaited: four tabs that copy all they have would slow down what they are timed at.
func (s *soak) watch(ctx context.Context, b *tab) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for last, lastWhole := time.Now(), time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		g := s.goal.Load()
		_, there := b.reached(g)
		awaited := s.hurry.Load() > 0 && !(g != nil && there)
		if !awaited && time.Since(last) < calmEvery {
			continue
		}
		last = time.Now()
		l, ok := s.lookAt(ctx, b, false)
		if !ok {
			continue
		}
		// Only a live list is an answer to a script; another would be waited for.
		if l.State == "live" && (g != nil && !there && (number(l.Version) >= g.newest || g.digest != "") || !awaited && time.Since(lastWhole) > s.wholeEvery) {
			lastWhole = time.Now()
			if l, ok = s.lookAt(ctx, b, true); ok && g != nil && !there && s.lacks(l, g) == "" {
				b.reach(g, l.when())
			}
		}
	}
}

// lookAt looks at a tab once. The whole of its store is compared with what there is at its version.
func (s *soak) lookAt(ctx context.Context, b *tab, whole bool) (look, bool) {
	history := s.history.Load()
	l, err := b.look(whole)
	if err != nil {
		return l, false
	}
	if whole && l.Version != "" {
		s.compare(ctx, b, &l, history)
	}
	if whole && history%2 == 0 && s.history.Load() == history { // else it is the version that the worker has heard of
		if from := b.goesBack(l, history); from > 0 && !s.renewing.Load() {
			s.complain("%s went back from version %d to %s, during or after %q", b.name, from, l.Version, s.now())
		}
	}
	b.note(l)
	s.judge(b, l)
	return l, true
}

// compare compares what a tab has with what there is at its version.
func (s *soak) compare(ctx context.Context, b *tab, l *look, history int64) {
	want, err := s.truth.at(ctx, l.Version)
	if err != nil { // it was compacted, or there is no etcd
		s.uncompared.Add(1)
		return
	}
	l.compared = true
	if l.Digest != want.digest {
		l.wrong = fmt.Sprintf("%d objects of %d, and not those", l.Count, len(want.lines))
		if lines, err := b.wholeAt(l.Version); err == nil && len(lines) > 0 {
			l.wrong = cmp.Or(difference(lines, want.lines), l.wrong)
		}
	}
	if history%2 == 1 || s.history.Load() != history {
		return // it may be a version of another history
	}
	s.compared.Add(1)
	if l.wrong != "" {
		s.complain("%s at version %s: %s, during or after %q", b.name, l.Version, l.wrong, s.now())
	}
}

// complain fails the test, unless somebody means to cause that.
func (s *soak) complain(format string, args ...any) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := fmt.Sprintf(format, args...); s.caught != nil {
		*s.caught = append(*s.caught, text)
	} else {
		s.Error(text)
	}
}

// now returns the fault that is on, or was last.
func (s *soak) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// judge notes for how long a tab has said live while it lacked what was written.
func (s *soak) judge(b *tab, l look) {
	if l.State != "live" || l.Version == "" || b.isAway() || s.history.Load()%2 == 1 {
		return
	}
	missed, ok := s.ledger.after(number(l.Version))
	if !ok {
		return
	}
	since := b.liveSince(l)
	if missed.After(since) {
		since = missed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := l.when().Sub(since); d > s.differed {
		s.differed, s.who = d, b.name
	}
}

// takeDiffered returns the longest that a tab has said live while it differed, and which, since it was
// called last.
func (s *soak) takeDiffered() (d time.Duration, who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, who = s.differed.Round(100*time.Millisecond), s.who
	s.differed, s.who = 0, ""
	return d, who
}

// awaitStale waits until every tab that can be asked has said that it is not live, and returns how
// long after it could know the last did.
func (s *soak) awaitStale(c class) time.Duration {
	s.hurry.Add(1)
	defer s.hurry.Add(-1)
	known := s.began.Add(c.knows)
	last := known
	for _, b := range s.tabs {
		for {
			_, looked := b.now()
			at, ok := b.staleSince(s.began)
			if ok || b.isAway() {
				if at.After(last) {
					last = at
				}
				break
			}
			if time.Since(known) > s.scaled(tellsWithin) {
				s.complain("%s: %s still says live, %s after it can know better", c.name, b.name, time.Since(known).Round(100*time.Millisecond))
				return time.Since(known)
			}
			s.await(looked)
		}
	}
	return last.Sub(known).Round(100 * time.Millisecond)
}

// await waits for something, for a second at most.
func (s *soak) await(what <-chan struct{}) {
	select {
	case <-what:
	case <-time.After(time.Second):
	case <-s.ctx.Done():
		s.FailNow()
	}
}

// calm waits until every tab is right, before a fault that begins with a lesser one.
func (s *soak) calm() { s.converge("the lesser fault", time.Now()) }

// converge waits until every tab is live and has, at a version not older than the newest when a fault
// cleared, exactly what etcd has. It returns how long that took, and what was missing last.
func (s *soak) converge(fault string, cleared time.Time) (took time.Duration, last string) {
	s.Helper()
	s.hurry.Add(1)
	defer s.hurry.Add(-1)
	g := &goal{newest: s.newest(), cleared: cleared}
	if s.isQuiet() {
		want, err := s.truth.at(s.ctx, strconv.FormatInt(g.newest, 10))
		s.must(err)
		g.digest = want.digest
	}
	s.goal.Store(g)
	defer s.goal.Store(nil)
	deadline := time.Now().Add(time.Duration(float64(patience) * s.scale()))
	for _, b := range s.tabs {
		lacked := ""
		for {
			l, looked := b.now()
			if at, ok := b.reached(g); ok {
				if d := at.Sub(cleared); d > took {
					took, last = d, ""
					if lacked != "" {
						last = fmt.Sprintf("; last was %s: %s", b.name, lacked)
					}
				}
				break
			}
			if lacks := s.lacks(l, g); lacks != "" {
				lacked = lacks
			}
			if time.Now().After(deadline) {
				s.Fatalf("after %s, %s is not right: %s", fault, b.name, lacked)
			}
			s.await(looked)
		}
	}
	return took.Round(100 * time.Millisecond), last
}

// compareList compares what an apiserver lists with what etcd has. It also measures how long a list takes now, so it is
// called when no tab has anything to catch up with.
func (s *soak) compareList() {
	s.Helper()
	version := strconv.FormatInt(s.newest(), 10)
	have, err := s.truth.list(s.ctx, version)
	want, errRead := s.truth.at(s.ctx, version)
	if err := errors.Join(err, errRead); err != nil {
		s.Logf("an apiserver's list could not be compared: %v", err)
		return
	}
	s.listed++
	if have.digest != want.digest {
		s.complain("after %q, an apiserver's list at version %s differs from etcd: %s", s.now(), version, difference(have.lines, want.lines))
	}
}

// newest returns the version that the server is at, once it answers.
func (s *soak) newest() int64 {
	s.Helper()
	for deadline := time.Now().Add(patience); ; {
		n, err := s.truth.newest(s.ctx)
		if err == nil {
			return n
		}
		if time.Now().After(deadline) {
			s.Fatal(err)
		}
		s.await(nil)
	}
}

// lacks says why a tab has not reached a goal at a look, or "".
func (s *soak) lacks(l look, g *goal) string {
	switch {
	case l.when().Before(g.cleared):
		return "nobody has looked"
	case l.Error != "":
		return l.Error
	case l.Hidden:
		return "it is hidden"
	case l.State != "live":
		return "it is " + l.State
	case number(l.Version) < g.newest && (g.digest == "" || l.Digest != g.digest):
		return fmt.Sprintf("it is at %s, and the server at %d", l.Version, g.newest)
	case !l.compared:
		return "it was not compared yet"
	case l.wrong != "":
		return l.wrong
	case max(l.Rows-l.Count, l.Count-l.Rows) > int(s.perSecond*rowsLate):
		return fmt.Sprintf("it shows %d rows of %d", l.Rows, l.Count)
	}
	return ""
}

// settle stops the writes, and compares every row of every tab.
func (s *soak) settle() {
	s.Helper()
	s.stopWriting()
	s.converge("the end", time.Now())
	s.compareList()
	for _, b := range s.tabs {
		rows, err := b.page.Rows()
		s.must(err)
		snapshot, err := b.page.Snapshot("pods")
		s.must(err)
		want := make([]string, 0, len(snapshot.Items))
		for _, i := range snapshot.Items {
			want = append(want, i.Namespace+"/"+i.Name)
		}
		have := rows.Keys()
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			s.Errorf("%s has %d rows of %d objects: %s", b.name, len(have), len(want), difference(have, want))
		}
		if console, err := browser.Eval[string](b.page, `document.querySelector(".crash")?.innerText ?? ""`); err != nil || console != "" {
			s.Errorf("%s: %s %v", b.name, console, err)
		}
	}
}

// report prints a table of the classes, and checks that enough came up and that nothing grew.
func (s *soak) report(q *queue) {
	type row struct {
		n                      int
		tells, right, differed time.Duration
		class
	}
	rows := make(map[string]*row)
	for _, c := range q.all {
		rows[c.name] = &row{class: c}
	}
	for _, r := range s.results {
		one := rows[r.name]
		one.n++
		one.tells, one.right, one.differed = max(one.tells, r.tells), max(one.right, r.right), max(one.differed, r.differed)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-42s %5s %8s %8s %10s  %s\n", "worst of each class", "times", "stale", "right", "different", "what it tests")
	came := 0
	for _, c := range q.all {
		r := rows[c.name]
		if r.n == 0 {
			fmt.Fprintf(&text, "%-42s %5d\n", c.name, 0)
			continue
		}
		came++
		fmt.Fprintf(&text, "%-42s %5d %8s %8s %10s  %s\n", c.name, r.n, tenths(c.tells, r.tells), tenths(true, r.right), tenths(true, r.differed), c.promises)
	}
	s.Logf("%d faults of %d classes in %s; %d writes; %d looks equal what etcd has at exactly their version, %d versions could not be read; %d lists of an apiserver as well\n%s",
		len(s.results), came, time.Since(s.start).Round(time.Second), s.wrote.Load(), s.compared.Load(), s.uncompared.Load(), s.listed, text.String())
	s.Log(series(s.samples))
	if least := max(min(s.least, fewest), int(float64(s.least)/s.slowest)); came < least {
		s.Errorf("only %d classes came up, and not %d", came, least)
	}
	if s.listed < len(s.results)/2 {
		s.Errorf("only %d lists of an apiserver were compared", s.listed)
	}
	if isLong() {
		for _, grew := range flat(s.samples) {
			s.Error(grew)
		}
	}
}
