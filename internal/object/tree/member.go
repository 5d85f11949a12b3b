package tree

import (
	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// Member is a value in an object, with its name.
type Member struct {
	Name string
	Node

	from int  // where its first field begins
	used bool // by a Differ
}

// AppendMembers adds the members of an object, or the entries of a map, in the order of their bytes. In JSON, they may
// be null, and there may be several of a name.
func (n Node) AppendMembers(all []Member) ([]Member, error) {
	switch {
	case n.kind == Map:
		for key, value := range n.entries() {
			all = append(all, Member{Name: string(key), Node: value})
		}
	case n.kind == Object && n.field != nil:
		return appendFields(all, n.field.Message(), n.raw)
	case n.kind == Object && len(n.raw) > 0:
		err := encoded.Members(n.raw, func(name string, value []byte) error {
			all = append(all, Member{Name: name, Node: FromJSON(value)})
			return nil
		})
		return all, err
	}
	return all, nil
}

// appendFields adds the fields of a message, with those that JSON inlines. The last value of a field counts.
func appendFields(all []Member, m *schema.Message, raw []byte) (_ []Member, err error) {
	start := len(all)
	var few [48]int32
	places := few[:] // in all, plus one, by field; 0: there is none yet
	if len(m.Fields) > len(few) {
		places = make([]int32, len(m.Fields))
	}
	fields := encoded.FieldsOf(raw)
	for fields.Next() {
		i := m.Index(fields.Number)
		if i < 0 {
			continue
		}
		f := &m.Fields[i]
		if f.Name == "" {
			if all, err = appendFields(all, f.Message(), fields.Bytes); err != nil {
				return all, err
			}
			continue
		}
		end := len(raw) - len(fields.Rest())
		if places[i] == 0 {
			all = append(all, Member{Name: f.Name, from: end - len(fields.Raw())})
			places[i] = int32(len(all))
		}
		last := &all[places[i]-1]
		last.Node = Node{field: f, num: fields.Num, raw: fields.Bytes}
		if f.Repeated || f.Map {
			last.raw = raw[last.from:end]
		}
	}
	return present(all, start), fields.Err()
}

// present resolves the fields from start on, and leaves out those that are absent.
func present(all []Member, start int) []Member {
	kept := start
	for i := start; i < len(all); i++ {
		one := &all[i]
		if one.kind == Absent {
			one.Node = one.whole()
		}
		if one.kind == Absent {
			continue
		}
		if kept < i {
			all[kept] = *one
		}
		kept++
	}
	return all[:kept]
}
