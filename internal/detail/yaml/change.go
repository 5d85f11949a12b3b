package yaml

// Changed returns the lines, in order, of fields that are new or have a new value. A field that
// only moved does not count.
func Changed(before, after *YAML) []int {
	c := comparison{a: before, b: after, marked: make([]bool, len(after.lines))}
	if before.text != after.text {
		c.children(0, 0)
	}
	var out []int
	for i, marked := range c.marked {
		if marked {
			out = append(out, i)
		}
	}
	return out
}

// comparison compares two texts field by field, in time proportional to their size.
type comparison struct {
	a, b   *YAML
	marked []bool // lines of b
}

// nodes compares the nodes of the same field.
func (c *comparison) nodes(a, b int32) {
	n, m := &c.a.nodes[a], &c.b.nodes[b]
	switch {
	case c.a.body(n) == c.b.body(m):
	case n.children > 0 && m.children > 0:
		c.children(a, b)
	case n.children == 0 && m.children == 0:
		c.texts(n, m)
	default:
		c.mark(m)
	}
}

func (c *comparison) mark(m *node) {
	for i := m.first; i <= m.last; i++ {
		c.marked[i] = true
	}
}

// children compares the children of two nodes.
func (c *comparison) children(a, b int32) {
	if c.a.nodes[a].children == 0 || c.b.nodes[b].children == 0 || c.a.nodes[a+1].item != c.b.nodes[b+1].item {
		c.mark(&c.b.nodes[b])
		return
	}
	if !c.b.nodes[b+1].item {
		known := make(map[string]int32, c.a.nodes[a].children)
		c.a.each(a, func(at int32, n *node) { known[c.a.name(n)] = at })
		c.b.each(b, func(at int32, m *node) { c.match(known, c.b.name(m), at) })
		return
	}
	for _, field := range mergeKeys {
		known, now := c.a.known(a, field), c.b.known(b, field)
		if known == nil || now == nil {
			continue
		}
		for name, at := range now {
			c.match(known, name, at)
		}
		return
	}
	c.elements(a, b)
}

func (c *comparison) match(known map[string]int32, name string, at int32) {
	if before, ok := known[name]; ok {
		c.nodes(before, at)
	} else {
		c.mark(&c.b.nodes[at])
	}
}

// elements compares two lists without merge keys. Equal elements match. The others match in
// order if both lists have the same number of them.
func (c *comparison) elements(a, b int32) {
	same := make(map[string]int)
	c.a.each(a, func(_ int32, n *node) { same[c.a.body(n)]++ })
	var left, rest []int32
	c.b.each(b, func(at int32, m *node) {
		if body := c.b.body(m); same[body] > 0 {
			same[body]--
		} else {
			rest = append(rest, at)
		}
	})
	c.a.each(a, func(at int32, n *node) {
		if body := c.a.body(n); same[body] > 0 {
			same[body]--
			left = append(left, at)
		}
	})
	for i, at := range rest {
		if len(left) == len(rest) {
			c.nodes(left[i], at)
		} else {
			c.mark(&c.b.nodes[at])
		}
	}
}

// texts compares two text values line by line. The first line is the field's own.
func (c *comparison) texts(n, m *node) {
	first, last := m.first, m.last
	from, to := n.first, n.last
	for first <= last && from <= to && c.a.Line(int(from)) == c.b.Line(int(first)) {
		first, from = first+1, from+1
	}
	for last >= first && to >= from && c.a.Line(int(to)) == c.b.Line(int(last)) {
		last, to = last-1, to-1
	}
	were := make(map[string]int)
	for i := from; i <= to; i++ {
		were[c.a.Line(int(i))]++
	}
	for i := first; i <= last; i++ {
		if text := c.b.Line(int(i)); were[text] > 0 {
			were[text]--
		} else {
			c.marked[i] = true
		}
	}
}
