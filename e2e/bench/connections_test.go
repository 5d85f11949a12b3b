package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/e2e/cluster"
)

func TestEstablishedTo(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1 0000000000000000 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 02:00000A1B 00000000     0        0 101 2 0000000000000000 20 4 30 10 -1
   2: 0100007F:C351 0100007F:1F90 06 00000000:00000000 03:00000A1B 00000000     0        0 102 3 0000000000000000
   3: 0100007F:1F90 0100007F:C350 01 00000000:00000000 02:00000A1B 00000000     0        0 103 2 0000000000000000 20 4 30 10 -1
   4: 0000000000000000FFFF00000100007F:C352 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 104 1 0
`
	if got := establishedTo(table, 8080); !slices.Equal(got, []string{"101", "104"}) {
		t.Errorf("the connections to the port have the inodes %v", got)
	}
}

func TestSumOf(t *testing.T) {
	const doc = `# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{resource="pods",verb="WATCH"} 7
apiserver_longrunning_requests{verb="WATCH",resource="services"} 1e+3
apiserver_longrunning_requests{resource="pods",verb="CONNECT"} 50
apiserver_longrunning_requests_total{verb="WATCH"} 90
`
	if got, found, err := sumOf(doc, "apiserver_longrunning_requests", `verb="WATCH"`); err != nil || !found || got != 1007 {
		t.Errorf("there are %v, %t, %v", got, found, err)
	}
	if got, found, err := sumOf(doc, "apiserver_longrunning", `verb="WATCH"`); err != nil || found {
		t.Errorf("a metric that is not there has %v, %v", got, err)
	}
	if _, _, err := sumOf(doc+`apiserver_longrunning_requests{verb="WATCH"} many`, "apiserver_longrunning_requests", `verb="WATCH"`); err == nil {
		t.Error("many is a number")
	}
}

func TestProcessor(t *testing.T) {
	pid := os.Getpid()
	before, err := processor(pid)
	if err != nil {
		t.Fatal(err)
	}
	coarse, err := cpu(pid)
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(10 * time.Second); ; {
		after, err := processor(pid)
		if err != nil {
			t.Fatal(err)
		}
		if after >= before+50*time.Millisecond {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("of ten seconds of work %s are told", after-before)
		}
	}
	if off := (before - coarse).Abs(); off > time.Second {
		t.Errorf("%s and %s are told of the same", before, coarse)
	}
}

// podEvents are what a watch of one pod begins with, and a change.
func podEvents(t *testing.T) []metav1.WatchEvent {
	t.Helper()
	proto := serializer.NewSerializer(scheme.Scheme, scheme.Scheme)
	var events []metav1.WatchEvent
	for _, e := range []struct{ what, version string }{{"ADDED", "40"}, {"BOOKMARK", "41"}, {"MODIFIED", "42"}} {
		raw, err := runtime.Encode(proto, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", ResourceVersion: e.version}})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, metav1.WatchEvent{Type: e.what, Object: runtime.RawExtension{Raw: raw}})
	}
	return events
}

func TestRead(t *testing.T) {
	const lines = `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"p","resourceVersion":"40"}}}
{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"41"}}}
{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"p","resourceVersion":"42","labels":{"resourceVersion":"7"}}}}
`
	var frames []byte
	for _, e := range podEvents(t) {
		raw, err := e.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		frames = append(binary.BigEndian.AppendUint32(frames, uint32(len(raw))), raw...)
	}
	for name, tc := range map[string]struct {
		form form
		body string
	}{"json": {jsonForm, lines}, "protobuf": {protobufForm, string(frames)}} {
		w := newWatcher("n")
		if err := tc.form.read(strings.NewReader(tc.body), w); err == nil {
			t.Errorf("%s: a watch that ended is no error", name)
		}
		select {
		case <-w.settled:
		default:
			t.Errorf("%s: the bookmark is not heard", name)
		}
		if _, heard := w.when("42"); !heard || len(w.heard) != 1 || w.size() == 0 {
			t.Errorf("%s: it heard %v", name, w.heard)
		}
	}
}

// TestRelayed counts two watchers of three writes: one of them hears of its own
// namespace alone.
func TestRelayed(t *testing.T) {
	begin := time.Now()
	writes := []cluster.Write{{Namespace: "a", ResourceVersion: "1"}, {Namespace: "b", ResourceVersion: "2"}, {Namespace: "a", ResourceVersion: "3"}}
	straight, all, of := newWatcher(""), newWatcher(""), newWatcher("b")
	for _, write := range writes {
		straight.hear(write.ResourceVersion, begin, 10)
		all.hear(write.ResourceVersion, begin.Add(2*time.Millisecond), 10)
	}
	of.hear("2", begin.Add(-time.Millisecond), 40)
	l := relayed{took: 2 * time.Second, processor: time.Millisecond}
	for _, w := range []*watcher{all, of} {
		l.add(w, straight, writes)
	}
	if l.heard != 4 || l.bytes != 70 || l.p50() != 2 || l.latency.quantile(0) != -1 || l.perSecond() != 2 || l.per1000() != 250 {
		t.Errorf("%+v, %v ms for 1,000", l, l.per1000())
	}
	c := newCrowd(t.Context())
	defer c.close()
	c.watchers = []*watcher{all, of}
	if err := c.hear(writes); err != nil {
		t.Error(err)
	}
	c.end(io.ErrUnexpectedEOF)
	if err := c.hear([]cluster.Write{{Namespace: "b", ResourceVersion: "9"}}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of a write that nobody hears of: %v", err)
	}
}

func TestCrowdEndsWithAWatcher(t *testing.T) {
	c := newCrowd(t.Context())
	defer c.close()
	c.add("")
	c.run(func(context.Context) error { return io.ErrUnexpectedEOF })
	if err := c.settle(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestConnectionsMarkdown(t *testing.T) {
	all := &crowded{
		versions: versions{{"machine", "2 cores, load 1.0 at the start"}},
		idle:     idle{connections: 1000, before: 20e6, after: 320e6, processor: 6.25, upstream: 30, watches: 3000},
		turns:    map[turn][]relayed{},
		pace:     (&connections{most: relayedMost}).pace,
	}
	for _, watchers := range besideConnections {
		for i := range contenders {
			l := relayed{heard: 1000 * (i + 1), took: time.Second, processor: time.Second, apiserver: 3 * time.Second, resident: 50e6, bytes: 2e3, latency: sample{1, 2}}
			all.turns[turn{i, watchers}] = []relayed{l, l, l}
		}
	}
	all.apart = all.turns[turn{0, 1}][0]
	text := all.markdown(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	for _, want := range []string{
		"| memory per connection (≤ 256 KB) | 300 KB, OVER by 17 % |\n",
		"| watches at the apiserver / connections to it | 3,000 / 30 |\n",
		"| 50 × 100 events/s: kubectl proxy, JSON | 2,000 | 500 ms | 1500 ms | 1.0 ms | 2.0 ms |",
		"| Watchglass / kubectl proxy, JSON | | 2.00 × | 2.00 × | | 1.00 × | | 1.00 × | 1.00 × |\n",
		"| 200 × 25 events/s: Watchglass |",
		"2026-01-02; machine 2 cores. Pods are realistic",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas no\n%s", text, want)
		}
	}
	columns := map[int]bool{}
	for line := range strings.Lines(text[strings.Index(text, "| busy connections"):]) {
		if strings.HasPrefix(line, "|") {
			columns[strings.Count(line, "|")] = true
		}
	}
	if len(columns) != 1 {
		t.Errorf("%s\nhas lines of several lengths", text)
	}
	for _, s := range all.sections() {
		for _, r := range s.Rows {
			if len(r.Values) == 0 {
				t.Errorf("%s: %s has no values", s.Name, r.Name)
			}
		}
	}
}
