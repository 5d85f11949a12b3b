package object

import "watchglass/internal/object/encoded"

// Kinds for access control, leader election and disruption budgets.

func serviceAccounts(r release) *printer {
	s := namedPrinter()
	if r.before(35) {
		s.count("Secrets", "secrets[]")
	}
	return s.age().printer()
}

// roles returns the printer of Roles and ClusterRoles.
func roles(release) *printer { return namedPrinter().created().printer() }

// bindings returns the printer of RoleBindings and ClusterRoleBindings.
func bindings(release) *printer {
	s := namedPrinter()
	return s.
		pair("Role", "roleRef", "kind", "name", "/").
		age().
		wide().
		cell("Users", TextCell, subjects(s, "User")).
		cell("Groups", TextCell, subjects(s, "Group")).
		cell("ServiceAccounts", TextCell, subjects(s, "ServiceAccount")).
		printer()
}

// subjects prints the subjects of one kind that a role is bound to.
func subjects(s *printerBuilder, kind string) cell {
	kinds, names, namespaces := s.paths.add("subjects[].kind"), s.paths.add("subjects[].name"), s.paths.add("subjects[].namespace")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		n := 0
		for _, k := range v.All(kinds) {
			if string(k.Bytes) != kind {
				continue
			}
			if n++; n > 1 {
				r.literal(", ")
			}
			if kind == "ServiceAccount" {
				namespace, _ := v.At(namespaces, k.Elem)
				r.add(namespace.Bytes)
				r.literal("/")
			}
			name, _ := v.At(names, k.Elem)
			r.add(name.Bytes)
		}
	}
}

func leases(release) *printer {
	return namedPrinter().text("Holder", "spec.holderIdentity", "").age().printer()
}

func disruptionBudgets(release) *printer {
	return namedPrinter().
		numberOrText("Min Available", "spec.minAvailable", "N/A").
		numberOrText("Max Unavailable", "spec.maxUnavailable", "N/A").
		number("Allowed Disruptions", "status.disruptionsAllowed").
		age().
		printer()
}

// numberOrText adds a column for a number or a text like "25%".
//
//go:noinline
func (s *printerBuilder) numberOrText(name, path, none string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.next(); !v.Has(slot) {
			r.literal(none)
			return
		}
		var isText, number uint64
		var text []byte
		for f := encoded.FieldsOf(v.Bytes(slot)); f.Next(); {
			switch f.Number {
			case 1:
				isText = f.Num
			case 2:
				number = f.Num
			case 3:
				text = f.Bytes
			}
		}
		if isText == 1 {
			r.add(text)
		} else {
			r.integer(int64(number))
		}
	})
}
