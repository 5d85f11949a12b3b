package object

// jsonPart is an object in JSON whose members are read only when they are asked for, so that of a large object only
// what is needed is read. It is for package document, and for one goroutine.
type jsonPart struct {
	raw     []byte
	members map[string]any // jsonMember until it is asked for
	depth   int
}

// jsonMember is a member that has not been read.
type jsonMember []byte

const (
	// smallJSON is how many bytes are read at once.
	smallJSON = 32 << 10
	// deepestJSON is how deep an object is read in parts. Each level is searched for its end anew, so a deeper one is read
	// at once.
	deepestJSON = 8
)

func newJSONPart(raw []byte, depth int) (*jsonPart, error) {
	p := &jsonPart{raw: raw, members: make(map[string]any), depth: depth}
	err := Members(raw, func(key string, value []byte) error {
		p.members[validText([]byte(key))] = jsonMember(value)
		return nil
	})
	return p, err
}

// Member returns a member as encoding/json would read it, with numbers as json.Number and large objects as *jsonPart; nil
// if it is absent. What is malformed counts as absent.
func (p *jsonPart) Member(name string) any {
	is := p.members[name]
	if raw, unread := is.(jsonMember); unread {
		is = readJSONPart(raw, p.depth+1)
		p.members[name] = is
	}
	return is
}

// Names returns the names of the members that are present, in no order.
func (p *jsonPart) Names() (all []string) {
	for name := range p.members {
		if p.Member(name) != nil {
			all = append(all, name)
		}
	}
	return all
}

// Any returns the whole object as encoding/json reads it.
func (p *jsonPart) Any() any {
	is, _ := readJSON(p.raw)
	return is
}

// readJSONPart reads a value: all of it if it is small or deep.
func readJSONPart(raw []byte, depth int) any {
	var list []any
	switch {
	case len(raw) <= smallJSON || depth >= deepestJSON:
	case raw[0] == '{':
		if p, err := newJSONPart(raw, depth); err == nil {
			return p
		}
		return nil
	case raw[0] == '[':
		if Elements(raw, func(value []byte) error {
			list = append(list, readJSONPart(value, depth+1))
			return nil
		}) == nil {
			return list
		}
		return nil
	}
	is, err := readJSON(raw)
	if err != nil {
		return nil
	}
	return is
}
