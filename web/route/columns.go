package route

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/query"
	"watchglass/internal/view"
)

// Column is a column in the address: a name, a label such as "label.app", or a path.
// view.AllColumns and WideColumns stand for kubectl's columns.
type Column struct {
	Name  string
	Width int // in pixels; 0: automatic
}

// WideColumns stands for the columns of kubectl's -o wide in addresses.
const WideColumns = "wide"

// The minimum and maximum width of a column, in pixels.
const (
	LeastWidth = 40
	MostWidth  = 1600
)

// parseColumns parses the columns of an address: NAME or NAME:WIDTH, separated by commas.
func parseColumns(text string) (all []Column) {
	for _, part := range splitColumns(text) {
		one := Column{Name: part}
		if i := strings.LastIndexByte(part, ':'); i > strings.LastIndexByte(part, '}') {
			if n, err := strconv.Atoi(part[i+1:]); err == nil {
				one = Column{part[:i], min(max(n, LeastWidth), MostWidth)}
			}
		}
		same := func(c Column) bool { return c.Name == one.Name }
		if one.Name != "" && !slices.ContainsFunc(all, same) {
			all = append(all, one)
		}
	}
	return all
}

// canonical normalises the columns of an address; paths are written as in the filter.
func canonical(columns string) string {
	all := parseColumns(columns)
	for i, c := range all {
		if path, err := query.ParsePath(c.Name); err == nil && strings.HasPrefix(c.Name, "{") {
			all[i].Name = path.String()
		}
	}
	return FormatColumns(parseColumns(FormatColumns(all))) // two columns may now be the same
}

// splitColumns splits at commas outside of paths.
func splitColumns(text string) (parts []string) {
	from, open := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			open++
		case '}':
			open = max(open-1, 0)
		case ',':
			if open == 0 {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}

// FormatColumns formats columns for an address: "" for kubectl's columns.
func FormatColumns(all []Column) string {
	if len(all) == 1 && all[0] == (Column{Name: view.AllColumns}) {
		return ""
	}
	parts := make([]string, len(all))
	for i, c := range all {
		if parts[i] = c.Name; c.Width > 0 {
			parts[i] += ":" + strconv.Itoa(c.Width)
		}
	}
	return strings.Join(parts, ",")
}

// Shown returns the columns in the address; none means kubectl's.
func (a Address) Shown() []Column {
	if a.Columns == "" {
		return nil
	}
	return parseColumns(a.Columns)
}

// ColumnNames returns the column names for the worker's query.
func (a Address) ColumnNames() (names []string) {
	shown := a.Shown()
	if len(shown) == 1 && shown[0].Name == WideColumns {
		return nil
	}
	for _, c := range shown {
		if c.Name == WideColumns {
			c.Name = view.AllColumns
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Widths returns the column widths in the address; nil if all are automatic.
func (a Address) Widths() map[string]int {
	var out map[string]int
	for _, c := range a.Shown() {
		if c.Width > 0 {
			if out == nil {
				out = make(map[string]int)
			}
			out[c.Name] = c.Width
		}
	}
	return out
}

// Wide reports whether kubectl's -o wide columns are shown.
func (a Address) Wide() bool {
	return slices.ContainsFunc(a.Shown(), func(c Column) bool { return c.Name == WideColumns })
}
