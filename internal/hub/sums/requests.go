package sums

import (
	"sync"

	"watchglass/internal/object"
)

// Requests computes the columns of pods with what they request. Pods that have ended request
// nothing, so that the sum of a node's pods is what kubectl describe says of the node.
type Requests struct {
	mu sync.Mutex
	excerpts
}

// NewRequests returns the requests of pods with codes of a table.
func NewRequests(codes *object.CodeTable) *Requests { return &Requests{excerpts: newExcerpts(codes)} }

// Columns returns the columns, which show only if they are asked for by name. Groups sum those of
// priority -1 by default.
func (r *Requests) Columns() []object.Column {
	return []object.Column{
		object.ExcerptColumn("CPU Requests", -1, r, cpuRequests, object.Decimal),
		object.ExcerptColumn("Memory Requests", -1, r, memoryRequests, object.Binary),
		object.ExcerptColumn("CPU Limits", -2, r, cpuLimits, object.Decimal),
		object.ExcerptColumn("Memory Limits", -2, r, memoryLimits, object.Binary),
	}
}

// ExcerptCell returns the cell of a column, by its number, for pods with an excerpt.
func (r *Requests) ExcerptCell(excerpt uint32, number int) object.Cell {
	r.mu.Lock()
	defer r.mu.Unlock()
	cell := object.Cell{Kind: object.AmountCell}
	switch p := r.part(excerpt); {
	case !p.known:
		cell.Text, cell.Unknown = "…", true
	case p.ended:
		cell.Text = "0"
	default:
		cell.Amount, cell.Text = amount(p.of[number]), p.of[number].String()
	}
	return cell
}
