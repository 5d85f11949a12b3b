package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// backend is a server behind an APIService, as small as one can be: it lists one thing, and
// watches it for as long as somebody looks.
func backend(t *testing.T) *httptest.Server {
	t.Helper()
	const thing = `{"apiVersion": "away.example.com/v1", "kind": "Thing", "metadata": {"name": "one", "uid": "u", "resourceVersion": "1"}}`
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		switch {
		case r.URL.Path == "/apis/away.example.com/v1":
			fmt.Fprint(w, `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "away.example.com/v1", "resources": [{"name": "things", "singularName": "thing", "kind": "Thing", "namespaced": false, "verbs": ["get", "list", "watch"]}]}`)
		case r.URL.Path != "/apis/away.example.com/v1/things":
			http.NotFound(w, r)
		case q.Get("sendInitialEvents") != "":
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422, "message": "no initial events"}`)
		case q.Get("watch") != "":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			fmt.Fprint(w, `{"kind": "ThingList", "apiVersion": "away.example.com/v1", "metadata": {"resourceVersion": "1"}, "items": [`+thing+`]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAggregatedAway shows who says that the server behind an APIService is away: it is the
// apiserver, whose aggregator answers in plain text.
func TestAggregatedAway(t *testing.T) {
	s := backend(t)
	stage.Aggregate(t, s, "away.example.com", "v1")
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/things.away.example.com"))
	e.AwaitCount(1)
	s.CloseClientConnections()
	s.Close()
	e = open(t, p.At("/things.away.example.com"))
	said := stage.AwaitValue(e, `document.body.innerText.toLowerCase()`, func(said string) bool {
		return strings.Contains(said, "apiserver said") && (strings.Contains(said, "service unavailable") || strings.Contains(said, "error trying to reach service"))
	})
	if strings.Contains(said, "something in front of") {
		t.Error(said)
	}
	e.Keep("away")
}
