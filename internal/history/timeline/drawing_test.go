package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

// random returns a record of changes of pods, nodes and events, some of which are noise.
func random(t *testing.T, r *rand.Rand, changes int) *historytest.Model {
	record := historytest.New(begin)
	pods, nodes, events := record.Open(podStream), record.Open(nodeStream), record.Open(eventStream)
	at, n := begin, node()
	record.Put(nodes, begin.Add(time.Millisecond), "n1", "u-1", packed(t, n))
	last := make(map[string]*corev1.Pod)
	for i := range changes {
		at = at.Add(time.Duration(r.IntN(900)) * time.Millisecond)
		name := fmt.Sprint("web-", r.IntN(12))
		p := last[name]
		switch r.IntN(8) {
		case 0:
			n.Status.Conditions[0].LastHeartbeatTime.Time = at
			record.Put(nodes, at, "n1", "u-1", packed(t, n))
			continue
		case 1:
			e := &corev1.Event{ObjectMeta: meta(fmt.Sprint("e", i)), Type: []string{"Warning", "Normal"}[r.IntN(2)], Reason: "BackOff"}
			e.InvolvedObject = corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: name}
			record.Put(events, at, "shop/"+e.Name, "u", packed(t, e))
			continue
		case 2:
			delete(last, name)
			record.Put(pods, at, "shop/"+name, "u-1", nil)
			continue
		}
		if p == nil {
			p = pod(name)
			p.OwnerReferences[0].Name = name + "-5d9c"
			last[name] = p
		}
		p.ResourceVersion = fmt.Sprint(i)
		switch r.IntN(4) {
		case 0:
			p.Status.ContainerStatuses[0].RestartCount++
		case 1:
			p.Status.PodIP = fmt.Sprint("10.0.0.", i%250)
		case 2:
			p.Status.Phase = []corev1.PodPhase{corev1.PodRunning, corev1.PodFailed}[r.IntN(2)]
		}
		record.Put(pods, at, "shop/"+name, "u-1", packed(t, p))
	}
	return record
}

// naive counts the entries of a question one by one.
func naive(all []*Entry, q Question, p Picture) (bars map[Class][]int, folded, total int) {
	bars = make(map[Class][]int)
	for _, c := range Classes {
		bars[c] = make([]int, (p.To-p.From)/p.Step)
	}
	for _, e := range all {
		if e.At < p.From || e.At >= p.To || q.Match != nil && !q.Match(e.Of) || q.Pick != nil && !q.Pick(e) {
			continue
		}
		if rule := e.Rule(); rule != "" && !slices.Contains(q.Unfolded, rule) {
			folded++
			continue
		}
		bars[e.Class()][(e.At-p.From)/p.Step]++
		total++
	}
	return bars, folded, total
}

// TestFilters compares pictures of 1,000 random questions with a naive count, and their lanes with the
// bars. Each drawing also takes what comes later, and is then compared with one that is made anew.
func TestFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	line, entries := all(t, random(t, r, 600))
	begun, ended := line.record.Span()
	length := int64(ended.Sub(begun))
	matched := 0
	for i := range 1000 {
		q := Question{Bars: 1 + r.IntN(100), Most: 100, Lanes: []string{"owner", "namespace", "node", "kind"}[r.IntN(4)]}
		if r.IntN(2) == 0 {
			q.From = begun.Add(time.Duration(r.Int64N(length)))
			q.To = q.From.Add(time.Duration(r.Int64N(length)))
		}
		for _, rule := range Rules {
			if r.IntN(3) == 0 {
				q.Unfolded = append(q.Unfolded, rule.Name)
			}
		}
		if digit := fmt.Sprint(r.IntN(10)); r.IntN(2) == 0 {
			q.Match = func(o *Object) bool { return strings.Contains(o.Name, digit) }
		}
		if r.IntN(3) == 0 {
			q.Pick = func(e *Entry) bool { return e.Class() != Restarted }
		}
		d := line.Draw(q)
		for d.Count(time.Second) {
		}
		p := d.Picture()
		bars, folded, total := naive(entries, q, p)
		matched += total
		for _, c := range Classes {
			if !slices.Equal(bars[c], p.Bars[c]) {
				t.Fatalf("%d: %s is %v, and should be %v", i, c, p.Bars[c], bars[c])
			}
		}
		if p.Total != total || p.Folded != folded || int64(len(p.Bars[Added])) > int64(q.Bars) {
			t.Fatalf("%d: total %d of %d, folded %d of %d, %d bars of %d", i, p.Total, total, p.Folded, folded, len(p.Bars[Added]), q.Bars)
		}
		checkLanes(t, &q, &p, laned(entries, q, p))
	}
	if matched == 0 {
		t.Error("nothing matched")
	}
}

// laned counts the entries of a question that have a lane: a node has no namespace.
func laned(all []*Entry, q Question, p Picture) int {
	var some []*Entry
	for _, e := range all {
		if (q.Lanes != "namespace" || e.Of.Namespace != "") && (q.Lanes != "node" || e.Of.Node != "") {
			some = append(some, e)
		}
	}
	_, _, n := naive(some, q, p)
	return n
}

// checkLanes checks that the lanes have all entries that the bars have, as marks in order.
func checkLanes(t *testing.T, q *Question, p *Picture, total int) {
	t.Helper()
	sum := 0
	for i, l := range p.Lanes {
		n := 0
		for j, m := range l.Marks {
			if n += m.Count; j > 0 && m.At/p.Step <= l.Marks[j-1].At/p.Step || m.To != 0 && m.To/p.Step != m.At/p.Step || m.Text == "" {
				t.Fatalf("mark %d of lane %s: %+v", j, l.Name, m)
			}
		}
		if n != l.Total || i > 0 && rankOf(&p.Lanes[i-1]) < rankOf(&l) {
			t.Fatalf("lane %s has %d of %d", l.Name, n, l.Total)
		}
		sum += n
	}
	if sum != total {
		t.Fatalf("lanes by %s have %d of %d", q.Lanes, sum, total)
	}
}

// rankOf returns how much the worst mark of a lane matters.
func rankOf(l *Lane) (rank uint8) {
	for _, m := range l.Marks {
		rank = max(rank, worst[classIndex(m.Class)])
	}
	return rank
}

// TestIncremental checks that a drawing that takes changes as they come is the one of all of them, and
// that reading in the smallest steps misses nothing.
func TestIncremental(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := random(t, r, 300)
	record := historytest.New(begin)
	for _, s := range whole.Streams() {
		record.Open(s)
	}
	line := New(record, find)
	q := Question{Bars: 50, Most: 3, Lanes: "owner"}
	d := line.Draw(q)
	from, to := whole.Span()
	for at := from; at.Before(to); at = at.Add(10 * time.Second) {
		for n := range whole.Streams() {
			whole.Between(n, at, at.Add(10*time.Second), func(c history.Change) bool {
				record.Put(n, c.At, c.Key, c.UID, c.After)
				return true
			})
		}
		for line.Read(0) {
		}
		for d.Count(0) {
		}
	}
	other, _ := all(t, whole)
	fresh := other.Draw(q)
	for fresh.Count(time.Second) {
	}
	if got, want := fmt.Sprintf("%+v", d.Picture()), fmt.Sprintf("%+v", fresh.Picture()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if line.count != other.count || line.count < 200 {
		t.Errorf("%d entries, and not %d", line.count, other.count)
	}
}

// TestWhileReading checks that a change that comes while a record is read is read as well.
func TestWhileReading(t *testing.T) {
	record := historytest.New(begin)
	on := record.Open(podStream)
	put := func(n int) {
		name := fmt.Sprint("web-", n)
		record.Put(on, begin.Add(time.Duration(n)*time.Second), "shop/"+name, "u-"+name, packed(t, pod(name)))
	}
	for n := range 3 * checkEvery {
		put(n + 1)
	}
	line := New(record, find)
	if !line.Read(0) {
		t.Fatal("all was read at once")
	}
	put(4 * checkEvery)
	for line.Read(0) {
	}
	if other, _ := all(t, record); line.count != other.count || line.count <= 3*checkEvery {
		t.Errorf("%d entries, and not %d", line.count, other.count)
	}
}

// TestBounded checks that a timeline keeps so many entries and no more, however far back the record goes.
func TestBounded(t *testing.T) {
	record := historytest.New(begin)
	on := record.Open(podStream)
	payload := packed(t, pod("web"))
	const changes = chunkSize + 10
	for n := range changes {
		record.Put(on, begin.Add(time.Duration(n+1)*time.Second), fmt.Sprint("shop/web-", n), fmt.Sprint("u-", n), payload)
	}
	line := New(record, find)
	line.most = 1
	for line.Read(time.Second) {
	}
	if line.count != changes || line.entry(chunkSize) != nil || line.entry(chunkSize+1) == nil || line.entry(changes) == nil {
		t.Errorf("%d entries, of which the wrong ones are kept", line.count)
	}
	if len(line.objects) != changes-chunkSize {
		t.Errorf("%d objects for %d entries", len(line.objects), changes-chunkSize)
	}
	var n Newest
	if n.Read(line, 50, 0); len(n.Rows()) != changes-chunkSize {
		t.Errorf("%d newest", len(n.Rows()))
	}
	d := line.Draw(Question{Bars: 50, Most: 3})
	for d.Count(time.Second) {
	}
	if p := d.Picture(); p.Total != changes-chunkSize {
		t.Errorf("%d entries are drawn", p.Total)
	}
}

// TestLaneLearnt checks that all entries of a pod move to its node's lane once it is scheduled, also if that was after
// the time that is drawn.
func TestLaneLearnt(t *testing.T) {
	for _, until := range []time.Duration{time.Minute, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			record := historytest.New(begin)
			pods := record.Open(podStream)
			p := pod("web-1")
			p.Spec.NodeName, p.Status.Phase = "", corev1.PodPending
			line := New(record, find)
			d := line.Draw(Question{Bars: 10, Most: 5, Lanes: "node", From: begin, To: begin.Add(until)})
			put := func(after time.Duration) {
				record.Put(pods, begin.Add(after), "shop/web-1", "u-1", packed(t, p))
				time.Sleep(againEvery)
				line.Read(time.Hour)
				for range 2 { // all is counted anew by the second
					d.Count(time.Hour)
				}
			}
			put(time.Second)
			if lanes := d.Picture().Lanes; len(lanes) != 0 {
				t.Errorf("lanes %+v before it has a node", lanes)
			}
			p.Spec.NodeName = "n1"
			put(5 * time.Second)
			picture := d.Picture()
			if lanes := picture.Lanes; len(lanes) != 1 || lanes[0].Name != "n1" || lanes[0].Total != picture.Total {
				t.Errorf("until %v: lanes %+v of %d entries", until, lanes, picture.Total)
			}
		})
	}
}

// TestSameTime checks that changes of one moment are read once each, also if more come at that moment
// once it has been read.
func TestSameTime(t *testing.T) {
	record := historytest.New(begin)
	n := record.Open(podStream)
	line := New(record, find)
	for i := range 40 {
		name := fmt.Sprint("web-", i)
		record.Put(n, begin.Add(time.Second), "shop/"+name, "u-1", packed(t, pod(name)))
		for line.Read(0) {
		}
		if line.count != i+1 {
			t.Fatalf("%d entries of %d", line.count, i+1)
		}
	}
}

// TestGaps checks that gaps are drawn as long as they are, never empty, and that silence is none.
func TestGaps(t *testing.T) {
	record := historytest.New(begin)
	pods, nodes := record.Open(podStream), record.Open(nodeStream)
	narrow := podStream
	narrow.Namespace = "shop"
	in := record.Open(narrow)
	second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
	record.Miss(pods, history.Gap{From: second(1), To: second(3), Why: history.Away})
	record.Miss(nodes, history.Gap{From: second(1), To: second(3), Why: history.Away})
	record.Miss(nodes, history.Gap{From: second(5), To: second(5), Why: history.Relisted})
	record.Miss(nodes, history.Gap{From: second(6), To: second(90), Why: history.Denied})
	record.Miss(in, history.Gap{From: second(7), To: second(8), Why: history.Closed})
	record.Put(pods, second(60), "shop/web-1", "u-1", packed(t, pod("web-1")))
	line, _ := all(t, record)
	d := line.Draw(Question{Bars: 61})
	d.Count(time.Second)
	got := d.Picture().Gaps
	want := []Gap{
		{second(1).UnixMilli(), second(3).UnixMilli(), "away", ""},
		{second(5).UnixMilli(), second(5).UnixMilli() + 1, "relisted", "Node"},
		{second(6).UnixMilli(), second(61).UnixMilli(), "denied", "Node"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestGapsLater checks that gaps and streams that come without a change, once all has been read, are drawn: during an
// outage nothing changes.
func TestGapsLater(t *testing.T) {
	record := historytest.New(begin)
	second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
	pods := record.Open(podStream)
	record.Put(pods, second(60), "shop/web-1", "u-1", packed(t, pod("web-1")))
	line, _ := all(t, record)
	d := line.Draw(Question{Bars: 61})
	d.Count(time.Second)
	if gaps := d.Picture().Gaps; len(gaps) != 0 {
		t.Errorf("%+v", gaps)
	}
	record.Miss(pods, history.Gap{From: second(1), To: second(3), Why: history.Away})
	record.Miss(record.Open(nodeStream), history.Gap{From: second(0), To: second(5), Why: history.Closed})
	if line.Read(time.Second) {
		t.Error("there is more to read")
	}
	d.Count(time.Second)
	got := d.Picture().Gaps
	want := []Gap{
		{second(1).UnixMilli(), second(3).UnixMilli(), "away", "Pod"},
		{second(0).UnixMilli(), second(5).UnixMilli(), "closed", "Node"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestGapsUnlisted checks that a kind whose list has not come is a gap from end to end.
func TestGapsUnlisted(t *testing.T) {
	record := historytest.New(begin)
	pods := record.Open(podStream)
	record.Put(pods, begin.Add(time.Minute), "shop/web-1", "u-1", packed(t, pod("web-1")))
	line, _ := all(t, record)
	for _, of := range [][]string{nil, {"pods"}, {"pods", "deployments.apps"}} {
		d := line.Draw(Question{Bars: 61, Kinds: of})
		d.Count(time.Second)
		p := d.Picture()
		var want []Gap
		if len(of) == 2 {
			want = []Gap{{p.From, p.To, "closed", "Deployment"}}
		}
		if !slices.Equal(p.Gaps, want) {
			t.Errorf("%q: %+v", of, p.Gaps)
		}
	}
}

// TestGapsMost checks that of too many gaps none is left out, and that the newest, an outage that lasts, is drawn as it is
// or as wide as its bars, for all kinds.
func TestGapsMost(t *testing.T) {
	for bars, within := range map[int]time.Duration{2000: 0, 100: 15 * time.Second} {
		record := historytest.New(begin)
		pods, nodes := record.Open(podStream), record.Open(nodeStream)
		second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
		var flaps []Gap
		miss := func(from, to int) {
			flaps = append(flaps, Gap{second(from).UnixMilli(), second(to).UnixMilli(), "away", ""})
			record.Miss(pods, history.Gap{From: second(from), To: second(to), Why: history.Away})
			record.Miss(nodes, history.Gap{From: second(from).Add(100 * time.Millisecond), To: second(to), Why: history.Away})
		}
		for i := range mostGaps {
			miss(2*i+1, 2*i+2)
		}
		miss(1200, 1300)
		record.Put(pods, second(1300), "shop/web-1", "u-1", packed(t, pod("web-1")))
		line, _ := all(t, record)
		d := line.Draw(Question{Bars: bars})
		d.Count(time.Second)
		drawn := d.Picture().Gaps
		for _, g := range flaps {
			if !slices.ContainsFunc(drawn, func(d Gap) bool { return d.From <= g.From && d.To >= g.To && d.Kind == "" }) {
				t.Errorf("%d bars: the gap from %d is not drawn", bars, g.From)
			}
		}
		outage, newest := flaps[mostGaps], drawn[len(drawn)-1]
		if len(drawn) > mostGaps || time.Duration(outage.From-newest.From)*time.Millisecond > within {
			t.Errorf("%d bars: %d gaps, the newest %+v", bars, len(drawn), newest)
		}
	}
}

// TestFound checks that objects that a list found after a gap are no new ones, and that new ones are.
func TestFound(t *testing.T) {
	record := historytest.New(begin)
	pods := record.Open(podStream)
	record.Miss(pods, history.Gap{From: begin.Add(-time.Hour), To: begin, Why: history.Closed})
	for name, age := range map[string]time.Duration{"old": time.Hour, "new": -time.Second} {
		p := pod(name)
		p.CreationTimestamp.Time = begin.Add(-age)
		record.Put(pods, begin.Add(2*time.Second), "shop/"+name, "u-1", packed(t, p))
	}
	_, entries := all(t, record)
	if len(entries) != 2 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, e := range entries {
		if (e.Rule() == "Existing objects") != (e.Of.Name == "old") {
			t.Errorf("%s is folded by %q", e.Of.Name, e.Rule())
		}
	}
}

// TestEventsHeldUp checks that events which a gap held up are of the time at which they were seen, and all others of the
// time at which they came.
func TestEventsHeldUp(t *testing.T) {
	record := historytest.New(begin.Add(-3 * time.Hour))
	events := record.Open(eventStream)
	record.Miss(events, history.Gap{From: begin.Add(-time.Hour), To: begin, Why: history.Away})
	kept := begin.Add(-30 * time.Minute).UTC()
	for _, one := range []struct {
		name       string
		came, seen time.Duration
		held       bool
	}{
		{"before the gap ends", -time.Second, -30 * time.Minute, true},
		{"after it", 2 * time.Second, -30 * time.Minute, true},
		{"new", 3 * time.Second, 2 * time.Second, false},
		{"a clock that differs", 4 * time.Second, -3 * time.Second, false},
		{"older than the gap", 5 * time.Second, -2 * time.Hour, false},
		{"in a series", 6 * time.Second, -30 * time.Minute, true},
		{"long after it", time.Minute, -30 * time.Minute, false},
	} {
		e := &corev1.Event{ObjectMeta: meta(one.name), Type: "Warning", Reason: one.name}
		e.FirstTimestamp.Time = begin.Add(-2 * time.Hour)
		if e.LastTimestamp.Time = begin.Add(one.seen); one.name == "in a series" {
			e.LastTimestamp.Time, e.EventTime.Time = time.Time{}, e.FirstTimestamp.Time
			e.Series = &corev1.EventSeries{Count: 2}
			e.Series.LastObservedTime.Time = kept
		}
		record.Put(events, begin.Add(one.came), "shop/"+one.name, "u", packed(t, e))
		line, entries := all(t, record)
		want := begin.Add(one.came)
		if one.held {
			want = kept
		}
		if got := entries[line.count-1]; got.At != want.UnixMilli() {
			t.Errorf("%s: %v, want %v", got.Words, time.UnixMilli(got.At).UTC(), want)
		}
	}
	record.Put(events, begin.Add(61*time.Second), "shop/after it", "u", nil)
	if line, entries := all(t, record); entries[line.count-1].At != begin.Add(61*time.Second).UnixMilli() {
		t.Error("an event expires when that is seen")
	}
}

// TestEvents checks what events are, and that they are about objects.
func TestEvents(t *testing.T) {
	record := historytest.New(begin)
	events, pods := record.Open(eventStream), record.Open(podStream)
	e := &corev1.Event{ObjectMeta: meta("e"), Type: "Warning", Reason: "BackOff", Message: "Back-off", Count: 1, InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web-1"}}
	put := func(second int) {
		record.Put(events, begin.Add(time.Duration(second)*time.Second), "shop/e", "u", packed(t, e))
	}
	put(1)
	e.Count = 4
	put(2)
	e.ResourceVersion = "9"
	put(3)
	e.Type, e.Count = "Normal", 5
	put(4)
	record.Put(events, begin.Add(5*time.Second), "shop/e", "u", nil)
	record.Put(pods, begin.Add(6*time.Second), "shop/web-1", "u-1", packed(t, pod("web-1")))
	e.Type, e.Reason, e.Message, e.Count = "Warning", "FailedScheduling", `0/3 nodes are available: persistentvolumeclaim "x" not found. not found`, 1
	put(7)
	e.Reason, e.Message = "FailedCreate", `Error creating: pods "web-1" is forbidden: exceeded quota: small`
	put(8)
	e.Reason, e.Message = "FailedScheduling", "0/7 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: "+strings.Repeat("x", mostWords)+"}, 6 Insufficient cpu."
	put(9)
	_, entries := all(t, record)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Class(), " ", e.Of.Called(), " of ", e.Of.Top(), " on ", e.Of.Node, ": ", e.Words, " ", e.Rule()))
	}
	want := []string{
		"warning Pod/web-1 of Deployment/web on n1: BackOff: Back-off ",
		"warning Pod/web-1 of Deployment/web on n1: BackOff: Back-off (×4) ",
		"changed Pod/web-1 of Deployment/web on n1: BackOff: Back-off (×4) Managed fields and versions",
		"changed Pod/web-1 of Deployment/web on n1: BackOff: Back-off (×5) Normal events",
		"deleted Pod/web-1 of Deployment/web on n1: BackOff: Back-off (×5) Expired events",
		`warning Pod/web-1 of Deployment/web on n1: FailedScheduling: persistentvolumeclaim "x" not found (0/3 nodes are available) `,
		"warning Pod/web-1 of Deployment/web on n1: FailedCreate: exceeded quota: small ",
		"warning Pod/web-1 of Deployment/web on n1: FailedScheduling: 6 Insufficient cpu (0/7 nodes are available) ",
		"added Pod/web-1 of Deployment/web on n1: added ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestRules checks that there is room for all rules in a bar, and that no two have one name.
func TestRules(t *testing.T) {
	names := make(map[string]bool)
	for _, r := range Rules {
		if names[r.Name] || r.Name == "" || r.Words == "" {
			t.Errorf("%q", r.Name)
		}
		names[r.Name] = true
	}
	if len(Rules) > len(bar{}.rule) {
		t.Errorf("%d rules", len(Rules))
	}
}

// TestNewest checks that a list of the newest entries has those, in order, whatever is folded.
func TestNewest(t *testing.T) {
	line, entries := all(t, random(t, rand.New(rand.NewPCG(5, 6)), 400))
	var want []Row
	for _, e := range entries {
		if e.rule == 0 {
			want = append(want, *e.row())
		}
	}
	slices.SortStableFunc(want, func(a, b Row) int { return int(a.At - b.At) })
	var n Newest
	n.Read(line, 50, 0)
	var got []Row
	for _, r := range n.Rows() {
		got = append(got, *r)
	}
	if !slices.Equal(got, want[len(want)-50:]) {
		t.Errorf("%+v", got)
	}
	if n.Read(line, 50, 0) {
		t.Error("changed by nothing")
	}
	// At a moment of the past, what came later is not there, and comes again with now.
	moment := want[len(want)/2].At
	if !n.Read(line, 50, moment) || len(n.Rows()) != 50 {
		t.Fatalf("%d entries", len(n.Rows()))
	}
	later := slices.IndexFunc(want, func(r Row) bool { return r.At > moment })
	if last := n.Rows()[49]; *last != want[later-1] {
		t.Errorf("the last is %+v, want %+v", *last, want[later-1])
	}
	if !n.Read(line, 50, 0) || *n.Rows()[49] != want[len(want)-1] {
		t.Error("it stays in the past")
	}
}

// TestMarkOf checks that lanes of one class have the entries of that class alone, while bars count all, and that the
// words of a mark of several objects have the worst class, and say which object they are about.
func TestMarkOf(t *testing.T) {
	record := historytest.New(begin)
	pods := record.Open(podStream)
	a, b := pod("web-1"), pod("web-2")
	b.UID = "u-2"
	record.Put(pods, begin.Add(1*time.Second), "shop/web-1", "u-1", packed(t, a))
	record.Put(pods, begin.Add(2*time.Second), "shop/web-2", "u-2", packed(t, b))
	record.Put(pods, begin.Add(3*time.Second), "shop/web-2", "u-2", nil)
	line := New(record, find)
	line.Read(time.Hour)
	for class, want := range map[Class]string{"": "deleted Pod/web-2 3", Deleted: "deleted Pod 1", Added: "added Pod/web-1 2", Warned: ""} {
		d := line.Draw(Question{Bars: 1, Most: 5, Lanes: "kind", Class: class, From: begin, To: begin.Add(10 * time.Second)})
		d.Count(time.Hour)
		p, got := d.Picture(), ""
		for _, l := range p.Lanes {
			for _, m := range l.Marks {
				got += fmt.Sprint(m.Text, " ", m.Of, " ", m.Count)
			}
		}
		if got != want || p.Total != 3 {
			t.Errorf("%q: %s of %d, want %s", class, got, p.Total, want)
		}
	}
}
