package query

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainly is a filter's terms without their places.
func plainly(f Filter) []node {
	var out []node
	for _, t := range f.terms {
		out = append(out, unplaced(t.node))
	}
	return out
}

func unplaced(n node) node {
	switch n := n.(type) {
	case both:
		n = slices.Clone(n)
		for i := range n {
			n[i] = unplaced(n[i])
		}
		return n
	case either:
		n = slices.Clone(n)
		for i := range n {
			n[i] = unplaced(n[i])
		}
		return n
	case not:
		return not{unplaced(n.node)}
	case field:
		n.name.at, n.end = span{}, 0
		n.values = slices.Clone(n.values)
		for i := range n.values {
			n.values[i].at = span{}
		}
		return n
	case comparison:
		n.name.at, n.at = span{}, span{}
		return n
	}
	return n
}

// author writes random filters, and knows for each what it asks: ask is written
// anew, from the language's description.
type author struct {
	*rand.Rand
	t testing.TB
}

func pick[T any](a author, of ...T) T { return of[a.IntN(len(of))] }

func (a author) filter() Filter {
	if a.IntN(10) == 0 {
		return Filter{terms: []termAt{{node: a.group(2, true)}}}
	}
	var f Filter
	for range a.IntN(4) {
		f.terms = append(f.terms, termAt{node: a.node(3)})
	}
	return f
}

func (a author) node(depth int) node {
	if depth == 0 || a.IntN(2) == 0 {
		return a.term()
	}
	if a.IntN(3) == 0 {
		n := a.node(depth - 1)
		if other, ok := n.(not); ok {
			return other.node
		}
		return not{n}
	}
	return a.group(depth, a.IntN(2) == 0)
}

func (a author) group(depth int, any bool) node {
	var all []node
	for range 2 + a.IntN(2) {
		all = append(all, a.node(depth-1))
	}
	if any {
		return either(all)
	}
	return both(all)
}

var randomWords = strings.Fields(`web n1 run 0/1 10.0 - <none> and or not && || in notin "a a"b \ \" /x ( ) () a) (b !x -l -f x:y = > >5 <= age ns label.x kube Ω * a,b !`)

func (a author) word() string {
	if a.IntN(4) == 0 {
		return pick(a, randomWords...) + pick(a, " ", "\t", "", "\x1f") + pick(a, randomWords...)
	}
	return pick(a, randomWords...)
}

func (a author) term() node {
	switch a.IntN(7) {
	case 0, 1:
		return text{a.word()}
	case 2:
		return pattern{pick(a, "^web", "n1$", `a\/b|x`, "crash|err", "x{2}", "[0-9]+", "k.*e", `(?-i)R`, "^$", `\s1`)}
	case 3:
		source := pick(a, "app=web", "app in (web, cart)", "!app", "tier,app!=web", "app", "size>8")
		s, err := ParseSelector(source)
		if err != nil {
			a.t.Fatal(err)
		}
		return selected{source, s}
	case 4:
		return fuzzy{pick(a, "web", "sw", "kx", "and", "a b", `"`, "(", "K1")}
	case 5:
		n := pick(a, "restarts", "ready", "cpu", "age", "duration", "label.size")
		amount := pick(a, "0", "1", "500m", "50%", "1/2", "1Gi")
		if n == "age" || n == "duration" {
			amount = pick(a, "3d", "1h30m", "0", "2m", "1y")
		}
		return comparison{name: name{text: n}, than: pick(a, "<", "<=", ">", ">="), amount: amount}
	}
	f := field{name: name{text: pick(a, "ns", "node", "status", "name", "owner", "image", "label.app", "restarts", "age", "ip", "label.app.kubernetes.io/name")}}
	for range a.IntN(3) {
		v := value{text: a.value(f.name.text)}
		if f.name.text != "age" {
			v.kind = pick(a, literal, literal, glob, expression)
		}
		switch v.kind {
		case glob:
			v.text = pick(a, "*", "*e*", "web*", "*-0", "k*1", "**")
		case expression:
			v.text = pick(a, "^web", "n1$", "e", "[ab]$", `x\/y`)
		}
		if f.name.list() && v.kind == literal && (!plainValue(v.text) || a.IntN(2) == 0) {
			v.kind = whole // since it has to be written in quotes
		}
		f.values = append(f.values, v)
	}
	return f
}

func (a author) value(field string) string {
	switch field {
	case "age":
		return pick(a, "3d", "10d", "200d", "1h", "<none>")
	case "ns":
		return pick(a, "shop", "data", "SHOP", "kube-system")
	case "restarts":
		return pick(a, "0", "1", "x")
	}
	return pick(a, "n1", "Running", "running", "web", "postgres-0", "web-5d9c7b", "nginx", "postgres:16", "", "a b", `q"`, "a,b", "/x", "*", "(", "Init:0/1")
}

var expressions = map[string]*regexp.Regexp{}

func compiled(source string) *regexp.Regexp {
	if expressions[source] == nil {
		expressions[source] = regexp.MustCompile(source)
	}
	return expressions[source]
}

// ask is what a filter means, told the slow way.
func ask(n node, p *pod) bool {
	switch n := n.(type) {
	case both:
		return !slices.ContainsFunc(n, func(n node) bool { return !ask(n, p) })
	case either:
		return slices.ContainsFunc(n, func(n node) bool { return ask(n, p) })
	case not:
		return !ask(n.node, p)
	case text:
		return strings.Contains(strings.ToLower(p.text), strings.ToLower(n.word))
	case pattern:
		return askPattern(n.source, p)
	case selected:
		return n.selector.Matches(p.labels)
	case fuzzy:
		var letters []string
		for _, c := range strings.ToLower(n.word) {
			letters = append(letters, regexp.QuoteMeta(string(c)))
		}
		return compiled(strings.Join(letters, ".*")).MatchString(p.namespace + "/" + p.name)
	case comparison:
		return askComparison(n, p)
	case field:
		return askField(n, p)
	}
	panic(n)
}

// askPattern has each cell on a line of its own, and the name on one too.
func askPattern(source string, p *pod) bool {
	in := func(text string) bool { return compiled("(?im)" + source).MatchString(text) }
	return in(strings.ReplaceAll(p.text, "\x1f", "\n")) || in(strings.ReplaceAll(strings.TrimPrefix(p.text, p.namespace+"/"), "\x1f", "\n")) || in(strings.ReplaceAll(p.text, "\x1f", "~")) && !strings.ContainsAny(source, "^$")
}

func askComparison(n comparison, p *pod) bool {
	var is, than float64
	var ok bool
	switch n.name.text {
	case "age":
		is, ok, than = float64(now.Unix()-p.spans[ageColumn][0]), true, float64(secondsOf(n.amount))
	case "duration":
		s, has := p.spans[durationColumn]
		is, ok, than = float64(s[1]-s[0]), has, float64(secondsOf(n.amount))
	default:
		than = map[string]float64{"0": 0, "1": 1, "500m": .5, "50%": .5, "1/2": .5, "1Gi": 1 << 30}[n.amount]
		of := p.labels["size"]
		for i, c := range podSchema.Columns {
			if FieldName(c.Name) == n.name.text {
				of = p.cells[i]
			}
		}
		a, b, _ := strings.Cut(of, "/")
		milli := strings.HasSuffix(a, "m")
		var err error
		is, err = strconv.ParseFloat(strings.TrimSuffix(a, "m"), 64)
		if milli {
			is /= 1000
		}
		if by, err := strconv.ParseFloat(b, 64); err == nil {
			is /= by
		}
		ok = err == nil
	}
	return ok && map[string]bool{"<": is < than, "<=": is <= than, ">": is > than, ">=": is >= than}[n.than]
}

func askField(n field, p *pod) bool {
	if n.name.text == "age" {
		age := now.Unix() - p.spans[ageColumn][0]
		unit := map[byte]int64{'d': 86400, 'h': 3600}
		return n.values == nil || slices.ContainsFunc(n.values, func(v value) bool {
			u := unit[v.text[len(v.text)-1]]
			return u > 0 && age/u*u == secondsOf(v.text)
		})
	}
	var has, full []string
	switch key, isLabel := strings.CutPrefix(n.name.text, "label."); {
	case isLabel:
		if v, ok := p.labels[key]; ok {
			has = []string{v}
		}
		if n.values == nil {
			return len(has) > 0
		}
		if len(has) == 0 || has[0] == "" {
			has = append(has, "<none>")
			n.values = slices.DeleteFunc(slices.Clone(n.values), func(v value) bool { return v.kind != literal })
		}
	case n.name.text == "ns":
		has = []string{p.namespace}
	case n.name.text == "owner":
		full = p.lists[Owners]
		for _, o := range p.lists[Owners] {
			has = append(has, o, o[strings.Index(o, "/")+1:])
		}
	case n.name.text == "image":
		full = p.lists[Images]
		for _, i := range p.lists[Images] {
			has = append(has, askImage(i)...)
		}
	default:
		i := slices.IndexFunc(podSchema.Columns, func(c Column) bool { return FieldName(c.Name) == n.name.text })
		has = []string{p.cells[i]}
	}
	if n.values == nil {
		return slices.ContainsFunc(has, func(v string) bool { return v != "" && v != "<none>" })
	}
	return slices.ContainsFunc(has, func(h string) bool {
		return slices.ContainsFunc(n.values, func(v value) bool {
			switch v.kind {
			case whole:
				return slices.ContainsFunc(full, func(f string) bool { return strings.EqualFold(v.text, f) })
			case glob:
				return compiled("(?i)^" + strings.ReplaceAll(v.text, "*", ".*") + "$").MatchString(h)
			case expression:
				return compiled("(?i)" + v.text).MatchString(h)
			}
			return strings.EqualFold(v.text, h)
		})
	})
}

// askImage are all names of an image.
func askImage(image string) (names []string) {
	parts := strings.Split(image, "/")
	for i := range parts {
		whole := strings.Join(parts[i:], "/")
		names = append(names, whole, compiled(`@[^/]*$`).ReplaceAllString(whole, ""), compiled(`[:@][^/]*$`).ReplaceAllString(whole, ""))
	}
	return names
}

func TestRandomFilters(t *testing.T) {
	all := pods(t)
	some := 0
	for seed := range uint64(3000) {
		a := author{rand.New(rand.NewPCG(seed, 1)), t}
		f := a.filter()
		parsed, err := Parse(f.String())
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, f.String(), err)
		}
		if got, want := plainly(parsed), plainly(f); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %q is read as %#v, and was %#v", seed, f.String(), got, want)
		}
		m, err := Bind(parsed, podSchema)
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, f.String(), err)
		}
		matched := 0
		for _, p := range all {
			want := !slices.ContainsFunc(f.terms, func(n termAt) bool { return !ask(n.node, p) })
			if got := m.Match(p, now); got != want {
				t.Fatalf("seed %d: %q on %s: %v", seed, f.String(), p.id, got)
			}
			if want {
				matched++
			}
		}
		if matched > 0 && matched < len(all) {
			some++
		}
	}
	if some < 500 {
		t.Errorf("only %d filters tell rows apart", some)
	}
}
