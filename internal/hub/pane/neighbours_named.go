package pane

import (
	"slices"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

const (
	// namedMost is how many objects of a kind are watched by name. If there are more, the
	// list of the kind is watched.
	namedMost = 16
	// namedAll is how many objects of all kinds are watched by name: each costs a stream.
	namedAll = wire.MaxStreams / 4
)

// byName returns the sources of the objects that none of the wanted lists holds: one for
// each, by its name, or the list of their kind if they are many.
func (n *neighbours) byName(g related.Graph, wanted []related.Need) []related.Need {
	count := make(map[related.Need]int)
	var all []related.Need
	for _, node := range g.Nodes {
		list := related.Need{Resource: node.Resource, Namespace: node.Namespace}
		cluster := related.Need{Resource: node.Resource}
		if node.Name == "" || node.More > 0 || slices.Contains(wanted, list) || slices.Contains(wanted, cluster) || n.holds(node.ID, wanted) {
			continue
		}
		count[list]++
		one := list
		one.Fields = related.ByName + node.Name
		all = append(all, one)
	}
	for list, count := range count {
		if count > namedMost {
			all = slices.DeleteFunc(all, func(need related.Need) bool {
				return need.Resource == list.Resource && need.Namespace == list.Namespace
			})
			all = append(all, list)
		}
	}
	return n.limitNamed(all)
}

// limitNamed drops the sources by name beyond namedAll, and remembers their objects.
func (n *neighbours) limitNamed(all []related.Need) []related.Need {
	n.unwatched = make(map[related.ID]bool)
	left := namedAll
	return slices.DeleteFunc(all, func(need related.Need) bool {
		name, named := strings.CutPrefix(need.Fields, related.ByName)
		if named {
			left--
		}
		if named && left < 0 {
			n.unwatched[related.ID{Resource: need.Resource, Namespace: need.Namespace, Name: name}] = true
		}
		return named && left < 0
	})
}

// holds reports whether one of the wanted lists has an object. Each may have only a part of
// its kind.
func (n *neighbours) holds(id related.ID, wanted []related.Need) bool {
	key := object.Identity{Namespace: id.Namespace, Name: id.Name}.Key()
	return slices.ContainsFunc(wanted, func(need related.Need) bool {
		l := n.lists[need]
		return l != nil && need.Resource == id.Resource && l.indexed[key] != nil
	})
}
