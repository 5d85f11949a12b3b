package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// thing is an object of the cluster that stands behind the proxy.
type thing struct {
	resource, namespace, name string
	status                    string
	labels                    map[string]string
	containers                []string
	version                   int
	end                       bool // a bookmark that ends the list
}

// proxy stands in for the proxy and the cluster behind it.
type proxy struct {
	welcome  wire.Welcome
	greeted  string                            // the resource of the hello that worker.js sent
	deny     func(r wire.Request) *wire.Status // instead of an answer
	served   []string                          // kinds besides pods that discovery tells of
	mute     bool                              // no beats
	old      bool                              // discovery is not aggregated
	unlisted bool                              // a list begins and does not end
	uid      string                            // of the cluster
	rules    map[string]string                 // by namespace, what a review says of it
	spaces   []string                          // namespaces that may be listed

	mu      sync.Mutex
	away    bool
	conn    *wiretest.Conn
	things  []thing
	log     []event
	version int
	asked   []string
	open    map[uint32]*opened
}

type event struct {
	kind wire.EventType
	thing
}

type opened struct {
	wire.Request
	seq uint64
}

func (p *proxy) dial(context.Context) (socket.Dialed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return socket.Dialed{}, errors.New("refused")
	}
	near, far := wiretest.Pipe(256)
	p.conn, p.open = far, make(map[uint32]*opened)
	early := p.greeted
	p.greeted = "" // worker.js sends but one
	w := p.welcome
	w.V = wire.Version
	if early != "" {
		r := wire.InitialWatch("", "v1", early, w.Namespace)
		w.EarlyRequest = &r
	}
	p.write(wire.JSONFrame(wire.KindWelcome, 0, w))
	go p.serve(far, early != "")
	if early != "" {
		p.take(wire.EarlyStream, *w.EarlyRequest)
	}
	return socket.Dialed{Conn: near, Greeted: early != ""}, nil
}

// write writes to the tab. What was written to a pipe that closed is lost, as
// it is on a socket.
func (p *proxy) write(frame []byte) { _ = p.conn.Write(context.Background(), frame) }

// serve answers the tab until the connection ends.
func (p *proxy) serve(conn *wiretest.Conn, greeted bool) {
	done := make(chan struct{})
	defer close(done)
	go p.beat(conn, done)
	for {
		msg, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		if !greeted {
			greeted = true
			continue
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			panic(err)
		}
		p.mu.Lock()
		switch f.Kind {
		case wire.KindOpen:
			var r wire.Request
			if err := f.JSON(&r); err != nil {
				panic(err)
			}
			p.take(f.Stream, r)
		case wire.KindClose:
			p.note("close %s", p.open[f.Stream].Request)
			delete(p.open, f.Stream)
		}
		p.mu.Unlock()
	}
}

func (p *proxy) beat(conn *wiretest.Conn, done chan struct{}) {
	ticker := time.NewTicker(wire.BeatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		p.mu.Lock()
		var ages []wire.Age
		for id := range p.open {
			ages = append(ages, wire.Age{Stream: id})
		}
		if !p.mute {
			_ = conn.Write(context.Background(), wire.BeatFrame(ages))
		}
		p.mu.Unlock()
	}
}

// note writes down what was asked: "watch pods", "watch pods/a at 7", "discover".
func (p *proxy) note(format string, r wire.Request) {
	what := string(r.Verb)
	if r.Resource != "" {
		what += " " + r.Resource
	}
	if r.Namespace != "" {
		what += "/" + r.Namespace
	}
	if r.FieldSelector != "" {
		what += " where " + r.FieldSelector
	}
	if r.Encoding == wire.EncodingWhole {
		what += " whole"
	}
	if r.Verb == wire.Get && r.Resource == "pods" {
		what += " " + r.Name
	}
	if r.Verb == wire.Watch && !r.SendInitialEvents {
		what += " at " + r.ResourceVersion
	}
	p.asked = append(p.asked, fmt.Sprintf(format, what))
}

// said is what was asked since it was last called, but for who is asking.
func (p *proxy) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.DeleteFunc(p.asked, func(s string) bool {
		return strings.Contains(s, "selfsubject") || strings.Contains(s, "list namespaces") || strings.HasSuffix(s, "get namespaces") || strings.HasPrefix(s, "close list")
	})
	p.asked = nil
	return strings.Join(out, ", ")
}

// take answers a request as a cluster would.
func (p *proxy) take(id uint32, r wire.Request) {
	if id != wire.EarlyStream {
		p.note("%s", r)
	}
	if at, err := strconv.Atoi(r.ResourceVersion); err == nil && r.Verb == wire.List && at > p.version {
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: tooLarge}))
		return
	}
	if p.deny != nil {
		if status := p.deny(r); status != nil {
			p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: status}))
			return
		}
	}
	p.open[id] = &opened{Request: r}
	encoding := wire.EncodingProtobuf
	if r.Resource != "pods" {
		encoding = wire.EncodingTable
	}
	p.write(wire.JSONFrame(wire.KindOpened, id, wire.Opened{Encoding: encoding}))
	switch r.Verb {
	case wire.Review:
		doc := `{"status":{"userInfo":{"username":"ana","groups":["devs","system:authenticated"]}}}`
		if r.Resource == "selfsubjectrulesreviews" {
			doc = cmp.Or(p.rules[r.Namespace], `{}`)
		}
		p.send(id, wire.Event{Type: wire.Item, Payload: []byte(doc)})
	case wire.Get:
		if r.Resource == "pods" {
			p.get(id, r)
			return
		}
		p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil, `{"kind":"Namespace","metadata":{"name":"kube-system","uid":%q}}`, cmp.Or(p.uid, "u1"))})
	case wire.Discover:
		p.send(id, wire.Event{Type: wire.Item, Payload: p.discovery(r.Group)})
	case wire.Watch:
		p.watch(id, r)
	case wire.List:
		if r.Resource == "namespaces" {
			for _, name := range p.spaces {
				p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":"u"}}`, name)})
			}
			p.send(id, wire.Event{Type: wire.ListEnd, Payload: []byte(`{}`)})
		} else if r.Encoding == wire.EncodingMetadata {
			p.metadata(id, r)
		} else {
			for _, o := range p.things {
				if o.resource == "pods" && r.Resource == "pods" && (r.Namespace == "" || r.Namespace == o.namespace) && r.Limit != 1 {
					p.send(id, wire.Event{Type: wire.Item, Payload: podBytes(o)})
				}
			}
			p.send(id, wire.Event{Type: wire.ListEnd, Payload: fmt.Appendf(nil, `{"resourceVersion":"%d"}`, p.version)})
		}
	}
}

// get answers with a pod, or with why not.
func (p *proxy) get(id uint32, r wire.Request) {
	i := slices.IndexFunc(p.things, func(t thing) bool { return t.namespace == r.Namespace && t.name == r.Name })
	if i < 0 {
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: &wire.Status{Origin: wire.FromAPIServer, Code: 404, Reason: wire.ReasonNotFound, Message: "not found"}}))
		return
	}
	p.send(id, wire.Event{Type: wire.Item, Payload: podBytes(p.things[i])})
}

var tooLarge = &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Causes: []string{"ResourceVersionTooLarge"}, RetryAfter: 1}

// metadata answers with the metadata of what has not changed since the version that
// was asked for.
func (p *proxy) metadata(id uint32, r wire.Request) {
	at, err := strconv.Atoi(r.ResourceVersion)
	if err != nil || r.ResourceVersionMatch != "Exact" {
		panic("the metadata of " + r.ResourceVersion)
	}
	for _, o := range p.things {
		if o.resource == r.Resource && o.version <= at {
			p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil,
				`{"kind":"PartialObjectMetadata","metadata":{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d"}}`, o.name, o.namespace, o.name, o.version)})
		}
	}
	p.send(id, wire.Event{Type: wire.ListEnd, Payload: []byte(`{}`)})
}

func (p *proxy) watch(id uint32, r wire.Request) {
	if at, err := strconv.Atoi(r.ResourceVersion); err == nil && !r.SendInitialEvents {
		for _, e := range p.log {
			if e.version > at {
				p.tell(id, e)
			}
		}
		return
	}
	for _, o := range p.things {
		p.tell(id, event{wire.Added, o})
	}
	if !p.unlisted {
		p.end(id)
	}
}

// end ends the list of a watch.
func (p *proxy) end(id uint32) {
	p.send(id, wire.Event{Type: wire.Bookmark, Payload: []byte(fmt.Sprintf(`{"metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}`, p.version))})
}

// finish ends the lists that have begun.
func (p *proxy) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlisted = false
	for id, s := range p.open {
		if s.Verb == wire.Watch {
			p.end(id)
		}
	}
}

// tell tells a stream of what happened, if that is its business.
func (p *proxy) tell(id uint32, e event) {
	s := p.open[id]
	if s.Resource != e.resource || s.Namespace != "" && s.Namespace != e.namespace {
		return
	}
	if s.FieldSelector != "" && s.FieldSelector != "metadata.name="+e.name {
		return
	}
	if e.resource == "pods" {
		p.send(id, wire.Event{Type: e.kind, Payload: podBytes(e.thing)})
		return
	}
	if s.seq == 0 {
		p.send(id, wire.Event{Type: wire.Columns, Payload: []byte(`[{"name":"Name","type":"string","format":"name"},{"name":"Size","type":"string"}]`)})
	}
	kind, version := "PartialObjectMetadata", "meta.k8s.io/v1"
	if s.Encoding == wire.EncodingWhole {
		kind, version = e.resource, "example.com/v1"
	}
	p.send(id, wire.Event{Type: e.kind, Payload: fmt.Appendf(nil,
		`{"cells":[%q,%q],"object":{"kind":"`+kind+`","apiVersion":"`+version+`","spec":{"replicas":3},"metadata":{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d"}}}`,
		e.name, e.status, e.name, e.namespace, e.name, e.version)})
}

func (p *proxy) send(id uint32, e wire.Event) {
	s := p.open[id]
	s.seq++
	p.write(wire.AppendEvent(wire.AppendData(nil, id, s.seq), e.Type, e.Payload))
}

// change has something happen to an object, and tells whoever watches.
func (p *proxy) change(kind wire.EventType, o thing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.resource = cmp.Or(o.resource, "pods")
	p.version++
	o.version = p.version
	i := slices.IndexFunc(p.things, func(t thing) bool {
		return t.resource == o.resource && t.namespace == o.namespace && t.name == o.name
	})
	switch {
	case kind == wire.Deleted:
		p.things = slices.Delete(p.things, i, i+1)
	case i >= 0:
		p.things[i] = o
	default:
		p.things = append(p.things, o)
	}
	e := event{kind, o}
	p.log = append(p.log, e)
	for id, s := range p.open {
		if s.Verb == wire.Watch {
			p.tell(id, e)
		}
	}
}

func pod(namespace, name, phase string) thing {
	return thing{namespace: namespace, name: name, status: phase, labels: map[string]string{"app": strings.TrimRight(name, "0123456789")}}
}

// at is an object at a version.
func at(version int, o thing) thing {
	o.resource, o.version = cmp.Or(o.resource, "pods"), version
	return o
}

// leave has the proxy go away, or come back.
func (p *proxy) leave(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away = away; away {
		p.conn.Close()
	}
}

var forbidden = &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: `pods is forbidden: User "ana" cannot list`}

// forbids answers with forbidden what is told.
func forbids(what func(wire.Request) bool) func(wire.Request) *wire.Status {
	return func(r wire.Request) *wire.Status {
		if what(r) {
			return forbidden
		}
		return nil
	}
}

func (p *proxy) discovery(group string) []byte {
	resource := func(name, kind string) string {
		scope := "Namespaced"
		if name == "racks" {
			scope = "Cluster"
		}
		return fmt.Sprintf(`{"resource":%q,"responseKind":{"kind":%q},"scope":%q,"verbs":["list","watch"]}`, name, kind, scope)
	}
	if p.old {
		return []byte(`{"kind":"APIGroupList"}`)
	}
	if group == "" {
		return []byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[` + resource("pods", "Pod") + `]}]}]}`)
	}
	var all []string
	for _, name := range p.served {
		all = append(all, resource(name, name))
	}
	return []byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[` + strings.Join(all, ",") + `]}]}]}`)
}

// podBytes is a pod as the apiserver writes it.
func podBytes(o thing) []byte {
	field := func(b []byte, n protowire.Number, v string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	meta := field(field(field(field(nil, 1, o.name), 3, o.namespace), 5, "u-"+o.name), 6, strconv.Itoa(o.version))
	for k, v := range o.labels {
		meta = field(meta, 11, string(field(field(nil, 1, k), 2, v)))
	}
	if o.end {
		meta = field(meta, 12, string(field(field(nil, 1, "k8s.io/initial-events-end"), 2, "true")))
	}
	var spec []byte
	for _, c := range o.containers {
		spec = field(spec, 2, string(field(nil, 1, c)))
	}
	raw := field(field(field(nil, 1, string(meta)), 2, string(spec)), 3, string(field(nil, 1, o.status)))
	return append([]byte("k8s\x00"), field(field(nil, 1, string(field(field(nil, 1, "v1"), 2, "Pod"))), 2, string(raw))...)
}

// page stands in for the page: it applies what comes, and says so.
type page struct {
	in chan port.Message

	mu        sync.Mutex
	blind     bool // it says nothing of what it painted
	mute      bool // nor of what it remembers
	window    view.Window
	patches   int
	totals    []int    // how many matched, patch by patch
	remembers []string // of namespaces
	state     port.State
	states    []string
	live      view.Window   // what was on screen when it was last called live
	told      int           // states, one may say the same as the one before
	kinds     [][]port.Kind // each time they were told
	held      []port.List
	rights    []port.Rights // each time they were told
	details   []port.Detail
	answers   map[uint32]chan port.Answer
	lastID    uint32
}

func (p *page) Receive() <-chan port.Message { return p.in }

func (p *page) Send(m port.Message) {
	b, err := port.Encode(m)
	if err != nil {
		panic(err)
	}
	m, err = port.Decode(b)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := m.(type) {
	case view.Patch:
		p.window = p.window.Apply(m)
		p.totals = append(p.totals, p.window.Total)
		if p.patches++; !p.blind {
			p.in <- port.Painted{}
		}
	case port.State:
		if p.state.Proxy == nil && m.Proxy != nil && !p.mute {
			p.in <- port.Known{Namespaces: p.remembers}
		}
		p.state = m
		p.told++
		if n := len(p.states); n == 0 || p.states[n-1] != m.Source.State {
			p.states = append(p.states, m.Source.State)
			if m.Source.State == "live" {
				p.live = p.window
			}
		}
	case port.Answer:
		p.answers[m.ID] <- m
	case port.Kinds:
		p.kinds = append(p.kinds, m.Kinds)
	case port.Held:
		p.held = m.Lists
	case port.Rights:
		p.rights = append(p.rights, m)
	case port.Detail:
		p.details = append(p.details, m)
	}
}

// reviews are the rights, each time they were told.
func (p *page) reviews() []port.Rights {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.rights)
}

// forget forgets what was on the screen before.
func (p *page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals, p.states = nil, nil
}

// keys are the rows in the window.
func (p *page) keys() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.window.Rows {
		out = append(out, r.Key)
	}
	return strings.Join(out, " ")
}

// bench is a desk with a stand-in on either side.
type bench struct {
	seq uint32
	*desk
	t     *testing.T
	page  *page
	proxy *proxy
}

// onDesk runs a test with a desk, in a bubble.
func onDesk(t *testing.T, p *proxy, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, page: &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}, proxy: p}
		ctx, cancel := context.WithCancel(t.Context())
		b.desk = newDesk(ctx, b.page, p.dial, "")
		ended := make(chan struct{})
		early := p.greeted
		go func() { b.run(ctx, early); close(ended) }()
		defer func() {
			cancel()
			<-ended
			b.factory.Wait()
		}()
		test(t, b)
	})
}

// onPods is onDesk, with pods on the screen.
func onPods(t *testing.T, p *proxy, test func(t *testing.T, b *bench)) {
	t.Helper()
	onDesk(t, p, func(t *testing.T, b *bench) {
		b.looks("pods", view.Query{Seq: 1})
		test(t, b)
	})
}

// wait lets some time pass.
func (b *bench) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// soon is long enough for whatever is under way to be on the screen.
const soon = 2 * time.Second

func (b *bench) looks(resource string, q view.Query) {
	q.Limit = cmp.Or(q.Limit, 10)
	b.page.in <- port.Look{Resource: resource, Query: q}
	b.wait(soon)
}

// does has the desk do something, and lets come what comes of it.
func (b *bench) does(f func()) {
	b.t.Helper()
	b.post(b.t.Context(), f)
	b.wait(soon)
}

// focus has the page open an object.
func (b *bench) focus(f port.Focus) {
	b.page.in <- f
	b.wait(soon)
}

// opens has the page open a tab of a pod of the namespace a.
func (b *bench) opens(name, tab string) {
	b.seq++
	b.focus(port.Focus{Seq: b.seq, Resource: "pods", Namespace: "a", Name: name, Tab: tab})
}

// docs are what the page was told of a part of the detail, since it was last asked of any.
func (b *bench) docs(part string) (docs [][]byte) {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	for _, d := range b.page.details {
		if d.Part == part {
			docs = append(docs, d.Doc)
		}
	}
	b.page.details = nil
	return docs
}

// told are the same, of a part that is JSON.
func told[T any](b *bench, part string) []T {
	b.t.Helper()
	docs := b.docs(part)
	out := make([]T, len(docs))
	for i, doc := range docs {
		if err := json.Unmarshal(doc, &out[i]); err != nil {
			b.t.Error(err)
		}
	}
	return out
}

// ask asks, with arguments in JSON, and returns the answer's JSON or its error.
func (b *bench) ask(method, args string) string {
	b.page.mu.Lock()
	b.page.lastID++
	id, answer := b.page.lastID, make(chan port.Answer, 1)
	b.page.answers[id] = answer
	b.page.mu.Unlock()
	b.page.in <- port.Ask{ID: id, Method: method, Args: json.RawMessage(args)}
	a := <-answer
	if a.Error != "" {
		return "error: " + a.Error
	}
	return string(a.Value)
}

// inspected are the inspected sources.
func (b *bench) inspected() []inspected {
	b.t.Helper()
	var out struct{ Sources []inspected }
	if err := json.Unmarshal([]byte(b.ask("inspect", "[]")), &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Sources
}

func (b *bench) now() port.State {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	return b.page.state
}

// wantAsked holds what the proxy was asked since this was last called.
func (b *bench) wantAsked(want string) {
	b.t.Helper()
	if got := b.proxy.said(); got != want {
		b.t.Errorf("the proxy was asked %q, want %q", got, want)
	}
}

// wantRows holds what is on the screen.
func (b *bench) wantRows(state, keys string) {
	b.t.Helper()
	if got := b.page.keys(); got != keys || b.now().Source.State != state {
		b.t.Errorf("%s: %q; want %s: %q", b.now().Source.State, got, state, keys)
	}
}
