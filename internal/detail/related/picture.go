package related

// Picture is what the page draws.
type Picture struct {
	Graph
	// Coming says that some of what belongs to it is not known yet.
	Coming bool `json:"coming,omitempty"`
	// Searched is how far what it owns was looked for.
	Searched Searched `json:"searched"`
}
