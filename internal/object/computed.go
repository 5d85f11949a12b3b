package object

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
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
	exits
	exitCodes
	waitingReasons
	nodeConditions computation = exits // of another kind
)

// ComputedColumns returns the computed columns of a kind, which show only if they are asked for
// by name.
func (k Kind) ComputedColumns() []Column {
	if k.printer == nil {
		return nil
	}
	switch k.ID() {
	case "pods":
		return []Column{
			{Name: "Last Restart", Kind: AgeCell, Priority: -1, computed: lastRestart},
			{Name: "Exit", Priority: -1, computed: exits},
			{Name: "Exit Code", Kind: NumberCell, Priority: -1, computed: exitCodes},
			{Name: "Waiting", Priority: -1, computed: waitingReasons},
			{Name: "Images", Priority: -1, computed: imageNames},
		}
	case "nodes":
		return []Column{{Name: "Conditions", Priority: -1, computed: nodeConditions}}
	}
	return nil
}

// Computed reports whether the column is computed.
func (c Column) Computed() bool { return c.computed != notComputed }

// Several reports whether a cell of the column may have several values, separated by
// BetweenValues.
func (c Column) Several() bool { return c.Computed() && c.Kind != AgeCell }

// BetweenValues separates the values of a computed cell.
const BetweenValues = ", "

// unknownYet is the text of a cell that cannot be computed.
const unknownYet = "…"

// computedCell computes the cell of a computed column.
func (o *Object) computedCell(columns []Column, c Column) Cell {
	out := Cell{Kind: c.Kind}
	switch c.computed {
	case lastRestart:
		if at := slices.IndexFunc(columns, func(c Column) bool { return c.Kind == CountedCell }); at >= 0 {
			out.At = o.Cell(columns, at).At
		}
	case imageNames:
		var names []string
		for image := range o.Images() {
			names = appendDistinct(names, plain(shortImage(image)))
		}
		out.Text = strings.Join(names, BetweenValues)
	default:
		facts := o.facts()
		if facts == nil {
			out.Text, out.Unknown = unknownYet, true
			break
		}
		out.Text = facts[c.computed-exits]
	}
	return out
}

func appendDistinct(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

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
		var reasons, waiting []string
		var codes []int64
		for n, s := range all {
			for i := range v.Len(s.list) {
				if why, _ := v.At(s.waiting, i); len(why.Bytes) > 0 {
					waiting = appendDistinct(waiting, plain(string(why.Bytes)))
				}
				at, done := s.now, true
				if _, done = v.At(at.there, i); !done {
					at = s.last
					if _, ended := v.At(at.there, i); !ended {
						continue
					}
				}
				num := func(slot int) int64 { n, _ := v.At(slot, i); return int64(int32(n.Num)) }
				why, _ := v.At(at.reason, i)
				c := containerStatus{reason: why.Bytes, exitCode: num(at.exitCode), signal: num(at.signal)}
				if n == 1 && done && c.exitCode == 0 {
					continue // every init container ends like this
				}
				reasons = appendDistinct(reasons, plain(string(c.ending(nil))))
				if !slices.Contains(codes, c.exitCode) {
					codes = append(codes, c.exitCode)
				}
			}
		}
		slices.SortFunc(codes, func(a, b int64) int { return cmp.Compare(b, a) }) // the column sorts by the first
		texts := make([]string, len(codes))
		for i, code := range codes {
			texts[i] = strconv.FormatInt(code, 10)
		}
		return facts{strings.Join(reasons, BetweenValues), strings.Join(texts, BetweenValues), strings.Join(waiting, BetweenValues)}
	}
}

// nodeFacts computes the conditions of a node that are not as they should be.
func nodeFacts(p *paths) func(v *Values) facts {
	types, statuses := p.add("status.conditions[].type"), p.add("status.conditions[].status")
	return func(v *Values) facts {
		var wrong []string
		for _, c := range v.All(types) {
			status, _ := v.At(statuses, c.Elem)
			isTrue := string(status.Bytes) == "True"
			switch {
			case string(c.Bytes) == "Ready" && !isTrue:
				wrong = appendDistinct(wrong, "NotReady")
			case isTrue && badCondition(c.Bytes):
				wrong = appendDistinct(wrong, plain(string(c.Bytes)))
			}
		}
		return facts{strings.Join(wrong, BetweenValues)}
	}
}

// badCondition reports whether a node's condition of a type should not be true.
func badCondition(typ []byte) bool {
	return bytes.HasSuffix(typ, []byte("Pressure")) || string(typ) == "NetworkUnavailable"
}
