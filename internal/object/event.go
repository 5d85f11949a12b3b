package object

import "bytes"

// EventNamespaces returns the namespaces whose events can be about an object in a namespace, the usual
// one first. The apiserver accepts events about objects of the whole cluster in two namespaces; one
// that names such an object elsewhere may be anybody's.
func EventNamespaces(namespace string) []string {
	if namespace != "" {
		return []string{namespace}
	}
	return []string{"default", "kube-system"}
}

// eventSlots are the slots that more than one column of events reads.
type eventSlots struct {
	first, last, once, series, seriesLast int
}

// eventNames are the fields whose names differ between the two APIs for events.
type eventNames struct{ first, last, count, message, object, source, reporter string }

// events prints core/v1's events.
func events(release) *printer {
	return eventsNamed(eventNames{"firstTimestamp", "lastTimestamp", "count", "message", "involvedObject", "source", "reportingComponent"})
}

// newEvents prints the events of events.k8s.io, which are the same objects.
func newEvents(release) *printer {
	return eventsNamed(eventNames{"deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "note", "regarding", "deprecatedSource", "reportingController"})
}

// eventsNamed prints events. They have no age column: an event was first and last seen at some
// time instead.
func eventsNamed(names eventNames) *printer {
	s := new(printerBuilder)
	times := eventSlots{
		first: s.paths.add(names.first), last: s.paths.add(names.last), once: s.paths.add("eventTime"),
		series: s.paths.add("series"), seriesLast: s.paths.add("series.lastObservedTime"),
	}
	message := s.paths.add(names.message)
	return s.
		cell("Last Seen", AgeCell, func(v *Values, _ *Object, r *row) { r.instant(times.lastSeen(v)) }).
		text("Type", "type", "").
		text("Reason", "reason", "").
		cell("Object", TextCell, eventObject(s, names.object)).
		wide().
		text("Subobject", names.object+".fieldPath", "").
		cell("Source", TextCell, eventSource(s, names)).
		always().
		cell("Message", TextCell, func(v *Values, _ *Object, r *row) { r.cell(bytes.TrimSpace(v.Bytes(message))) }).
		wide().
		cell("First Seen", AgeCell, func(v *Values, _ *Object, r *row) { r.instant(times.firstSeen(v)) }).
		cell("Count", NumberCell, eventCount(s, names.count, times.series)).
		name().
		printer()
}

// firstSeen returns when the event was first seen. For an event that was seen only once, the
// newer API gives that time.
func (e *eventSlots) firstSeen(v *Values) int64 {
	if first := v.Bytes(e.first); len(first) > 0 {
		return seconds(first)
	}
	return seconds(v.Bytes(e.once))
}

func (e *eventSlots) lastSeen(v *Values) int64 {
	if v.Has(e.series) {
		return seconds(v.Bytes(e.seriesLast))
	}
	if last := v.Bytes(e.last); len(last) > 0 {
		return seconds(last)
	}
	return e.firstSeen(v)
}

// eventCount prints how often the event was seen: at least once, unless a series says
// otherwise.
func eventCount(s *printerBuilder, field string, series int) cell {
	count, inSeries := s.paths.add(field), s.paths.add("series.count")
	return func(v *Values, _ *Object, r *row) {
		switch n := v.Int(count); {
		case v.Has(series):
			r.number(v.Int(inSeries))
		case n == 0:
			r.number(1)
		default:
			r.number(n)
		}
	}
}

// eventObject prints "pod/web-0".
func eventObject(s *printerBuilder, object string) cell {
	kind, name := s.paths.add(object+".kind"), s.paths.add(object+".name")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		r.lower(v.Bytes(kind))
		if called := v.Bytes(name); len(called) > 0 {
			r.literalThen("/", called)
		}
	}
}

// eventSource prints who reported the event: "kubelet, node-7".
func eventSource(s *printerBuilder, names eventNames) cell {
	component, controller := s.paths.add(names.source+".component"), s.paths.add(names.reporter)
	host, instance := s.paths.add(names.source+".host"), s.paths.add("reportingInstance")
	return func(v *Values, _ *Object, r *row) {
		who, where := v.Bytes(component), v.Bytes(host)
		if len(who) == 0 {
			who = v.Bytes(controller)
		}
		if len(where) == 0 {
			where = v.Bytes(instance)
		}
		if r.cell(who); len(where) > 0 {
			r.literalThen(", ", where)
		}
	}
}
