package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/kubectl"
	"watchglass/web/share"
	"watchglass/web/words"
)

var _ share.Host = (*page)(nil)

// Link returns the address of what is shown as a link to share.
func (p *page) Link() string { return p.frame.whole() }

// Origin returns the page's origin.
func (p *page) Origin() string { return p.origin }

// ListCommand returns the command for what is on screen.
func (p *page) ListCommand() kubectl.ListCommand {
	s := p.state.Source
	of := kubectl.List{Address: p.address, Kind: p.Here(), Namespaced: s.Namespaced, Limit: s.Namespace, Helm: p.Derived(p.Here()), Reach: p.session.Reach()}
	return kubectl.CommandOf(of, p.commands.Shell())
}

// DrawShells draws the choice of the shell that commands are quoted for.
func (p *page) DrawShells() app.UI { return p.commands.DrawShells() }

// SavedViews returns how many views are saved, and whether there are others that this version can't read.
func (p *page) SavedViews() (n int, unread bool) { return len(p.views.Saved()), p.views.Unread() }

// Playing reports whether the moment on screen moves. Pause stops that.
func (p *page) Playing() bool                  { return p.past.Playing() }
func (p *page) Pause(then func(failed string)) { p.past.Pause(then) }

// Problems returns what is wrong with the list's query.
func (p *page) Problems() view.Problems { return p.filter.Problems() }

// Unknown returns what rows and cells lack at this moment.
func (p *page) Unknown() []words.Gap { return p.panel.Unknown() }

// Query returns the sequence number of the list's query.
func (p *page) Query() uint32 { return p.list.Query() }
