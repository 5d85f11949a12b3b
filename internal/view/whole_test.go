package view

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
)

// wholeModel is a view that is changed and asked at random, and all that it should know.
type wholeModel struct {
	t       *testing.T
	r       *rand.Rand
	d       *object.Decoder
	n       int
	shape   Shape
	objects map[string]*object.Object // in the store
	numbers joinedNumbers
	joined  bool
	query   Query
	v       *View
	w       Window
	clock   time.Time
	shown   known // as of the last step that was not paused
}

// known is what a view that is not paused shows.
type known struct {
	objects map[string]*object.Object
	numbers joinedNumbers
	joined  bool
}

// wholeFilters are asked one after the other. Some leave nothing, some excluded by one facet alone, and words grow.
var wholeFilters = []string{
	"", "", "w", "we", "web", "web-1", "reason:nosuch", "status:Lost", "!status:running", "reason:backoff,x7 ns:ns", "owner:set-1", "owner:set-2 !reason:x1",
	"label.app:a1", "label.app:a1 status:running", "sum>4", "sum>2 status:running", "age<1m", "(web-1 or reason:backoff)", "!web-2",
}

// object makes an object with cells, an owner and a label, whose spellings differ.
func (m *wholeModel) object(ns, name string) *object.Object {
	pick := func(all ...string) string { return all[m.r.IntN(len(all))] }
	reason := pick("Backoff", "backoff", "BACKOFF", "Failed", "", fmt.Sprint(pick("X", "x"), m.r.IntN(12)))
	labels, owners := fmt.Sprintf(`"app":%q`, pick("a1", "A1", "b")), fmt.Sprintf(`{"apiVersion":"v1","kind":"Set","name":%q,"uid":"x","controller":true}`, pick("set-1", "set-2"))
	if m.r.IntN(3) == 0 {
		labels = ""
	}
	if m.r.IntN(3) == 0 {
		owners = ""
	}
	m.n++
	o, err := m.d.Decode(fmt.Appendf(nil, `{"cells":[%q,%q,%q,%d,"x"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":%[1]q,"namespace":%[5]q,"uid":"u%[6]d","resourceVersion":"%[6]d","creationTimestamp":%[7]q,"labels":{%[8]s},"ownerReferences":[%[9]s]}}}`,
		name, reason, pick("Running", "running", "Lost"), m.r.IntN(5), ns, m.n, now.Add(-time.Duration(m.r.IntN(120))*time.Second).Format(time.RFC3339), labels, owners))
	if err != nil {
		m.t.Fatal(err)
	}
	return o
}

// change changes some objects in the store. Some are deleted and made again at once.
func (m *wholeModel) change() {
	var changes []Change
	for range 1 + m.r.IntN(8) {
		ns, name := namespaces[m.r.IntN(2)], fmt.Sprint("web-", m.r.IntN(25))
		before, after := m.objects[ns+"/"+name], (*object.Object)(nil)
		if m.r.IntN(3) == 0 {
			if before == nil {
				continue
			}
			delete(m.objects, before.Key())
			changes = append(changes, Change{Before: before})
			if before = nil; m.r.IntN(2) == 0 {
				continue
			}
		}
		after = m.object(ns, name)
		m.objects[after.Key()] = after
		changes = append(changes, Change{before, after})
	}
	m.v.Apply(changes)
}

// ask asks for something else.
func (m *wholeModel) ask() {
	r := m.r
	q := Query{Seq: m.query.Seq + 1, Limit: 1 + r.IntN(12), Offset: r.IntN(10), Wide: r.IntN(2) == 0, Extra: r.IntN(2) == 0, Text: wholeFilters[r.IntN(len(wholeFilters))]}
	q.Paused = r.IntN(6) == 0
	q.Descending = r.IntN(2) == 0
	q.Sort = []string{"", "Reason", "Status", "Sum", "Count", "Age", "Name"}[r.IntN(7)]
	if q.Sum = []string{"", "Count", "Sum"}[r.IntN(3)]; r.IntN(3) == 0 {
		q.Group = []string{"Reason", "Status", NamespaceColumn, OwnerFacet}[r.IntN(4)]
		q.Sort = []string{"", q.Group, ObjectsColumn, "Count"}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		q.Namespaces = []string{namespaces[r.IntN(2)]}
	}
	if r.IntN(3) == 0 { // only one thing changes
		one := m.query
		one.Seq, one.Text = q.Seq, q.Text
		q = one
	}
	m.query = q
	m.v.SetQuery(q)
}

// reshape adds the column of a label, or removes it, and has the reasons soon be too many to be kept.
func (m *wholeModel) reshape() {
	label, err := object.ParseExtra("label.app")
	if err != nil {
		m.t.Fatal(err)
	}
	if n := len(m.shape.Columns); m.shape.Columns[n-1].Name == "label.app" {
		m.shape.Columns = m.shape.Columns[: n-1 : n-1]
	} else {
		m.shape.Columns = append(slices.Clip(m.shape.Columns), label.LabelColumn())
	}
	m.v.SetShape(m.shape)
	m.w = Window{}
	if x := m.v.facets.texts.column(1); m.r.IntN(2) == 0 && m.v.groups.name != "Reason" {
		x.Limit = 4
	}
}

// fresh returns the same view, made of what the model knows.
func (m *wholeModel) fresh() *View {
	v := started(slices.Collect(maps.Values(m.shown.objects)))
	if m.shown.joined {
		v.Join(m.shown.numbers)
	}
	v.SetShape(m.shape)
	q := m.query
	q.Paused = false
	v.SetQuery(q)
	return v
}

// folded are facets as texts that do not depend on which object is counted first.
func folded(facets []Facet) string {
	var all []string
	for _, f := range facets {
		var values []string
		for _, v := range f.Values {
			values = append(values, fmt.Sprintf("%s=%d/%s", strings.ToLower(v.Value), v.Count, v.Sum))
		}
		slices.Sort(values)
		all = append(all, fmt.Sprint(f.Name, values, f.More))
	}
	return strings.Join(all, "\n")
}

func foldedRows(rows []Row, grouped bool) string {
	var all []string
	for _, r := range rows {
		text := fmt.Sprint(r.Key, r.UID, r.Health, r.Cells, r.Instants)
		if grouped {
			text = strings.ToLower(text)
		}
		all = append(all, text)
	}
	if grouped {
		slices.Sort(all)
	}
	return strings.Join(all, "\n")
}

// settle steps until nothing is left to do, as the hub does.
func (m *wholeModel) settle() {
	for steps := 0; steps == 0 || m.v.Dirty(); steps++ {
		if steps > 20 {
			m.t.Fatalf("%+v: it never has nothing to do", m.query)
		}
		if p, ok := m.v.StepAt(m.clock, now); ok {
			m.w = m.w.Apply(p)
		}
		m.clock = m.clock.Add(cmp.Or(m.v.Waits(m.clock), time.Millisecond))
	}
	if !m.query.Paused {
		m.shown = known{maps.Clone(m.objects), maps.Clone(m.numbers), m.joined}
	}
}

// check holds the view against a fresh one.
func (m *wholeModel) check(at string) {
	fresh := m.fresh()
	total, _, want := fresh.Rows(0, 1000, now)
	gotTotal, _, got := m.v.Rows(0, 1000, now)
	grouped := m.query.Group != ""
	if total != gotTotal || foldedRows(got, grouped) != foldedRows(want, grouped) {
		m.t.Fatalf("%s %+v: %d rows\n%s\nwant %d\n%s", at, m.query, gotTotal, foldedRows(got, grouped), total, foldedRows(want, grouped))
	}
	offset := min(m.query.Offset, total)
	if window := got[offset:min(offset+m.query.Limit, total)]; m.w.Total != total || m.w.Of != len(m.shown.objects) || foldedRows(m.w.Rows, false) != foldedRows(window, false) {
		m.t.Fatalf("%s %+v: the window is\n%s\nwant\n%s", at, m.query, foldedRows(m.w.Rows, false), foldedRows(window, false))
	}
	sent, wanted := folded(m.w.Facets), fresh.Facets(now)
	if all := folded(m.v.Facets(now)); all != folded(wanted) || sent != all {
		m.t.Fatalf("%s %+v: facets\n%s\nsent\n%s\nwant\n%s", at, m.query, all, sent, folded(wanted))
	}
	l := m.v.lines()
	if !slices.IsSortedFunc(l.byKey.Objects(0, 1000), byName) || l.rows.Compare != nil && !slices.IsSortedFunc(l.rows.Objects(0, 1000), l.rows.Compare) {
		m.t.Fatalf("%s %+v: not in order", at, m.query)
	}
	if m.v.Dirty() {
		m.t.Fatalf("%s %+v: there is work that nobody is woken for", at, m.query)
	}
}

// TestWholeModel asks a view for everything at random while its objects, derived cells and columns change, and compares
// all it says with a view that is made anew.
func TestWholeModel(t *testing.T) {
	for seed := range uint64(100) {
		d := object.NewDecoder(object.Kind{Version: "v1", Resource: "things", Name: "Thing", Namespaced: true}, false).Share(&codes)
		if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name","type":"string"},{"name":"Reason","type":"string"},{"name":"Status","type":"string"},{"name":"Count","type":"integer"},{"name":"Age","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"}]`)); err != nil {
			t.Fatal(err)
		}
		m := &wholeModel{t: t, r: rand.New(rand.NewPCG(seed, 11)), d: d, objects: map[string]*object.Object{}, numbers: joinedNumbers{}, v: New(), clock: now, query: Query{Limit: 5}}
		m.shape = Shape{Columns: append(slices.Clone(d.Columns()), object.DerivedColumn("Sum", 1, 0).In(object.Number)), Namespaced: true, Kind: "Thing"}
		if seed%2 == 0 {
			m.change()
		}
		m.v.SetShape(m.shape)
		m.v.SetQuery(m.query)
		for step := range 60 {
			switch m.r.IntN(10) {
			case 0, 1, 2:
				m.ask()
			case 3:
				if m.query.Paused {
					break
				}
				if m.joined = !m.joined; m.joined {
					m.v.Join(m.numbers)
				} else {
					m.v.Join(nil)
				}
			case 4:
				if m.query.Paused {
					break
				}
				key := fmt.Sprintf("%s/web-%d", namespaces[m.r.IntN(2)], m.r.IntN(25))
				m.numbers[key] = m.r.IntN(10)
				m.v.Touch(key)
			case 5:
				if m.r.IntN(3) == 0 {
					m.reshape()
				}
			default:
				m.change()
			}
			if m.r.IntN(3) == 0 {
				continue // what happens piles up
			}
			m.settle()
			m.check(fmt.Sprintf("seed %d, step %d", seed, step))
		}
	}
}
