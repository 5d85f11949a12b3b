package detail

import (
	"strings"

	"watchglass/internal/document"
)

// quantities are amounts by resource name.
type quantities map[string]document.Quantity

// add adds other quantities; with raise it takes the larger of each pair instead.
func (qs quantities) add(others quantities, raise bool) {
	for name, q := range others {
		if raise {
			q = qs[name].AtLeast(q)
		} else {
			q = qs[name].Plus(q)
		}
		qs[name] = q
	}
}

// listed returns the amounts of a resource list.
func listed(list document.Value) quantities {
	qs := quantities{}
	for _, name := range list.Keys() {
		qs[name] = document.ParseQuantity(list.At(name).Text())
	}
	return qs
}

// podQuantities returns the requests or limits of a pod. That is the sum of its containers, or
// the needs of an init container together with the sidecars before it, if those are larger.
// Resources set for the pod as a whole override this. A running container counts with the
// resources it was allocated, if those are larger.
func podQuantities(pod document.Value, which string) quantities {
	given := make(map[string]document.Value)
	for _, s := range append(pod.ListAt("status.containerStatuses"), pod.ListAt("status.initContainerStatuses")...) {
		given[s.TextAt("name")] = s
	}
	sum, sidecars, starting := quantities{}, quantities{}, quantities{}
	for _, c := range pod.ListAt("spec.containers") {
		sum.add(containerQuantities(c, given[c.TextAt("name")], which), false)
	}
	for _, c := range pod.ListAt("spec.initContainers") {
		if c.TextAt("restartPolicy") != "Always" {
			own := containerQuantities(c, document.Value{}, which)
			own.add(sidecars, false)
			starting.add(own, true)
			continue
		}
		own := containerQuantities(c, given[c.TextAt("name")], which)
		sum.add(own, false)
		sidecars.add(own, false)
		starting.add(sidecars, true)
	}
	sum.add(starting, true)
	for name, q := range listed(pod.Get("spec.resources." + which)) {
		if name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-") {
			sum[name] = q
		}
	}
	for name, q := range listed(pod.Get("spec.overhead")) {
		if which == "requests" || sum[name].Milli != 0 {
			sum[name] = sum[name].Plus(q)
		}
	}
	return sum
}

func containerQuantities(c, given document.Value, which string) quantities {
	own := listed(c.Get("resources." + which))
	own.add(listed(given.Get("resources."+which)), true)
	if which == "requests" && given.Get("resources").Exists() {
		own.add(listed(given.Get("allocatedResources")), true)
	}
	return own
}
