package object

import (
	"bytes"

	"watchglass/internal/object/encoded"
)

// Kinds that configure pods. Of a Secret, the relay sends only the keys, and only they are
// counted here.

func configMaps(release) *printer {
	return namedPrinter().count("Data", "data{}", "binaryData{}").age().printer()
}

func secrets(release) *printer {
	return namedPrinter().text("Type", "type", "").count("Data", "data{}").age().printer()
}

func limitRanges(release) *printer { return namedPrinter().created().printer() }

func resourceQuotas(r release) *printer {
	s := namedPrinter()
	if r.before(33) {
		s.age()
	}
	s.cell("Request", TextCell, quota(s, false)).cell("Limit", TextCell, quota(s, true))
	if !r.before(33) {
		s.age()
	}
	return s.printer()
}

// quota prints the used and hard amounts, of limits or of everything else. They are in order of
// the names, which is the server's order.
func quota(s *printerBuilder, limits bool) cell {
	hard, used := s.paths.add("status.hard{}"), s.paths.add("status.used{}")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for _, entry := range v.All(hard) {
			name, most, _ := encoded.Pair(entry.Bytes)
			if bytes.HasPrefix(name, []byte("limits.")) != limits {
				continue
			}
			if len(r.text) > r.at {
				r.literal(", ")
			}
			r.add(name)
			r.literal(": ")
			r.amountOf(v.All(used), name)
			r.literal("/")
			r.quantity(most)
		}
	}
}

// amountOf adds the amount of one resource in a list of resources.
func (r *row) amountOf(resources []Value, name []byte) {
	for _, entry := range resources {
		if key, quantity, _ := encoded.Pair(entry.Bytes); bytes.Equal(key, name) {
			r.quantity(quantity)
			return
		}
	}
	r.literal("0")
}

func priorityClasses(r release) *printer {
	s := namedPrinter().number("Value", "value").boolean("Global-Default", "globalDefault").age()
	if !r.before(32) {
		s.text("PreemptionPolicy", "preemptionPolicy", "")
	}
	return s.printer()
}

func runtimeClasses(release) *printer {
	return namedPrinter().text("Handler", "handler", "").age().printer()
}
