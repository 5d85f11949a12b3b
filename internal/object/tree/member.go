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
	start, highest := len(all), 0
	fields := encoded.FieldsOf(raw)
	for fields.Next() {
		f := m.Field(fields.Number)
		if f == nil {
			continue
		}
		if f.Name == "" {
			if all, err = appendFields(all, f.Message(), fields.Bytes); err != nil {
				return all, err
			}
			continue
		}
		end, at := len(raw)-len(fields.Rest()), start-1
		if fields.Number <= highest { // mostly, they are in order
			at = len(all) - 1
			for at >= start && all[at].field != f {
				at--
			}
		}
		if at < start {
			at = len(all)
			all = append(all, Member{Name: f.Name, from: end - len(fields.Raw())})
		}
		highest = max(highest, fields.Number)
		last := &all[at]
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
