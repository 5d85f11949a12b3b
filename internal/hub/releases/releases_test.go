package releases

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// secret is a Secret as the server has it.
type secret struct {
	namespace, name string
	version         int
	labels          map[string]string
}

// stored returns the Secret of a revision as Helm writes it.
func stored(namespace, release string, number int, status string) secret {
	n := strconv.Itoa(number)
	return secret{namespace, prefix + release + ".v" + n, 0, map[string]string{"owner": "helm", "name": release, "version": n, "status": status, "createdAt": strconv.Itoa(1000 + number)}}
}

func (s secret) payload() []byte {
	labels, _ := json.Marshal(s.labels)
	return fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":%q,"namespace":%q,"uid":"u","resourceVersion":"%d","creationTimestamp":"1970-01-01T00:10:00Z","labels":%s}}`, s.name, s.namespace, s.version, labels)
}

// script is a stream of batches, each after a wait.
type script struct {
	batches [][]wire.Event
	wait    time.Duration
	credit  int
}

func (s *script) Next(context.Context) (wire.Batch, error) {
	if len(s.batches) == 0 {
		return wire.Batch{}, io.EOF
	}
	time.Sleep(s.wait)
	events := s.batches[0]
	s.batches = s.batches[1:]
	return wire.Batch{Events: events, Bytes: 10}, nil
}

func (s *script) Credit(n int)                { s.credit += n }
func (s *script) Age(time.Time) time.Duration { return 0 }
func (s *script) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (s *script) Close()                      {}

// server answers each request with the next script.
type server struct {
	next  *script
	asked []wire.Request
}

func (s *server) Open(_ context.Context, r wire.Request) (reflector.Stream, error) {
	s.asked = append(s.asked, r)
	return s.next, nil
}

// reader is what a Reflector makes of the streams.
type reader struct {
	t       *testing.T
	decoder *object.Decoder
	rows    map[string]string // by key
	events  int               // of rows, since it was last read
	bad     int
}

func newReader(t *testing.T) *reader {
	return &reader{t: t, decoder: object.NewDecoder(Kind, true), rows: make(map[string]string)}
}

// read reads a stream to its end, and returns the bookmarks and ends of lists, in order.
func (r *reader) read(s reflector.Stream) (marks string) {
	r.t.Helper()
	for {
		batch, err := s.Next(r.t.Context())
		if err == io.EOF {
			return strings.TrimSpace(marks)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range batch.Events {
			switch e.Type {
			case wire.Columns:
				if _, err := r.decoder.SetColumns(e.Payload); err != nil {
					r.t.Fatal(err)
				}
			case wire.Bookmark:
				version, end, err := r.decoder.Bookmark(e.Payload)
				if err != nil {
					r.t.Fatal(err)
				}
				marks += fmt.Sprintf("%s:%v ", version, end)
			case wire.ListEnd:
				marks += string(e.Payload) + " "
			default:
				r.row(e)
			}
		}
		s.Credit(batch.Bytes)
	}
}

func (r *reader) row(e wire.Event) {
	r.t.Helper()
	o, err := r.decoder.Decode(e.Payload)
	if err != nil {
		r.bad++
		return
	}
	r.events++
	if e.Type == wire.Deleted {
		delete(r.rows, o.Key())
		return
	}
	var cells []string
	for i := range r.decoder.Columns() {
		c := o.Cell(r.decoder.Columns(), i)
		if text := c.Text; c.At != 0 {
			cells = append(cells, strconv.FormatInt(c.At, 10))
		} else {
			cells = append(cells, text)
		}
	}
	r.rows[o.Key()] = strings.Join(cells, " ")
}

// open opens a request with a script for its answer.
func open(t *testing.T, s *Source, r wire.Request, batches ...[]wire.Event) (reflector.Stream, *script) {
	t.Helper()
	of := &script{batches: batches}
	s.secrets.(*server).next = of
	stream, err := s.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return stream, of
}

func event(what wire.EventType, s secret) wire.Event {
	return wire.Event{Type: what, Payload: s.payload()}
}

func mark(version int, end bool) wire.Event {
	if end {
		return wire.Event{Type: wire.Bookmark, Payload: object.EndOfList(strconv.Itoa(version))}
	}
	return wire.Event{Type: wire.Bookmark, Payload: fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"%d"}}`, version)}
}

func end(version int, next string) wire.Event {
	return wire.Event{Type: wire.ListEnd, Payload: fmt.Appendf(nil, `{"resourceVersion":"%d","continue":%q}`, version, next)}
}

// cluster is a server whose Secrets change at random, and what should be seen of them.
type cluster struct {
	rng     *rand.Rand
	version int
	secrets map[string]secret
}

// change changes one Secret, and returns the event. Some are no revisions: their labels do not agree
// with their names.
func (c *cluster) change() wire.Event {
	namespace, release, number := fmt.Sprint("n", c.rng.IntN(2)), []string{"a", "a.v1", "b"}[c.rng.IntN(3)], 1+c.rng.IntN(12)
	s := stored(namespace, release, number, []string{"deployed", "superseded", "failed", ""}[c.rng.IntN(4)])
	switch c.rng.IntN(12) {
	case 0:
		s.labels["name"] = "b.v1"
	case 1:
		s.labels["version"] = "-1"
	case 2:
		s.labels["modifiedAt"] = strconv.Itoa(c.rng.IntN(5000))
	}
	c.version++
	s.version = c.version
	key := s.namespace + "/" + s.name
	before, there := c.secrets[key]
	if there && c.rng.IntN(2) == 0 {
		delete(c.secrets, key)
		before.version = c.version
		return event(wire.Deleted, before)
	}
	c.secrets[key] = s
	if there {
		return event(wire.Modified, s)
	}
	return event(wire.Added, s)
}

// rows returns the rows that the Secrets mean, found the slow way.
func (c *cluster) rows() map[string]string {
	out := make(map[string]string)
	for _, namespace := range []string{"n0", "n1"} {
		for _, release := range []string{"a", "a.v1", "b"} {
			var newest secret
			most, count := 0, 0
			for n := 1; n <= 12; n++ {
				s, ok := c.secrets[namespace+"/"+prefix+release+".v"+strconv.Itoa(n)]
				if ok && s.labels["name"] == release && s.labels["version"] == strconv.Itoa(n) {
					newest, most, count = s, n, count+1
				}
			}
			if count == 0 {
				continue
			}
			at := newest.labels["modifiedAt"]
			if at == "" || at == "0" {
				at = newest.labels["createdAt"]
			}
			status := newest.labels["status"]
			if status == "" {
				status = "unknown"
			}
			out[namespace+"/"+release] = fmt.Sprint(release, " ", most, " ", status, " ", at, " ", count)
		}
	}
	return out
}

// sorted returns the Secrets in the server's order.
func (c *cluster) sorted() []secret {
	var out []secret
	for _, s := range c.secrets {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b secret) int { return strings.Compare(a.namespace+"/"+a.name, b.namespace+"/"+b.name) })
	return out
}

// batched splits events at random.
func (c *cluster) batched(events []wire.Event) (out [][]wire.Event) {
	for len(events) > 0 {
		n := 1 + c.rng.IntN(len(events))
		out = append(out, events[:n])
		events = events[n:]
	}
	return out
}

// TestModel compares what a Reflector is told with what the Secrets mean, while revisions come, change
// and go at random: by watch-lists, by lists in pages with a watch behind, by audits between, and by
// watches that repeat what came before.
func TestModel(t *testing.T) {
	for seed := range uint64(60) {
		c := &cluster{rng: rand.New(rand.NewPCG(seed, 7)), version: 1, secrets: make(map[string]secret)}
		s := New(&server{})
		r := newReader(t)
		check := func(what string) {
			t.Helper()
			if got, want := fmt.Sprint(r.rows), fmt.Sprint(c.rows()); got != want || r.bad > 0 {
				t.Fatalf("seed %d, %s: %d unreadable\n%s, want\n%s", seed, what, r.bad, got, want)
			}
		}
		for round := range 6 {
			clear(r.rows)
			if c.rng.IntN(2) == 0 {
				var events []wire.Event
				for _, x := range c.sorted() {
					events = append(events, event(wire.Added, x))
				}
				for range c.rng.IntN(4) { // an initial list may have changes in it
					events = append(events, c.change())
				}
				events = append(events, mark(c.version, true))
				for range c.rng.IntN(3) {
					events = append(events, c.change())
				}
				stream, _ := open(t, s, wire.InitialWatch("helm.sh", "release.v1", "releases", ""), c.batched(events)...)
				r.read(stream)
				check("watch-list")
			} else {
				c.list(t, s, r)
				check("list")
			}
			at := c.version
			var last []wire.Event
			for range 1 + c.rng.IntN(3) {
				events := slices.Clone(last)
				if c.rng.IntN(2) == 0 {
					events = nil
				}
				last = nil
				for range c.rng.IntN(20) {
					last = append(last, c.change())
				}
				stream, _ := open(t, s, wire.Request{Verb: wire.Watch, ListOptions: wire.ListOptions{ResourceVersion: strconv.Itoa(at)}}, c.batched(append(events, last...))...)
				r.read(stream)
				check(fmt.Sprint("watch ", round))
				at = c.version
				if c.rng.IntN(3) == 0 { // an audit, which tells the reader nothing
					other := newReader(t)
					c.list(t, s, other)
				}
			}
		}
	}
}

// list reads a list in pages.
func (c *cluster) list(t *testing.T, s *Source, r *reader) {
	all, token := c.sorted(), ""
	for {
		var events []wire.Event
		n := min(len(all), 1+c.rng.IntN(6))
		for _, x := range all[:n] {
			events = append(events, event(wire.Item, x))
		}
		all = all[n:]
		next := ""
		if len(all) > 0 {
			next = "more"
		}
		stream, _ := open(t, s, wire.Request{Verb: wire.List, ListOptions: wire.ListOptions{Continue: token}}, c.batched(append(events, end(c.version, next)))...)
		r.read(stream)
		if token = next; next == "" {
			return
		}
	}
}

// TestNotReleases checks that only Secrets whose labels and name agree are revisions.
func TestNotReleases(t *testing.T) {
	with := func(change func(*secret)) secret {
		s := stored("n", "web", 3, "deployed")
		change(&s)
		return s
	}
	label := func(name, value string) secret { return with(func(s *secret) { s.labels[name] = value }) }
	named := func(name, release, version string) secret {
		return with(func(s *secret) { s.name = name; s.labels["name"] = release; s.labels["version"] = version })
	}
	for name, c := range map[string]struct {
		secret
		want string
	}{
		"as Helm writes it":    {stored("n", "web", 3, "deployed"), "web 3 deployed 1003 1"},
		"modified":             {label("modifiedAt", "2000"), "web 3 deployed 2000 1"},
		"no times":             {with(func(s *secret) { delete(s.labels, "createdAt") }), "web 3 deployed 600 1"},
		"a time of no year":    {label("modifiedAt", "99999999999999"), "web 3 deployed 1003 1"},
		"a negative time":      {label("modifiedAt", "-5"), "web 3 deployed 1003 1"},
		"another status":       {label("status", "reticulating"), "web 3 reticulating 1003 1"},
		"no status":            {label("status", ""), "web 3 unknown 1003 1"},
		"a status of controls": {label("status", "a\u202e\x1f\nb"), "web 3 a\ufffd\ufffd b 1003 1"},
		"a dotted name":        {stored("n", "a.v2", 3, "failed"), "a.v2 3 failed 1003 1"},
		"another owner":        {label("owner", "me"), ""},
		"another release":      {label("name", "db"), ""},
		"another revision":     {label("version", "4"), ""},
		"no version":           {label("version", ""), ""},
		"version no number":    {named(prefix+"web.vx", "web", "x"), ""},
		"version negative":     {named(prefix+"web.v-3", "web", "-3"), ""},
		"version zero":         {named(prefix+"web.v0", "web", "0"), ""},
		"version padded":       {named(prefix+"web.v03", "web", "03"), ""},
		"version signed":       {named(prefix+"web.v+3", "web", "+3"), ""},
		"version huge":         {named(prefix+"web.v99999999999", "web", "99999999999"), ""},
		"another name":         {with(func(s *secret) { s.name = "web" }), ""},
		"no release in it":     {named(prefix+".v3", "", "3"), ""},
		"name of controls":     {named(prefix+"w\u202eb.v3", "w\u202eb", "3"), ""},
		"name in capitals":     {named(prefix+"Web.v3", "Web", "3"), ""},
		"name too long":        {named(prefix+strings.Repeat("a", 54)+".v3", strings.Repeat("a", 54), "3"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			stream, _ := open(t, New(&server{}), wire.InitialWatch("helm.sh", "release.v1", "releases", ""), []wire.Event{event(wire.Added, c.secret), mark(9, true)})
			if marks := r.read(stream); marks != "9:true" {
				t.Error(marks)
			}
			var got string
			for _, row := range r.rows {
				got += row
			}
			if got != c.want || r.bad > 0 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestRequest checks that only metadata is requested, of Helm's Secrets, and that nothing of an address
// gets into the selector.
func TestRequest(t *testing.T) {
	for fields, want := range map[string]string{
		"":                              "owner=helm",
		"metadata.name=web":             "owner=helm,name=web",
		"metadata.name=a.v2":            "owner=helm,name=a.v2",
		"metadata.name=web,owner!=helm": "owner=helm,name=",
		"metadata.name=" + strings.Repeat("a", 54): "owner=helm,name=",
		"metadata.name=": "owner=helm,name=",
	} {
		r := wire.InitialWatch("helm.sh", "release.v1", "releases", "n")
		r.FieldSelector, r.Encoding, r.ResourceVersion = fields, wire.EncodingWhole, "7"
		s := &server{}
		open(t, New(s), r)
		got := s.asked[0]
		if got.LabelSelector != want || got.FieldSelector != "" || got.Encoding != wire.EncodingMetadata || got.Resource != "secrets" || got.Group != "" || got.Version != "v1" || got.Namespace != "n" || got.ResourceVersion != "7" || !got.SendInitialEvents {
			t.Errorf("%s: %+v", fields, got)
		}
	}
}

// TestPassed checks that errors and unreadable Secrets are not lost, that bookmarks keep their versions,
// and that credit is given for all that came, once.
func TestPassed(t *testing.T) {
	s := New(&server{})
	r := newReader(t)
	web := stored("n", "web", 1, "deployed")
	stream, of := open(t, s, wire.Request{Verb: wire.Watch},
		[]wire.Event{event(wire.Added, web), mark(5, false)},
		[]wire.Event{{Type: wire.Modified, Payload: []byte(`nonsense`)}, mark(7, false)},
	)
	if marks := r.read(stream); marks != "5:false 7:false" || r.bad != 1 || of.credit != 20 || len(r.rows) != 1 {
		t.Error(marks, r.bad, of.credit, r.rows)
	}
	stream, _ = open(t, s, wire.Request{Verb: wire.Watch}, []wire.Event{{Type: wire.Error, Payload: []byte(`{"code":410}`)}})
	var last wire.Event
	for {
		batch, err := stream.Next(t.Context())
		if err != nil {
			break
		}
		last = batch.Events[len(batch.Events)-1]
	}
	if last.Type != wire.Error || string(last.Payload) != `{"code":410}` {
		t.Errorf("%+v", last)
	}
}

// TestBounds checks that many releases come in batches of a bounded size, each once, and that one with
// many revisions lists its newest ones.
func TestBounds(t *testing.T) {
	var events []wire.Event
	for i := range 5000 {
		events = append(events, event(wire.Added, stored("n", fmt.Sprint("r", i), 1, "deployed")))
	}
	for i := range 5000 {
		events = append(events, event(wire.Added, stored("n", "many", i+1, "superseded")))
	}
	stream, _ := open(t, New(&server{}), wire.InitialWatch("helm.sh", "release.v1", "releases", ""), append(events, mark(9, true)))
	r := newReader(t)
	d := object.NewDecoder(Kind, true)
	rows, largest := 0, 0
	for {
		batch, err := stream.Next(t.Context())
		if err != nil {
			break
		}
		rows, largest = rows+len(batch.Events), max(largest, len(batch.Events))
		for _, e := range batch.Events {
			if e.Type == wire.Columns {
				_, _ = d.SetColumns(e.Payload)
			}
			if e.Type != wire.Added {
				continue
			}
			r.row(e)
			o, err := d.Decode(e.Payload)
			if err == nil && o.Name() == "many" && len(o.Packed()) > 16<<10 {
				t.Errorf("%d bytes", len(o.Packed()))
			}
		}
	}
	if rows != 5003 || largest > atOnce {
		t.Errorf("%d events, at most %d in a batch", rows, largest)
	}
}

// TestSame checks that a row is another one if an older revision has gone, though its version is the same.
func TestSame(t *testing.T) {
	b, d := make(book), object.NewDecoder(Kind, true)
	_, _ = d.SetColumns([]byte(columns))
	secrets := object.NewMetadataDecoder()
	for n := 1; n <= 2; n++ {
		o, _ := secrets.Decode(stored("n", "web", n, "deployed").payload())
		b.apply(o, false)
	}
	of := key{"n", "web"}
	before, err := d.Decode(b.row(of, ""))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := d.Decode(b.row(of, ""))
	b[of] = b[of][1:]
	after, _ := d.Decode(b.row(of, ""))
	if !Same(before, again) || Same(before, after) || before.Version() != after.Version() {
		t.Error(Same(before, again), Same(before, after))
	}
	name, stamp, err := NewReadStamp()(b.row(of, "77"))
	if err != nil || name != after.Key() || stamp != Stamp(after) {
		t.Errorf("%s %q %v, want %q", name, stamp, err, Stamp(after))
	}
}

// TestHold checks that a release of which more revisions may come is returned once, unless the list takes
// long: then something comes all the while.
func TestHold(t *testing.T) {
	for wait, want := range map[time.Duration]int{time.Millisecond: 1, 2 * time.Second: 4} {
		synctest.Test(t, func(t *testing.T) {
			var batches [][]wire.Event
			for n := 1; n <= 4; n++ {
				batches = append(batches, []wire.Event{event(wire.Added, stored("n", "web", n, "deployed"))})
			}
			stream, of := open(t, New(&server{}), wire.InitialWatch("helm.sh", "release.v1", "releases", ""), append(batches, []wire.Event{mark(9, true)})...)
			of.wait = wait
			r := newReader(t)
			if marks := r.read(stream); marks != "9:true" || r.events != want || r.rows["n/web"] != "web 4 deployed 1004 4" {
				t.Errorf("%v: %s, %d rows, want %d, %v", wait, marks, r.events, want, r.rows)
			}
		})
	}
}

// paused is a stream of Secrets that is paused.
type paused struct{ reflector.Stream }

func (paused) Paused() bool { return true }

// TestPaused checks that the rows are as paused as the Secrets that they are made of.
func TestPaused(t *testing.T) {
	if !reflector.Paused(&rowStream{Stream: paused{}}) || reflector.Paused(&rowStream{Stream: &script{}}) {
		t.Error("it does not say whether the Secrets are paused")
	}
}
