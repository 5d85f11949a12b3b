package view

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/object"
)

// dated is a view of a Table whose dates are elsewhere: AGE is the creation, Age when it
// started, Last Sync in the status, and Expiry only known from its age.
func dated(t *testing.T) *View {
	t.Helper()
	const path = "Custom resource definition column (in JSONPath format): "
	d := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Resource: "flows", Name: "Flow"}, true).Share(&codes)
	if _, err := d.SetColumns(fmt.Appendf(nil, `[{"name":"Name","format":"name"},{"name":"AGE","type":"date","description":"%s.metadata.creationTimestamp"},{"name":"Last Sync","type":"date","description":"%s.status.refreshTime"},{"name":"Expiry","type":"date","description":"When it ends"}]`, path, path)); err != nil {
		t.Fatal(err)
	}
	var all []*object.Object
	for _, r := range []struct {
		name            string
		created, synced time.Duration // ago
		expiry          string
	}{
		{"old", 50 * time.Hour, 30 * time.Second, `"9h"`}, {"new", 30 * time.Minute, 20 * time.Minute, `"5m"`}, {"idle", 3 * time.Hour, 0, `null`},
	} {
		at := func(ago time.Duration) string { return time.Now().Add(-ago).UTC().Format(time.RFC3339) }
		cell, status := `"1s"`, fmt.Sprintf(`{"refreshTime":%q}`, at(r.synced))
		if r.synced == 0 {
			cell, status = "null", "{}"
		}
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":[%q,"1s",%s,%s],"object":{"kind":"Flow","apiVersion":"example.com/v1","metadata":{"name":%q,"uid":%q,"creationTimestamp":%q},"status":%s}}`, r.name, cell, r.expiry, r.name, r.name, at(r.created), status))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	v := started(all)
	v.SetShape(Shape{Columns: d.Columns()})
	return v
}

// TestTableDates shows that dates of a Table tick, sort and filter, whatever they are
// called, by the instants that are printed.
func TestTableDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := dated(t)
		ask := func(q Query) string {
			v.SetQuery(q)
			_, columns, rows := v.Rows(0, 10, time.Now())
			var out []string
			for _, row := range rows {
				out = append(out, strings.Join(row.Cells[:len(columns)], " "))
			}
			if len(v.problems) > 0 {
				return v.problems[0].Text
			}
			return strings.Join(out, ", ")
		}
		for _, c := range []struct {
			q    Query
			want string
		}{
			{Query{}, "idle 3h  , new 30m 20m ~5m, old 2d2h 30s ~9h"},
			{Query{Sort: "AGE"}, "new 30m 20m ~5m, idle 3h  , old 2d2h 30s ~9h"},
			{Query{Sort: "Last Sync"}, "old 2d2h 30s ~9h, new 30m 20m ~5m, idle 3h  "},
			{Query{Sort: "Last Sync", Descending: true}, "idle 3h  , new 30m 20m ~5m, old 2d2h 30s ~9h"},
			{Query{Sort: "Expiry"}, "new 30m 20m ~5m, old 2d2h 30s ~9h, idle 3h  "},
			{Query{Text: "age<1h"}, "new 30m 20m ~5m"},
			{Query{Text: "age>1d"}, "old 2d2h 30s ~9h"},
			{Query{Text: "last-sync<=1m"}, "old 2d2h 30s ~9h"},
			{Query{Text: "!last-sync:"}, "idle 3h  "},
			{Query{Text: "last-sync:"}, "new 30m 20m ~5m, old 2d2h 30s ~9h"},
			{Query{Text: "expiry>1h"}, "old 2d2h 30s ~9h"},
		} {
			if got := ask(c.q); got != c.want {
				t.Errorf("%+v: %q, want %q", c.q, got, c.want)
			}
		}
		time.Sleep(time.Hour)
		if got, want := ask(Query{Text: "last-sync>1h"}), "new 90m 80m ~65m, old 2d3h 60m ~10h"; got != want {
			t.Errorf("after an hour %q, want %q", got, want)
		}
	})
}

// TestInstants shows that a row has the instants of its ages, in the order of the columns
// that show, but none where only an age is known; and that a row is sent again when an
// instant changes that prints as before.
func TestInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, began := dated(t), time.Now()
		ago := func(d time.Duration) int64 { return began.Add(-d).Unix() }
		for _, c := range []struct {
			columns []string
			want    map[string][]int64
		}{
			{nil, map[string][]int64{
				"old": {ago(50 * time.Hour), ago(30 * time.Second), 0}, "new": {ago(30 * time.Minute), ago(20 * time.Minute), 0}, "idle": {ago(3 * time.Hour), 0, 0},
			}},
			{[]string{"Last Sync", "Name"}, map[string][]int64{"old": {ago(30 * time.Second)}, "new": {ago(20 * time.Minute)}, "idle": {0}}},
			{[]string{"Name"}, map[string][]int64{"old": nil, "new": nil, "idle": nil}},
		} {
			v.SetQuery(Query{Columns: c.columns})
			_, _, rows := v.Rows(0, 10, time.Now())
			got := map[string][]int64{}
			for _, row := range rows {
				got[row.Key] = row.Instants
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q: %v, want %v", c.columns, got, c.want)
			}
		}
	})
	a, b := Row{UID: "u", Cells: []string{"5m"}, Instants: []int64{7}}, Row{UID: "u", Cells: []string{"5m"}, Instants: []int64{8}}
	if a.equal(b) || !a.equal(a) {
		t.Error("another instant makes no other row")
	}
}
