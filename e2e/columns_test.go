package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

// serverTable is what the apiserver prints for all pods.
func serverTable(t *testing.T) *metav1.Table {
	t.Helper()
	doc, err := admin.CoreV1().RESTClient().Get().AbsPath("/api/v1/pods").
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	table := new(metav1.Table)
	if err := json.Unmarshal(doc, table); err != nil {
		t.Fatal(err)
	}
	return table
}

// printed is the cells of a Table by the key of their row.
func printed(t *testing.T, table *metav1.Table) map[string][]string {
	t.Helper()
	out := make(map[string][]string, len(table.Rows))
	for _, row := range table.Rows {
		var meta metav1.PartialObjectMetadata
		if err := json.Unmarshal(row.Object.Raw, &meta); err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = fmt.Sprint(c)
		}
		out[meta.Namespace+"/"+meta.Name] = cells
	}
	return out
}

// TestColumns compares every cell of every pod, -o wide included, with what the
// apiserver prints for it. Ages go on between the two, so a cell may be what the
// server printed before or after the tab was asked.
func TestColumns(t *testing.T) {
	ns := namespace(t)
	setStatus(t, create(t, ns, "fresh"), running(2))
	e := synced(t, serve(t, proxy.Options{}).At("/pods?cols=wide"))
	const tries = 10
	var wrong []string
	for range tries {
		before := serverTable(t)
		rows := e.rows()
		after := serverTable(t)
		checkHead(t, rows, before.ColumnDefinitions)
		if wrong = differences(rows, printed(t, before), printed(t, after)); len(wrong) == 0 {
			states := make(map[string]int)
			for _, row := range rows.Rows {
				states[row.Cells[3]]++
			}
			t.Logf("%d rows of %d columns are the server's; their states: %v", len(rows.Rows), len(rows.Columns), states)
			if len(states) < 8 {
				t.Errorf("%d states: that shows little", len(states))
			}
			return
		}
	}
	for _, line := range wrong[:min(10, len(wrong))] {
		t.Error(line)
	}
}

func checkHead(t *testing.T, rows browser.Rows, columns []metav1.TableColumnDefinition) {
	t.Helper()
	have, want := []string{}, []string{"Namespace 0"}
	for _, c := range rows.Columns {
		have = append(have, fmt.Sprint(c.Name, " ", c.Priority))
	}
	for _, c := range columns {
		want = append(want, fmt.Sprint(c.Name, " ", c.Priority))
	}
	if !slices.Equal(have, want) {
		t.Fatalf("the columns are %q, and the server's %q", have, want)
	}
}

func differences(rows browser.Rows, before, after map[string][]string) (wrong []string) {
	if len(rows.Rows) != len(before) {
		wrong = append(wrong, fmt.Sprintf("%d rows, and %d the server's", len(rows.Rows), len(before)))
	}
	for _, row := range rows.Rows {
		b, a := before[row.Key], after[row.Key]
		for i, cell := range row.Cells[1:] { // the first is the namespace
			if i >= len(b) || i >= len(a) || cell != b[i] && cell != a[i] {
				wrong = append(wrong, fmt.Sprintf("%s: %q is %s\n before: %s\n after: %s", row.Key, rows.Columns[i+1].Name, cell, strings.Join(b, "|"), strings.Join(a, "|")))
			}
		}
	}
	return wrong
}
