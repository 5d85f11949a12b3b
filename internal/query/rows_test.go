package query

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// now is when the rows of testdata are as old as they say.
var now = time.Unix(1_795_000_000, 0)

//go:embed testdata/pods.txt
var podsText string

// pod is a Row as a table of testdata has it.
type pod struct {
	id, namespace, name string
	cells               []string // in the order of podSchema
	spans               map[int][2]int64
	labels              set
	lists               [2][]string
	text                string
}

func (p *pod) Namespace() string                     { return p.namespace }
func (p *pod) Name() string                          { return p.name }
func (p *pod) Text() string                          { return p.text }
func (p *pod) Lookup(key string) (string, bool)      { return p.labels.Lookup(key) }
func (p *pod) Cell(i int) string                     { return p.cells[i] }
func (p *pod) Span(i int) (int64, int64)             { s := p.spans[i]; return s[0], s[1] }
func (p *pod) Any(l List, is func(string) bool) bool { return slices.ContainsFunc(p.lists[l], is) }
func (p *pod) Code(i int) uint16 {
	if i == NamespaceCode {
		return codeOf(p.namespace)
	}
	return codeOf(p.cells[i])
}
func (p *pod) ImagesAndOwners() string { return fmt.Sprintf("%q", p.lists) }

var codes = map[string]uint16{}

// codeOf numbers texts, but for some.
func codeOf(text string) uint16 {
	if len(text)%3 == 0 {
		return 0
	}
	if codes[text] == 0 {
		codes[text] = uint16(len(codes) + 1)
	}
	return codes[text]
}

var podSchema = Schema{Namespaced: true, Images: true, Columns: []Column{
	{Name: "Name"},
	{Name: "Ready", Kind: NumberColumn},
	{Name: "Status"},
	{Name: "Restarts", Kind: NumberColumn},
	{Name: "Age", Kind: DurationColumn},
	{Name: "IP"},
	{Name: "Node"},
	{Name: "Nominated Node"},
	{Name: "CPU(cores)", Kind: NumberColumn},
	{Name: "Memory(bytes)", Kind: NumberColumn},
	{Name: "Duration", Kind: DurationColumn},
}}

const ageColumn, durationColumn = 4, 10

// finish lays the text out.
func (p *pod) finish() *pod {
	p.text = p.namespace + "/" + p.name + "\x1f" + strings.Join(p.cells[1:], "\x1f")
	return p
}

var lapse = regexp.MustCompile(`(\d+)([smhdy])`)

// secondsOf reads what the table says of a time.
func secondsOf(text string) (n int64) {
	for _, part := range lapse.FindAllStringSubmatch(text, -1) {
		of, _ := strconv.ParseInt(part[1], 10, 64)
		n += of * map[string]int64{"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 31536000}[part[2]]
	}
	return n
}

// pods are the rows of testdata.
func pods(t testing.TB) (all []*pod) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(podsText), "\n")
	for _, line := range lines[1:] {
		c := strings.Split(line, "|")
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		p := &pod{id: c[0], namespace: c[1], name: c[2], labels: set{}, spans: map[int][2]int64{}}
		p.cells = []string{c[2], c[3], c[4], c[5], "", c[8], c[9], c[10], c[11], c[12], ""}
		p.spans[ageColumn] = [2]int64{now.Unix() - secondsOf(c[7]), 0}
		if c[13] == "-" {
			p.cells[durationColumn] = "<none>"
		} else {
			start := now.Unix() - secondsOf(c[7])
			p.spans[durationColumn] = [2]int64{start, start + secondsOf(c[13])}
		}
		for pair := range strings.SplitSeq(c[14], ",") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				p.labels[key] = value
			}
		}
		if c[15] != "<none>" {
			p.lists[Owners] = []string{c[15]}
		}
		p.lists[Images] = strings.Fields(c[16])
		all = append(all, p.finish())
	}
	if len(all) != 40 {
		t.Fatal(len(all))
	}
	return all
}

// podValues are the values of the pods, counted.
func podValues(all []*pod) Values {
	return func(field, prefix string) []ValueCount {
		counts := map[string]int{}
		for _, p := range all {
			switch {
			case field == "label":
				for key := range p.labels {
					counts[key]++
				}
			case field == "ns":
				counts[p.namespace]++
			case field == "owner", field == "image":
				for _, v := range p.lists[map[string]List{"owner": Owners, "image": Images}[field]] {
					counts[v]++
				}
			default:
				if key, ok := strings.CutPrefix(field, "label."); ok {
					if v, ok := p.labels[key]; ok {
						counts[v]++
					}
				}
				for i, c := range podSchema.Columns {
					if FieldName(c.Name) == field {
						counts[p.cells[i]]++
					}
				}
			}
		}
		var out []ValueCount
		for _, v := range slices.Sorted(maps.Keys(counts)) {
			if Begins(field, v, prefix) {
				out = append(out, ValueCount{v, counts[v]})
			}
		}
		return out
	}
}

func mustParse(t testing.TB, text string) Filter {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return f
}

func mustBind(t testing.TB, text string) *Matcher {
	t.Helper()
	m, err := Bind(mustParse(t, text), podSchema)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

// ids are the rows that match.
func ids(m *Matcher, all []*pod) string {
	var out []string
	for _, p := range all {
		if m.Match(p, now) {
			out = append(out, p.id)
		}
	}
	if len(out) == len(all) {
		return "all"
	}
	return strings.Join(out, " ")
}

//go:embed testdata/filters.txt
var filtersText string

// filters are the filters of testdata, and the rows that each has to leave.
func filters(t testing.TB) (all [][2]string) {
	t.Helper()
	for line := range strings.Lines(filtersText) {
		filter, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ⇒ ")
		if ok {
			all = append(all, [2]string{filter, want})
		}
	}
	if len(all) < 200 {
		t.Fatal(len(all))
	}
	return all
}

func TestFilters(t *testing.T) {
	all := pods(t)
	for _, f := range filters(t) {
		parsed, err := Parse(f[0])
		if err != nil {
			t.Errorf("%q: %v", f[0], err)
			continue
		}
		m, err := Bind(parsed, podSchema)
		if err != nil {
			t.Errorf("%q: %v", f[0], err)
			continue
		}
		if got := ids(m, all); got != f[1] {
			t.Errorf("%q leaves %s, not %s", f[0], got, f[1])
		}
		again, err := Parse(parsed.String())
		if err != nil || fmt.Sprint(plainly(again)) != fmt.Sprint(plainly(parsed)) {
			t.Errorf("%q is %q, which is another: %v", f[0], parsed.String(), err)
		}
	}
}
