package line

// Member is a row of a tree of fields.
type Member struct {
	Depth int
	Key   string // empty for an element of an array
	Value string // decoded; empty for what has members
	Kind  byte   // as of a Field
}

// The limits of a tree.
const (
	mostMembers  = 500
	deepestShown = 20
)

// Tree returns the fields as rows: each with its key and its value, and below it what is nested in
// it.
func (l *Line) Tree(text string) []Member {
	t := tree{text: text}
	for _, f := range l.Fields {
		t.put(0, f.NameOf(text), f)
	}
	return t.rows
}

type tree struct {
	text string
	rows []Member
}

// put adds a value and what is nested in it.
func (t *tree) put(depth int, key string, f Field) {
	if len(t.rows) == mostMembers {
		return
	}
	m := Member{Depth: depth, Key: key, Kind: f.Kind}
	if !f.Nested() || depth == deepestShown {
		m.Value = f.Text(t.text)
		t.rows = append(t.rows, m)
		return
	}
	at := len(t.rows)
	t.rows = append(t.rows, m)
	o := object{text: t.text[:f.Value.To], at: f.Value.From + 1}
	if f.Kind == '{' {
		for o.next() {
			t.put(depth+1, unescape(o.key.Of(t.text)), Field{Value: o.value, Kind: o.kind})
		}
	} else {
		for o.element() {
			t.put(depth+1, "", Field{Value: o.value, Kind: o.kind})
		}
	}
	if len(t.rows) == at+1 { // it is empty, or broken
		t.rows[at].Value = f.Value.Of(t.text)
	}
}
