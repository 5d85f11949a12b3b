package inspection

import "time"

// Hub is all that the hub says of itself.
type Hub struct {
	Sources  []Source      `json:"sources"`
	Worker   Worker        `json:"worker"`
	Clusters []Cluster     `json:"clusters"`
	Pages    []Page        `json:"pages"`
	Packed   PackedObjects `json:"packed"`
	History  History       `json:"history"`
	Memory   struct {
		Worker uint64 `json:"worker"`
	} `json:"memory"`
	Goroutines struct {
		Worker int `json:"worker"`
	} `json:"goroutines"`
}

// Worker says what runs the hub.
type Worker struct {
	Name   string    `json:"name"`
	Shared bool      `json:"shared"` // by all tabs of the browser
	Since  time.Time `json:"since"`
}

// PackedObjects says how large the packed objects of all clusters are.
type PackedObjects struct {
	Bytes   int64 `json:"bytes"`
	Objects int   `json:"objects"`
	Dropped int   `json:"dropped"`
	Limit   int64 `json:"limit"`
}

// History is what the hub remembers of all clusters.
type History struct {
	Bytes   int  `json:"bytes"`
	Limit   int  `json:"limit"`
	Dropped int  `json:"dropped"` // changes
	Disk    Disk `json:"disk"`
}

// Disk is what is on disk of the histories of all clusters.
type Disk struct {
	On     bool   `json:"on"`
	Bytes  int64  `json:"bytes"`
	Room   int64  `json:"room"`
	Failed string `json:"failed"`
}

// Cluster is a cluster of the hub.
type Cluster struct {
	Context   string `json:"context"`
	Server    string `json:"server"`
	Connected bool   `json:"connected"`
	Sources   int    `json:"sources"`
	Objects   int    `json:"objects"`
	// Unsaved is why the last save for the next visit failed.
	Unsaved string `json:"unsaved,omitempty"`
}

// Page is a page of the hub, with what it has open.
type Page struct {
	ID      uint32    `json:"id"`
	Self    bool      `json:"self"` // it is the page that asks
	Context string    `json:"context"`
	Since   time.Time `json:"since"`
	Visible bool      `json:"visible"`
	Lists   []List    `json:"lists"`
	Objects []Object  `json:"objects"`
}

// List is a list of a page.
type List struct {
	ID       uint32 `json:"id"`
	Resource string `json:"resource"`
	State    string `json:"state"`
}

// Object is an open object of a page.
type Object struct {
	ID        uint32 `json:"id"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Tab       string `json:"tab"`
}
