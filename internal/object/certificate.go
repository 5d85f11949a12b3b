package object

func certificateRequests(release) *printer {
	s := namedPrinter()
	expires := s.paths.add("spec.expirationSeconds")
	return s.
		age().
		text("SignerName", "spec.signerName", none).
		text("Requestor", "spec.username", "").
		cell("RequestedDuration", TextCell, func(v *Values, _ *Object, r *row) {
			if r.next(); v.Has(expires) {
				r.text = appendAge(r.text, v.Int(expires))
			} else {
				r.literal(none)
			}
		}).
		cell("Condition", TextCell, requestCondition(s)).
		printer()
}

// requestCondition prints the decision on the request and its outcome.
func requestCondition(s *printerBuilder) cell {
	condition, certificate := s.paths.add("status.conditions[].type"), s.paths.add("status.certificate")
	return func(v *Values, _ *Object, r *row) {
		is := func(what string) bool {
			_, found := firstOf(v, condition, what, condition)
			return found
		}
		r.next()
		switch {
		case is("Denied"):
			r.literal("Denied")
		case is("Approved"):
			r.literal("Approved")
		default:
			r.literal("Pending")
		}
		if is("Failed") {
			r.literal(",Failed")
		}
		if len(v.Bytes(certificate)) > 0 {
			r.literal(",Issued")
		}
	}
}
