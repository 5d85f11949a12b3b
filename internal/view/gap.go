package view

// Gap is a list that something on the page rests on, and that is not known to be complete and
// current. While there is one, nothing may be said to be none or well.
type Gap struct {
	Resource string `json:"resource"` // the kind, by its ID
	// State is one of a source's states, Partial or Unread.
	State string `json:"state"`
	// Only are the namespaces that have been read instead of the whole cluster, comma-separated.
	Only string `json:"only,omitempty"`
	// Unread is how many objects of the list can't be read, if that is its State. While it is syncing, it is how many
	// have yet to be read for what rests on the list; 0 if that is not known.
	Unread int `json:"unread,omitempty"`
	// Cause is why, in the words of whoever said so.
	Cause string `json:"cause,omitempty"`
}

// Partial is the state of a list that is live, but of some namespaces: those of Gap.Only, or else
// those on screen.
const Partial = "partial"

// Unread is the state of a list that is live, but lacks objects that can't be read. What is missing from it may exist.
const Unread = "unread"
