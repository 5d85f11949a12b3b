package object

// Kinds by which the server prioritizes and limits requests.

func flowSchemas(release) *printer {
	s := namedPrinter()
	condition, is := s.paths.add("status.conditions[].type"), s.paths.add("status.conditions[].status")
	return s.
		text("PriorityLevel", "spec.priorityLevelConfiguration.name", "").
		number("MatchingPrecedence", "spec.matchingPrecedence").
		optional("DistinguisherMethod", "spec.distinguisherMethod.type", none).
		age().
		cell("MissingPL", TextCell, func(v *Values, _ *Object, r *row) {
			dangles, told := firstOf(v, condition, "Dangling", is)
			if r.cell(dangles); !told {
				r.literal("?")
			}
		}).
		printer()
}

func priorityLevels(release) *printer {
	const limited = "spec.limited"
	const queuing = limited + ".limitResponse.queuing"
	return namedPrinter().
		text("Type", "spec.type", "").
		numberIn("NominalConcurrencyShares", limited, limited+".nominalConcurrencyShares", none).
		numberIn("Queues", queuing, queuing+".queues", none).
		numberIn("HandSize", queuing, queuing+".handSize", none).
		numberIn("QueueLengthLimit", queuing, queuing+".queueLengthLimit", none).
		age().
		printer()
}
