package detail

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// roles are a node's, of its labels.
func roles(w *writer, v Value) {
	var all []string
	labels := v.of("metadata.labels")
	for _, key := range labels.Keys() {
		role, is := strings.CutPrefix(key, "node-role.kubernetes.io/")
		if !is && key == "kubernetes.io/role" {
			role = labels.At(key).Text()
		}
		if (is || key == "kubernetes.io/role") && role != "" {
			all = append(all, role)
		}
	}
	slices.Sort(all)
	w.row("Roles", Line{}.text(strings.Join(slices.Compact(all), ",")))
}

// capacity is what a node has, and what of it pods may have.
func capacity(w *writer, v Value) {
	t := Table{Columns: []Column{{Name: "Resource"}, {Name: "Capacity", Right: true}, {Name: "Allocatable", Right: true}}}
	has, may := v.of("status.capacity"), v.of("status.allocatable")
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(has.Keys(), may.Keys()...)))) {
		t.Rows = append(t.Rows, []Line{Line{}.text(name), Line{}.text(has.At(name).Text()), Line{}.text(may.At(name).Text())})
	}
	w.addTable(t)
}

// lease is how a node says that it is alive.
func lease(w *writer, _ Value) {
	for _, l := range w.more.Objects["lease"] {
		w.run("Lease: {spec.holderIdentity} acquired {spec.acquireTime:time} renewed {spec.renewTime:time}", l)
	}
}

// allocated is what the pods of a node ask for.
func allocated(w *writer, v Value) {
	all, known := w.more.Objects["pods"]
	if !known {
		return
	}
	of := v.of("status.allocatable")
	if of.Len() == 0 {
		of = v.of("status.capacity")
	}
	t := Table{Columns: []Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "CPU requests", Right: true}, {Name: "CPU limits", Right: true}, {Name: "Memory requests", Right: true}, {Name: "Memory limits", Right: true}, {Name: "Age"}}}
	requests, limits := quantities{}, quantities{}
	count := 0
	for _, pod := range sorted(all, func(v Value) string { return v.say("metadata.namespace") + "/" + v.say("metadata.name") }) {
		if phase := pod.say("status.phase"); phase == "Succeeded" || phase == "Failed" {
			continue
		}
		count++
		asks, may := podQuantities(pod, "requests"), podQuantities(pod, "limits")
		requests.addAll(asks)
		limits.addAll(may)
		namespace, name := pod.say("metadata.namespace"), pod.say("metadata.name")
		row := []Line{Line{}.text(namespace), {{Text: name, Ref: w.ref("Pod", namespace, name)}}}
		for _, resource := range []string{"cpu", "memory"} {
			row = append(row, share(asks, of, resource), share(may, of, resource))
		}
		t.Rows = append(t.Rows, append(row, join(w.time(pod.of("metadata.creationTimestamp"), ""), "")))
	}
	w.section("Allocated resources")
	w.addTable(sums(requests, limits, of))
	w.section("Pods").Badge = Line{{Text: strconv.Itoa(count) + " in total", List: &Listing{Resource: "pods", Filter: "node:" + v.say("metadata.name")}}}
	w.addTable(t)
}

func share(qs quantities, of Value, name string) Line {
	q := qs[name]
	return Line{}.text(q.String()).look(Quiet, " ("+q.percent(parseQuantity(of.At(name).Text()))+")")
}

// sums is what all pods of a node ask for.
func sums(requests, limits quantities, of Value) Table {
	t := Table{Columns: []Column{{Name: "Resource"}, {Name: "Requests", Right: true}, {Name: "Limits", Right: true}}}
	names := []string{"cpu", "memory", "ephemeral-storage"}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range of.Keys() {
		if !slices.Contains(names, name) && name != "pods" && name != "storage" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		t.Rows = append(t.Rows, []Line{Line{}.text(name), share(requests, of, name), share(limits, of, name)})
	}
	return t
}

// quotaRows are the amounts of a quota.
func quota(w *writer, v Value) {
	hard, used := v.of("status.hard"), v.of("status.used")
	t := Table{Columns: []Column{{Name: "Resource"}, {Name: "Used", Right: true}, {Name: "Hard", Right: true}, {Name: "Share", Right: true}}}
	for _, name := range hard.Keys() {
		most, now := parseQuantity(hard.At(name).Text()), parseQuantity(used.At(name).Text())
		now.binary = most.binary
		t.Rows = append(t.Rows, []Line{Line{}.text(name), Line{}.text(now.String()), Line{}.text(hard.At(name).Text()), Line{}.look(full(now, most), now.percent(most))})
	}
	w.addTable(t)
}

// full is the tone of how much of a quota is used.
func full(now, most quantity) string {
	switch {
	case now.milli >= most.milli:
		return Failed
	case float64(now.milli) >= 0.9*float64(most.milli):
		return Warning
	}
	return Quiet
}

// limits are what a LimitRange says.
func limits(w *writer, v Value) {
	parts := []string{"min", "max", "defaultRequest", "default", "maxLimitRequestRatio"}
	t := Table{Columns: []Column{{Name: "Type"}, {Name: "Resource"}, {Name: "Min", Right: true}, {Name: "Max", Right: true}, {Name: "Default request", Right: true}, {Name: "Default limit", Right: true}, {Name: "Max limit/request ratio", Right: true}}}
	for _, limit := range v.all("spec.limits") {
		var names []string
		for _, part := range parts {
			names = append(names, limit.At(part).Keys()...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			row := []Line{Line{}.text(limit.say("type")), Line{}.text(name)}
			for _, part := range parts {
				row = append(row, Line{}.text(limit.At(part, name).Text()))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	w.addTable(t)
}

// ofNamespace is the quotas and limits of a namespace.
func ofNamespace(w *writer, _ Value) {
	for _, kind := range []struct {
		title, key, kind string
		write            func(*writer, Value)
	}{{"Resource quotas", "quotas", "ResourceQuota", quota}, {"Limit ranges", "limits", "LimitRange", limits}} {
		all := w.more.Objects[kind.key]
		if len(all) == 0 {
			continue
		}
		w.section(kind.title)
		for _, v := range all {
			name := v.say("metadata.name")
			s := w.inner(name, func(w *writer) {
				w.run(scopes, v)
				kind.write(w, v)
			})
			s.Badge = Line{{Text: "open", Ref: w.ref(kind.kind, v.say("metadata.namespace"), name)}}
		}
	}
}
