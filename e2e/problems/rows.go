// Package problems tests that the list of problems shows what is wrong in a cluster with real
// controllers, and nothing else.
package problems

import (
	"watchglass/e2e/browser"
	"watchglass/internal/hub/problems/recorded"
)

// Rows returns the rows of a list of problems by their UIDs, such as "pods/shop/web-1/NotReady".
func Rows(rows browser.Rows) map[string]recorded.Row {
	columns := make([]string, len(rows.Columns))
	for i, c := range rows.Columns {
		columns[i] = c.Name
	}
	all := make(map[string]recorded.Row)
	for _, r := range rows.Rows {
		all[r.UID] = recorded.ReadRow(columns, r.Cells)
	}
	return all
}
