package object

func certificateRequests(release) *printer {
	s := named()
	expires := s.paths.add("spec.expirationSeconds")
	return s.
		age().
		text("SignerName", "spec.signerName", none).
		text("Requestor", "spec.username", "").
		cell("RequestedDuration", TextCell, func(v *Values, _ *Object, r *row) {
			if r.next(); v.Has(expires) {
				r.text = appendAge(r.text, v.Int(expires))
			} else {
				r.put(none)
			}
		}).
		cell("Condition", TextCell, requestCondition(s)).
		printer()
}

// requestCondition prints the decision on the request and its outcome.
func requestCondition(s *sheet) cell {
	condition, certificate := s.paths.add("status.conditions[].type"), s.paths.add("status.certificate")
	return func(v *Values, _ *Object, r *row) {
		is := func(what string) bool {
			_, found := firstOf(v, condition, what, condition)
			return found
		}
		r.next()
		switch {
		case is("Denied"):
			r.put("Denied")
		case is("Approved"):
			r.put("Approved")
		default:
			r.put("Pending")
		}
		if is("Failed") {
			r.put(",Failed")
		}
		if len(v.Bytes(certificate)) > 0 {
			r.put(",Issued")
		}
	}
}
