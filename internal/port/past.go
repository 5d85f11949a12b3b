package port

import "time"

// Travel takes the whole page to a moment in the hub's history: it shows lists, facets, sums and open
// objects as they were. A zero At returns to now, or to the end of a recording.
type Travel struct {
	At time.Time `json:"at"`
	// Playing lets time run from there at a multiple of the real speed (default 1).
	Playing bool `json:"playing,omitempty"`
	Speed   int  `json:"speed,omitempty"`
	// Close also closes the recording that the page shows, so that a zero At is now.
	Close bool `json:"close,omitempty"`
	// Seq counts the page's Travels. The Past that answers one has its number.
	Seq uint32 `json:"seq,omitempty"`
}

// Past reports the moment that the page shows, and the range to choose from. It is sent after each Travel,
// regularly while time plays, and otherwise at most every second.
type Past struct {
	At      time.Time `json:"at"` // zero: the page is live
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Playing bool      `json:"playing,omitempty"`
	Speed   int       `json:"speed,omitempty"`
	// Recorded describes the recording that the page shows; nil if it is the hub's own memory.
	Recorded *RecordingInfo `json:"recorded,omitempty"`
	// Recording is the start of the current recording; zero if there is none.
	Recording time.Time `json:"recording"`
	// Bytes is the size of history in memory, and Limit its maximum. Dropped reports that older changes did
	// not fit.
	Bytes   int  `json:"bytes"`
	Limit   int  `json:"limit"`
	Dropped bool `json:"dropped,omitempty"`
	// Error says why the hub can't go to the requested moment.
	Error string `json:"error,omitempty"`
	// Seq is the number of the last Travel that the hub has completed or refused.
	Seq uint32 `json:"seq,omitempty"`
	// Missed are times in which changes may be missing, in order, such as while the tab was asleep or not
	// connected.
	Missed []Interruption `json:"missed,omitempty"`
	// Disk is the state of history on disk.
	Disk Disk `json:"disk"`
}

// Disk is the state of history on disk.
type Disk struct {
	Can       bool      `json:"can,omitempty"`       // there is a disk
	Forbidden bool      `json:"forbidden,omitempty"` // by the proxy
	On        bool      `json:"on,omitempty"`
	Bytes     int64     `json:"bytes,omitempty"`
	Room      int64     `json:"room,omitempty"`
	Dropped   bool      `json:"dropped,omitempty"` // older history did not fit
	Failed    string    `json:"failed,omitempty"`  // why nothing more is stored
	Memory    time.Time `json:"memory"`            // where memory begins
}

// KeepHistory lets history that does not fit into memory go to disk, or removes the history on disk.
type KeepHistory struct {
	Disk bool `json:"disk"`
}

// Interruption is a time in which changes may be missing.
type Interruption struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// RecordingInfo describes a recording.
type RecordingInfo struct {
	Cluster string    `json:"cluster"`
	User    string    `json:"user,omitempty"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Version string    `json:"version"` // of the Watchglass that saved it
	// Release is the apiserver's, as far as it was known; "" if it was not.
	Release string `json:"release,omitempty"`
	// Damage says how far a damaged file was read, and why no further; "" if it is intact.
	Damage string `json:"damage,omitempty"`
	// Altered says what was left out or replaced, LeftOut has the namespaces that were left out, comma-separated. Unnamed
	// is how many others were, whose names are not in the file.
	Altered string `json:"altered,omitempty"`
	LeftOut string `json:"leftOut,omitempty"`
	Unnamed int    `json:"unnamed,omitempty"`
}

// OpenTimeline asks for the timeline of a list or an object of the page, until the ID is closed. The
// hub answers with a Detail whose part is TimelinePart and whose document is a timeline.Picture, and
// sends another whenever it changes. Another OpenTimeline of the same ID replaces the question.
type OpenTimeline struct {
	ID     uint32 `json:"id"`
	List   uint32 `json:"list,omitempty"`   // whose filter it is under
	Object uint32 `json:"object,omitempty"` // with what it owns; instead of a list
	// Lanes are by "owner", "namespace", "node" or "kind"; "" is the histogram alone.
	Lanes string    `json:"lanes,omitempty"`
	Class string    `json:"class,omitempty"` // of the entries in lanes; "": all
	From  time.Time `json:"from"`            // zero: all that is remembered
	To    time.Time `json:"to"`
	Bars  int       `json:"bars"` // how many fit on screen
	Most  int       `json:"most"` // how many lanes fit
	// Unfolded are the rules of noise that are off, by name.
	Unfolded []string `json:"unfolded,omitempty"`
}

// TimelinePart is the part of a Detail with a timeline.Picture.
const TimelinePart = "timeline"

// Timeline is the resource of the list of what happened, as the address names it. Its rows are made
// in the tab.
const Timeline = "timeline"
