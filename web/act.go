package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/view"
)

// Typed tells what stands in a field.
func (p *Page) Typed(field, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch field {
	case "filter":
		p.filter(value)
	case "labels":
		p.rewind()
		p.typed("labels", func(a *Address) { a.Labels = strings.TrimSpace(value) })
	case "palette":
		if before := p.palette.Load(); before != nil {
			p.palette.Store(&palette{text: value, contexts: before.contexts})
			p.redraw()
		}
	case "add-column":
		if p.chooser.Load() != nil {
			p.chooser.Store(&columnChooser{text: value})
			p.redraw()
		}
	case "view-name":
		if d := p.dialog.Load(); d != nil {
			next := *d
			next.name, next.said = value, ""
			p.dialog.Store(&next)
			p.redraw()
		}
	case "find":
		p.find = strings.TrimSpace(value)
		p.redraw()
	default:
		if t := p.tab(); p.drawer.asked.Name != "" && t.typed != nil && t.typed(p, field, value) {
			p.redraw()
		}
	}
}

// rewind goes to the top of the list: what is asked for begins there.
func (p *Page) rewind() {
	p.above, p.mark = 0, mark{}
	if p.geometry.Scroll != 0 {
		p.geometry.Scroll = 0
		p.browser.Scroll(0)
	}
}

// Takes reports whether a key is ours. It waits for nothing: the browser does with
// the key what it does unless it is told at once.
func (p *Page) Takes(k Key) bool {
	if c := p.palette.Load(); c != nil {
		return c.takes(k)
	}
	if c := p.chooser.Load(); c != nil {
		return c.takes(k)
	}
	if d := p.dialog.Load(); d != nil {
		return d.takes(k)
	}
	action, _ := ActionOf(k)
	return action != NoAction || k.enters("find") || k.enters("filter") || k.enters("labels") || p.completion.Load().takes(k)
}

// Press does what a key does, and reports whether it is ours.
func (p *Page) Press(k Key) bool {
	if !p.Takes(k) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	action, value := ActionOf(k)
	switch {
	case p.palette.Load() != nil:
		p.paletteKey(k)
	case p.chooser.Load() != nil:
		p.chooserKey(k)
	case p.dialog.Load() != nil:
		p.dialogKey(k)
	case p.completion.Load().takes(k):
		p.completionKey(k)
	case k.enters("find"):
		p.enter()
	case k.enters("filter"), k.enters("labels"):
		p.browser.Focus("grid")
	case action == Leave && k.Typing:
		p.browser.Focus("grid")
	default:
		p.actByKey(action, value)
	}
	return true
}

// Act does something a person asked for by pointer. What is clicked is what shows, so a
// mark that is on its way to another row stays.
func (p *Page) Act(action Action, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ofTarget(action) {
		p.stay()
	}
	if p.palette.Load() != nil { // an offer was clicked
		p.closePalette()
	}
	if p.dialog.Load() != nil && !inDialog[action] {
		if p.closeDialog(); action == Leave {
			return
		}
	}
	p.act(action, value)
}

func (p *Page) act(action Action, value string) {
	switch action {
	case FocusFilter:
		p.browser.Focus("filter")
	case FocusNamespace:
		p.sheet = "facets"
		p.redraw()
		p.browser.Focus("find")
	case OpenPalette:
		p.openPalette(value)
	case SwitchContext:
		p.switchContext(value)
	case WhoAmI:
		p.openDialog(dialog{kind: whoDialog}, "who-close")
	case SignOut:
		p.signOut()
	case ChooseColumns:
		p.toggleChooser()
	case ToggleGroup:
		p.foldGroup(value)
	case Help:
		p.help = !p.help
		p.redraw()
		p.browser.Focus(map[bool]string{true: "help", false: "grid"}[p.help])
	case ToggleSheet:
		if p.sheet == value {
			value = ""
		}
		p.sheet = value
		p.redraw()
	case ToggleTheme:
		p.browser.Theme()
	case Accept:
		if at, err := strconv.Atoi(value); err == nil {
			p.accept(at)
			p.browser.Focus("filter")
		}
	case TogglePause:
		p.paused = !p.paused
		p.look()
		p.redraw()
	case Reload:
		p.browser.Reload()
	case Leave:
		p.leave()
	case Down, Up, PageDown, PageUp, First, Last:
		p.move(action)
	case Open:
		p.open(p.target())
	default:
		if !p.choosing(action, value) && !p.actInDrawer(action, value) {
			p.actOnViews(action, value)
			p.take(action, value)
			p.change(action, value)
		}
	}
}

// change does what changes the address.
func (p *Page) change(action Action, value string) {
	switch action {
	case ClearFilters:
		p.rewind()
		p.visit(true, func(a *Address) { a.Filter, a.Labels, a.Namespaces = "", "", nil })
		p.fields()
	case Add:
		p.add(value)
	case Forget:
		p.forget(value)
	case Within:
		p.within(value)
	case ToTop:
		p.rewind()
		p.changed()
	case SortBy:
		p.sortBy(value)
	case Pick:
		name := p.facetOf(value)
		p.pick(name, strings.TrimPrefix(value[len(name):], ":"))
	case Choose, ChooseOnly:
		p.choose(value, action == ChooseOnly)
	case GoIn:
		resource, namespace, _ := strings.Cut(value, " ")
		p.change(GoTo, resource)
		p.visit(true, func(a *Address) { a.Namespaces = apart(namespace) })
	case GoTo:
		p.rewind()
		p.sheet, p.paused = "", false
		p.visit(true, func(a *Address) {
			*a = Address{Resource: value, Context: a.Context, Namespaces: a.Namespaces, Columns: p.kept()[value]}
		})
		p.fields()
		p.redraw() // the sheet, if we were there already
	}
}

// leave closes what is open, else unmarks the row, else clears the filter. The row of an
// object that was open stays marked, so that keys go on from it.
func (p *Page) leave() {
	switch {
	case p.help:
		p.help = false
		p.redraw()
		p.browser.Focus("grid")
	case p.sheet != "":
		p.sheet = ""
		p.redraw()
	case p.address.Selected != "":
		p.closeObject()
	case p.mark.key != "" || p.mark.coming:
		p.mark = mark{}
		p.look()
		p.paint()
		p.browser.Focus("grid")
	case p.address.Filter != "":
		p.rewind()
		p.visit(true, func(a *Address) { a.Filter = "" })
		p.fields()
	}
}

// sortBy sorts by a column, the other way round if it is sorted by it already.
func (p *Page) sortBy(column string) {
	column = p.ageOf(column)
	p.rewind()
	p.visit(true, func(a *Address) {
		switch {
		case a.Sort != column:
			a.Sort, a.Descending = column, false
		case !a.Descending:
			a.Descending = true
		default:
			a.Sort, a.Descending = "", false // as it came
		}
	})
}

// ageOf is the column that tells the age, where none is called so: events have when
// they were last seen.
func (p *Page) ageOf(column string) string {
	aged := func(c view.Column) bool { return c.Aged() }
	named := func(c view.Column) bool { return c.Name == column }
	if i := slices.IndexFunc(p.window.Known, aged); column == view.AgeColumn && i >= 0 && !slices.ContainsFunc(p.window.Known, named) {
		return p.window.Known[i].Name
	}
	return column
}

// choose puts a namespace among those shown or takes it away; alone shows no
// other.
func (p *Page) choose(namespace string, alone bool) {
	p.rewind()
	before := p.address.Filter
	defer func() {
		if p.address.Filter != before {
			p.fields()
		}
	}()
	p.visit(true, func(a *Address) {
		a.Filter = query.Clear(a.Filter, view.Field(view.NamespaceColumn), namespace) // it would be in the way
		chosen := slices.Clone(a.Namespaces)
		i := slices.Index(chosen, namespace)
		switch {
		case alone && i >= 0 && len(chosen) == 1:
			chosen = nil
		case alone:
			chosen = []string{namespace}
		case i >= 0:
			chosen = slices.Delete(chosen, i, i+1)
		default:
			chosen = append(chosen, namespace)
			slices.Sort(chosen)
		}
		a.Namespaces = chosen
	})
}

// Ask asks the worker, and answers when it has answered.
func (p *Page) Ask(method string, args json.RawMessage) port.Answer {
	answer := make(chan port.Answer, 1)
	p.mu.Lock()
	p.ask(method, args, func(a port.Answer) { answer <- a })
	p.mu.Unlock()
	return <-answer
}

// ask asks the worker, and has then called when it has answered.
func (p *Page) ask(method string, args json.RawMessage, then func(port.Answer)) {
	p.lastAsk++
	p.asks[p.lastAsk] = then
	p.port.Send(port.Ask{ID: p.lastAsk, List: listID, Method: method, Args: args})
}

func (p *Page) answered(a port.Answer) {
	p.mu.Lock()
	then := p.asks[a.ID]
	delete(p.asks, a.ID)
	p.mu.Unlock()
	if then != nil {
		then(a)
	}
}

// On has f called at each event of a name, until the function it returns is.
func (p *Page) On(event string, f func(json.RawMessage)) (off func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listeners[event] == nil {
		p.listeners[event] = make(map[int]func(json.RawMessage))
	}
	p.lastOn++
	id := p.lastOn
	p.listeners[event][id] = f
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.listeners[event], id)
	}
}

// emit calls the listeners of an event, without the page's lock: they may ask.
func (p *Page) emit(event string, value any) {
	doc, err := json.Marshal(value)
	if err != nil {
		return
	}
	go func() {
		p.mu.Lock()
		var call []func(json.RawMessage)
		for _, f := range p.listeners[event] {
			call = append(call, f)
		}
		p.mu.Unlock()
		for _, f := range call {
			f(doc)
		}
	}()
}
