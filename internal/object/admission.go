package object

import "watchglass/internal/object/encoded"

// Kinds that configure admission and aggregated APIs.

// webhooks returns the printer of MutatingWebhookConfigurations and
// ValidatingWebhookConfigurations.
func webhooks(release) *printer {
	return namedPrinter().count("Webhooks", "webhooks[]").age().printer()
}

func validatingPolicies(release) *printer {
	return admissionPolicies("Validations", "spec.validations[]")
}

func mutatingPolicies(release) *printer { return admissionPolicies("Mutations", "spec.mutations[]") }

func admissionPolicies(name, rules string) *printer {
	return namedPrinter().count(name, rules).pair("ParamKind", "spec.paramKind", "apiVersion", "kind", unset).age().printer()
}

// policyBindings returns the printer of the bindings of validating and mutating policies.
func policyBindings(release) *printer {
	s := namedPrinter()
	return s.text("PolicyName", "spec.policyName", "").cell("ParamRef", TextCell, policyParameters(s)).age().printer()
}

// policyParameters prints the parameters that a policy is bound to. A selector is printed in
// Go's format.
func policyParameters(s *printerBuilder) cell {
	name, namespace := s.paths.add("spec.paramRef.name"), s.paths.add("spec.paramRef.namespace")
	selector, labels := s.paths.add("spec.paramRef.selector"), s.paths.add("spec.paramRef.selector.matchLabels{}")
	keys, operators := s.paths.add("spec.paramRef.selector.matchExpressions[].key"), s.paths.add("spec.paramRef.selector.matchExpressions[].operator")
	values := s.paths.add("spec.paramRef.selector.matchExpressions[].values[]")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		if called := v.Bytes(name); len(called) > 0 {
			r.add(v.Bytes(namespace))
			r.orLiteral("*")
			r.literalThen("/", called)
			return
		} else if !v.Has(selector) {
			r.literal(unset)
			return
		}
		r.literal("&LabelSelector{MatchLabels:map[string]string{")
		for _, entry := range v.All(labels) {
			key, value, _ := encoded.Pair(entry.Bytes)
			r.add(key)
			r.literalThen(": ", value)
			r.literal(",")
		}
		r.literal("},MatchExpressions:[]LabelSelectorRequirement{")
		for _, key := range v.All(keys) {
			operator, _ := v.At(operators, key.Elem)
			r.literalThen("LabelSelectorRequirement{Key:", key.Bytes)
			r.literalThen(",Operator:", operator.Bytes)
			r.literal(",Values:[")
			for i, value := range v.In(values, key.Elem) {
				if i > 0 {
					r.literal(" ")
				}
				r.add(value.Bytes)
			}
			r.literal("],},")
		}
		r.literal("},}")
	}
}

func apiServices(release) *printer {
	s := namedPrinter()
	return s.
		pair("Service", "spec.service", "namespace", "name", "Local").
		cell("Available", TextCell, serviceAvailable(s)).
		age().
		printer()
}

// serviceAvailable prints whether the API group is served, and the reason if it is not.
func serviceAvailable(s *printerBuilder) cell {
	condition, is, why := s.paths.add("status.conditions[].type"), s.paths.add("status.conditions[].status"), s.paths.add("status.conditions[].reason")
	return func(v *Values, _ *Object, r *row) {
		status, found := firstOf(v, condition, "Available", is)
		if r.cell(status); !found {
			r.literal("Unknown")
		}
		if reason, _ := firstOf(v, condition, "Available", why); len(reason) > 0 && string(status) != "True" {
			r.literalThen(" (", reason)
			r.literal(")")
		}
	}
}
