package inspection

import "time"

// Source is a source of objects.
type Source struct {
	Resource        string    `json:"resource"`
	Namespace       string    `json:"namespace"`
	Selector        string    `json:"selector"`
	Encoding        string    `json:"encoding"`
	State           string    `json:"state"`
	Phase           string    `json:"phase"`
	Since           time.Time `json:"since"`
	Objects         int       `json:"objects"`
	ResourceVersion string    `json:"resourceVersion"`
	UpstreamAge     int64     `json:"upstreamAge"`
	Events          uint64    `json:"events"`
	Bytes           uint64    `json:"bytes"`
	Resumes         int       `json:"resumes"`
	Relists         int       `json:"relists"`
	Idles           int       `json:"idles"`
	Rejected        int       `json:"rejected"`
	Unread          int       `json:"unread"`
	LastRejected    string    `json:"lastRejected,omitempty"`
	Checks          Checks    `json:"checks"`
	Queue           int       `json:"queue"`
	Coalesced       uint64    `json:"coalesced"`
	Indexes         []Index   `json:"indexes"`
	Error           string    `json:"error,omitempty"`
	// Stalls is how often a stream had to wait for credit.
	Stalls     int         `json:"stalls"`
	Relistings []Relisting `json:"relistings"`
	// Meter and Packed, the size of packed objects in bytes, are only set for the inspector.
	Meter  *Meter `json:"meter,omitempty"`
	Packed int    `json:"packed,omitempty"`
	// Elsewhere says that the source is of another context than the page; only for the inspector.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Context   string `json:"context,omitempty"`
}

// Checks says how it was verified, after a reconnect, that the cluster is still the
// same.
type Checks struct {
	// Cluster is kube-system's UID, or why it was not checked.
	Cluster string `json:"cluster"`
	Probes  int    `json:"probes"`
	Audits  int    `json:"audits"`
	Rewinds int    `json:"rewinds"`
	// Audited is when the last audit ended, and Differences the number of audits in which store and
	// server differed.
	Audited     time.Time `json:"audited,omitzero"`
	Differences int       `json:"differences"`
	// Unaudited says why the last audit failed, or what it found.
	Unaudited string `json:"unaudited,omitempty"`
}

// Index is an index of a source.
type Index struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
	Broken int    `json:"broken"`
	Said   string `json:"said,omitempty"`
}

// Relisting is why a list was requested anew.
type Relisting struct {
	At    time.Time `json:"at"`
	Cause string    `json:"cause"`
}

// Meter is what a source did in the last 15 minutes.
type Meter struct {
	Events  Chart `json:"events"` // per second
	Bytes   Chart `json:"bytes"`  // per second
	Queue   Chart `json:"queue"`
	Heard   Chart `json:"heard"`  // milliseconds since the apiserver's last sign of life
	Store   Chart `json:"store"`  // milliseconds from the tab to the store
	Paint   Chart `json:"paint"`  // milliseconds from the store to the screen
	Stalls  Chart `json:"stalls"` // counted in each step, like the next two
	Resumes Chart `json:"resumes"`
	Relists Chart `json:"relists"`
	Indexes Chart `json:"indexes"` // values in all indexes
	Packed  Chart `json:"packed"`  // bytes of packed objects; read only while the inspector is open
}

// Chart is one value of a meter over time.
type Chart struct {
	Now float32 `json:"now"` // at the last reading
	// Series has a value for each quarter of a minute of the last 15 minutes, the newest last; -1 is not known.
	Series []float32 `json:"series"`
}
