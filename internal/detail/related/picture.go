package related

// Picture is what the page draws.
type Picture struct {
	Graph
	// Coming is true while some related objects are not known yet.
	Coming bool `json:"coming,omitempty"`
	// Searched is the progress of the search for owned objects.
	Searched SearchProgress `json:"searched"`
}
