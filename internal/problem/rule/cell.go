package rule

import (
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// ByCells returns what the cells of an object say.
func ByCells(kind *object.Kind, id string, columns []object.Column, o *object.Object) []Cause {
	c, ok := cellCause(kind, id, columns, o)
	if !ok {
		return nil
	}
	s := subject{kind: *kind, created: o.Created(), rule: &rule{severity: tone.Warning}}
	s.raise(c)
	return s.causes
}

// cellCause returns the cause that an object's most significant cell shows.
func cellCause(k *object.Kind, id string, columns []object.Column, o *object.Object) (c Cause, ok bool) {
	if id != kinds.Pods {
		if have, want, counted := facts.Readiness(columns, o); counted {
			words := text.Decimal(have) + " of " + text.Decimal(want) + " pods ready"
			return Cause{Reason: "BelowDesired", Words: words, Evidence: "column Ready", Tab: "related", Effect: true, Shortage: true, Undated: true}, have < want
		}
	}
	names, cells := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		if names[i] = column.Name; !column.Kind.Ticks() {
			cells[i] = o.Cell(columns, i).Text
		}
	}
	tones := tone.NewCells(k.Name, names)
	for i, cell := range cells {
		of := tones.Cell(i, cells, tone.Plain)
		if of != tone.Warning && of != tone.Failed {
			continue
		}
		c = Cause{Reason: cell, Severity: of, Words: names[i] + ": " + cell, Evidence: "column " + names[i], Tab: "summary", Undated: of == tone.Warning || id != kinds.Pods}
		switch {
		case id == kinds.Pods && names[i] == "Ready":
			c.Reason, c.Words = "NotReady", "not ready: "+cell
		case id == kinds.Pods:
			c.Words = cell
		case strings.EqualFold(cell, "false"):
			c.Reason, c.Words = "Not"+title(names[i]), names[i]+" is "+cell
		}
		return c, true
	}
	return c, false
}

// title returns a column's name as part of a reason.
func title(name string) string { return strings.ReplaceAll(name, " ", "") }
