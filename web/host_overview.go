package web

import (
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/overview"
	"watchglass/web/words"
)

var _ overview.Host = (*page)(nil)

// Context returns the name of the context on screen.
func (p *page) Context() string { return p.session.Context() }

// Now returns the time that ages count from.
func (p *page) Now() time.Time { return p.past.Now() }

// ActiveRow returns the key of the marked row.
func (p *page) ActiveRow() string { return p.list.Mark() }

// StarredKinds returns the favourites that are kinds.
func (p *page) StarredKinds() []string { return p.sidebar.StarredKinds() }

// Served returns the kind of a resource, or its ID until the server's kinds are known.
func (p *page) Served(resource string) string { return p.sidebar.Served(resource) }

// NoteGaps notes which of the lists that the problems rest on may not be read.
func (p *page) NoteGaps(gaps []view.Gap) { p.access.NoteGaps(gaps) }

// Gaps returns what the list rests on and is not known.
func (p *page) Gaps() []words.Gap { return p.panel.Gaps() }

// DrawMissing draws what an empty list has not read.
func (p *page) DrawMissing(gaps []words.Gap) []app.UI { return p.panel.DrawMissing(gaps) }
