package object

// The kinds that keep pods running.

func deployments() *printer {
	return named().
		replicas("Ready", "status.readyReplicas", "spec.replicas").
		number("Up-to-date", "status.updatedReplicas").
		number("Available", "status.availableReplicas").
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", "", "<invalid>").
		printer()
}

func replicaSets() *printer {
	s := named()
	wants := s.paths.add("spec.replicas")
	return s.
		cell("Desired", NumberCell, func(v *Values, _ *Object, r *row) { r.number(v.IntOr(wants, 1)) }).
		number("Current", "status.replicas").
		number("Ready", "status.readyReplicas").
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", none, "<error>").
		printer()
}

func statefulSets() *printer {
	return named().
		replicas("Ready", "status.readyReplicas", "spec.replicas").
		age().
		wide().containers("spec.template.spec").
		printer()
}

func daemonSets() *printer {
	return named().
		number("Desired", "status.desiredNumberScheduled").
		number("Current", "status.currentNumberScheduled").
		number("Ready", "status.numberReady").
		number("Up-to-date", "status.updatedNumberScheduled").
		number("Available", "status.numberAvailable").
		labels("Node Selector", "spec.template.spec.nodeSelector").
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", none, "<error>").
		printer()
}
