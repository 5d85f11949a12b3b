package web

import (
	"watchglass/internal/detail"
	"watchglass/internal/quote"
	"watchglass/web/drawer"
	"watchglass/web/route"
	tabs "watchglass/web/tab"
	"watchglass/web/tab/compare"
	"watchglass/web/ui"
	"watchglass/web/words"
)

var _ drawer.Host = (*page)(nil)

// Marked returns the object that is marked to compare with, and MarkedIn how another context names it.
func (p *page) Marked() route.Object                 { return p.drawer.Marked() }
func (p *page) MarkedIn(context string) route.Object { return p.drawer.MarkedIn(context) }

// Mark marks an object, as one step.
func (p *page) Mark(o route.Object) { p.drawer.Mark(o, true) }

// Contexts returns the contexts that objects may be of.
func (p *page) Contexts() compare.Contexts {
	return compare.Contexts{Here: p.session.Context(), All: p.session.Contexts(), Framed: p.frame.on()}
}

// KindName returns the name of a kind.
func (p *page) KindName(resource string) string { return p.sidebar.KindName(resource) }

// AsOf returns the moment that the page's objects are of; "" if that is now.
func (p *page) AsOf() string { return p.past.AsOf() }

// Shell returns the shell that commands are quoted for.
func (p *page) Shell() quote.Shell { return p.commands.Shell() }

// Subject returns the open object, Text the view of its long text. Follow asks the worker again if the open tab's options
// have changed.
func (p *page) Subject() tabs.Subject { return p.drawer.Subject() }
func (p *page) Text() tabs.Text       { return p.drawer.Text() }
func (p *page) Follow()               { p.drawer.FollowOptions() }

// ListNamespaces returns the namespaces of the list on screen; none means all.
func (p *page) ListNamespaces() []string {
	if len(p.address.Namespaces) > 0 {
		return p.address.Namespaces
	}
	return words.SplitList(p.state.Source.Namespace)
}

// Browser returns what tabs need of the browser.
func (p *page) Browser() tabs.Browser { return p.browser }

// Popover returns the name of the popover that is open.
func (p *page) Popover() string { return p.top.open }

// Kinds returns what is known of the cluster's kinds.
func (p *page) Kinds() tabs.Kinds { return p.sidebar }

// Moment returns the time on screen.
func (p *page) Moment() tabs.Moment {
	return tabs.Moment{Now: p.past.Now(), Past: p.past.On(), Recorded: p.InRecording()}
}

// GoKind goes to the list of a kind. ChooseKind lets the user choose one to ask who can use it.
func (p *page) GoKind(id string) { p.sidebar.GoKind(id) }
func (p *page) ChooseKind()      { p.palette.Show(ui.Kinds) }

// OnHead is called when the state of the open object may have changed.
func (p *page) OnHead() { p.frame.onHead() }

// CommandTool returns the program that the commands for the open object run.
func (p *page) CommandTool() string { return p.objectFor("").Tool() }

// StateWords returns what the past says of an object in a state.
func (p *page) StateWords(state detail.State, namespace, title, means string) (string, string) {
	return p.past.StateWords(state, namespace, title, means)
}

// TargetRow returns the key of the row that keys act on. MovingRow reports whether the mark is on its way to one.
func (p *page) TargetRow() string { return p.list.Target() }
func (p *page) MovingRow() bool   { return p.list.Moving() }

// HasRow reports whether a row is on screen, and FilteredOut whether that of the open object is excluded by the filter.
func (p *page) HasRow(key string) bool { return p.list.Has(key) }
func (p *page) FilteredOut() bool      { return p.list.FilteredOut() }

// CloseObject closes the open object. Its row stays marked.
func (p *page) CloseObject() { p.list.Select("", true) }
