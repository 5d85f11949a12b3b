package pane

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/hub/pane/panetest"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// testObject is an object of the scripted server.
type testObject struct {
	resource, namespace, name string // the resource is "pods" if it is empty
	status                    string // a pod's phase, an event's message, or a cell
	node, claim               string // of a pod
	labels                    map[string]string
	owner                     string // "gears.example.com g": its resource, which is also its kind, and its name
	controlled                bool   // by that owner
	about                     string // the UID of the object that an event is about
	version                   int
	body                      string // in JSON, instead of its own; of a role or binding, its fields in protobuf
	raw                       []byte // as the apiserver writes it, instead of its own
}

func pod(namespace, name, phase string) testObject {
	return testObject{resource: "pods", namespace: namespace, name: name, status: phase, labels: map[string]string{"app": strings.TrimRight(name, "0123456789")}}
}

func owned(resource, name, by string) testObject {
	return testObject{resource: resource, namespace: "a", name: name, owner: by}
}

// ownerParts returns the kind, the API version and the name of the owner.
func (o testObject) ownerParts() (kind, apiVersion, name string) {
	resource, name, _ := strings.Cut(o.owner, " ")
	kind, group, _ := strings.Cut(resource, ".")
	return kind, group + "/v1", name
}

// metadata returns the metadata of an object in JSON.
func (o testObject) metadata() string {
	owners := ""
	if kind, apiVersion, name := o.ownerParts(); name != "" {
		owners = fmt.Sprintf(`,"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":"u-%s"}]`, apiVersion, kind, name, name)
	}
	return fmt.Sprintf(`{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d","creationTimestamp":"1999-12-31T23:00:00Z"%s}`, o.name, o.namespace, o.name, o.version, owners)
}

// payload returns an object as the apiserver writes it: pods and events in protobuf, others as a
// row of a Table with the whole object.
func (o testObject) payload() []byte {
	if o.raw != nil {
		return slices.Clone(o.raw) // a stream overwrites what was read
	}
	switch o.resource {
	case "pods":
		volume := field(nil, 1, "v")
		volume = field(volume, 2, string(field(nil, 10, string(field(nil, 1, o.claim)))))
		spec := field(nil, 10, o.node)
		if o.claim != "" {
			spec = field(spec, 1, string(volume))
		}
		return packed("v1", "Pod", field(field(field(nil, 1, string(o.meta())), 2, string(spec)), 3, string(field(nil, 1, o.status))))
	case "nodes":
		return packed("v1", "Node", field(nil, 1, string(o.meta())))
	case "roles", "clusterroles", "rolebindings", "clusterrolebindings":
		kind := map[string]string{"roles": "Role", "clusterroles": "ClusterRole", "rolebindings": "RoleBinding", "clusterrolebindings": "ClusterRoleBinding"}[o.resource]
		return packed("rbac.authorization.k8s.io/v1", kind, append(field(nil, 1, string(o.meta())), o.body...))
	case "events":
		about := field(field(field(nil, 1, "Pod"), 4, o.about), 5, "v1")
		return packed("v1", "Event", field(field(field(field(field(nil, 1, string(o.meta())), 2, string(about)), 4, o.status), 7, string([]byte{8, byte(o.version)})), 9, "Warning"))
	}
	return fmt.Appendf(nil, `{"cells":[%q,%q],"object":{"kind":%q,"apiVersion":"example.com/v1","spec":{"replicas":3},"metadata":%s}}`,
		o.name, o.status, o.resource, o.metadata())
}

// meta returns the metadata of an object in protobuf.
func (o testObject) meta() []byte {
	meta := field(field(field(field(nil, 1, o.name), 3, o.namespace), 5, "u-"+o.name), 6, strconv.Itoa(o.version))
	for k, v := range o.labels {
		meta = field(meta, 11, string(field(field(nil, 1, k), 2, v)))
	}
	if kind, apiVersion, name := o.ownerParts(); name != "" {
		owner := field(field(field(field(nil, 1, kind), 3, name), 4, "u-"+name), 5, apiVersion)
		owner = protowire.AppendVarint(protowire.AppendTag(owner, 6, protowire.VarintType), protowire.EncodeBool(o.controlled))
		meta = field(meta, 13, string(owner))
	}
	return meta
}

func field(b []byte, n protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func packed(version, kind string, raw []byte) []byte {
	return append([]byte("k8s\x00"), field(field(nil, 1, string(field(field(nil, 1, version), 2, kind))), 2, string(raw))...)
}

// fault is how a list fails.
type fault int

const (
	silent   fault = 1 + iota // nothing comes
	cutShort                  // it ends too early
	erring                    // it contains an error event
)

// server answers requests as a cluster would.
type server struct {
	mu      sync.Mutex
	deny    func(r wire.Request) *wire.Status // instead of an answer
	faulty  map[string]fault                  // of lists, by resource
	endless string                            // the resource whose watches do not say where the list ends
	reads   func(ctx context.Context, r wire.Request) ([]byte, error)
	things  []testObject
	log     []event
	version int
	asked   []string
	open    map[*stream]bool
}

type event struct {
	kind wire.EventType
	testObject
}

func newServer(things ...testObject) *server {
	s := &server{open: make(map[*stream]bool)}
	for _, o := range things {
		s.change(wire.Added, o)
	}
	return s
}

// change changes an object, and sends the event to the streams that watch it.
func (s *server) change(kind wire.EventType, o testObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	o.version = s.version
	i := slices.IndexFunc(s.things, func(t testObject) bool {
		return t.resource == o.resource && t.namespace == o.namespace && t.name == o.name
	})
	switch {
	case kind == wire.Deleted && i >= 0:
		s.things = slices.Delete(s.things, i, i+1)
	case i >= 0:
		s.things[i] = o
	default:
		s.things = append(s.things, o)
	}
	e := event{kind, o}
	s.log = append(s.log, e)
	for st := range s.open {
		if st.Request.Verb == wire.Watch {
			st.sendIfSelected(e)
		}
	}
}

// refuse replaces the statuses that answer requests, and ends streams with them.
func (s *server) refuse(deny func(r wire.Request) *wire.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = deny
	for st := range s.open {
		if status := deny(st.Request); status != nil {
			st.End(status)
		}
	}
}

// note records a request: "watch pods/a where metadata.name=web1 whole".
func (s *server) note(prefix string, r wire.Request) {
	what := prefix + string(r.Verb) + " " + r.Resource
	if r.Namespace != "" {
		what += "/" + r.Namespace
	}
	if r.Name != "" {
		what += " " + r.Name
	}
	if where := strings.Trim(r.LabelSelector+" "+r.FieldSelector, " "); where != "" {
		what += " where " + where
	}
	switch r.Encoding {
	case wire.EncodingWhole:
		what += " whole"
	case wire.EncodingMetadata:
		what += " metadata"
	}
	s.asked = append(s.asked, what)
}

// asks returns the requests since the last call, sorted.
func (s *server) asks() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.asked)
	out := strings.Join(s.asked, ", ")
	s.asked = nil
	return out
}

// watched returns the open streams.
func (s *server) watched() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for st := range s.open {
		all = append(all, st.Request.Resource+" "+st.Request.Version)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Get answers with what the test scripted.
func (s *server) Get(ctx context.Context, r wire.Request) ([]byte, error) {
	s.mu.Lock()
	s.note("", r)
	s.mu.Unlock()
	return s.reads(ctx, r)
}

// Open opens a list or a watch.
func (s *server) Open(_ context.Context, r wire.Request) (reflector.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("", r)
	if s.deny != nil {
		if status := s.deny(r); status != nil {
			return nil, status
		}
	}
	st := &stream{Stream: panetest.NewStream(r), server: s}
	s.open[st] = true
	if r.Verb == wire.Watch && r.TimeoutSeconds > 0 { // one that stayed open would be taken for buffered on the way
		time.AfterFunc(time.Duration(r.TimeoutSeconds)*time.Second, func() { st.End(io.EOF) })
	}
	if fault := s.faulty[r.Resource]; r.Verb == wire.List && fault != 0 {
		st.fail(fault)
		return st, nil
	}
	if at, err := strconv.Atoi(r.ResourceVersion); err == nil && r.Verb == wire.Watch && !r.SendInitialEvents {
		for _, e := range s.log {
			if e.version > at {
				st.sendIfSelected(e)
			}
		}
		return st, nil
	}
	kind := wire.Added
	if r.Verb == wire.List {
		kind = wire.Item
	}
	from, _ := strconv.Atoi(r.Continue)
	next, told := "", int64(0)
	for i, o := range s.things[from:] {
		if st.sendIfSelected(event{kind, o}) {
			told++
		}
		if r.Limit > 0 && told >= r.Limit {
			next = strconv.Itoa(from + i + 1)
			break
		}
	}
	version := strconv.Itoa(s.version)
	if r.Verb == wire.List {
		st.Send(wire.ListEnd, fmt.Appendf(nil, `{"resourceVersion":%q,"continue":%q}`, version, next))
	} else if r.Resource != s.endless {
		st.Send(wire.Bookmark, object.EndOfList(version))
	}
	return st, nil
}

// stream is one list or watch.
type stream struct {
	*panetest.Stream
	server  *server
	columns bool // the columns were sent
}

func (st *stream) fail(as fault) {
	if as == erring {
		st.Send(wire.Error, []byte(`{"origin":"apiserver","code":410,"message":"too old"}`))
	}
	if as != silent {
		st.End(io.EOF)
	}
}

// sendIfSelected sends an event if the request is for it, and reports whether it is.
func (st *stream) sendIfSelected(e event) bool {
	r := st.Request
	name, byName := strings.CutPrefix(r.FieldSelector, "metadata.name=")
	node, onNode := strings.CutPrefix(r.FieldSelector, "spec.nodeName=")
	switch {
	case r.Resource != e.resource, r.Namespace != "" && r.Namespace != e.namespace, byName && name != e.name, onNode && node != e.node:
		return false
	case r.Encoding == wire.EncodingMetadata:
		st.Send(e.kind, []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`+e.metadata()+`}`))
		return true
	}
	payload := e.payload()
	if !st.columns && bytes.HasPrefix(payload, []byte(`{"cells"`)) {
		st.columns = true
		st.Send(wire.Columns, []byte(widgetColumns))
	}
	st.Send(e.kind, payload)
	return true
}

const widgetColumns = `[{"name":"Name","type":"string","format":"name"},{"name":"Size","type":"string"}]`

// Close ends the stream.
func (st *stream) Close() {
	st.server.mu.Lock()
	defer st.server.mu.Unlock()
	if st.server.open[st] {
		delete(st.server.open, st)
		if st.Request.Verb == wire.Watch {
			st.server.note("close ", st.Request)
		}
	}
}

var (
	forbidden = &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: `User "ana" cannot list`}
	missing   = &wire.Status{Origin: wire.FromAPIServer, Code: 404, Reason: wire.ReasonNotFound, Message: "no such resource"}
	// broken is what the apiserver answers while a conversion webhook is down.
	broken = &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: wire.ReasonInternalError, Message: "conversion webhook failed"}
)

// denies answers requests for a resource with a status.
func denies(resource string, status *wire.Status) func(wire.Request) *wire.Status {
	return func(r wire.Request) *wire.Status {
		if r.Resource == resource {
			return status
		}
		return nil
	}
}
