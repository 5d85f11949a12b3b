package list

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// serverTable is what the apiserver prints for a list.
func serverTable(t *testing.T, path string) *metav1.Table {
	t.Helper()
	doc, err := stage.Admin.CoreV1().RESTClient().Get().AbsPath(path).
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
			if n, ok := c.(float64); ok {
				c = strconv.FormatFloat(n, 'f', -1, 64) // as it stands in JSON
			}
			if c == nil {
				c = "" // kubectl prints nothing
			}
			cells[i] = oneLine.Replace(fmt.Sprint(c))
		}
		out[strings.TrimPrefix(meta.Namespace+"/"+meta.Name, "/")] = cells
	}
	return out
}

// oneLine is how a row shows a text of several lines.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// TestColumns compares every cell of every pod with what the apiserver prints.
func TestColumns(t *testing.T) {
	ns := stage.Namespace(t)
	stage.SetStatus(t, stage.Create(t, ns, "fresh"), stage.Running(2))
	e := show(t, "/pods?cols=wide")
	states := make(map[string]int)
	for _, row := range e.printsLike("/api/v1/pods", true).Rows {
		states[row.Cells[3]]++
	}
	if len(states) < 8 {
		t.Errorf("%v are few states: that shows little", states)
	}
}

// printsLike compares every cell, -o wide included, with what the apiserver prints
// for a list. Times go on between the two, so a cell may be what the server printed
// before or after the tab was asked.
func (e eyes) printsLike(path string, namespaced bool) browser.Rows {
	e.T.Helper()
	const tries = 10
	var wrong []string
	for range tries {
		before := serverTable(e.T, path)
		rows := e.Rows()
		after := serverTable(e.T, path)
		checkHead(e.T, rows, before.ColumnDefinitions, namespaced)
		if wrong = differences(rows, printed(e.T, before), printed(e.T, after), namespaced); len(wrong) == 0 {
			e.T.Logf("%d rows of %d columns are the server's", len(rows.Rows), len(rows.Columns))
			return rows
		}
	}
	for _, line := range wrong[:min(10, len(wrong))] {
		e.T.Error(line)
	}
	return browser.Rows{}
}

func checkHead(t *testing.T, rows browser.Rows, columns []metav1.TableColumnDefinition, namespaced bool) {
	t.Helper()
	have, want := []string{}, []string{}
	if namespaced {
		want = append(want, "Namespace 0")
	}
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

func differences(rows browser.Rows, before, after map[string][]string, namespaced bool) (wrong []string) {
	first := 0
	if namespaced {
		first = 1 // the namespace
	}
	if len(rows.Rows) != len(before) {
		wrong = append(wrong, fmt.Sprintf("%d rows, and %d the server's", len(rows.Rows), len(before)))
	}
	for _, row := range rows.Rows {
		b, a := before[row.Key], after[row.Key]
		for i, cell := range row.Cells[first:] {
			if i >= len(b) || i >= len(a) || cell != b[i] && cell != a[i] && !secondAhead(rows.Columns[i+first].Name, cell, a[i]) {
				wrong = append(wrong, fmt.Sprintf("%s: %q is %s\n before: %s\n after: %s", row.Key, rows.Columns[i+first].Name, cell, strings.Join(b, "|"), strings.Join(a, "|")))
			}
		}
	}
	return wrong
}

// secondAhead reports whether a cell is one second older than the server prints it, in
// a column whose times the API may keep to the microsecond. The tab keeps seconds, so
// it is up to a second early there.
func secondAhead(column, cell, printed string) bool {
	if column != "Last Seen" && column != "First Seen" {
		return false
	}
	shown, err := time.ParseDuration(cell)
	server, err2 := time.ParseDuration(printed)
	return err == nil && err2 == nil && shown-server == time.Second
}

// TestScreens sorts a list by keys on a phone and on a wide screen: the column that it is
// sorted by is in sight, and kubectl's wide columns come where there is room.
func TestScreens(t *testing.T) {
	e := show(t, "/pods?q=crashloop")
	inSight := func(column string) {
		t.Helper()
		e.Await(fmt.Sprintf(`(h => h && h.right <= innerWidth && h.left >= 0)(document.querySelector('[role=columnheader][data-column=%q]')?.getBoundingClientRect())`, column))
	}
	has := func(column string, want bool) {
		t.Helper()
		e.Await(fmt.Sprintf(`!!document.querySelector('[role=columnheader][data-column=%q]') === %v`, column, want))
	}
	has("Node", false)
	e.Must(e.Resize(390, 844))
	for key, column := range map[string]string{":sort by rest\r": "Restarts", "R": "Ready", "A": "Age", "O": "Node", "N": "Name"} {
		e.Press(key)
		e.AwaitQuery("sort", column)
		inSight(column)
	}
	e.Press(":sort desc\r")
	e.Await(`/^-/.test(new URLSearchParams(location.search).get("sort"))`)
	e.Must(e.Resize(3840, 2160))
	for _, column := range []string{"Restarts", "IP", "Node"} {
		inSight(column)
	}
	e.Must(e.Resize(1400, 900))
	e.Press("N", "N") // ascending or in no order: by no wide column
	has("IP", false)
}
