package rbac

import (
	"cmp"
	"slices"
	"strings"

	"watchglass/internal/sorting"
	"watchglass/internal/view"
)

// Options are what the page asks for.
type Options struct {
	Namespaces []string `json:"namespaces,omitempty"` // of a kind; none are all
	Verb       Verbs    `json:"verb,omitempty"`       // only who has one of these; 0: any
	Text       string   `json:"text,omitempty"`       // only whose name, namespace or kind contains this
	Builtin    bool     `json:"builtin,omitempty"`    // list Kubernetes' own subjects, too
	Open       []string `json:"open,omitempty"`       // keys of the holders whose grants are shown
}

// Holder is a subject and what it may do.
type Holder struct {
	Subject
	All   Verbs `json:"all"`             // in all namespaces that are looked at
	Some  Verbs `json:"some,omitempty"`  // in some, but not in all
	Named Verbs `json:"named,omitempty"` // of a kind: only for objects that a role names
	// Spread is the number of namespaces in which it has verbs of Some, and In the only one.
	Spread int    `json:"spread,omitempty"`
	In     string `json:"in,omitempty"`
	// Grants are shown of an open Holder, and More is how many others there are.
	Grants []Grant `json:"grants,omitempty"`
	More   int     `json:"more,omitempty"`
}

// Grant is a binding and the role that it grants.
type Grant struct {
	In          string `json:"in,omitempty"` // namespace of a RoleBinding
	Binding     string `json:"binding"`
	Role        string `json:"role"`
	ClusterRole bool   `json:"clusterRole,omitempty"`
	Verbs       Verbs  `json:"verbs"`
	Named       Verbs  `json:"named,omitempty"` // only for objects that the role names
}

// Answer says who may do what.
type Answer struct {
	Asked   Verbs    `json:"asked"`
	Holders []Holder `json:"holders,omitempty"`
	More    int      `json:"more,omitempty"` // holders that are not listed
	// Builtin are Kubernetes' own subjects, listed only if they are asked for, and Own is their number.
	Builtin []Holder `json:"builtin,omitempty"`
	Own     int      `json:"own,omitempty"`
	// Filtered is how many subjects the verb and the text left out.
	Filtered int `json:"filtered,omitempty"`
	// Unread is how many bindings grant roles that are not known. They may be missing, or unread.
	Unread int `json:"unread,omitempty"`
	// Gaps are the lists that are not live. Blind says that so many are refused that nobody would be
	// found, whoever there is.
	Gaps  []view.Gap `json:"gaps,omitempty"`
	Blind bool       `json:"blind,omitempty"`
}

const (
	holdersMost = 500 // how many holders an Answer lists
	grantsMost  = 5   // how many grants of each
)

// tally is what is found of one subject.
type tally struct {
	cluster Verbs            // by ClusterRoleBindings
	in      map[string]Verbs // by RoleBindings
	named   Verbs            // for objects that a role names, of a question about a kind
	other   bool             // a binding is not Kubernetes' own
	open    bool             // grants are kept
	grants  []Grant
}

// Answer answers a question. The caller fills in the gaps.
func (p *Policy) Answer(q Question, o Options) Answer {
	out := Answer{Asked: q.Verbs()}
	tallies, unread := p.tally(&q, o.Open)
	out.Unread = unread
	var own, others shortlist
	for s, t := range tallies {
		h := Holder{Subject: s.cut(), Grants: t.grants}
		h.add(t, &q)
		switch {
		case !o.wants(&h):
			out.Filtered++
		case s.builtin(!t.other):
			own.add(h)
		default:
			others.add(h)
		}
	}
	out.Holders = others.sorted()
	out.More, out.Own = others.seen-len(out.Holders), own.seen
	if o.Builtin {
		out.Builtin = own.sorted()
	}
	return out
}

// shortlist keeps the first holders of many, in order. Bindings may have a million subjects, which are not
// all held and sorted.
type shortlist struct {
	seen  int
	first []Holder
	last  *Subject // of the first ones once there are enough: who comes after it is not among them
}

func (l *shortlist) add(h Holder) {
	l.seen++
	if l.last != nil && h.compare(*l.last) > 0 {
		return
	}
	if h.sortGrants(); len(l.first) == 2*holdersMost {
		l.sorted()
	}
	l.first = append(l.first, h)
}

// sorted returns the first holders.
func (l *shortlist) sorted() []Holder {
	sorting.By(l.first, func(a, b Holder) int { return a.compare(b.Subject) })
	if len(l.first) >= holdersMost {
		l.first = l.first[:holdersMost]
		l.last = new(l.first[holdersMost-1].Subject)
	}
	return l.first
}

// wants reports whether a holder passes the filters.
func (o *Options) wants(h *Holder) bool {
	if o.Verb != 0 && (h.All|h.Some|h.Named)&o.Verb == 0 {
		return false
	}
	return o.Text == "" || strings.Contains(strings.ToLower(h.Key()), strings.ToLower(o.Text))
}

// sortGrants sorts the grants, and keeps the first.
func (h *Holder) sortGrants() {
	sorting.By(h.Grants, func(a, b Grant) int {
		return cmp.Or(strings.Compare(a.In, b.In), strings.Compare(a.Binding, b.Binding))
	})
	if h.More = max(len(h.Grants)-grantsMost, 0); h.More > 0 {
		h.Grants = h.Grants[:grantsMost]
	}
}

// add adds up what a subject may do in all namespaces that are looked at, and in some.
func (h *Holder) add(t *tally, q *Question) {
	h.All = t.cluster
	var some Verbs
	for _, verbs := range t.in {
		some |= verbs
	}
	if len(q.Namespaces) > 0 {
		every := some
		for _, namespace := range q.Namespaces {
			every &= t.in[namespace] | t.cluster
		}
		h.All |= every
	}
	if h.Some = some &^ h.All; h.Some != 0 {
		for namespace, verbs := range t.in {
			if verbs&h.Some != 0 {
				h.Spread++
				h.In = namespace
			}
		}
		if h.Spread > 1 {
			h.In = ""
		}
	}
	h.Named = t.named &^ (h.All | h.Some)
}

// tally adds up what the bindings grant to each subject, and counts those whose role is not known. It
// keeps the grants of the open ones.
func (p *Policy) tally(q *Question, open []string) (all map[Subject]*tally, unread int) {
	all = make(map[Subject]*tally)
	checks, local := q.checks(), q.inNamespace()
	known := make(map[scope]grant)
	for _, b := range p.bindings {
		if b.namespace != "" && (local == 0 || !q.looksAt(b.namespace)) {
			continue
		}
		g, seen := known[scope{role: b.role}]
		if !seen {
			rules, found := p.roles[b.role]
			if !found {
				unread++
				continue
			}
			g = grantOf(rules, checks)
			known[scope{role: b.role}] = g
		}
		if b.namespace != "" {
			g = p.within(&b, g, q, known)
		}
		g.other &= q.ofOthers()
		if g.verbs|g.other != 0 {
			b.grant(g, all, open)
		}
	}
	return all, unread
}

// scope is a role, and the namespace for which it is bound if it grants something else in each.
type scope struct {
	role roleRef
	in   string
}

// within returns what a RoleBinding grants of what its role allows. If the question is about all namespaces, it covers
// only its own, so a rule with names counts if it names that one.
func (p *Policy) within(b *binding, g grant, q *Question, known map[scope]grant) grant {
	local := q.inNamespace()
	if !q.Namespaced && q.Name == "" {
		if at := (scope{b.role, b.namespace}); g.other&local != 0 {
			own, seen := known[at]
			if !seen {
				own = grantOf(p.roles[b.role], q.itself(b.namespace))
				known[at] = own
			}
			g = own
		}
		g.other = 0
	}
	return grant{verbs: g.verbs & local, named: g.named & local, other: g.other & local}
}

// grant adds what a binding grants to its subjects.
func (b *binding) grant(g grant, all map[Subject]*tally, open []string) {
	for _, s := range b.subjects {
		t := all[s]
		if t == nil {
			t = &tally{open: len(open) > 0 && slices.Contains(open, s.cut().Key())}
			all[s] = t
		}
		t.named |= g.other
		if b.namespace == "" {
			t.cluster |= g.verbs
		} else {
			if t.in == nil {
				t.in = make(map[string]Verbs)
			}
			t.in[b.namespace] |= g.verbs
		}
		t.other = t.other || !b.own()
		if !t.open {
			continue
		}
		t.grants = append(t.grants, Grant{
			In: b.namespace, Binding: b.name, Role: b.role.name, ClusterRole: b.role.namespace == "",
			Verbs: g.verbs | g.other, Named: g.named | g.other,
		})
	}
}
