package share

import (
	"encoding/json"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/kubectl"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Host is what sharing needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	List
	// Address returns what the page shows, and Link the same as a link, which gives no access: it never contains the launch
	// token or a session. Origin returns the beginning of the link, such as https://watch.example.com.
	Address() route.Address
	Link() string
	Origin() string
	// ListCommand returns the command for what is on screen. Caution says what it acts on, if that may not be what is on
	// screen. DrawShells draws the choice of the shell that it is quoted for.
	ListCommand() kubectl.ListCommand
	Caution() string
	DrawShells() app.UI
	// SavedViews returns how many views are saved, and whether there are others that this version can't read.
	SavedViews() (n int, unread bool)
	// Now returns the time on screen. Playing reports whether it moves, and Pause stops that.
	Now() time.Time
	Playing() bool
	Pause(then func(failed string))
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Send sends the worker a message. Transfer sends a request for something long, whose ID it returns, and calls then with
	// the answer, which ends it. Cancel ends it without an answer, unless it has ended.
	Send(m port.Message)
	Transfer(method string, args json.RawMessage, t port.Transfer, then func(port.Answer)) (id uint32)
	Cancel(id uint32)
	// Notify shows a notice. Progress shows how far something is, with a button that stops it, until another notice.
	Notify(text string)
	Progress(text string, stop ui.Action)
}

// List is what an export needs to know of the list.
type List interface {
	// State returns the state of the list's source, and Window what the list shows. It is to be read only.
	State() port.State
	Window() *view.Window
	// ShowsPanel reports whether a panel with a message replaces the rows.
	ShowsPanel() bool
	// Problems returns what is wrong with the query, and Unknown what rows and cells lack at this moment.
	Problems() view.Problems
	Unknown() []words.Gap
	// SendQueries asks the worker for what the page shows now: while rows are exported, without updates. Query returns the
	// sequence number of the list's query.
	SendQueries()
	Query() uint32
}

// Browser is what sharing needs of the browser.
type Browser interface {
	// Copy copies a text to the clipboard, and reports later whether that succeeded.
	Copy(text string, done func(copied bool))
	// Save downloads a file.
	Save(name, mime string, pieces [][]byte)
}
