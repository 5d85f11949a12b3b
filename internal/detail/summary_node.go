package detail

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/document"
)

// roles writes a node's roles, which come from its labels.
func roles(w *writer, v document.Value) {
	labels := v.Get("metadata.labels")
	all := []string{labels.At("kubernetes.io/role").Text()}
	for _, key := range labels.Keys() {
		if role, is := strings.CutPrefix(key, "node-role.kubernetes.io/"); is {
			all = append(all, role)
		}
	}
	slices.Sort(all)
	w.row("Roles", Line{}.text(strings.Trim(strings.Join(slices.Compact(all), ","), ",")))
}

// lease writes the lease with which a node reports that it is alive.
func lease(w *writer, _ document.Value) {
	for _, l := range w.more.Objects["lease"] {
		w.run("Lease: {spec.holderIdentity} acquired {spec.acquireTime:time} renewed {spec.renewTime:time}", l)
	}
}

// allocated writes the resources that the pods of a node request.
func allocated(w *writer, v document.Value) {
	all, known := w.more.Objects["pods"]
	if !known {
		return
	}
	of := v.Get("status.allocatable")
	if of.Len() == 0 {
		of = v.Get("status.capacity")
	}
	t := Table{Columns: []Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Status"}, {Name: "Age"}, {Name: "CPU requests", Right: true}, {Name: "CPU limits", Right: true}, {Name: "Memory requests", Right: true}, {Name: "Memory limits", Right: true}}}
	requests, limits := quantities{}, quantities{}
	count := 0
	for _, pod := range sorted(all, func(v document.Value) string { return v.TextAt("metadata.namespace") + "/" + v.TextAt("metadata.name") }) {
		if phase := pod.TextAt("status.phase"); phase == "Succeeded" || phase == "Failed" {
			continue
		}
		count++
		requests.add(PodQuantities(pod, "requests"), false)
		limits.add(PodQuantities(pod, "limits"), false)
		given := allocatedTo(pod) // which kubectl leaves out of the sums
		asks, may := podQuantities(pod, given, "requests"), podQuantities(pod, given, "limits")
		namespace, name := pod.TextAt("metadata.namespace"), pod.TextAt("metadata.name")
		row := []Line{Line{}.text(namespace), {{Text: name, Ref: w.ref("Pod", namespace, name)}}, {w.more.States["pods "+namespace+"/"+name]}, join(w.time(pod.Get("metadata.creationTimestamp"), ""), "")}
		for _, resource := range []string{"cpu", "memory"} {
			row = append(row, shareOf(asks, of, resource), shareOf(may, of, resource))
		}
		t.Rows = append(t.Rows, row)
	}
	w.section("Allocated resources")
	w.addTable(sums(requests, limits, of))
	badge := Line{{Text: strconv.Itoa(len(all)) + " in total", List: &Listing{Resource: "pods", Filter: "node:" + v.TextAt("metadata.name")}}}
	if count < len(all) { // the list has them all
		badge = append(Line{}.text(strconv.Itoa(count)+" non-terminated, "), badge...)
	}
	w.section("Pods").Badge = badge
	w.addTable(t)
}

// shareOf shows how much of a resource is requested, and the share of what the node has. Like kubectl, it always has one
// of what every node should have.
func shareOf(qs quantities, of document.Value, name string) Line {
	q := qs[name]
	if !of.At(name).Exists() && !slices.Contains(nodeAllocates, name) {
		return Line{}.text(q.String())
	}
	return Line{}.text(q.String()).styled(Quiet, " ("+q.Percent(document.ParseQuantity(of.At(name).Text()))+")")
}

// sums returns the table of what all pods of a node request.
func sums(requests, limits quantities, of document.Value) Table {
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
		t.Rows = append(t.Rows, []Line{Line{}.text(name), shareOf(requests, of, name), shareOf(limits, of, name)})
	}
	return t
}

// share shows how much of one resource of a quota is used. It shows nothing where none is
// allowed and none is used, which is fine, or where an amount exceeds what can be counted here.
func (w *writer) share(v document.Value, _ string) []Line {
	most, now := document.ParseQuantity(v.TextAt("status.hard")), document.ParseQuantity(v.TextAt("status.used"))
	switch {
	case now.Milli < 0 || max(now.Milli, most.Milli) == math.MaxInt64 || most.Milli <= 0 && now.Milli == 0:
		return nil
	case most.Milli <= 0:
		return []Line{Line{}.styled(Failed, "over")}
	}
	return []Line{Line{}.styled(full(now, most), now.ExactPercent(most))}
}

// full returns the tone for how much of a quota is used.
func full(now, most document.Quantity) string {
	switch {
	case now.Milli >= most.Milli:
		return Failed
	case float64(now.Milli) >= 0.9*float64(most.Milli):
		return Warning
	}
	return Quiet
}

// ofNamespace writes the quotas and limits of a namespace.
func ofNamespace(w *writer, _ document.Value) {
	for _, kind := range []struct{ title, key, kind, sheet string }{{"Resource quotas", "quotas", "ResourceQuota", scopes + amounts}, {"Limit ranges", "limits", "LimitRange", ranges}} {
		all := w.more.Objects[kind.key]
		if len(all) == 0 {
			continue
		}
		w.section(kind.title)
		for _, v := range all {
			name := v.TextAt("metadata.name")
			s := w.inner(name, func(w *writer) { w.run(kind.sheet, v) })
			s.Badge = Line{{Text: "open", Ref: w.ref(kind.kind, v.TextAt("metadata.namespace"), name)}}
		}
	}
}
