package drawer

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/tab/compare"
	"watchglass/web/tab/whocan"
	"watchglass/web/ui"
)

// Host is what the drawer needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	TabHost
	List
	// Here returns the resource of the list. KindOffers returns all kinds, GoKind goes to the list of one, and ChooseKind lets
	// the user choose one to ask who can use it. ListName returns the name of a kind's list, and Derived reports whether the
	// hub makes its objects.
	Here() string
	KindOffers() []ui.Offer
	GoKind(id string)
	ChooseKind()
	ListName(id string) string
	Derived(id string) bool
	// Opened is called with the key of the object that was opened, and OnHead when what is known of its state has changed.
	Opened(key string)
	OnHead()
	// CommandTool returns the program that the commands for the open object run.
	CommandTool() string
	// StateWords returns what the past says of an object in a state, instead of a title and its meaning.
	StateWords(state detail.State, namespace, title, means string) (string, string)
	// Edit changes the address like Navigate, and also which object is marked.
	Edit(step bool, change func(a *route.Address))
	// HideFacets hides the facets, if they are open over the list.
	HideFacets()
}

// TabHost is what the tabs need of the page. It has Subject, Text and Follow of the drawer: a type of its own for them would
// compile each of the page's methods again.
type TabHost interface {
	tab.Host
	compare.Host
	whocan.Host
}

// List is what the drawer needs to know of the list.
type List interface {
	// TargetRow returns the key of the row that keys act on, and MovingRow whether the mark is on its way to one.
	TargetRow() string
	MovingRow() bool
	// HasRow reports whether a row is on screen, and FilteredOut whether that of the open object is excluded by the filter.
	HasRow(key string) bool
	FilteredOut() bool
	// CloseObject closes the open object. Its row stays marked.
	CloseObject()
}

// Browser is what the drawer needs of the browser, beside what its tabs do.
type Browser interface {
	compare.Browser
	// ScrollText sets the scroll position of the long text, in pixels.
	ScrollText(top int)
	// Focus moves the focus to the element with an ID. Reveal scrolls to it, if it is out of view.
	Focus(id string)
	Reveal(id string)
	ui.Memory
}

// Chart is what the Timeline tab shows, which asks the worker by itself.
type Chart interface {
	// ShowObject asks for the timeline of the hub's object with an ID, and Close ends that.
	ShowObject(object uint32, width int, lanes string)
	Close()
	// Draw draws the chart, with full its lanes and tools, too, and DrawEntries the list below it.
	Draw(full bool) app.UI
	DrawEntries() app.UI
}
