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
// Resources set for the pod as a whole override this. A container counts with the resources
// given to it, if those are larger, or if its node can never give it what it asks for.
func podQuantities(pod document.Value, given map[string]document.Value, which string) quantities {
	sum, sidecars, starting := quantities{}, quantities{}, quantities{}
	never := infeasible(pod)
	own := func(c document.Value) quantities {
		has := given[c.TextAt("name")]
		if never && has.Get("resources").Exists() {
			c = document.Value{}
		}
		return containerQuantities(c, has, which)
	}
	for _, c := range pod.ListAt("spec.containers") {
		sum.add(own(c), false)
	}
	for _, c := range pod.ListAt("spec.initContainers") {
		if c.TextAt("restartPolicy") != "Always" {
			once := containerQuantities(c, document.Value{}, which)
			once.add(sidecars, false)
			starting.add(once, true)
			continue
		}
		sidecar := own(c)
		sum.add(sidecar, false)
		sidecars.add(sidecar, false)
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

// infeasible reports whether the node of a pod has refused for good what it was resized to.
func infeasible(pod document.Value) bool {
	for _, c := range pod.ListAt("status.conditions") {
		if c.TextAt("type") == "PodResizePending" {
			return c.TextAt("reason") == "Infeasible"
		}
	}
	return false
}

func containerQuantities(c, given document.Value, which string) quantities {
	own := listed(c.Get("resources." + which))
	own.add(listed(given.Get("resources."+which)), true)
	if which == "requests" && given.Get("resources").Exists() {
		own.add(listed(given.Get("allocatedResources")), true)
	}
	return own
}

// PodQuantities returns the requests or limits of a pod by resource, as kubectl describe adds
// them up for its node: by the pod's spec alone.
func PodQuantities(pod document.Value, which string) map[string]document.Quantity {
	return podQuantities(pod, nil, which)
}

// allocatedTo returns the resources that the containers of a pod were allocated, by name.
func allocatedTo(pod document.Value) map[string]document.Value {
	given := make(map[string]document.Value)
	for _, s := range append(pod.ListAt("status.containerStatuses"), pod.ListAt("status.initContainerStatuses")...) {
		given[s.TextAt("name")] = s
	}
	return given
}
