package object

import "bytes"

// The kinds that hold what pods are configured with. Of a secret the relay sends
// the keys alone, which is all that is counted here.

func configMaps() *printer {
	return named().count("Data", "data{}", "binaryData{}").age().printer()
}

func secrets() *printer {
	return named().text("Type", "type", "").count("Data", "data{}").age().printer()
}

func limitRanges() *printer { return named().created().printer() }

func resourceQuotas() *printer {
	s := named()
	return s.
		cell("Request", TextCell, quota(s, false)).
		cell("Limit", TextCell, quota(s, true)).
		age().
		printer()
}

// quota prints how much is used of what may be, of limits or of all else, in the
// order of the names, which is the server's.
func quota(s *sheet, limits bool) cell {
	hard, used := s.paths.add("status.hard{}"), s.paths.add("status.used{}")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for _, entry := range v.All(hard) {
			name, most, _ := mapPair(entry.Bytes)
			if bytes.HasPrefix(name, []byte("limits.")) != limits {
				continue
			}
			if len(r.text) > r.at {
				r.put(", ")
			}
			r.add(name)
			r.put(": ")
			r.amountOf(v.All(used), name)
			r.put("/")
			r.quantity(most)
		}
	}
}

// amountOf adds how much a list of resources has of one.
func (r *row) amountOf(resources []Value, name []byte) {
	for _, entry := range resources {
		if key, quantity, _ := mapPair(entry.Bytes); bytes.Equal(key, name) {
			r.quantity(quantity)
			return
		}
	}
	r.put("0")
}

func priorityClasses() *printer {
	return named().
		number("Value", "value").
		yes("Global-Default", "globalDefault").
		age().
		text("PreemptionPolicy", "preemptionPolicy", "").
		printer()
}

func runtimeClasses() *printer { return named().text("Handler", "handler", "").age().printer() }
