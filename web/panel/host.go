package panel

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/words"
)

// Host is what the panel needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows, and Here the resource of its list.
	Address() route.Address
	Here() string
	// State returns the state of the list's source, and Window what the list shows. It is to be read only.
	State() port.State
	Window() *view.Window
	// Typing returns the field that the user is typing in; "" is none.
	Typing() string
}

// Past is what the panel needs to know of the moment on screen.
type Past interface {
	// On reports whether the page shows the past, or a recording. Announcement says so.
	On() bool
	Announcement() string
	// Limits says which namespaces the list is limited to, and LeftOut which the recording lacks, and whether those are all.
	Limits(s port.State) string
	LeftOut(namespaces []string) (said string, all bool)
}

// Access is what the panel needs to know of the user's rights.
type Access interface {
	// Partial reports whether the user may list some namespaces only, and Denied returns those of the list that may not be
	// read. Alternatives draws what to list instead.
	Partial() bool
	Denied() []string
	Alternatives() []app.UI
}

// Filter is what the panel needs of the filter: what is wrong with the query, and a mistake in the filter as it is drawn.
type Filter interface {
	Problems() view.Problems
	DrawMistake(p view.Problem) app.UI
}

// Kinds names lists, and what is missing of them.
type Kinds interface {
	ListName(resource string) string
	Gaps(gaps []view.Gap) []words.Gap
	Note(gap view.Gap) string
}

// Problems is what the panel needs of the problems: what they rest on and is not known, and what shows if there are none.
type Problems interface {
	Gaps() (gaps []view.Gap, known bool)
	DrawEmpty() []app.UI
}

// Session is what the panel needs of the session: who the user is, and whether the address has a context that is not known.
type Session interface {
	Whoami() string
	Lost() bool
}
