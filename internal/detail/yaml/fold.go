package yaml

import "strconv"

// Nodes larger than these are initially folded.
const (
	manyBytes    = 2 << 10 // of one text
	manyLines    = 60      // of one text
	manyParts    = 100     // keys or elements
	manyMetadata = 20      // keys or elements in metadata: annotations
)

// folds reports whether a node is initially folded.
func (y *YAML) folds(n *node) bool {
	switch parent := &y.nodes[n.parent]; {
	case n.children == 0:
		return y.longText(n)
	case parent.parent == 0 && y.name(parent) == "metadata":
		return n.children > manyMetadata
	}
	return n.children > manyParts
}

func (y *YAML) longText(n *node) bool {
	return n.last-n.first > manyLines || n.last > n.first && len(y.body(n)) > manyBytes
}

// extent returns how much of a node is folded away.
func (y *YAML) extent(at int32) string {
	n := &y.nodes[at]
	lines := count(int(n.last-n.first), "line")
	switch {
	case n.children == 0:
		return lines + ", " + size(len(y.body(n)))
	case y.nodes[at+1].item:
		return count(int(n.children), "element") + ", " + lines
	}
	return count(int(n.children), "key") + ", " + lines
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func size(bytes int) string {
	switch {
	case bytes < 1<<10:
		return strconv.Itoa(bytes) + " B"
	case bytes < 1<<20:
		return strconv.Itoa((bytes+1<<9)>>10) + " KB"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) + " MB"
}
