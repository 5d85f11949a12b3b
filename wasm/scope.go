package main

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/informer"
)

// scopes are the widest that the proxy gives.
func (d *desk) scopes() []string {
	if w := d.client.Link().Welcome; w != nil && w.Narrow {
		return []string{w.Namespace}
	}
	return []string{""}
}

// isWide reports whether the source is one list of the whole cluster.
func (s *source) isWide() bool { return len(s.scopes) == 1 && s.scopes[0] == "" }

// rescope asks namespace by namespace where the whole cluster may not be listed, and
// for the whole again as soon as it may. It reports whether there are other parts now.
func (d *desk) rescope(now time.Time) bool {
	if s := d.source; s.view == nil || !s.kind.Namespaced {
		return false
	}
	d.widen(now)
	return d.narrow()
}

// narrow shows those namespaces that are wanted, if the whole cluster may not be
// listed. It goes on asking for the whole.
func (d *desk) narrow() bool {
	s := d.source
	w := d.client.Link().Welcome
	if w == nil || w.Narrow || s.isWide() && !s.forbidden() {
		return false
	}
	want := d.wanted()
	if len(want) == 0 || slices.Equal(want, s.scopes) {
		return false
	}
	if s.isWide() {
		s.wide = s.parts[0]
		s.wide.lease.Unsubscribe(s.wide.sub)
		s.parts = nil
	}
	d.dropNext()
	s.release()
	d.open(s.kind, want)
	return true
}

// widen has the whole cluster take the place of what is shown, as soon as its list is
// there and no worse: no row goes.
func (d *desk) widen(now time.Time) {
	s := d.source
	if s.wide == nil || d.next != nil && d.next.isWide() {
		return
	}
	w := s.wide.stand(d.link(), now)
	if !w.state.Synced || w.fresh == informer.Denied || slices.Index(worst, w.fresh) < slices.Index(worst, d.stateOf()) {
		return
	}
	d.dropNext()
	d.replace([]string{""})
	d.stir()
}

// wanted are the namespaces to show to who may not list the whole cluster: those
// that are asked for, else those of --namespaces, else those that the page remembers,
// else the kubeconfig's. Until the page has said what it remembers there are none.
func (d *desk) wanted() []string {
	w := d.client.Link().Welcome
	switch {
	case d.remembered == nil:
		return nil
	case len(d.look.Namespaces) > 0:
		return distinct(d.look.Namespaces)
	case w.Namespaces != "":
		return strings.Split(w.Namespaces, ",")
	case len(d.remembered) > 0:
		return slices.Clone(d.remembered)
	case w.Namespace != "":
		return []string{w.Namespace}
	}
	return nil
}

// undecided reports whether the whole cluster may not be listed and the page has yet
// to say what it remembers: nothing is denied before.
func (d *desk) undecided() bool {
	s, w := d.source, d.client.Link().Welcome
	return d.remembered == nil && w != nil && !w.Narrow && s.kind.Namespaced && s.isWide() && s.forbidden()
}

// forbidden reports whether the first list may not be read, for good: what there
// was of it has been given up. One refusal may come of an apiserver that has not
// read its rules yet, and one for want of good credentials says nothing of rules.
func (s *source) forbidden() bool {
	if len(s.stands) == 0 {
		return false
	}
	first := s.stands[0]
	return first.fresh == informer.Denied && first.cause.Code == 403 && first.state.Objects == 0
}
