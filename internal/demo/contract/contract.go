//go:build !js

package contract

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"
)

// Server is an apiserver, and the paths of some things on it.
type Server struct {
	Base      *url.URL
	Transport http.RoundTripper

	// Expired is a version that the server no longer has, of ExpiredKind: the path of a
	// collection.
	Expired     int64
	ExpiredKind string
	// Custom is the path of a collection of a custom kind; it has one object.
	Custom string
	// Log is the path of the log of a container that keeps writing.
	Log string
	// Tables is true if the server prints built-in kinds as Tables.
	Tables bool
}

// Part is one part of the contract.
type Part struct {
	Name string
	Test func(*testing.T, Server)
}

// Parts are all parts of the contract.
var Parts = []Part{
	{"List", list}, {"Pages", pages}, {"Versions", versions}, {"Selectors", selectors}, {"Watch", watch}, {"Initial", initial}, {"Gone", gone},
	{"Errors", statuses}, {"Methods", methods}, {"Negotiation", negotiation}, {"Protobuf", protobuf}, {"Table", table}, {"Metadata", metadata}, {"Discovery", discovery},
	{"Logs", logs}, {"Log", log}, {"Reviews", reviews},
}

// Run checks a server against the whole contract.
func Run(t *testing.T, s Server) {
	for _, part := range Parts {
		t.Run(part.Name, func(t *testing.T) { part.Test(t, s) })
	}
}

// pods is a collection that is not empty and keeps changing.
const pods = "/api/v1/pods"

// within limits how long a request may take.
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
