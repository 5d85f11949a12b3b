package query

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestFacets(t *testing.T) {
	for _, c := range []struct {
		do                         func(filter, field, value string) string
		filter, field, value, want string
	}{
		{Include, "", "ns", "a", "ns:a"},
		{Include, "  ", "ns", "a", "ns:a"},
		{Include, "web  ", "ns", "a", "web  ns:a"},
		{Include, "web", "ns", "a", "web ns:a"},
		{Include, "ns:a   web", "ns", "b", "ns:a,b   web"},
		{Include, "NS:a web", "ns", "b", "NS:a,b web"},
		{Include, "namespace = a web", "ns", "b", "namespace = a,b web"},
		{Include, "ns:a web", "ns", "A", "ns:a web"},
		{Include, "!ns:a,b web", "ns", "a", "!ns:b web ns:a"},
		{Include, "ns!=a", "ns", "a", "ns:a"},
		{Include, "ns: x", "ns", "a", "ns:a x"},
		{Include, "ns:team-*", "ns", "a", "ns:team-*,a"},
		{Include, "ns:a,b ns:b,c", "ns", "d", "ns:a,b,d ns:b,c,d"},
		{Include, "web or cart", "ns", "a", "(web or cart) ns:a"},
		{Include, "(web or cart)", "ns", "a", "(web or cart) ns:a"},
		{Include, "(web or cart) or x", "ns", "a", "((web or cart) or x) ns:a"},
		{Include, "ns:a or web", "ns", "b", "(ns:a or web) ns:b"},
		{Include, "(ns:a web)", "ns", "b", "(ns:a web) ns:b"},
		{Include, "(ns:a) web", "ns", "b", "(ns:a,b) web"},
		{Include, "web", "status", "Back off, now", `web status:"Back off, now"`},
		{Include, "web", "node", "", `web node:""`},
		{Include, "web", "label.app", "a*b", `web label.app:"a*b"`},
		{Include, "web (", "ns", "a", "web ("},
		{Exclude, "", "status", "Running", "!status:Running"},
		{Exclude, "!status:Running", "status", "Error", "!status:Running,Error"},
		{Exclude, "status!=Running", "status", "Error", "status!=Running,Error"},
		{Exclude, "status:Running web", "status", "Running", "web !status:Running"},
		{Exclude, "status:Running,Error web", "status", "Running", "status:Error web !status:Running"},
		{Exclude, "!status:", "status", "Running", "!status: !status:Running"},
		{Exclude, "not status:a !status:b", "status", "c", "not status:a,c !status:b"},
		{Exclude, "!status:a", "status", "a", "!status:a"},
		{Exclude, "!status:a !status:b", "status", "b", "!status:a !status:b"},
		{Exclude, "a or b", "ns", "x", "(a or b) !ns:x"},
		{Clear, "ns:a", "ns", "a", ""},
		{Clear, "ns:a,b,c", "ns", "b", "ns:a,c"},
		{Clear, "ns:a,b,c", "ns", "a", "ns:b,c"},
		{Clear, "ns:a,b,c", "ns", "c", "ns:a,b"},
		{Clear, "ns:a,a web", "ns", "a", "web"},
		{Clear, "web ns:a  cart", "ns", "a", "web  cart"},
		{Clear, "web and ns:a and cart", "ns", "a", "web and cart"},
		{Clear, "ns:a and cart", "ns", "a", "cart"},
		{Clear, "web and ns:a", "ns", "a", "web"},
		{Clear, "web && !(ns:a) x", "ns", "a", "web x"},
		{Clear, "(ns:a) x", "ns", "a", "x"},
		{Clear, "ns:a or x", "ns", "a", "ns:a or x"},
		{Clear, `status:"a,b",c`, "status", "a,b", "status:c"},
		{Clear, "ns:/a/,*a*", "ns", "a", "ns:/a/,*a*"},
		{Clear, "ns:a !ns:a", "ns", "a", ""},
		{Clear, "web", "ns", "a", "web"},
		{Include, "web", "image", "nginx", `web image:"nginx"`},
		{Include, "image:nginx", "image", "nginx:1.25", `image:nginx,"nginx:1.25"`},
		{Clear, `image:"nginx",a`, "image", "nginx", "image:a"},
		{Include, "", "{.spec.a['b c']}", "x", "{.spec.a['b c']}:x"},
		{Exclude, "{.spec.a}:x", "{.spec.a}", "x", "!{.spec.a}:x"},
		{Include, "", "annotation.a/b", "X", "annotation.a/b:X"},
		{Clear, "-l app ns:a in", "ns", "a", `-l app "in"`},
	} {
		if got := c.do(c.filter, c.field, c.value); got != c.want {
			t.Errorf("%q with %s:%s is %q, not %q", c.filter, c.field, c.value, got, c.want)
		}
	}
}

func TestFacetState(t *testing.T) {
	f := mustParse(t, `ns:a,"b c",d* !status:x web (ns:z or ns:y) status!=y,/z/ !ns: !(ns:w q) (ns:e)`)
	for field, want := range map[string][2]string{"ns": {"a|b c|e", ""}, "status": {"", "x|y"}, "node": {"", ""}} {
		included, excluded := f.Facet(field)
		if got := [2]string{strings.Join(included, "|"), strings.Join(excluded, "|")}; got != want {
			t.Errorf("%s: %q", field, got)
		}
	}
}

// typed writes a filter as somebody might: with other spaces, brackets that are
// not needed, and other words.
func (a author) typed(f Filter) string {
	var b strings.Builder
	for i, t := range f.terms {
		if i > 0 {
			b.WriteString(pick(a, " ", "  ", " and ", "\t&&\n"))
		}
		one := Filter{terms: []termAt{t}}.String()
		if _, ok := t.node.(either); ok && len(f.terms) > 1 || a.IntN(4) == 0 {
			one = "(" + pick(a, "", " ") + one + pick(a, "", " ") + ")"
		}
		b.WriteString(one)
	}
	return b.String()
}

// TestRandomFacets clicks on values of random filters: the rows are those that
// the rest of the filter leaves, of which the value is what was clicked.
func TestRandomFacets(t *testing.T) {
	all := pods(t)
	for seed := range uint64(1500) {
		a := author{rand.New(rand.NewPCG(seed, 2)), t}
		f := a.filter()
		typed := a.typed(f)
		field := pick(a, "ns", "status", "node", "label.app")
		p := all[a.IntN(len(all))]
		value := map[string]string{"ns": p.namespace, "status": p.cells[2], "node": p.cells[6], "label.app": p.labels["app"]}[field]

		included := Include(typed, field, value)
		excluded := Exclude(included, field, value)
		cleared := Clear(excluded, field, value)
		again := Clear(included, field, value)
		for _, text := range []string{included, excluded, cleared, again} {
			if _, err := Parse(text); err != nil {
				t.Fatalf("seed %d: %q became %q: %v", seed, typed, text, err)
			}
		}
		if got, _ := mustParse(t, included).Facet(field); !hasFold(got, value) {
			t.Fatalf("seed %d: %q does not choose %q", seed, included, value)
		}
		if in, out := mustParse(t, excluded).Facet(field); hasFold(in, value) || !hasFold(out, value) {
			t.Fatalf("seed %d: %q does not leave %q out", seed, excluded, value)
		}
		if in, out := mustParse(t, cleared).Facet(field); hasFold(in, value) || hasFold(out, value) {
			t.Fatalf("seed %d: %q has something to say of %q", seed, cleared, value)
		}
		rest := mustParse(t, typed).restOf(field)
		for _, text := range []string{included, excluded, cleared, again} {
			if got := mustParse(t, text).restOf(field); !reflect.DeepEqual(got, rest) {
				t.Fatalf("seed %d: %q became %q: %v is no more %v", seed, typed, text, got, rest)
			}
		}
		m := mustBind(t, excluded)
		for _, p := range all {
			if m.Match(p, now) && p.is(field, value) {
				t.Fatalf("seed %d: %q leaves %s", seed, excluded, p.id)
			}
		}
	}
}

// TestTerms shows what a filter's terms are, and what is left when one is removed.
func TestTerms(t *testing.T) {
	for _, c := range []struct {
		filter, terms string
		remove        int
		want          string
	}{
		{"", "", 0, ""},
		{"node:n7 status:!Running team-03", "node:n7|status:!Running|team-03", 1, "node:n7 team-03"},
		{"a and !b  and c", "a|!b|c", 0, "!b  and c"},
		{"a and !b  and c", "a|!b|c", 2, "a and !b"},
		{`"back off" /x y/`, `"back off"|/x y/`, 0, "/x y/"},
		{"a or b", "a or b", 0, ""},
		{" a or b ", "a or b", 0, ""},
		{"(a or b) status:Running,Pending", "(a or b)|status:Running,Pending", 1, "(a or b)"},
		{"(a or b) !(c d)", "(a or b)|!(c d)", 0, "!(c d)"},
		{"-l app=web, x y", "-l app=web, x|y", 0, "y"},
		{"-l app a in", "-l app|a|in", 1, `-l app "in"`},
		{"restarts > 5 age<1h", "restarts > 5|age<1h", 0, "age<1h"},
		{"a b", "a|b", 2, "a b"},
		{`a "b`, "", 0, `a "b`}, // invalid
	} {
		if got := strings.Join(Terms(c.filter), "|"); got != c.terms {
			t.Errorf("%q has the terms %s, want %s", c.filter, got, c.terms)
		}
		if got := Remove(c.filter, c.remove); got != c.want {
			t.Errorf("%q without %d: %q, want %q", c.filter, c.remove, got, c.want)
		}
	}
}

// TestRemove removes a term of random filters: the others stay.
func TestRemove(t *testing.T) {
	for seed := range uint64(500) {
		a := author{rand.New(rand.NewPCG(seed, 3)), t}
		f := a.filter()
		typed := a.typed(f)
		f = mustParse(t, typed)
		if f.Empty() {
			continue
		}
		at := a.IntN(len(f.terms))
		want := Filter{terms: slices.Delete(slices.Clone(f.terms), at, at+1)}.String()
		if got := mustParse(t, Remove(typed, at)).String(); got != want {
			t.Fatalf("seed %d: %q without term %d: %q, want %q", seed, typed, at, got, want)
		}
	}
}

func hasFold(all []string, value string) bool {
	return slices.ContainsFunc(all, func(v string) bool { return equalFold(v, value) })
}

// is reports whether a field of the pod is exactly this.
func (p *pod) is(of, text string) bool {
	return ask(field{name: name{text: of}, values: []value{{text: text}}}, p)
}

// restOf is what a filter says that is no choice of a field's values.
func (f Filter) restOf(of string) (rest []node) {
	for _, t := range f.terms {
		if choice, ok := facetOf(t.node); !ok || choice.name.text != of {
			rest = append(rest, unplaced(t.node))
		}
	}
	return rest
}

// TestMatchBut holds that a row counts for a facet if nothing but the facet's own
// terms leaves it out.
func TestMatchBut(t *testing.T) {
	all := pods(t)
	for _, text := range []string{"ns:shop status:Running node:n1", "ns:shop !status:Running web", "!ns:shop !ns:data (a or ns:b)", "ns:shop", "web", "ns:data -l app restarts>0 status:Running"} {
		f := mustParse(t, text)
		m := mustBind(t, text)
		for _, p := range all {
			matches, but := m.MatchBut(p, now)
			if matches != m.Match(p, now) || matches && but != "" {
				t.Errorf("%q on %s: %v but %q", text, p.id, matches, but)
			}
			for _, of := range []string{"ns", "status", "node", "restarts"} {
				rest := !slices.ContainsFunc(f.restOf(of), func(n node) bool { return !ask(n, p) })
				if got := matches || but == of; got != rest {
					t.Errorf("%q on %s: counts for %s: %v", text, p.id, of, got)
				}
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for text, want := range map[string]bool{"": false, "web restarts>3": false, "age>3d": true, "a or !(age<1h b)": true, "age:3d": true, "age:": false, "duration:<none>": false} {
		if got := mustBind(t, text).Ticks(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestKey holds that two values have one key if and only if a term for one matches the other.
func TestKey(t *testing.T) {
	values := []string{"1Gi", "1024Mi", "1073741824", "1.5Gi", "0.5", "500m", "1/1", "2/2", "Web", "web", "WEB-1", "", "?"}
	for _, kind := range []Kind{TextColumn, NumberColumn} {
		for _, a := range values {
			is := value{text: a}.test(kind)
			for _, b := range values {
				if same := Key(a, kind) == Key(b, kind); same != is(b) {
					t.Errorf("kind %v: %q and %q have one key: %t, and a term for the first matches the second: %t", kind, a, b, same, is(b))
				}
			}
		}
	}
}
