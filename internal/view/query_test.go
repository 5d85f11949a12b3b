package view

import (
	"slices"
	"testing"
)

// TestQueryNames finds the columns that a query is about, as the filter means it.
func TestQueryNames(t *testing.T) {
	columns := []string{"CPU", "CPU/Request"}
	for _, c := range []struct {
		q    Query
		want bool
	}{
		{Query{Text: "cpu>1"}, true},
		{Query{Text: "web (cpu>1 | cpu<2)"}, true},
		{Query{Text: "web cpu"}, false},
		{Query{Text: "cpu>1 memory:("}, true},
		{Query{Text: "label.cpu=x"}, false},
		{Query{Text: `images:"cpu:1"`}, false},
		{Query{Text: "my-cpu=1"}, false},
		{Query{Sort: "CPU"}, true},
		{Query{Sum: "CPU"}, true},
		{Query{Columns: []string{"CPU/Request"}}, true},
		{Query{Columns: []string{"Name"}}, false},
	} {
		if got := slices.ContainsFunc(columns, c.q.Names); got != c.want {
			t.Errorf("%+v: %v", c.q, got)
		}
	}
}
