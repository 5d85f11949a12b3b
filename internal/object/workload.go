package object

import "bytes"

// Kinds that keep pods running.

func deployments(release) *printer {
	return namedPrinter().
		replicas("Ready", "status.readyReplicas", "spec.replicas").
		number("Up-to-date", "status.updatedReplicas").
		number("Available", "status.availableReplicas").
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", "", "<invalid>").
		printer()
}

func replicaSets(release) *printer {
	s := namedPrinter()
	wants := s.paths.add("spec.replicas")
	return s.
		cell("Desired", NumberCell, func(v *Values, _ *Object, r *row) { r.number(v.IntOr(wants, 1)) }).
		number("Current", "status.replicas").
		number("Ready", "status.readyReplicas").
		age().
		wide().containers("spec.template.spec").selector("Selector", "spec.selector", none, "<error>").
		printer()
}

func statefulSets(release) *printer {
	return namedPrinter().
		replicas("Ready", "status.readyReplicas", "spec.replicas").
		age().
		wide().containers("spec.template.spec").
		printer()
}

func daemonSets(release) *printer {
	return namedPrinter().
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

func replicationControllers(release) *printer {
	return namedPrinter().
		number("Desired", "spec.replicas").
		number("Current", "status.replicas").
		number("Ready", "status.readyReplicas").
		age().
		wide().containers("spec.template.spec").labels("Selector", "spec.selector").
		printer()
}

func podTemplates(release) *printer {
	return namedPrinter().containers("template.spec").labels("Pod Labels", "template.metadata.labels").printer()
}

func controllerRevisions(release) *printer {
	s := namedPrinter()
	return s.cell("Controller", TextCell, controllerName(s)).number("Revision", "revision").age().printer()
}

// controllerName prints the object's controller: "statefulset.apps/web".
func controllerName(s *printerBuilder) cell {
	version := s.paths.add("metadata.ownerReferences[].apiVersion")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for _, owns := range v.All(metaOwnerController) {
			if owns.Num == 0 {
				continue
			}
			kind, _ := v.At(metaOwnerKind, owns.Elem)
			name, _ := v.At(metaOwnerName, owns.Elem)
			of, _ := v.At(version, owns.Elem)
			r.lower(kind.Bytes)
			if group, _, grouped := bytes.Cut(of.Bytes, []byte{'/'}); grouped && len(group) > 0 {
				r.literal(".")
				r.lower(group)
			}
			if len(r.text) > r.at {
				r.literal("/")
			}
			r.add(name.Bytes)
			return
		}
		r.literal(none)
	}
}
