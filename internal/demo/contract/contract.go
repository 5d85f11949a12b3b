//go:build !js

package contract

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"
)

// Server is an apiserver, and where on it some things are to be found.
type Server struct {
	Base      *url.URL
	Transport http.RoundTripper

	// Expired is a version that the server has forgotten, of ExpiredKind: the path
	// of a collection.
	Expired     int64
	ExpiredKind string
	// Custom is the path of a collection of a custom kind, of which there is one.
	Custom string
	// Log is the path of the log of a container that goes on writing.
	Log string
	// Tables says that built-in kinds can be had as Tables.
	Tables bool
}

// Part is a part of the contract.
type Part struct {
	Name string
	Test func(*testing.T, Server)
}

// Parts are the contract.
var Parts = []Part{
	{"List", list}, {"Pages", pages}, {"Versions", versions}, {"Selectors", selectors}, {"Watch", watch}, {"Initial", initial}, {"Gone", gone},
	{"Errors", statuses}, {"Methods", methods}, {"Negotiation", negotiation}, {"Protobuf", protobuf}, {"Table", table}, {"Metadata", metadata}, {"Discovery", discovery},
	{"Logs", logs}, {"Log", log}, {"Reviews", reviews},
}

// Run holds a server to all of it.
func Run(t *testing.T, s Server) {
	for _, part := range Parts {
		t.Run(part.Name, func(t *testing.T) { part.Test(t, s) })
	}
}

// pods is the collection that there is something in, and that changes.
const pods = "/api/v1/pods"

// within bounds what should come soon.
const within = 30 * time.Second

func number(t *testing.T, version string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n <= 0 {
		t.Fatalf("%q is no version", version)
	}
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
