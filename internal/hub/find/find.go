package find

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

const (
	// Most is how many objects a search returns.
	Most = 30
	// Each is how many objects are read of a kind of which the hub does not have the whole list.
	Each = 5000
	// Limits of a search of such kinds: how many are read at a time, the time in which all must have answered, and
	// how often a kind is read again because the proxy asks to wait.
	atOnce = 4
	within = 15 * time.Second
	tries  = 15
)

// Answer says which objects a search found.
type Answer struct {
	Objects []Match `json:"objects"`
	// Total is how many objects match, if they are more than Objects.
	Total int `json:"total,omitempty"`
	// Kinds is how many kinds were searched. Missing names those that were not, or only in part, and why.
	Kinds   int       `json:"kinds"`
	Missing []Missing `json:"missing,omitempty"`
}

// Missing is a kind that a search did not read, or only in part.
type Missing struct {
	Resource string `json:"resource"`
	Cause    string `json:"cause"`
}

// heldList is a list of a kind that the hub has.
type heldList struct {
	kind      object.Kind
	namespace string // of its request
	*informer.Informer[*object.Object]
}

// covers reports whether the list has all objects of its kind in a scope. The list of one namespace
// says nothing of the others.
func (l heldList) covers(scope string) bool { return !l.kind.Namespaced || l.namespace == scope }

// heldLists returns the lists that the hub has, each scope once. Any goroutine may call it.
func heldLists(c *cluster.Cluster) (all []heldList) {
	seen := make(map[string]bool)
	c.Factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		key := r.Group + "/" + r.Resource + "/" + r.Namespace
		if r.FieldSelector != "" || r.LabelSelector != "" || r.Encoding == wire.EncodingMetadata || c.Local.Answers(r) || seen[key] {
			return
		}
		seen[key] = true
		all = append(all, heldList{c.Kinds.Of(r), r.Namespace, i})
	})
	return all
}

// InMemory searches the lists that the hub has for the objects that match a text. Of the fleeting kinds, it searches only
// those that are shown. Any goroutine may call it.
func InMemory(_ context.Context, c *cluster.Cluster, text string, shown map[string]bool) (Answer, error) {
	f, kinds := findHeld(c, text, shown)
	return f.answer(len(kinds), nil), nil
}

// answer returns what was found in a number of kinds.
func (f *finder) answer(kinds int, missing []Missing) Answer {
	a := Answer{Objects: append([]Match{}, f.best...), Kinds: kinds, Missing: missing}
	if n := f.total(); n > len(a.Objects) {
		a.Total = n
	}
	return a
}

// findHeld searches the lists that the hub has, and returns their kinds: true if all that the proxy serves of the kind was
// searched; false if only some namespaces were, or an old state of them.
func findHeld(c *cluster.Cluster, text string, shown map[string]bool) (f *finder, kinds map[string]bool) {
	f, kinds = newFinder(text, Most), make(map[string]bool)
	now, link, scope := time.Now(), c.Link(), c.Scope()
	for _, l := range heldLists(c) {
		if id := l.kind.ID(); fleeting[id] && !shown[id] {
			continue
		}
		s := source.StatusOf(l, link, now)
		if verdict := s.Verdict(); verdict >= source.Old {
			whole := l.covers(scope) && (verdict == source.Live || c.Relay != nil && s.State.Unread == 0)
			kinds[l.kind.ID()] = kinds[l.kind.ID()] || whole
		}
		columns := l.Decoder().(*object.Decoder).Columns()
		f.list(l.kind, l.Store().List(), func(o *object.Object) (string, tone.Tone) {
			return object.State(l.kind.Name, o, columns), object.ToneOfObject(l.kind.Name, o, columns)
		})
	}
	return f, kinds
}

// Everywhere searches like InMemory, and also reads the names of all kinds of which the hub does not have the whole list.
// Any goroutine but the loop's may call it: it waits.
func Everywhere(ctx context.Context, c *cluster.Cluster, text string, shown map[string]bool) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if len(c.Kinds.All()) == 0 {
		if err := c.Discover(ctx); err != nil {
			return Answer{}, err
		}
	}
	f, held := findHeld(c, text, shown)
	s := search{cluster: c, finder: f, kinds: maps.Clone(held)}
	var running sync.WaitGroup
	var unsearched []Missing
	slots := make(chan struct{}, atOnce)
	for _, kind := range c.Kinds.All() {
		if held[kind.ID()] {
			continue
		}
		if fleeting[kind.ID()] {
			unsearched = append(unsearched, Missing{kind.ID(), "searched only while it is listed"})
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			s.read(ctx, kind)
			<-slots
		})
	}
	running.Wait()
	sorting.By(s.missing, func(a, b Missing) int { return strings.Compare(a.Resource, b.Resource) })
	s.missing = append(s.missing, unsearched...) // what could not be read comes first
	return f.answer(len(s.kinds), s.missing), nil
}

// fleeting are kinds whose objects come and go by themselves. They are searched only for a page
// that lists them: an event's name begins with its object's, so in an incident events would crowd out the rest.
var fleeting = map[string]bool{"events": true, "events.events.k8s.io": true, "leases.coordination.k8s.io": true, "componentstatuses": true}

// search reads the names of kinds of which the hub does not have the whole list.
type search struct {
	cluster *cluster.Cluster
	mu      sync.Mutex
	finder  *finder
	kinds   map[string]bool // that were searched, wholly or in part
	missing []Missing
}

// read searches one kind, wherever the proxy lets it be listed.
func (s *search) read(ctx context.Context, kind object.Kind) {
	r := source.Selected(kind, source.Selection{Namespace: s.cluster.Scope(), Metadata: true})
	if !kind.Namespaced {
		r.Namespace = ""
	}
	r.Limit = Each // not from version 0: of that, the apiserver sends all, whatever the limit
	decoder := object.NewMetadataDecoder()
	var objects []*object.Object
	more, unread := false, 0
	err := source.Retry(ctx, tries, func() error {
		objects, more, unread = nil, false, 0
		meta, err := source.ReadList(ctx, s.cluster, r, func(payload []byte) {
			if len(objects) == Each {
				more = true
			} else if o, err := decoder.Decode(payload); err == nil {
				objects = append(objects, o)
			} else {
				unread++
			}
		})
		more = more || meta.Continue != ""
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.missing = append(s.missing, Missing{kind.ID(), err.Error()})
		return
	case more:
		s.missing = append(s.missing, Missing{kind.ID(), "only the first 5,000 were searched"})
	case unread > 0:
		s.missing = append(s.missing, Missing{kind.ID(), "some objects can't be read"})
	}
	s.kinds[kind.ID()] = true
	s.finder.list(kind, objects, nil)
}
