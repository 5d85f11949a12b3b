package log

import (
	"slices"
	"strings"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/query"
)

const (
	// mostCounted is how many lines are counted for completions, and countedBytes how many bytes.
	mostCounted  = 2000
	countedBytes = 1 << 19
	// mostOffered is how many names or values are returned.
	mostOffered = 50
	// longestOffered is the length of the longest name or value that is offered.
	longestOffered = 80
)

// Fields counts the fields of the last lines shown, or the values of one of them.
func (v *View) Fields(field string) *Fields {
	counts := make(tally)
	out := &Fields{Of: field}
	var l line.Line
	for i, bytes := v.visible()-1, countedBytes; i >= 0 && bytes > 0 && out.Lines < mostCounted; i-- {
		r := v.store.at(v.entries.at(i).position)
		if r.is(isNote | isMore) {
			continue
		}
		bytes -= int(r.size)
		out.Lines++
		row := v.row(r, nil)
		switch {
		case field == "":
			l.Parse(row.text)
			top := ""
			for _, m := range l.Tree(row.text) {
				name := m.Key
				switch {
				case m.Depth == 0:
					top = name
				case name != "":
					name = top + "." + name
				}
				if name != "" && m.Depth <= 1 && len(name) <= longestOffered {
					counts.add(name)
				}
			}
		default:
			if value, ok := valueOf(row, field); ok && value != "" && len(value) <= longestOffered {
				counts.add(value)
			}
		}
	}
	for text, n := range counts {
		out.All = append(out.All, query.ValueCount{Text: text, Count: n})
	}
	out.All = mostFrequent(out.All, mostOffered)
	return out
}

// mostFrequent returns the first n in order, the most frequent first.
func mostFrequent(all []query.ValueCount, n int) []query.ValueCount {
	var first []query.ValueCount
	for _, c := range all {
		at := len(first) // most are behind the last one, so this takes about one comparison for each
		for at > 0 && (c.Count > first[at-1].Count || c.Count == first[at-1].Count && c.Text < first[at-1].Text) {
			at--
		}
		if first = slices.Insert(first, at, c); len(first) > n {
			first = first[:n]
		}
	}
	return first
}

// valueOf returns the value of a column, or of a field.
func valueOf(r *row, field string) (string, bool) {
	for i, c := range Schema.Columns {
		if c.Name == field {
			return r.Cell(i), true
		}
	}
	return r.Lookup(field)
}

// tally counts texts.
type tally map[string]int

// add counts a text, whose bytes may change later.
func (t tally) add(text string) {
	if t[text] == 0 {
		text = strings.Clone(text)
	}
	t[text]++
}
