package web

import (
	"watchglass/web/commands"
	"watchglass/web/kubectl"
)

var _ commands.Host = (*page)(nil)

// OpenObject returns the object that is open, if one is.
func (p *page) OpenObject() (of kubectl.Object, open bool) {
	return p.objectFor(""), p.drawer.Asked().Name != ""
}

// Target returns the object that keys act on: the open one, else that of the active row.
func (p *page) Target() kubectl.Object { return p.objectFor(p.list.Target()) }

// objectFor returns the object that commands are for: the open one, or else that of the active row.
func (p *page) objectFor(active string) kubectl.Object {
	f := p.drawer.Asked()
	o := kubectl.Object{Chosen: p.address.Container, Reach: p.session.Reach()}
	switch {
	case f.Name != "" && p.drawer.Subject().Head != nil:
		o.Head = *p.drawer.Subject().Head
	case f.Name != "":
		o.Resource, o.Namespace, o.Name = f.Resource, f.Namespace, f.Name
	default:
		of := p.address.ObjectOf(active)
		if o.Resource, o.Namespace, o.Name = of.Resource, of.Namespace, of.Name; !p.address.Mixed() {
			o.Resource = p.Here()
		}
	}
	return o
}

// Caution says what commands act on, if that may not be what is on screen: the cluster of another context, or the cluster
// as it is now. Else it is "".
func (p *page) Caution() string {
	if len(p.session.Reach()) == 0 {
		return " Runs in your current context: check that it is this cluster." + p.past.CommandsNow()
	}
	return p.past.CommandsNow()
}
