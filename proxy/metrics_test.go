//go:build !js

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// scrape returns the metrics as Prometheus reads them, without those of Go and of the process.
func scrape(t *testing.T, m *counts) string {
	t.Helper()
	p := newOperation()
	p.metrics = m
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Host = "127.0.0.1:9117"
	p.measured(nil).ServeHTTP(w, r)
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	for _, all := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if !strings.Contains(w.Body.String(), "\n"+all+" ") {
			t.Errorf("there is no %s", all)
		}
	}
	var ours []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.Contains(line, "watchglass_") {
			ours = append(ours, line)
		}
	}
	return strings.Join(ours, "")
}

// TestMetricsNames checks the names against Prometheus' conventions.
func TestMetricsNames(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, newMetrics(built(), relay.NewSharing(), relay.NewPlaces())))).Lint()
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// TestMetricsBounded checks that clients cannot create series.
func TestMetricsBounded(t *testing.T) {
	m := newMetrics(built(), relay.NewSharing(), relay.NewPlaces())
	before := strings.Count(scrape(t, m), "\n")
	hostile := []string{"", "delete", "list\n", `"} 1`, "ns-", strings.Repeat("x", 1<<10), "\xff"}
	for i := range 500 {
		for _, name := range hostile {
			m.Opened()
			m.Answered(wire.Verb(fmt.Sprint(name, i)), i*7-300, time.Duration(i))
			m.Relayed(i, time.Duration(i)*time.Millisecond)
		}
	}
	s := &server{options: &options{identity: identity{auth: authLocal}}, operation: newOperation()}
	s.metrics = m
	observe := s.observe()
	for i := range 500 {
		for _, name := range hostile {
			name += fmt.Sprint(i)
			observe(relay.Record{Request: wire.Request{Verb: wire.Verb(name), Resource: name, Namespace: name, Name: name, Group: name}, Code: i, End: relay.EndRefused})
		}
	}
	for code := range 1000 {
		sockets := m.sockets(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(max(code, 200)) }))
		r := httptest.NewRequest(fmt.Sprint("M", code), "/-/socket", nil)
		r.Host = fmt.Sprint("host", code)
		sockets.ServeHTTP(httptest.NewRecorder(), r)
	}
	after := scrape(t, m)
	if n := strings.Count(after, "\n"); n != before {
		t.Errorf("%d lines became %d:\n%s", before, n, after)
	}
	for _, want := range []string{"watchglass_streams 0\n", `watchglass_streams_ended_total{reason="refused"} 3500`, `watchglass_apiserver_requests_total{code="none",verb="other"}`, `watchglass_connections_refused_total{reason="host"} 1` + "\n", "watchglass_connections 0\n"} {
		if !strings.Contains(after, want) {
			t.Errorf("there is no %s in\n%s", want, after)
		}
	}
}

// TestMetricsServed checks the metrics of tabs that connect, watch, disconnect and are refused,
// through the real authenticator.
func TestMetricsServed(t *testing.T) {
	r := newRig(t, func(s *server) { s.metrics = newMetrics(built(), s.sharing, s.places) })
	resp, err := http.Get(r.address + "/-/socket")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	tb := r.tab(t)
	tb.watch("pods")
	tb.events(3)
	tb.send(wire.JSONFrame(wire.KindOpen, 9, wire.Request{Verb: "delete", Resource: "canary"}))
	tb.until(wire.KindEnd, 9)
	got := scrape(t, r.s.metrics)
	for _, want := range []string{
		"watchglass_connections 1\n", "watchglass_streams 1\n", "watchglass_lists_in_flight 1\n", "watchglass_lists_waiting 0\n", `watchglass_connections_refused_total{reason="origin"} 1` + "\n",
		`watchglass_apiserver_requests_total{code="2xx",verb="watch"} 1` + "\n", `watchglass_apiserver_answer_seconds_count{verb="watch"} 1` + "\n",
		`watchglass_streams_ended_total{reason="refused"} 1` + "\n", `watchglass_build_info{commit="`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "watchglass_relayed_bytes_total 0\n") || strings.Contains(got, "canary") || strings.Contains(got, "pods") {
		t.Errorf("%s", got)
	}
	tb.close()
	r.eventually(t, func() bool {
		now := scrape(t, r.s.metrics)
		return strings.Contains(now, "watchglass_connections 0\n") && strings.Contains(now, "watchglass_streams 0\n") && strings.Contains(now, `{reason="gone"} 1`)
	})
}

// BenchmarkMetrics measures counting a frame and an answer.
func BenchmarkMetrics(b *testing.B) {
	m := newMetrics(built(), relay.NewSharing(), relay.NewPlaces())
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Relayed(2048, 350*time.Microsecond)
		}
	})
	b.Run("answer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Answered(wire.Watch, 200, 3*time.Millisecond)
		}
	})
	b.Run("audit", func(b *testing.B) {
		on := true
		s := &server{options: &options{operating: operating{audit: &on}}, operation: newOperation(), log: (&options{logJSON: true}).logger(io.Discard)}
		observe := s.observe()
		record := relay.Record{Request: wire.InitialWatch("apps", "v1", "deployments", "team-03"), Code: 200, Bytes: 1 << 20, Took: time.Minute, End: relay.EndDone}
		b.ReportAllocs()
		for b.Loop() {
			observe(record)
		}
	})
}
