package related

// Verb is how an object stands to another.
type Verb uint8

// The verbs. What they lead to is drawn to the right of where they come from.
const (
	Owns Verb = iota
	Scales
	Routes
	Selects
	Runs
	Mounts
	Uses
	Binds
	Attaches
	verbs
)

// words are the verbs as they are read from either end.
var words = [verbs][2]string{
	Owns: {"owns", "owned by"}, Scales: {"scales", "scaled by"}, Routes: {"routes to", "routed to by"},
	Selects: {"selects", "selected by"}, Runs: {"runs on", "runs"}, Mounts: {"mounts", "mounted by"},
	Uses: {"uses", "used by"}, Binds: {"binds", "bound by"}, Attaches: {"attaches", "attached by"},
}

// String is the verb as it is read along the edge.
func (v Verb) String() string { return words[v][0] }

// Back is the verb as it is read from the other end.
func (v Verb) Back() string { return words[v][1] }
