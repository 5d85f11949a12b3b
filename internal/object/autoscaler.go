package object

import "strings"

func autoscalers(r release) *printer {
	s := namedPrinter()
	return s.
		pair("Reference", "spec.scaleTargetRef", "kind", "name", "/").
		cell("Targets", TextCell, metrics(s, !r.before(30))).
		numberIn("MinPods", "spec.minReplicas", "spec.minReplicas", unset).
		number("MaxPods", "spec.maxReplicas").
		number("Replicas", "status.currentReplicas").
		age().
		printer()
}

// shownMetrics is the number of metrics that kubectl shows.
const shownMetrics = 2

// metrics prints the current and target value of each metric: "cpu: 31%/80%, 4/10 (avg)". named
// says whether resource metrics include the resource's name.
func metrics(s *printerBuilder, named bool) cell {
	types := s.paths.add("spec.metrics[].type")
	var sources []*metricSource
	for _, name := range []string{"Resource", "ContainerResource", "Pods", "Object", "External"} {
		sources = append(sources, newMetricSource(s, name, named))
	}
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for i, typ := range v.All(types)[:min(v.Len(types), shownMetrics)] {
			if i > 0 {
				r.literal(", ")
			}
			at := len(r.text)
			for _, source := range sources {
				if string(typ.Bytes) == source.name {
					source.print(v, r, i)
				}
			}
			if len(r.text) == at {
				r.literal("<unknown type>")
			}
		}
		r.hiddenCount(v.Len(types) - shownMetrics)
		r.orLiteral(none)
	}
}

// metricSource is one type of metric. The i-th current value belongs to the i-th target.
type metricSource struct {
	name            string
	named           bool // resource metrics: print the resource's name
	resource        int  // resource metrics: slot of the resource's name
	measured        int  // slot that tells whether there is a current value
	current, target measure
}

// measure has the slots of an amount, which is given in one of three ways.
type measure struct{ value, average, utilization int }

func newMetricSource(s *printerBuilder, name string, named bool) *metricSource {
	field := strings.ToLower(name[:1]) + name[1:]
	spec, status := "spec.metrics[]."+field, "status.currentMetrics[]."+field
	m := &metricSource{name: name, named: named, resource: -1, measured: s.paths.add(status)}
	if strings.HasSuffix(name, "Resource") {
		m.resource = s.paths.add(spec + ".name")
	}
	m.current, m.target = newMeasure(s, status+".current."), newMeasure(s, spec+".target.")
	return m
}

func newMeasure(s *printerBuilder, path string) measure {
	return measure{s.paths.add(path + "value"), s.paths.add(path + "averageValue"), s.paths.add(path + "averageUtilization")}
}

// missing is printed for a required amount that is absent, as Go prints nil.
const missing = "<nil>"

func (m *metricSource) print(v *Values, r *row, i int) {
	_, averaged := v.At(m.target.average, i)
	absent := unknown
	if _, measured := v.At(m.measured, i); measured {
		absent = missing
	}
	if m.resource >= 0 && m.named {
		name, _ := v.At(m.resource, i)
		r.add(name.Bytes)
		r.literal(": ")
	}
	is, wants, behind, auto := m.current.value, m.target.value, "", missing
	switch {
	case m.name == "Pods" || m.resource >= 0 && averaged:
		is, wants = m.current.average, m.target.average
	case m.resource >= 0:
		is, wants, absent, auto = m.current.utilization, m.target.utilization, unknown, "<auto>"
	case averaged:
		is, wants, absent, behind = m.current.average, m.target.average, unknown, " (avg)"
	}
	r.amount(v, is, i, absent)
	r.literal("/")
	r.amount(v, wants, i, auto)
	r.literal(behind)
}

// amount adds a quantity or percentage of a list's element, or none if it has no such value.
func (r *row) amount(v *Values, slot, i int, none string) {
	switch amount, there := v.At(slot, i); {
	case !there:
		r.literal(none)
	case amount.Bytes != nil:
		r.quantity(amount.Bytes)
	default:
		r.integer(int64(amount.Num))
		r.literal("%")
	}
}
