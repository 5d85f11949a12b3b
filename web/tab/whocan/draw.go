package whocan

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/rbac"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/words"
)

// Draw draws the table of subjects, or why there is none.
func (t *Tab) Draw() app.UI {
	s := &t.state
	switch gaps := t.host.Kinds().Gaps(s.answer.Gaps); {
	case !s.received:
		return app.P().Class("hint").Attr("role", "status").Text("Loading roles and bindings…")
	case s.answer.Blind:
		return t.drawBlind(gaps)
	default:
		return app.Div().Class("access").Body(t.drawIncomplete(gaps), t.drawBar(), t.drawTable(), t.drawRest(), t.drawNotes())
	}
}

// drawBlind says why nothing is known.
func (t *Tab) drawBlind(gaps []words.Gap) app.UI {
	title, refused := "Roles and bindings can't be listed", slices.ContainsFunc(gaps, func(g words.Gap) bool { return g.Refused })
	if refused {
		title = "You can't list roles and bindings"
	}
	all := []app.UI{app.Elem("strong").Text(title)}
	for _, g := range gaps {
		all = append(all, app.P().Text(g.Text(len(g.Names))), app.Elem("code").Class("said").Hidden(g.Cause == "").Text(g.Cause))
	}
	if refused {
		all = append(all, app.P().Text("Ask a cluster admin for permission to list and watch them, or to run:"), app.Elem("code").Class("said").Text(t.command()))
	}
	return app.Div().Class("hint").Attr("role", "status").Body(all...)
}

// drawIncomplete says which lists are missing.
func (t *Tab) drawIncomplete(gaps []words.Gap) app.UI {
	all := []app.UI{app.Elem("strong").Text("Incomplete")}
	refused := slices.ContainsFunc(t.state.answer.Gaps, func(g view.Gap) bool {
		return g.State == port.Denied && (g.Resource == rbac.Roles || g.Resource == rbac.ClusterRoles)
	})
	for _, g := range gaps {
		all = append(all, app.Span().Title(g.Text(len(g.Names))+"\n"+g.Cause).Text(g.Text(words.GapsNamed)))
	}
	if n := t.state.answer.Unread; refused && n > 0 {
		all = append(all, app.Span().Text(words.CountOf(n, "binding")+" to roles that you can't read."))
	}
	return app.Elem("section").Class("banner").Attr("role", "status").DataSet("tone", "note").Hidden(len(gaps) == 0).Body(all...)
}

// drawBar draws the filter.
func (t *Tab) drawBar() app.UI {
	a := &t.state.answer
	found := words.CountOf(len(a.Holders)+a.More+a.Own, "subject")
	switch {
	case a.Filtered > 0:
		found += ", " + words.Count(a.Filtered) + " filtered out"
	case len(a.Holders)+a.Own == 0 && len(a.Gaps) > 0:
		found = "" // there may be some
	}
	verb := t.host.Address().Access.Verb
	if verbsNamed(verb) == 0 {
		verb = "" // an address may have any text there, which filters nothing
	}
	return app.Div().Class("bar").Body(
		app.Span().Class("dim").Attr("role", "status").Text(found),
		app.Button().Class("shape").Hidden(verb == "").DataSet("action", PickVerb).DataSet("value", verb).Attr("aria-label", "All verbs").Text(verb+" ×"),
		app.Input().ID(Field).Type("search").DataSet("field", Field).Placeholder("Filter subjects").Attr("aria-label", "Filter subjects").
			Attr("value", t.state.began).Attr("autocomplete", "off").Attr("spellcheck", "false"),
	)
}

// drawTable draws a row for each subject, and below an expanded one the bindings that grant it.
func (t *Tab) drawTable() app.UI {
	s := &t.state
	head := []app.UI{app.Elem("th").Attr("scope", "col").Text("Subject")}
	for _, v := range columns {
		if s.answer.Asked&v.verbs != 0 {
			head = append(head, app.Elem("th").Attr("scope", "col").Body(app.Button().DataSet("action", PickVerb).DataSet("value", v.name).
				Attr("aria-pressed", t.host.Address().Access.Verb == v.name).Title("Show only subjects that can "+v.name).Text(v.title)))
		}
	}
	var rows []app.UI
	for _, h := range s.answer.Holders[:min(len(s.answer.Holders), s.shown)] {
		rows = append(rows, t.drawHolder(h, len(head))...)
	}
	if s.answer.Own > 0 {
		rows = append(rows, app.Elem("tr").Class("own").Body(app.Elem("td").Attr("colspan", len(head)).Body(
			app.Button().DataSet("action", ShowBuiltin).Attr("aria-expanded", s.builtin).Text(words.CountOf(s.answer.Own, "built-in subject")))))
	}
	for _, h := range s.answer.Builtin {
		rows = append(rows, t.drawHolder(h, len(head))...)
	}
	return app.Div().Class("table").TabIndex(0).Attr("role", "group").Attr("aria-label", "Who can").Hidden(len(rows) == 0).Body(
		app.Elem("table").Body(app.Elem("thead").Body(app.Elem("tr").Body(head...)), app.Elem("tbody").Body(rows...)))
}

// drawHolder draws a subject, with its grants if it is expanded.
func (t *Tab) drawHolder(h rbac.Holder, width int) []app.UI {
	key := h.Key()
	open := slices.Contains(t.state.opened, key)
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
	cells := []app.UI{app.Elem("th").Attr("scope", "row").Body(app.Button().DataSet("action", Expand).DataSet("value", key).Attr("aria-expanded", open).Body(
		app.Span().Class("name").Title(yaml.Visible(h.Name)).Text(yaml.Visible(h.Name)), app.Span().Class("dim").Text(kind)))}
	for _, v := range columns {
		if t.state.answer.Asked&v.verbs != 0 {
			mark, title := words.AccessMark(h, v.verbs)
			cells = append(cells, app.Elem("td").Title(title).DataSet("verb", v.name).Text(mark))
		}
	}
	rows := []app.UI{app.Elem("tr").DataSet("subject", key).Body(cells...)}
	if open {
		rows = append(rows, app.Elem("tr").Class("grants").Body(app.Elem("td").Attr("colspan", width).Body(t.drawGrants(h)...)))
	}
	return rows
}

// drawGrants draws through which bindings and roles a subject has its verbs.
func (t *Tab) drawGrants(h rbac.Holder) (all []app.UI) {
	if h.Kind == rbac.ServiceAccount {
		all = append(all, app.P().Body(t.host.Kinds().Link(detail.Ref{Resource: "serviceaccounts", Kind: h.Kind, Namespace: h.Namespace, Name: h.Name}, "ServiceAccount "+yaml.Visible(h.Namespace+"/"+h.Name))))
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
		all = append(all, app.P().Body(t.host.Kinds().Link(binding, binding.Kind+" "+yaml.Visible(binding.Key())), app.Span().Class("dim").Text(" → "),
			t.host.Kinds().Link(role, role.Kind+" "+yaml.Visible(g.Role)), app.Span().Class("dim").Text(": "+verbs)))
	}
	return append(all, app.P().Class("dim").Hidden(h.More == 0).Text("And "+words.CountOf(h.More, "more binding")+"."))
}

// drawRest draws the line below the table: that there are no subjects, or how many are not listed.
func (t *Tab) drawRest() app.UI {
	s := &t.state
	rest := len(s.answer.Holders) - s.shown
	none := len(s.answer.Holders) == 0 && s.answer.Own == 0
	text := "No subjects found"
	switch {
	case !none:
		text = ""
	case s.answer.Filtered > 0:
		text = "No subjects match"
	case slices.ContainsFunc(t.host.Kinds().Gaps(s.answer.Gaps), func(g words.Gap) bool { return g.Comes }):
		text = "Loading…"
	case len(s.answer.Gaps) > 0:
		text = "No subjects found in the roles and bindings that you can read"
	}
	return app.Div().Body(
		app.P().Class("hint dim").Hidden(!none).Text(text),
		app.Button().Class("shape").Hidden(rest <= 0).DataSet("action", showMore).Text("Show more ("+words.Count(max(rest, 0))+" left)"),
		app.P().Class("dim hint").Hidden(s.answer.More == 0).Text("And "+words.CountOf(s.answer.More, "more subject")+". Filter to find one."),
	)
}

// drawNotes says what the table does not know.
func (t *Tab) drawNotes() app.UI {
	notes := []string{"From RBAC only: webhook, Node and ABAC authorizers are not checked, and the members of groups are not known.", "Members of system:masters can always do everything."}
	switch {
	case t.host.Subject().Resource == "secrets":
		notes = append(notes, "Get, list and watch all return the values of a Secret.")
	case t.state.answer.Asked&rbac.Exec != 0 && t.host.Subject().Resource != route.Home:
		notes = append(notes, "Exec and Logs apply to the pods.")
	}
	return app.P().Class("dim notes").Text(strings.Join(notes, " "))
}
