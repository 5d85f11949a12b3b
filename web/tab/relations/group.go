package relations

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/words"
)

// fold gathers like objects in groups, of which those that the address names are open.
func (t *Tab) fold(r *state) {
	open := strings.Split(t.Host.Address().Expanded, ",")
	r.graph = related.Fold(r.Graph, func(name string) bool { return slices.Contains(open, name) })
	r.rows, r.laid = related.Tree(r.graph), false
}

// expand opens or closes a group. The focus stays on its head.
func (t *Tab) expand(name string) {
	if t.shown == nil || len(t.shown.Nodes) == 0 {
		return
	}
	for _, it := range t.shown.shown.Items {
		if it.Action == string(Expand) && it.Value == name && (it.Reached || itemNode(t.shown.at) != itemNode(it.Key)) {
			t.change(func(r *state) { r.at = it.Key })
		}
	}
	t.Host.Navigate(false, func(a *route.Address) { a.Expanded = withOrWithout(a.Expanded, name) })
	t.change(func(r *state) { t.fold(r) })
	t.paint()
}

// withOrWithout returns a list of names with or without one of them.
func withOrWithout(list, name string) string {
	all := slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
	if i := slices.Index(all, name); i >= 0 {
		all = slices.Delete(all, i, i+1)
	} else {
		all = append(all, name)
	}
	return strings.Join(all, ",")
}

// The numbers of states of a group that are shown: on its head, and in the head's title.
const (
	statesShown  = 3
	statesTitled = 12
)

// headItem returns the head of a group as an item.
func (t *Tab) headItem(n related.Node) grid.Item {
	g, to := n.Group, t.Host.Address()
	to.Expanded = withOrWithout(to.Expanded, g.Name)
	it := grid.Item{
		Kind: words.Count(g.Count) + " " + words.PluralOf(n), Look: "gathered", Expanded: strconv.FormatBool(g.Open),
		Href: t.Host.Href(to), Action: string(Expand), Value: g.Name,
		States: []grid.State{}, Count: g.Hidden, Broken: g.HiddenBroken,
	}
	var lines []string
	rest := 0
	for i, s := range g.States {
		if s.State == "" {
			continue
		}
		text := words.Count(s.Count) + " " + s.State
		if i < statesTitled {
			lines = append(lines, text)
		}
		if len(it.States) < statesShown {
			it.States = append(it.States, grid.State{Text: text, Tone: s.Tone})
		} else {
			rest += s.Count
		}
	}
	if rest > 0 {
		it.States = append(it.States, grid.State{Text: words.Count(rest) + " other"})
	}
	if len(it.States) == 0 { // the kind has no state: the names say more
		it.Name = g.First + " … " + g.Last
	}
	it.Title = strings.Join(append([]string{it.Kind}, lines...), "\n")
	it.Aside = strings.TrimSuffix(", "+strings.Join(lines, ", "), ", ")
	return it
}

// abbreviate leaves out the words of all states but the first, the worst, if they have more than so
// many characters: the others have their glyphs. The title has the words.
func abbreviate(states []grid.State, most int) []grid.State {
	length := 0
	for _, s := range states {
		length += utf8.RuneCountInString(s.Text) + 2
	}
	if length <= most {
		return states
	}
	out := slices.Clone(states)
	for i := 1; i < len(out); i++ {
		out[i].Text, _, _ = strings.Cut(out[i].Text, " ")
	}
	return out
}
