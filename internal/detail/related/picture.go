package related

// Picture is what the page draws.
type Picture struct {
	Graph
	Layout *Layout `json:"layout"`
	// Coming says that some of what belongs to it is not known yet.
	Coming bool `json:"coming,omitempty"`
}
