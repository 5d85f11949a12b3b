package pane

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/view"
)

const (
	// accessEvery is the least time between two answers, and accessShare limits their cost: to
	// 1/accessShare of the time.
	accessEvery = 250 * time.Millisecond
	accessShare = 10
	// accessRead is how many roles and bindings are read before the loop goes on: each takes some
	// ten microseconds. A large one counts as many.
	accessRead = 500
	// accessNamespaces is how many namespaces are read one by one. If there are more, the lists of the
	// whole cluster are read.
	accessNamespaces = 16
)

// accessPane shows who may do something to an object, or to the objects of a kind.
type accessPane struct {
	host     Host
	subject  Subject
	options  rbac.Options
	question rbac.Question
	lists    []*accessList
	policy   rbac.Policy
	changed  bool   // since the last answer
	seen     string // the states of the lists at the last answer
	answers  loop.Sender
}

// accessList is a list of roles or bindings, of a namespace or of the cluster.
type accessList struct {
	*source.Feed
	resource, namespace string
	drained             []source.Change // still to be applied
}

// NewAccess opens who may do something to an object, or without a name to the objects of a kind.
func NewAccess(h Host, s Subject) Pane {
	p := &accessPane{host: h, subject: s, changed: true}
	p.open()
	return p
}

var _ Open = NewAccess

// Object does nothing: who may do something to an object does not depend on what is in it.
func (p *accessPane) Object(Version) {}

// Options sets the filters and, of a kind, the namespaces.
func (p *accessPane) Options(raw json.RawMessage) {
	var o rbac.Options
	_ = json.Unmarshal(raw, &o) // there may be none
	reopen := !slices.Equal(o.Namespaces, p.options.Namespaces)
	p.options, p.changed = o, true
	p.answers.Skip()
	if reopen {
		p.Close()
		p.open()
	}
}

// Close releases the lists.
func (p *accessPane) Close() {
	for _, l := range p.lists {
		l.Close()
	}
	p.lists, p.policy = nil, rbac.Policy{}
}

// open asks the question, and leases the lists that answer it.
func (p *accessPane) open() {
	k := p.subject.Kind
	p.question = rbac.Question{Group: k.Group, Resource: k.Resource, ID: k.ID(), Namespaced: k.Namespaced, Name: p.subject.Name, Namespaces: p.namespaces()}
	of := p.question.Namespaces
	if len(of) == 0 || len(of) > accessNamespaces {
		of = []string{""}
	}
	for _, resource := range p.question.Reads() {
		if resource == rbac.ClusterRoles || resource == rbac.ClusterRoleBindings {
			p.follow(resource, "")
			continue
		}
		for _, namespace := range of {
			p.follow(resource, namespace)
		}
	}
}

// namespaces returns the namespaces that the question is about.
func (p *accessPane) namespaces() []string {
	s := p.subject
	switch {
	case s.Name == "" && s.Kind.Namespaced:
		return p.options.Namespaces
	case s.Name != "" && s.Kind.Namespaced:
		return []string{s.Namespace}
	case s.Name != "" && s.Kind.ID() == "namespaces":
		return []string{s.Name}
	}
	return nil
}

// follow leases a list.
func (p *accessPane) follow(resource, namespace string) {
	kind, _ := p.host.Kinds().Find(resource) // it is built in
	lease := p.host.Lease(kind, source.Selection{Namespace: namespace, Paths: rbac.Paths(resource)})
	p.lists = append(p.lists, &accessList{Feed: source.Follow(lease, nil, p.host.RequestUpdate), resource: resource, namespace: namespace})
}

// Update returns the answer if it may have changed, at most every accessEvery.
func (p *accessPane) Update(now time.Time) []byte {
	if more := p.read(); more {
		p.host.RequestUpdate()
		return nil
	}
	if !p.answers.Due(p.host, now) {
		return nil
	}
	if minor := p.host.Kinds().Minor(); p.question.Before35 != (minor > 0 && minor < 35) {
		p.question.Before35, p.changed = !p.question.Before35, true
	}
	gaps, blind := p.gaps(now)
	seen, _ := json.Marshal(gaps) // texts never fail to encode
	if !p.changed && string(seen) == p.seen {
		return nil
	}
	began := time.Now()
	a := p.policy.Answer(p.question, p.options)
	a.Gaps, a.Blind = gaps, blind
	doc := p.answers.Encode(a)
	p.changed, p.seen = false, string(seen)
	p.answers.Rest(now, max(accessEvery, accessShare*time.Since(began)))
	return doc
}

// read applies the changes of the lists, but no more than accessRead, and reports whether there are
// more.
func (p *accessPane) read() (more bool) {
	left := accessRead
	for _, l := range p.lists {
		if left > 0 {
			left -= p.apply(l, left)
		}
		more = more || l.Pending() > 0 || len(l.drained) > 0
	}
	return more
}

// apply applies changes of a list until a maximum of work is done, and returns how much there was.
func (p *accessPane) apply(l *accessList, most int) (work int) {
	if len(l.drained) == 0 {
		l.drained = l.Drain(most)
	}
	columns := l.Decoder().Columns()
	for len(l.drained) > 0 && work < most {
		c := l.drained[0]
		l.drained = l.drained[1:]
		p.changed = true
		if c.Now != nil {
			work += p.policy.Set(l.resource, columns, c.Now)
			continue
		}
		work++
		if namespace, name, found := strings.Cut(c.Key, "/"); found {
			p.policy.Remove(l.resource, namespace, name)
		} else {
			p.policy.Remove(l.resource, "", c.Key)
		}
	}
	return work
}

// gaps returns the lists that are not live, those of a resource in the same state together. It reports
// whether no bindings or no roles can be read at all: they are refused, or nothing of them came in
// before the connection was lost.
func (p *accessPane) gaps(now time.Time) (gaps []view.Gap, blind bool) {
	var bindings, roles bool // that were read, or come
	for _, l := range p.lists {
		s := source.StatusOf(l.Lease, p.host.Link(), now)
		g := view.Gap{Resource: l.resource, State: string(s.Fresh), Only: l.namespace, Cause: message(s.Cause)}
		isRole := l.resource == rbac.Roles || l.resource == rbac.ClusterRoles
		failed := s.Refused() || !s.Listed() && (s.Cause != nil || s.Fresh == informer.Offline)
		bindings, roles = bindings || !failed && !isRole, roles || !failed && isRole
		if g.State == string(informer.Live) {
			if g.Unread = s.State.Unread; g.Unread == 0 {
				continue
			}
			g.State = view.Unread
		}
		at := slices.IndexFunc(gaps, func(other view.Gap) bool { return other.Resource == g.Resource && other.State == g.State })
		if at < 0 {
			gaps = append(gaps, g)
		} else {
			gaps[at].Only += "," + g.Only
		}
	}
	return gaps, !bindings || !roles
}
