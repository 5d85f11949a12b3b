package tab

import (
	"encoding/json"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Host is all that a tab knows of the page: of the page as a whole, of the drawer that shows the tab, and of the
// cluster's kinds.
type Host interface {
	Page
	// Subject returns the open object.
	Subject() Subject
	// Follow asks the worker again if the tab's options have changed.
	Follow()
	// Text returns the view of the long text.
	Text() Text
	// Popover returns the name of the menu that is open.
	Popover() string
	// Kinds returns what is known of the cluster's kinds.
	Kinds() Kinds
	// Moment returns the time that is on screen.
	Moment() Moment
}

// Page is what a tab asks of the page as a whole.
type Page interface {
	Browser() Browser
	// Address returns what the page shows.
	Address() route.Address
	// Navigate changes the address; with step, Back undoes the change.
	Navigate(step bool, change func(a *route.Address))
	// NavigateTyped changes the address to match a field. What is typed in one go is one step.
	NavigateTyped(field string, change func(a *route.Address))
	// KeyOf returns the key of an action, as the page shows it. Tip returns the tooltip of an action that has a key.
	KeyOf(action ui.Action) string
	Tip(action ui.Action, value string) string
	// Href returns an address as a link has it.
	Href(a route.Address) string
	// GoTo goes to another list, or to an object in it.
	GoTo(to route.Address)
	// State returns the state of the list and of the connection.
	State() port.State
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Send sends the worker a message. Transfer sends a request for something long, whose ID it returns, and calls then
	// with the answer, which ends it. Cancel ends it without an answer, unless it has ended.
	Send(m port.Message)
	Transfer(method string, args json.RawMessage, t port.Transfer, then func(port.Answer)) (id uint32)
	Cancel(id uint32)
	// Notify shows a notice.
	Notify(text string)
	// Copy copies a text to the clipboard, and says so.
	Copy(text, said string)
}

// Browser is what a tab asks of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID, if there is one.
	Focus(id string)
	// SetField sets the value of the field with an ID.
	SetField(id, value string)
	ui.Memory
	// Save downloads a file.
	Save(name, mime string, pieces [][]byte)
}

// Subject is the open object, or a kind as a whole, which has no name.
type Subject struct {
	detail.Ref              // Kind is empty until the head has arrived
	Head       *detail.Head // nil until it has arrived; immutable
}

// State returns the state of the object.
func (s Subject) State() detail.State {
	if s.Head == nil {
		return detail.Loading
	}
	return s.Head.State
}

// Text is the view of a tab's long text.
type Text interface {
	// Box returns where the text is scrolled to, and the height of the view.
	Box() grid.Geometry
	// Columns returns how many characters fit into a row; 0 while that is not known.
	Columns() int
	// Paint paints the rows in view.
	Paint()
	// Show scrolls to a row, if it is out of view, and paints.
	Show(row int)
	// Scroll scrolls to a position, in pixels; Scrolled notes that the browser has done so.
	Scroll(top int)
	Scrolled(top int)
}

// Kinds is what is known of the cluster's kinds.
type Kinds interface {
	// Count returns how many are known.
	Count() int
	// Link returns a link to an object, or plain text if its resource is not known. ListLink returns one to a list.
	Link(r detail.Ref, text string) app.UI
	ListLink(l detail.Listing, text string) app.UI
	// ListName returns the name of a kind's list.
	ListName(id string) string
	// Gaps returns gaps with the names of their lists.
	Gaps(gaps []view.Gap) []words.Gap
}

// Moment is the time that is on screen.
type Moment struct {
	Now      time.Time // that ages count from
	Past     bool      // it is of the past, or of a recording
	Recorded bool      // it is of a recording
}
