package words

import (
	"strings"

	"watchglass/internal/detail/rbac"
)

// AccessMark returns what a cell shows, and its tooltip.
func AccessMark(h rbac.Holder, of rbac.Verbs) (mark, title string) {
	switch all := h.All & of; {
	case all != 0:
		mark, title = "✓", Verbs(all)
		part := all == rbac.Update || all == rbac.Patch || all == rbac.DeleteCollection
		if part {
			mark = title
		}
		switch {
		case h.Some&of != 0:
			title += "; " + someWords(h, of)
		case part:
			title = "Only " + title
		}
		return mark, title
	case h.Some&of != 0:
		return "some", someWords(h, of)
	case h.Named&of != 0:
		return "by name", Verbs(h.Named&of) + " of objects that a role names"
	}
	return "", ""
}

// someWords says what a subject can do in some namespaces. How many is known of all its verbs together.
func someWords(h rbac.Holder, of rbac.Verbs) string {
	if h.Some&^of != 0 && h.Spread > 1 {
		return Verbs(h.Some&of) + " in some namespaces"
	}
	return Verbs(h.Some&of) + " in " + CountOf(h.Spread, "namespace")
}

// Verbs names verbs as RBAC does.
func Verbs(v rbac.Verbs) string {
	var all []string
	for i, name := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "exec", "logs"} {
		if v&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}
