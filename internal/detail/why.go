package detail

// Why is one thing that is wrong with an object, and where to read on.
type Why struct {
	Reason   string `json:"r"`
	Tone     string `json:"t"`
	Text     string `json:"x,omitempty"`
	Since    int64  `json:"s,omitempty"` // unix seconds
	Evidence string `json:"e,omitempty"` // the field or event that says so
	// Logs says that logs explain it: those of Container and, with Previous, of its run before. Pod
	// is the pod, if the object is not one.
	Logs      bool   `json:"l,omitempty"`
	Pod       string `json:"p,omitempty"`
	Container string `json:"c,omitempty"`
	Previous  bool   `json:"v,omitempty"`
}

// LastWarning is the newest warning about an object.
type LastWarning struct {
	Reason string `json:"r"`
	Text   string `json:"x,omitempty"`
	At     int64  `json:"a,omitempty"` // unix seconds
}
