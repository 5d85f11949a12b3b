package web

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/rbac"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions of the tab.
const (
	accessVerb    ui.Action = "access-verb"    // value: a name; the same again: all
	accessOpen    ui.Action = "access-open"    // value: the key of a subject
	accessBuiltin ui.Action = "access-builtin" // lists Kubernetes' own subjects
	accessMore    ui.Action = "access-more"
)

// accessField is the field that filters the subjects.
const accessField = "access-filter"

// accessAtOnce is how many subjects are drawn at first, and how many more each time.
const accessAtOnce = 100

// accessOpenMost is how many subjects may be expanded at once.
const accessOpenMost = 20

// accessVerbs are the columns of the table.
var accessVerbs = []struct {
	name, title string
	verbs       rbac.Verbs
}{
	{"get", "Get", rbac.Get}, {"list", "List", rbac.List}, {"watch", "Watch", rbac.Watch}, {"create", "Create", rbac.Create},
	{"edit", "Edit", rbac.Edit}, {"delete", "Delete", rbac.Remove}, {"exec", "Exec", rbac.Exec}, {"logs", "Logs", rbac.Logs},
}

// accessState is the state of the tab.
type accessState struct {
	received bool
	began    string // text of the filter when the tab was opened
	answer   rbac.Answer
	opened   []string // keys of the subjects that are expanded
	builtin  bool
	shown    int // the most subjects to draw
}

// accessTab shows who may do something to the object, or to the objects of the kind on screen.
type accessTab struct {
	tabBase
	state accessState
}

func (at *accessTab) Open() {
	at.state = accessState{shown: accessAtOnce, began: at.address.Access.Text}
}

func (at *accessTab) Close() { at.state = accessState{} }

func (at *accessTab) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		accessVerb: at.pick, accessOpen: at.toggle,
		accessBuiltin: ui.IgnoreValue(func() { at.state.builtin = !at.state.builtin; at.ask() }),
		accessMore:    ui.IgnoreValue(func() { at.state.shown += accessAtOnce; at.redraw() }),
	}
}

// Options returns what the worker is asked for.
func (at *accessTab) Options() any {
	o := rbac.Options{Text: at.address.Access.Text, Verb: verbsNamed(at.address.Access.Verb), Builtin: at.state.builtin, Open: at.state.opened}
	if at.address.Selected == "" {
		o.Namespaces = at.drawer.listNamespaces()
	}
	return o
}

// ask requests the answer again, with other options.
func (at *accessTab) ask() {
	at.drawer.follow()
	at.redraw()
}

func verbsNamed(name string) rbac.Verbs {
	for _, v := range accessVerbs {
		if v.name == name {
			return v.verbs
		}
	}
	return 0
}

// pick shows only who has a verb, or everybody again.
func (at *accessTab) pick(name string) {
	at.visit(true, func(a *route.Address) {
		if a.Access.Verb == name {
			name = ""
		}
		a.Access.Verb = name
	})
}

// toggle expands a subject, or collapses it.
func (at *accessTab) toggle(key string) {
	opened := slices.DeleteFunc(slices.Clone(at.state.opened), func(other string) bool { return other == key })
	if len(opened) == len(at.state.opened) {
		opened = append(opened, key)
	}
	at.state.opened = opened[max(len(opened)-accessOpenMost, 0):]
	at.ask()
}

func (at *accessTab) Typed(field, value string) bool {
	if field != accessField {
		return false
	}
	at.visitTyped(field, func(a *route.Address) { a.Access.Text = value })
	return true
}

func (at *accessTab) OnDetail(doc []byte) bool {
	var answer rbac.Answer
	if json.Unmarshal(doc, &answer) != nil {
		return false // impossible: the worker is ours
	}
	at.state.answer, at.state.received = answer, true
	return true
}

func (at *accessTab) Draw() app.UI {
	s := &at.state
	switch gaps := at.sidebar.named(s.answer.Gaps); {
	case !s.received:
		return app.P().Class("hint").Attr("role", "status").Text("Loading roles and bindings…")
	case s.answer.Blind:
		return at.drawBlind(gaps)
	default:
		return app.Div().Class("access").Body(at.drawIncomplete(gaps), at.drawBar(), at.drawTable(), at.drawRest(), at.drawNotes())
	}
}

// drawBlind says why nothing is known.
func (at *accessTab) drawBlind(gaps []words.Gap) app.UI {
	title, refused := "Roles and bindings can't be listed", slices.ContainsFunc(gaps, func(g words.Gap) bool { return g.Refused })
	if refused {
		title = "You can't list roles and bindings"
	}
	all := []app.UI{app.Elem("strong").Text(title)}
	for _, g := range gaps {
		all = append(all, app.P().Text(g.Text(len(g.Names))), app.Elem("code").Class("said").Hidden(g.Cause == "").Text(g.Cause))
	}
	if refused {
		all = append(all, app.P().Text("Ask a cluster admin for permission to list and watch them, or to run:"), app.Elem("code").Class("said").Text(at.command()))
	}
	return app.Div().Class("hint").Attr("role", "status").Body(all...)
}

// commandVerbs are the verbs of RBAC that kubectl is asked about, by the name of a column, if they
// differ; and the subresource of pods.
var commandVerbs = map[string][2]string{"edit": {"patch"}, "exec": {"create", "exec"}, "logs": {"get", "log"}}

// command is the kubectl command that asks about one user: about the verb that is picked, else
// whether they may delete.
func (at *accessTab) command() string {
	of, verb := at.drawer.asked, at.address.Access.Verb
	if verbsNamed(verb) == 0 {
		verb = "delete"
	}
	what, subresource := of.Resource, ""
	if c, found := commandVerbs[verb]; found {
		verb, subresource = c[0], c[1]
	}
	if subresource != "" && what != route.Home {
		what = route.Home // those of a workload
	} else if of.Name != "" {
		what += "/" + of.Name
	}
	words := []string{"kubectl", "auth", "can-i", verb, what}
	if subresource != "" {
		words = append(words, "--subresource="+subresource)
	}
	namespace := of.Namespace
	if in := at.drawer.listNamespaces(); of.Name == "" && len(in) > 0 {
		namespace = in[0]
	}
	if namespace != "" {
		words = append(words, "-n", namespace)
	}
	line, err := at.commands.Shell().Line(append(words, "--as", "USER"))
	if err != nil {
		return "kubectl auth can-i " + verb + " " + of.Resource + " --as USER" // the name can't be pasted safely
	}
	return strings.Join(line, " ")
}

// drawIncomplete says which lists are missing.
func (at *accessTab) drawIncomplete(gaps []words.Gap) app.UI {
	all := []app.UI{app.Elem("strong").Text("Incomplete")}
	refused := slices.ContainsFunc(at.state.answer.Gaps, func(g view.Gap) bool {
		return g.State == port.Denied && (g.Resource == rbac.Roles || g.Resource == rbac.ClusterRoles)
	})
	for _, g := range gaps {
		all = append(all, app.Span().Title(g.Text(len(g.Names))+"\n"+g.Cause).Text(g.Text(words.GapsNamed)))
	}
	if n := at.state.answer.Unread; refused && n > 0 {
		all = append(all, app.Span().Text(words.CountOf(n, "binding")+" to roles that you can't read."))
	}
	return app.Elem("section").Class("banner").Attr("role", "status").DataSet("tone", "note").Hidden(len(gaps) == 0).Body(all...)
}

// drawBar draws the filter.
func (at *accessTab) drawBar() app.UI {
	a := &at.state.answer
	found := words.CountOf(len(a.Holders)+a.More+a.Own, "subject")
	switch {
	case a.Filtered > 0:
		found += ", " + words.Count(a.Filtered) + " filtered out"
	case len(a.Holders)+a.Own == 0 && len(a.Gaps) > 0:
		found = "" // there may be some
	}
	verb := at.address.Access.Verb
	if verbsNamed(verb) == 0 {
		verb = "" // an address may have any text there, which filters nothing
	}
	return app.Div().Class("bar").Body(
		app.Span().Class("dim").Attr("role", "status").Text(found),
		app.Button().Class("shape").Hidden(verb == "").DataSet("action", accessVerb).DataSet("value", verb).Attr("aria-label", "All verbs").Text(verb+" ×"),
		app.Input().ID(accessField).Type("search").DataSet("field", accessField).Placeholder("Filter subjects").Attr("aria-label", "Filter subjects").
			Attr("value", at.state.began).Attr("autocomplete", "off").Attr("spellcheck", "false"),
	)
}

// drawTable draws a row for each subject, and below an expanded one the bindings that grant it.
func (at *accessTab) drawTable() app.UI {
	s := &at.state
	head := []app.UI{app.Elem("th").Attr("scope", "col").Text("Subject")}
	for _, v := range accessVerbs {
		if s.answer.Asked&v.verbs != 0 {
			head = append(head, app.Elem("th").Attr("scope", "col").Body(app.Button().DataSet("action", accessVerb).DataSet("value", v.name).
				Attr("aria-pressed", at.address.Access.Verb == v.name).Title("Show only subjects that can "+v.name).Text(v.title)))
		}
	}
	var rows []app.UI
	for _, h := range s.answer.Holders[:min(len(s.answer.Holders), s.shown)] {
		rows = append(rows, at.drawHolder(h, len(head))...)
	}
	if s.answer.Own > 0 {
		rows = append(rows, app.Elem("tr").Class("own").Body(app.Elem("td").Attr("colspan", len(head)).Body(
			app.Button().DataSet("action", accessBuiltin).Attr("aria-expanded", s.builtin).Text(words.CountOf(s.answer.Own, "built-in subject")))))
	}
	for _, h := range s.answer.Builtin {
		rows = append(rows, at.drawHolder(h, len(head))...)
	}
	return app.Div().Class("table").TabIndex(0).Attr("role", "group").Attr("aria-label", "Who can").Hidden(len(rows) == 0).Body(
		app.Elem("table").Body(app.Elem("thead").Body(app.Elem("tr").Body(head...)), app.Elem("tbody").Body(rows...)))
}

// drawHolder draws a subject, with its grants if it is expanded.
func (at *accessTab) drawHolder(h rbac.Holder, columns int) []app.UI {
	key := h.Key()
	open := slices.Contains(at.state.opened, key)
	kind := h.Kind
	switch {
	case h.Everyone() != "":
		kind = yaml.Visible(h.Everyone())
	case h.Namespace != "":
		kind += " in " + yaml.Visible(h.Namespace)
	}
	if h.In != "" && h.All|h.Named == 0 {
		kind += ", only in " + yaml.Visible(h.In)
	}
	cells := []app.UI{app.Elem("th").Attr("scope", "row").Body(app.Button().DataSet("action", accessOpen).DataSet("value", key).Attr("aria-expanded", open).Body(
		app.Span().Class("name").Title(yaml.Visible(h.Name)).Text(yaml.Visible(h.Name)), app.Span().Class("dim").Text(kind)))}
	for _, v := range accessVerbs {
		if at.state.answer.Asked&v.verbs != 0 {
			mark, title := words.AccessMark(h, v.verbs)
			cells = append(cells, app.Elem("td").Title(title).DataSet("verb", v.name).Text(mark))
		}
	}
	rows := []app.UI{app.Elem("tr").DataSet("subject", key).Body(cells...)}
	if open {
		rows = append(rows, app.Elem("tr").Class("grants").Body(app.Elem("td").Attr("colspan", columns).Body(at.drawGrants(h)...)))
	}
	return rows
}

// drawGrants draws through which bindings and roles a subject has its verbs.
func (at *accessTab) drawGrants(h rbac.Holder) (all []app.UI) {
	if h.Kind == rbac.ServiceAccount {
		all = append(all, app.P().Body(at.drawer.Kinds().Link(detail.Ref{Resource: "serviceaccounts", Kind: h.Kind, Namespace: h.Namespace, Name: h.Name}, "ServiceAccount "+yaml.Visible(h.Namespace+"/"+h.Name))))
	}
	for _, g := range h.Grants {
		binding := detail.Ref{Resource: rbac.ClusterRoleBindings, Kind: "ClusterRoleBinding", Name: g.Binding}
		role := detail.Ref{Resource: rbac.ClusterRoles, Kind: "ClusterRole", Name: g.Role}
		if g.In != "" {
			binding.Resource, binding.Kind, binding.Namespace = rbac.RoleBindings, "RoleBinding", g.In
		}
		if !g.ClusterRole {
			role.Resource, role.Kind, role.Namespace = rbac.Roles, "Role", g.In
		}
		verbs := words.Verbs(g.Verbs)
		if g.Named != 0 {
			verbs += " (by name: " + words.Verbs(g.Named) + ")"
		}
		all = append(all, app.P().Body(at.drawer.Kinds().Link(binding, binding.Kind+" "+yaml.Visible(binding.Key())), app.Span().Class("dim").Text(" → "),
			at.drawer.Kinds().Link(role, role.Kind+" "+yaml.Visible(g.Role)), app.Span().Class("dim").Text(": "+verbs)))
	}
	return append(all, app.P().Class("dim").Hidden(h.More == 0).Text("And "+words.CountOf(h.More, "more binding")+"."))
}

// drawRest draws the line below the table: that there are no subjects, or how many are not listed.
func (at *accessTab) drawRest() app.UI {
	s := &at.state
	rest := len(s.answer.Holders) - s.shown
	none := len(s.answer.Holders) == 0 && s.answer.Own == 0
	text := "No subjects found"
	switch {
	case !none:
		text = ""
	case s.answer.Filtered > 0:
		text = "No subjects match"
	case slices.ContainsFunc(at.sidebar.named(s.answer.Gaps), func(g words.Gap) bool { return g.Comes }):
		text = "Loading…"
	case len(s.answer.Gaps) > 0:
		text = "No subjects found in the roles and bindings that you can read"
	}
	return app.Div().Body(
		app.P().Class("hint dim").Hidden(!none).Text(text),
		app.Button().Class("shape").Hidden(rest <= 0).DataSet("action", accessMore).Text("Show more ("+words.Count(max(rest, 0))+" left)"),
		app.P().Class("dim hint").Hidden(s.answer.More == 0).Text("And "+words.CountOf(s.answer.More, "more subject")+". Filter to find one."),
	)
}

// drawNotes says what the table does not know.
func (at *accessTab) drawNotes() app.UI {
	notes := []string{"From RBAC only: webhook, Node and ABAC authorizers are not checked, and the members of groups are not known.", "Members of system:masters can always do everything."}
	switch {
	case at.drawer.asked.Resource == "secrets":
		notes = append(notes, "Get, list and watch all return the values of a Secret.")
	case at.state.answer.Asked&rbac.Exec != 0 && at.drawer.asked.Resource != route.Home:
		notes = append(notes, "Exec and Logs apply to the pods.")
	}
	return app.P().Class("dim notes").Text(strings.Join(notes, " "))
}
