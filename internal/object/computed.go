package object

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object/tone"
)

// A computed column shows what follows from an object but is not printed at decode: the exit
// code of a container, the images without their registry. Its cells are computed when they are
// read, from what the object has anyway: a printed cell, its images, or its excerpt. So a column
// that nobody shows, sorts by or filters by costs nothing.

// computation says what a computed column shows.
type computation uint8

// The computations. Those from exits on are computed from an excerpt.
const (
	notComputed computation = iota
	lastRestart
	imageNames
	podConditions
	exits
	exitCodes
	waitingReasons
	nodeConditions computation = exits // of another kind
	fromExcerpts   computation = 1 << 7
)

// ExcerptCells computes the cells of columns from excerpts. An implementation is a pointer, which
// tells columns apart. Any goroutine may call it.
type ExcerptCells interface {
	// ExcerptCell returns the cell of a column, by its number, for objects with an excerpt; 0 is
	// none.
	ExcerptCell(excerpt uint32, number int) Cell
}

// ExcerptColumn returns a computed column of amounts, with a priority below 0.
func ExcerptColumn(name string, priority int, of ExcerptCells, number int, unit Unit) Column {
	return Column{Name: name, Kind: AmountCell, Priority: priority, computed: fromExcerpts, excerpts: of, number: number, unit: unit}
}

// FromExcerpts reports whether the column is an ExcerptColumn.
func (c Column) FromExcerpts() bool { return c.computed == fromExcerpts }

// ComputedColumns returns the computed columns of a kind, which show only if they are asked for
// by name.
func (k Kind) ComputedColumns() []Column {
	if k.printer == nil {
		return nil
	}
	var all []Column
	switch k.ID() {
	case "pods":
		all = addComputed(all, "Last Restart", AgeCell, lastRestart)
		all = addComputed(all, "Exit", TextCell, exits)
		all = addComputed(all, "Exit Code", NumberCell, exitCodes)
		all = addComputed(all, "Waiting", TextCell, waitingReasons)
		all = addComputed(all, "Images", TextCell, imageNames)
		all = addComputed(all, "Conditions", TextCell, podConditions)
	case "nodes":
		all = addComputed(all, "Conditions", TextCell, nodeConditions)
	}
	return all
}

//go:noinline
func addComputed(all []Column, name string, kind CellKind, of computation) []Column {
	return append(all, Column{Name: name, Kind: kind, Priority: -1, computed: of})
}

// Computed reports whether the column is computed.
func (c Column) Computed() bool { return c.computed != notComputed }

// printed reports whether the column's cells are printed when an object is decoded.
func (c *Column) printed() bool { return c.derived == 0 && c.computed == notComputed }

// Known reports whether the object's cell of a computed column is known. It is not if the object has lost its body, and
// what the column shows was not taken from that before.
func (o *Object) Known(c Column) bool {
	switch {
	case c.FromExcerpts():
		return o.Excerpt() > 0
	case c.computed >= exits:
		return o.quiet || o.Excerpt() > 0
	}
	return true
}

// Several reports whether a cell of the column may have several values, separated by BetweenValues.
func (c Column) Several() bool { return c.Computed() && c.Kind != AgeCell && c.Kind != AmountCell }

// BetweenValues separates the values of a computed cell.
const BetweenValues = ", "

// Values yields the values of a computed cell; none if they are unknown.
func (c Cell) Values(yield func(string) bool) {
	for text, more := c.Text, !c.Unknown; more; {
		var value string
		if value, text, more = strings.Cut(text, BetweenValues); !yield(value) {
			return
		}
	}
}

// unknownYet is the text of a cell that cannot be computed.
const unknownYet = "…"

// computedCell computes the cell of a computed column.
func (o *Object) computedCell(columns []Column, c *Column) Cell {
	out := Cell{Kind: c.Kind}
	switch c.computed {
	case lastRestart:
		out.At = o.countedInstant(columns)
	case fromExcerpts:
		return c.excerpts.ExcerptCell(o.Excerpt(), c.number)
	case imageNames:
		var names distinct
		for image := range o.Images() {
			names.add([]byte(shortImage(image)))
		}
		out.Text = names.text()
	case podConditions:
		n, of, ok := tone.Fraction(o.Cell(columns, podReadyColumn).Text)
		if ok && o.NotReady(o.Cell(columns, podStatusColumn).Text, n >= of) {
			out.Text = "NotReady"
		}
	default:
		if o.quiet {
			break
		}
		facts := o.facts()
		if facts == nil {
			out.Text, out.Unknown = unknownYet, true
			break
		}
		out.Text = facts[c.computed-exits]
	}
	return out
}

// The places of a pod's columns Ready and Status, which every printer of pods has.
const (
	podReadyColumn  = 1
	podStatusColumn = 2
)

// NotReady reports whether a pod is not ready, and has not ended well: its containers are not, or the pod says so
// itself, as when its node is lost.
func (o *Object) NotReady(status string, containersReady bool) bool {
	return !tone.Done(status) && (!containersReady || o.Health() == tone.Warning)
}

// countedInstant returns the instant of the object's CountedCell, without reading the cells' texts.
func (o *Object) countedInstant(columns []Column) int64 {
	n := 0
	for i := range columns {
		switch c := &columns[i]; {
		case c.derived > 0 || c.Computed():
		case c.Kind == CountedCell:
			return o.instant(n)
		default:
			n += c.Kind.instants()
		}
	}
	return 0
}

// distinct are texts from the cluster, each once. Of many, a map says which are there.
type distinct struct {
	all  []string
	many map[string]bool
}

// add adds a text, unless it is there already or empty.
//
//go:noinline
func (d *distinct) add(from []byte) {
	text := plain(string(from))
	if text == "" || d.many[text] || d.many == nil && slices.Contains(d.all, text) {
		return
	}
	if d.all = append(d.all, text); len(d.all) <= fewNames {
		return
	}
	if d.many == nil {
		d.many = make(map[string]bool)
		for _, one := range d.all {
			d.many[one] = true
		}
	}
	d.many[text] = true
}

// text returns the texts as a cell has them.
func (d *distinct) text() string { return strings.Join(d.all, BetweenValues) }

// shortImage returns an image without its registry, and without its digest if it has a tag.
func shortImage(image string) string {
	if host, rest, ok := strings.Cut(image, "/"); ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		image = rest
		if host == "docker.io" {
			image = strings.TrimPrefix(image, "library/")
		}
	}
	if name, _, ok := strings.Cut(image, "@"); ok && strings.LastIndexByte(name, ':') > strings.LastIndexByte(name, '/') {
		return name
	}
	return image
}

// quiet reports whether a pod's facts are empty, as nearly all are: no container waits or has ended,
// except for init containers that are done. It saves taking the excerpts of 100,000 pods when
// somebody filters by how containers ended.
func quiet(v *Values) bool {
	for _, s := range [...]*statusSlots{&podStatuses, &podInitStatuses} {
		if v.Has(s.waitingReason) || v.Has(s.lastTerminated) {
			return false
		}
		for _, done := range v.All(s.terminated) {
			if s == &podStatuses || v.intAt(s.exitCode, done.Elem) != 0 {
				return false
			}
		}
	}
	return true
}

// facts are the texts of an object's computed cells from exits on; nil if they are not known.
type facts []string

// factReader computes facts from an excerpt.
type factReader struct {
	plan *Plan
	of   func(v *Values) facts
}

// facts returns the facts of an object's excerpt.
func (o *Object) facts() facts {
	number := o.Excerpt()
	if o = o.Base(); number == 0 || o.source == nil || o.source.excerpter == nil {
		return nil
	}
	return o.source.excerpter.factsOf(number)
}

// factsOf returns the facts of an excerpt, which are computed once.
func (e *excerpter) factsOf(number uint32) facts {
	e.mu.Lock()
	defer e.mu.Unlock()
	found, ok := e.facts[number]
	if ok {
		return found
	}
	if e.reader == nil {
		var p paths
		of := e.kind.facts(&p)
		e.reader, e.facts = &factReader{mustPlan(e.message, p.list...), of}, make(map[uint32]facts)
	}
	if e.reader.plan.Scan(e.table.excerptText(number), &e.values) == nil {
		found = e.reader.of(&e.values)
	}
	e.facts[number] = found
	return found
}

// podFacts computes how the containers of a pod ended, and what they wait for.
func podFacts(p *paths) func(v *Values) facts {
	type termination struct{ there, reason, exitCode, signal int }
	type statuses struct {
		list, waiting int
		now, last     termination
	}
	ended := func(state string) termination {
		return termination{p.add(state), p.add(state + ".reason"), p.add(state + ".exitCode"), p.add(state + ".signal")}
	}
	of := func(list string) statuses {
		return statuses{p.add(list), p.add(list + ".state.waiting.reason"), ended(list + ".state.terminated"), ended(list + ".lastState.terminated")}
	}
	all := [...]statuses{of("status.containerStatuses[]"), of("status.initContainerStatuses[]")}
	return func(v *Values) facts {
		var reasons, waiting distinct
		var codes []int64 // the highest first: the column sorts by it
		for n, s := range all {
			for i := range v.Len(s.list) {
				waiting.add(v.bytesAt(s.waiting, i))
				at, done := s.now, v.hasAt(s.now.there, i)
				if !done {
					at = s.last
				}
				if !v.hasAt(at.there, i) {
					continue
				}
				c := containerStatus{reason: v.bytesAt(at.reason, i), exitCode: v.intAt(at.exitCode, i), signal: v.intAt(at.signal, i)}
				if n == 1 && done && c.exitCode == 0 {
					continue // every init container ends like this
				}
				reasons.add(c.ending(nil))
				codes = append(codes, c.exitCode)
			}
		}
		slices.Sort(codes)
		codes = slices.Compact(codes)
		slices.Reverse(codes)
		texts := make([]string, len(codes))
		for i, code := range codes {
			texts[i] = strconv.FormatInt(code, 10)
		}
		return facts{reasons.text(), strings.Join(texts, BetweenValues), waiting.text()}
	}
}

// hasAt, bytesAt and intAt are At for what is read once per excerpt: not inlined, they are small.
//
//go:noinline
func (v *Values) hasAt(slot, elem int) bool { _, ok := v.At(slot, elem); return ok }

//go:noinline
func (v *Values) bytesAt(slot, elem int) []byte { found, _ := v.At(slot, elem); return found.Bytes }

//go:noinline
func (v *Values) intAt(slot, elem int) int64 {
	found, _ := v.At(slot, elem)
	return int64(int32(found.Num))
}

// nodeFacts computes the conditions of a node that are not as they should be.
func nodeFacts(p *paths) func(v *Values) facts {
	types, statuses := p.add("status.conditions[].type"), p.add("status.conditions[].status")
	return func(v *Values) facts {
		var wrong distinct
		for _, c := range v.All(types) {
			isTrue := string(v.bytesAt(statuses, c.Elem)) == "True"
			switch {
			case string(c.Bytes) == "Ready" && !isTrue:
				wrong.add([]byte("NotReady"))
			case isTrue && tone.IsNodeFault(string(c.Bytes)):
				wrong.add(c.Bytes)
			}
		}
		return facts{wrong.text()}
	}
}
