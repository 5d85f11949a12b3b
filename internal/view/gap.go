package view

// Gap is a list that something on the page rests on, and that is not known to be complete and
// current. While there is one, nothing may be said to be none or well.
type Gap struct {
	Resource string `json:"resource"` // the kind, by its ID
	// State is one of a source's states, or Partial.
	State string `json:"state"`
	// Only are the namespaces that have been read instead of the whole cluster, comma-separated.
	Only string `json:"only,omitempty"`
	// Cause is why, in the words of whoever said so.
	Cause string `json:"cause,omitempty"`
}

// Partial is the state of a list that is live, but of some namespaces: those of Gap.Only, or else
// those on screen.
const Partial = "partial"
