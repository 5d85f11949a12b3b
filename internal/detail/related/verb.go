package related

// Verb is the relation of one object to another.
type Verb uint8

// The verbs. An edge is drawn from left to right, from the subject of its verb to the object.
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

// words are the verbs as read from either end.
var words = [verbs][2]string{
	Owns: {"owns", "owned by"}, Scales: {"scales", "scaled by"}, Routes: {"routes to", "routed to by"},
	Selects: {"selects", "selected by"}, Runs: {"runs on", "runs"}, Mounts: {"mounts", "mounted by"},
	Uses: {"uses", "used by"}, Binds: {"binds", "bound by"}, Attaches: {"attaches", "attached by"},
}

// String returns the verb as read along the edge.
func (v Verb) String() string { return words[v][0] }

// Back returns the verb as read from the other end.
func (v Verb) Back() string { return words[v][1] }
