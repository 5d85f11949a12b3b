package hub

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

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/inspection"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// testObject is an object of the cluster behind the proxy.
type testObject struct {
	resource, namespace, name string
	status                    string
	labels                    map[string]string
	containers                []string
	body                      string // of a whole object, in JSON
	node, cpu                 string // of a pod, with what it requests; of a node, what is allocatable
	exit                      string // of a pod: the reason of its container's last termination
	selector                  string // of a service: the value of app
	ready                     []bool // of an endpointslice: its endpoints
	version                   int
	end                       bool   // a bookmark that ends the list
	uid                       string // default: u- and the name
	garbled                   bool   // of inProtobuf: it can't be read beyond its metadata
	controller                string // of a pod: "DaemonSet.apps d"
	owner                     string // "gears.example.com g": its resource, which is also its kind, and its name
}

// metadata returns the metadata of an object in JSON: of its kind, or as metadata only.
func (o testObject) metadata() string {
	owners := ""
	if resource, name, ok := strings.Cut(o.owner, " "); ok {
		kind, group, _ := strings.Cut(resource, ".")
		owners = fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"%s/v1","kind":%q,"name":%q,"uid":"u-%s"}]`, group, kind, name, name)
	}
	if len(o.labels) > 0 {
		labels, _ := json.Marshal(o.labels)
		owners += `,"labels":` + string(labels)
	}
	return fmt.Sprintf(`{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d","creationTimestamp":"1999-12-31T23:00:00Z"%s}`, o.name, o.namespace, o.name, o.version, owners)
}

// proxy simulates the proxy and the cluster behind it.
type proxy struct {
	welcome       wire.Welcome
	helloResource string                            // the resource of the hello that worker.js sent
	deny          func(r wire.Request) *wire.Status // instead of an answer
	extraKinds    []string                          // kinds that discovery lists besides pods, of example.com or of the group after a dot
	versions      map[string]string                 // of groups; default v1
	unwatchable   []string                          // those of them that can be listed but not watched
	stale         bool                              // discovery does not know the kinds besides pods
	date          int64                             // the apiserver's clock, in Unix seconds
	noBeats       bool                              // sends no beats
	old           bool                              // discovery is not aggregated
	holdLists     bool                              // lists begin but do not end
	faulty        map[string]fault                  // lists, by resource
	uid           string                            // of the cluster
	rules         map[string]string                 // by namespace, the rules of a review
	columns       string                            // of a Table, after the name; default Size
	defined       string                            // the definition of a kind, in JSON
	minor         string                            // the server's minor version; "": it does not say
	delayAnswers  bool                              // the minor version and definitions are sent only by answerDelayed
	namespaces    []string                          // namespaces that may be listed
	refusal       error                             // of the next dial while it is away; default, and of those after it: "refused"
	losing        bool                              // the next event is lost on its way
	auditEvery    time.Duration                     // default: next to never
	resumeAfter   time.Duration                     // how long the answer to a watch that goes on takes; guarded by mu

	mu      sync.Mutex
	away    bool
	conn    *wiretest.Conn
	things  []testObject
	log     []event
	version int
	asked   []string
	open    map[uint32]*opened
	dialed  int
	user    string // who the apiserver says it is; default ana
}

// connections returns how often a client has connected.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialed
}

// fault is how a list fails.
type fault int

const (
	silent    fault = 1 + iota // nothing comes
	brokenOff                  // it ends too early
	erring                     // it contains an error
)

// err makes a list fail: it sends an error event if the fault is erring, and ends the list unless
// the fault is silent.
func (p *proxy) err(id uint32, as fault) {
	if as == erring {
		p.send(id, wire.Event{Type: wire.Error, Payload: []byte(`{"origin":"apiserver","code":410,"message":"too old"}`)})
	}
	if as != silent {
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
	}
}

type event struct {
	kind wire.EventType
	testObject
}

type opened struct {
	wire.Request
	seq    uint64
	headed bool // the columns of its Table were sent, which come with the first row
}

// id returns the resource of a request; metrics are named like what they measure.
func (o *opened) id() string {
	if o.Group == "metrics.k8s.io" {
		return o.Resource + "." + o.Group
	}
	return o.Resource
}

func (p *proxy) dial(context.Context) (socket.Connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		why := cmp.Or(p.refusal, errors.New("refused"))
		p.refusal = nil
		return socket.Connection{}, why
	}
	p.dialed++
	near, far := wiretest.Pipe(256)
	p.conn, p.open = far, make(map[uint32]*opened)
	early := p.helloResource
	p.helloResource = "" // worker.js sends only one
	w := p.welcome
	w.V = wire.Version
	if early != "" {
		r := wire.InitialWatch("", "v1", early, w.Namespace)
		w.EarlyRequest = &r
	}
	p.write(wire.JSONFrame(wire.KindWelcome, 0, w))
	go p.serve(far, early != "")
	if early != "" {
		p.answer(wire.EarlyStream, *w.EarlyRequest)
	}
	return socket.Connection{Conn: near, Greeted: early != ""}, nil
}

// write writes to the tab. Frames written to a closed pipe are lost, as on a socket.
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
			p.answerInTime(conn, f.Stream, r)
		case wire.KindClose:
			if o := p.open[f.Stream]; o != nil && p.conn == conn { // else it crossed the end of its stream or connection
				p.record("close %s", o.Request)
				delete(p.open, f.Stream)
			}
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
		if !p.noBeats {
			_ = conn.Write(context.Background(), wire.BeatFrame(ages))
		}
		p.mu.Unlock()
	}
}

// record records a request: "watch pods", "watch pods/a at 7", "discover".
func (p *proxy) record(format string, r wire.Request) {
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
	if r.Encoding == wire.EncodingMetadata && r.ResourceVersionMatch != "Exact" {
		what += " metadata"
	}
	if r.Verb == wire.Get && r.Resource != "namespaces" {
		what += " " + r.Name
	}
	if r.Verb == wire.Watch && !r.SendInitialEvents {
		what += " at " + r.ResourceVersion
	}
	p.asked = append(p.asked, fmt.Sprintf(format, what))
}

// takeRequests returns the requests and closed streams since the last call. It leaves out requests
// for the version, the user and namespaces, and closed lists.
func (p *proxy) takeRequests() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.DeleteFunc(p.asked, func(s string) bool {
		return strings.HasSuffix(s, "discover version") || strings.Contains(s, "selfsubject") || strings.Contains(s, "list namespaces") || strings.HasSuffix(s, "get namespaces") || strings.HasPrefix(s, "close list")
	})
	p.asked = nil
	return strings.Join(out, ", ")
}

// takeOpened returns what takeRequests does, without the closed streams.
func (p *proxy) takeOpened() string {
	all := strings.Split(p.takeRequests(), ", ")
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return strings.HasPrefix(s, "close ") }), ", ")
}

// takeClosedWatches returns the watches that were closed since the last call.
func (p *proxy) takeClosedWatches() string {
	all := strings.Split(p.takeRequests(), ", ")
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(s, "close watch") }), ", ")
}

// startHoldingLists makes lists begin but not end, until finish.
func (p *proxy) startHoldingLists() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holdLists = true
}

// answerDelayed answers the questions that delayAnswers has delayed.
func (p *proxy) answerDelayed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delayAnswers = false
	for id, s := range p.open {
		switch {
		case s.Request == wire.ServerVersion:
			p.sendMinor(id)
		case s.Verb == wire.Get && s.Resource == cluster.Definitions.Resource:
			p.send(id, wire.Event{Type: wire.Item, Payload: []byte(p.defined)})
		}
	}
}

// answerInTime answers a request at once, or a watch that goes on after resumeAfter.
func (p *proxy) answerInTime(conn *wiretest.Conn, id uint32, r wire.Request) {
	if p.resumeAfter == 0 || r.Verb != wire.Watch || r.SendInitialEvents {
		p.answer(id, r)
		return
	}
	time.AfterFunc(p.resumeAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.conn == conn {
			p.answer(id, r)
		}
	})
}

// answer answers a request as a cluster would.
func (p *proxy) answer(id uint32, r wire.Request) {
	if id != wire.EarlyStream {
		p.record("%s", r)
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
	if !inProtobuf[r.Resource] || r.Group == "metrics.k8s.io" {
		encoding = wire.EncodingTable
	}
	p.write(wire.JSONFrame(wire.KindOpened, id, wire.Opened{Encoding: encoding, Date: p.date}))
	switch r.Verb {
	case wire.Review:
		doc := `{"status":{"userInfo":{"username":"` + cmp.Or(p.user, "ana") + `","groups":["devs","system:authenticated"]}}}`
		if r.Resource == "selfsubjectrulesreviews" {
			doc = cmp.Or(p.rules[r.Namespace], `{}`)
		}
		p.send(id, wire.Event{Type: wire.Item, Payload: []byte(doc)})
	case wire.Get:
		switch {
		case r.Resource == "pods":
			p.get(id, r)
			return
		case r.Resource == cluster.Definitions.Resource && p.defined == "":
			p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: notFound}))
			return
		case r.Resource == cluster.Definitions.Resource && p.delayAnswers:
			return
		case r.Resource == cluster.Definitions.Resource:
			p.send(id, wire.Event{Type: wire.Item, Payload: []byte(p.defined)})
			return
		}
		p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil, `{"kind":"Namespace","metadata":{"name":"kube-system","uid":%q}}`, cmp.Or(p.uid, "u1"))})
	case wire.Discover:
		if r.Resource == wire.ServerVersion.Resource {
			p.sendMinor(id)
			return
		}
		p.send(id, wire.Event{Type: wire.Item, Payload: p.discovery(r.Group)})
	case wire.Watch:
		p.watch(id, r)
	case wire.List:
		if as := p.faulty[r.Resource]; as != 0 {
			p.err(id, as)
		} else if r.Resource == "namespaces" {
			for _, name := range p.namespaces {
				p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":"u"}}`, name)})
			}
			p.send(id, wire.Event{Type: wire.ListEnd, Payload: []byte(`{}`)})
		} else if r.Encoding == wire.EncodingMetadata {
			p.metadata(id, r)
		} else {
			for _, o := range p.things {
				if r.Limit != 1 {
					p.sendIfSelected(id, event{wire.Item, o})
				}
			}
			if !p.holdLists || r.Limit == 1 {
				p.end(id)
			}
		}
	}
}

// sendMinor sends the server's minor version.
func (p *proxy) sendMinor(id uint32) {
	switch {
	case p.delayAnswers:
	case p.minor == "":
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: notFound}))
	default:
		p.send(id, wire.Event{Type: wire.Item, Payload: fmt.Appendf(nil, `{"major":"1","minor":%q,"gitVersion":"v1.%s.1"}`, p.minor, p.minor)})
	}
}

// get sends a pod, or the reason why not.
func (p *proxy) get(id uint32, r wire.Request) {
	i := slices.IndexFunc(p.things, func(t testObject) bool { return t.namespace == r.Namespace && t.name == r.Name })
	if i < 0 {
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: notFound}))
		return
	}
	p.send(id, wire.Event{Type: wire.Item, Payload: podBytes(p.things[i])})
}

var notFound = &wire.Status{Origin: wire.FromAPIServer, Code: 404, Reason: wire.ReasonNotFound, Message: "not found"}

var tooLarge = &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Causes: []string{"ResourceVersionTooLarge"}, RetryAfter: 1}

// metadata sends the metadata of the objects: of those that have not changed since an exact
// version, or else of all.
func (p *proxy) metadata(id uint32, r wire.Request) {
	at, err := strconv.Atoi(r.ResourceVersion)
	exact := r.ResourceVersionMatch == "Exact"
	if (err != nil || !exact) && r.ResourceVersion != "" && r.ResourceVersion != "0" {
		panic("the metadata of " + r.ResourceVersion)
	}
	for _, o := range p.things {
		name, one := strings.CutPrefix(r.FieldSelector, "metadata.name=")
		if o.resource == r.Resource && (!exact || o.version <= at) && (r.Namespace == "" || r.Namespace == o.namespace) && (!one || o.name == name) {
			p.send(id, wire.Event{Type: wire.Item, Payload: []byte(`{"kind":"PartialObjectMetadata","metadata":` + o.metadata() + `}`)})
		}
	}
	p.end(id)
}

func (p *proxy) watch(id uint32, r wire.Request) {
	if r.TimeoutSeconds > 0 {
		p.expire(id, time.Duration(r.TimeoutSeconds)*time.Second)
	}
	if at, err := strconv.Atoi(r.ResourceVersion); err == nil && !r.SendInitialEvents {
		for _, e := range p.log {
			if e.version > at {
				p.sendIfSelected(id, e)
			}
		}
		return
	}
	for _, o := range p.things {
		p.sendIfSelected(id, event{wire.Added, o})
	}
	if !p.holdLists {
		p.end(id)
	}
}

// expire ends a watch after its requested duration, with a bookmark before the end.
func (p *proxy) expire(id uint32, lasts time.Duration) {
	conn := p.conn
	still := func(do func()) func() {
		return func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.conn == conn && p.open[id] != nil && !p.noBeats {
				do()
			}
		}
	}
	time.AfterFunc(lasts-2*time.Second, still(func() {
		p.send(id, wire.Event{Type: wire.Bookmark, Payload: fmt.Appendf(nil, `{"metadata":{"resourceVersion":"%d"}}`, p.version)})
	}))
	time.AfterFunc(lasts, still(func() {
		delete(p.open, id)
		p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
	}))
}

// end ends a list, or the initial list of a watch.
func (p *proxy) end(id uint32) {
	if p.open[id].Verb == wire.List {
		version := strconv.Itoa(p.version)
		if p.open[id].ResourceVersionMatch == "Exact" {
			version = p.open[id].ResourceVersion
		}
		p.send(id, wire.Event{Type: wire.ListEnd, Payload: fmt.Appendf(nil, `{"resourceVersion":%q}`, version)})
		return
	}
	p.send(id, wire.Event{Type: wire.Bookmark, Payload: []byte(fmt.Sprintf(`{"metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}`, p.version))})
}

// bookmarks sends each watch the bookmark that an apiserver sends every minute.
func (p *proxy) bookmarks() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.open {
		if s.Verb == wire.Watch {
			p.send(id, wire.Event{Type: wire.Bookmark, Payload: fmt.Appendf(nil, `{"metadata":{"resourceVersion":"%d"}}`, p.version)})
		}
	}
}

// endWatches ends all watches and keeps the connection.
func (p *proxy) endWatches() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.open {
		if s.Verb == wire.Watch {
			delete(p.open, id)
			p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
		}
	}
}

// finish ends all open lists.
func (p *proxy) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holdLists = false
	for id, s := range p.open {
		if s.Verb == wire.Watch || s.Verb == wire.List {
			p.end(id)
		}
	}
}

// sendIfSelected sends an event to a stream if the event concerns it.
func (p *proxy) sendIfSelected(id uint32, e event) {
	s := p.open[id]
	if s.id() != e.resource || s.Namespace != "" && s.Namespace != e.namespace {
		return
	}
	if s.FieldSelector != "" && s.FieldSelector != "metadata.name="+e.name {
		return
	}
	if s.Encoding == wire.EncodingMetadata {
		p.send(id, wire.Event{Type: e.kind, Payload: []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":` + e.metadata() + `}`)})
		return
	}
	if inProtobuf[e.resource] {
		p.send(id, wire.Event{Type: e.kind, Payload: podBytes(e.testObject)})
		return
	}
	if !s.headed {
		s.headed = true
		columns := cmp.Or(p.columns, `{"name":"Size","type":"string"}`)
		p.send(id, wire.Event{Type: wire.Columns, Payload: []byte(`[{"name":"Name","type":"string","format":"name"},` + columns + `]`)})
	}
	kind, version, body := "PartialObjectMetadata", "meta.k8s.io/v1", ""
	if s.Encoding == wire.EncodingWhole {
		kind, version, body = e.resource, s.Group+"/"+s.Version, `"spec":{"replicas":3},"status":{"sync":"2000-01-01T00:00:00Z"},`
	}
	switch {
	case e.body != "" && e.resource == "pods.metrics.k8s.io":
		kind, version, body = "pods", "metrics.k8s.io/v1", e.body
	case e.body != "" && s.Encoding == wire.EncodingWhole:
		body = e.body
	}
	p.send(id, wire.Event{Type: e.kind, Payload: fmt.Appendf(nil,
		`{"cells":[%q,%q],"object":{"kind":"`+kind+`","apiVersion":"`+version+`",`+body+`"metadata":%s}}`,
		e.name, e.status, e.metadata())})
}

func (p *proxy) send(id uint32, e wire.Event) {
	s := p.open[id]
	s.seq++
	p.write(wire.AppendEvent(wire.AppendData(nil, id, s.seq), e.Type, e.Payload))
}

// change changes an object, and sends the event to the streams that watch it.
func (p *proxy) change(kind wire.EventType, o testObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.resource = cmp.Or(o.resource, "pods")
	p.version++
	o.version = p.version
	i := slices.IndexFunc(p.things, func(t testObject) bool {
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
	if p.losing {
		p.losing = false
		return
	}
	for id, s := range p.open {
		if s.Verb == wire.Watch {
			p.sendIfSelected(id, e)
		}
	}
}

func pod(namespace, name, phase string) testObject {
	return testObject{namespace: namespace, name: name, status: phase, labels: map[string]string{"app": strings.TrimRight(name, "0123456789")}}
}

// at returns an object at a version.
func at(version int, o testObject) testObject {
	o.resource, o.version = cmp.Or(o.resource, "pods"), version
	return o
}

// setAway takes the proxy away, or brings it back.
func (p *proxy) setAway(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away = away; away {
		p.conn.Close()
	}
}

var forbidden = &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: `pods is forbidden: User "ana" cannot list`}

// throttled is what the proxy answers to a user who lists too much.
var throttled = &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 1, Message: "too many"}

// broken is what the apiserver answers while a conversion webhook is down.
var broken = &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: wire.ReasonInternalError, Message: "conversion webhook failed"}

// forbids answers the given requests with forbidden.
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
		verbs := `"list","watch"`
		if slices.Contains(p.unwatchable, name) {
			verbs = `"list"`
		}
		return fmt.Sprintf(`{"resource":%q,"responseKind":{"kind":%q},"scope":%q,"verbs":[%s]}`, name, kind, scope, verbs)
	}
	if p.old {
		return []byte(`{"kind":"APIGroupList"}`)
	}
	if group == "" {
		return []byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[` + resource("pods", "Pod") + `]}]}]}`)
	}
	var all []string // one for each group
	for _, name := range p.extraKinds {
		name, group, ok := strings.Cut(name, ".")
		if !ok {
			group = "example.com"
		}
		all = append(all, `{"metadata":{"name":"`+group+`"},"versions":[{"version":"`+cmp.Or(p.versions[group], "v1")+`","resources":[`+resource(name, name)+`]}]}`)
	}
	if p.stale {
		return []byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[{"version":"v1","freshness":"Stale","resources":[]}]}]}`)
	}
	return []byte(`{"kind":"APIGroupDiscoveryList","items":[` + strings.Join(all, ",") + `]}`)
}

// inProtobuf are the resources that the proxy serves in protobuf.
var inProtobuf = map[string]bool{"pods": true, "nodes": true, "services": true, "endpointslices": true}

// podBytes returns a pod, or another object of inProtobuf, as the apiserver writes it.
func podBytes(o testObject) []byte {
	field := func(b []byte, n protowire.Number, v string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	meta := field(field(field(field(nil, 1, o.name), 3, o.namespace), 5, cmp.Or(o.uid, "u-"+o.name)), 6, strconv.Itoa(o.version))
	for k, v := range o.labels {
		meta = field(meta, 11, string(field(field(nil, 1, k), 2, v)))
	}
	if of, name, owned := strings.Cut(o.controller, " "); owned {
		kind, group, _ := strings.Cut(of, ".")
		owner := field(field(field(field(nil, 1, kind), 3, name), 4, "u-"+name), 5, group+"/v1")
		meta = field(meta, 13, string(append(owner, 6<<3, 1)))
	}
	if o.end {
		meta = field(meta, 12, string(field(field(nil, 1, "k8s.io/initial-events-end"), 2, "true")))
	}
	var spec []byte
	for _, c := range o.containers {
		spec = field(spec, 2, string(field(nil, 1, c)))
	}
	list := string(field(field(nil, 1, "cpu"), 2, string(field(nil, 1, o.cpu))))
	kind, status := "Pod", field(nil, 1, o.status)
	if o.status == "Pending" { // its scheduler knows of it
		status = field(status, 2, string(field(field(nil, 1, "PodScheduled"), 2, "Unknown")))
	}
	if o.resource == "nodes" {
		kind, status = "Node", field(nil, 2, list)
	}
	if o.node != "" {
		spec = field(field(spec, 2, string(field(field(nil, 1, "main"), 8, string(field(nil, 2, list))))), 10, o.node)
	}
	if o.exit != "" {
		status = field(status, 8, string(field(nil, 3, string(field(nil, 3, string(field(nil, 3, o.exit)))))))
	}
	version, raw := "v1", field(field(field(nil, 1, string(meta)), 2, string(spec)), 3, string(status))
	switch o.resource {
	case "services":
		if kind, spec = "Service", field(nil, 4, "ClusterIP"); o.selector != "" {
			spec = field(spec, 2, string(field(field(nil, 1, "app"), 2, o.selector)))
		}
		raw = field(field(nil, 1, string(meta)), 2, string(spec))
	case "endpointslices":
		kind, version, raw = "EndpointSlice", "discovery.k8s.io/v1", field(nil, 1, string(meta))
		for i, ready := range o.ready {
			is := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), protowire.EncodeBool(ready))
			raw = field(raw, 2, string(field(field(nil, 1, fmt.Sprint("10.0.0.", i)), 2, string(is))))
		}
		raw = field(raw, 4, "IPv4")
	}
	if o.garbled {
		raw = field(field(nil, 1, string(meta)), 2, "\x12\x09")
	}
	return append([]byte("k8s\x00"), field(field(nil, 1, string(field(field(nil, 1, version), 2, kind))), 2, string(raw))...)
}

// IDs of the page's list and its object.
const (
	listID   = 1
	objectID = 2
)

// page simulates the page: it applies what it receives, and reports what it painted.
type page struct {
	in chan port.Message

	mu             sync.Mutex
	omitPainted    bool // does not report what it painted
	omitRemembered bool // does not report what it remembers
	window         view.Window
	patches        int
	totals         []int    // how many matched, patch by patch
	remembers      []string // namespaces
	state          port.State
	states         []string
	live           view.Window   // what was on screen when it was last reported as live
	stateCount     int           // number of states; one may equal the previous
	kinds          [][]port.Kind // each time they were sent
	held           []port.Count
	rights         []port.Rights // each time they were sent
	told           []port.Past
	lastTravel     uint32
	details        []port.Detail
	other          func(port.Message) // receives messages about lists and objects with other IDs
	answers        map[uint32]chan port.Answer
	lastID         uint32
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
	if p.other != nil && foreign(m) {
		p.other(m)
		return
	}
	switch m := m.(type) {
	case port.Patch:
		p.window = p.window.Apply(m.Patch)
		p.totals = append(p.totals, p.window.Total)
		if p.patches++; !p.omitPainted {
			p.in <- port.Painted{ID: m.ID}
		}
	case port.State:
		if m.ID != listID {
			return
		}
		if p.state.Proxy == nil && m.Proxy != nil && !p.omitRemembered {
			p.in <- port.SavedNamespaces{Namespaces: p.remembers}
		}
		p.state = m
		p.stateCount++
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
	case port.Counts:
		p.held = m.Kinds
	case port.Rights:
		p.rights = append(p.rights, m)
	case port.Detail:
		p.details = append(p.details, m)
	case port.Past:
		p.told = append(p.told, m)
	}
}

// lastTold returns the last Past that the page received.
func (p *page) lastTold() (last port.Past) {
	p.locked(func() {
		if n := len(p.told); n > 0 {
			last = p.told[n-1]
		}
	})
	return last
}

// locked runs f while the page receives nothing.
func (p *page) locked(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// foreign reports whether a message is of another list or object than the fixture's.
func foreign(m port.Message) bool {
	switch m := m.(type) {
	case port.Patch:
		return m.ID != listID
	case port.State:
		return m.ID != listID
	case port.Detail:
		return m.ID != objectID
	case port.Answer:
		return m.ID >= 70000 // of a transfer
	case port.Due, port.Chunk, port.Pull, port.Past:
		return true
	}
	return false
}

// reviews returns the rights, each time they were sent.
func (p *page) reviews() []port.Rights {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.rights)
}

// forget discards what was on screen.
func (p *page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals, p.states = nil, nil
}

// keys returns the rows in the window.
func (p *page) keys() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.window.Rows {
		out = append(out, r.Key)
	}
	return strings.Join(out, " ")
}

// fixture is a hub with a simulated page and proxy.
type fixture struct {
	seq        uint32
	hub        *Hub
	disconnect func() // disconnects the page
	t          *testing.T
	page       *page
	proxy      *proxy
}

// onHub runs a test with a hub, in a bubble.
func onHub(t *testing.T, p *proxy, test func(t *testing.T, b *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &fixture{t: t, page: &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}, proxy: p}
		ctx, cancel := context.WithCancel(t.Context())
		b.hub = New(ctx, Options{AuditEvery: cmp.Or(p.auditEvery, 1000*time.Hour), Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return p.dial(ctx) }})
		ended := make(chan struct{})
		go func() { b.hub.Run(); close(ended) }()
		b.disconnect = b.hub.Connect(Connection{Port: b.page, Early: p.helloResource})
		defer func() {
			cancel()
			<-ended
		}()
		test(t, b)
	})
}

// onPods is onHub, with pods on the screen.
func onPods(t *testing.T, p *proxy, test func(t *testing.T, b *fixture)) {
	t.Helper()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		test(t, b)
	})
}

// wait lets some time pass.
func (b *fixture) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// soon is long enough for everything in progress to be on screen.
const soon = 2 * time.Second

func (b *fixture) showList(resource string, q view.Query) {
	q.Limit = cmp.Or(q.Limit, 10)
	b.page.in <- port.ListQuery{ID: listID, Resource: resource, Query: q}
	b.wait(soon)
}

// postAndWait runs f on the hub's loop, and waits for the consequences.
func (b *fixture) postAndWait(f func()) {
	b.t.Helper()
	b.hub.loop.Post(b.t.Context(), f)
	b.wait(soon)
}

// onLoop runs f on the hub's loop, and waits for its end.
func (b *fixture) onLoop(f func()) {
	b.t.Helper()
	done := make(chan struct{})
	b.hub.loop.Post(b.t.Context(), func() { defer close(done); f() })
	<-done
}

// focus makes the page open an object.
func (b *fixture) focus(f port.Focus) {
	f.ID = objectID
	b.page.in <- f
	b.wait(soon)
}

// cluster, list and object return the page's own. Only code on the loop may call them.
func (b *fixture) cluster() *cluster.Cluster { return b.hub.clusters[0] }
func (b *fixture) list() *list.List          { return byID(b.hub.pages[0].lists, listID) }
func (b *fixture) object() *focus.Object     { return b.hub.pages[0].objects[0] }

// openTab makes the page open a tab of a pod in namespace a.
func (b *fixture) openTab(name, tab string) {
	b.seq++
	b.focus(port.Focus{Seq: b.seq, Resource: "pods", Namespace: "a", Name: name, Tab: tab})
}

// docs returns the documents of a part of the detail that the page was sent. It discards those
// of all parts.
func (b *fixture) docs(part string) (docs [][]byte) {
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

// decodedDocs is docs for a part that is JSON.
func decodedDocs[T any](b *fixture, part string) []T {
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

// ask asks a question with arguments in JSON, and returns the answer's JSON or its error.
func (b *fixture) ask(method, args string) string { return b.askList(listID, method, args) }

// askList is ask, about a list by its ID.
func (b *fixture) askList(list uint32, method, args string) string {
	b.page.mu.Lock()
	b.page.lastID++
	id, answer := b.page.lastID, make(chan port.Answer, 1)
	b.page.answers[id] = answer
	b.page.mu.Unlock()
	b.page.in <- port.Ask{ID: id, List: list, Method: method, Args: json.RawMessage(args)}
	a := <-answer
	if a.Error != "" {
		return "error: " + a.Error
	}
	return string(a.Value)
}

// inspected returns what inspect shows of the sources.
func (b *fixture) inspected() []inspection.Source {
	b.t.Helper()
	var out struct{ Sources []inspection.Source }
	if err := json.Unmarshal([]byte(b.ask("inspect", "[]")), &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Sources
}

func (b *fixture) now() port.State {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	return b.page.state
}

// wantAsked checks what the proxy was asked since the last call.
func (b *fixture) wantAsked(want string) {
	b.t.Helper()
	if got := b.proxy.takeRequests(); got != want {
		b.t.Errorf("the proxy was asked %q, want %q", got, want)
	}
}

// awaitLive waits until the list is live: problems are read anew for a moment when one of their watches
// ends.
func (b *fixture) awaitLive() {
	for range 100 {
		if b.now().Source.State == port.Live {
			return
		}
		b.wait(loop.Tick)
	}
}

// wantRows checks what is on screen.
func (b *fixture) wantRows(state, keys string) {
	b.t.Helper()
	if got := b.page.keys(); got != keys || b.now().Source.State != state {
		b.t.Errorf("%s: %q; want %s: %q", b.now().Source.State, got, state, keys)
	}
}
