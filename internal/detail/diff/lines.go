package diff

import "strings"

// Line is a line of two texts side by side.
type Line struct {
	Kind Kind   `json:"kind,omitempty"` // Added, Removed or "" for a line of both
	Text string `json:"text"`
	Skip int    `json:"skip,omitempty"` // instead of a text: how many lines of both are left out
}

// lineContext is how many lines around a difference are returned.
const lineContext = 2

// Lines returns the lines of two texts that differ, with some lines around them; with whole, all
// lines. What is between two differences of texts that are too long to align, or for which no effort is left,
// counts as different.
func Lines(before, after string, whole bool, effort *Effort) []Line {
	if strings.HasSuffix(before, "\n") && strings.HasSuffix(after, "\n") { // which end no line but the last
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	var all []Line
	put := func(kind Kind, lines []string) {
		for _, text := range lines {
			all = append(all, Line{Kind: kind, Text: text})
		}
	}
	put("", a[:first])
	i, j := first, first
	for _, pair := range effort.common(a[first:len(a)-last], b[first:len(b)-last]) {
		put(Removed, a[i:first+pair[0]])
		put(Added, b[j:first+pair[1]])
		i, j = first+pair[0]+1, first+pair[1]+1
		put("", a[i-1:i])
	}
	put(Removed, a[i:len(a)-last])
	put(Added, b[j:len(b)-last])
	put("", a[len(a)-last:])
	if whole {
		return all
	}
	return near(all)
}

// common returns what two lists have in common, if there is effort left to find it.
func (e *Effort) common(x, y []string) [][2]int {
	if !e.spend(len(x), len(y)) {
		return nil
	}
	return common(x, y)
}

// near leaves out lines of both texts that are not near a difference.
func near(all []Line) (out []Line) {
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && all[end].Kind == "" {
			end++
		}
		head, tail := lineContext, lineContext
		if start == 0 {
			head = 0
		}
		if end == len(all) {
			tail = 0
		}
		if skip := end - start - head - tail; skip > 1 {
			out = append(out, all[start:start+head]...)
			out = append(out, Line{Skip: skip})
			start = end - tail
		}
		if out = append(out, all[start:end]...); end < len(all) {
			out = append(out, all[end])
		}
		start = end + 1
	}
	return out
}
