//go:build !js

package main

import (
	"bufio"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// counts are the metrics. No label has values that a client can choose; all values are listed
// in this file or in package relay.
type counts struct {
	registry     *prometheus.Registry
	connections  prometheus.Gauge
	refused      *prometheus.CounterVec
	authRefusals *prometheus.CounterVec
	streams      prometheus.Gauge
	ends         *prometheus.CounterVec
	requests     *prometheus.CounterVec
	answers      *prometheus.HistogramVec
	bytes        prometheus.Counter
	delays       prometheus.Histogram
}

var _ relay.Meter = (*counts)(nil)

// The buckets: 0.1 ms to 1 s for a frame's delay in the proxy, and 1 ms to a minute, the limit,
// for an answer of the apiserver.
var (
	delayBuckets  = []float64{.0001, .0002, .0005, .001, .002, .003, .005, .0075, .01, .015, .02, .034, .05, .1, .2, .5, 1}
	answerBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
)

// The values of labels.
var (
	verbs   = []wire.Verb{wire.List, wire.Watch, wire.Get, wire.Discover, wire.Review, wire.Log}
	classes = []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}
	ends    = []relay.End{relay.EndDone, relay.EndRefused, relay.EndError, relay.EndUnreachable, relay.EndUnreadable, relay.EndUnread, relay.EndCrowded, relay.EndRevoked, relay.EndOver, relay.EndLetGo, relay.EndGone, relay.EndDrained}
	refused = map[int]string{
		http.StatusMisdirectedRequest: "host", http.StatusForbidden: "origin", http.StatusUnauthorized: "session",
		http.StatusTooManyRequests: "limit", http.StatusServiceUnavailable: "draining",
		http.StatusUpgradeRequired: "handshake", http.StatusBadRequest: "handshake", http.StatusMethodNotAllowed: "handshake",
	}
)

const otherValue = "other"

func newMetrics(b build, sharing *relay.Sharing, places *relay.Places) *counts {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: "watchglass_" + name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return in.NewGauge(prometheus.GaugeOpts{Name: "watchglass_" + name, Help: help})
	}
	m := &counts{
		registry:     registry,
		connections:  gauge("connections", "Open WebSocket connections."),
		refused:      counter("connections_refused_total", "WebSocket connections refused, and connections and requests that exceeded a limit.", "reason"),
		authRefusals: counter("door_refusals_total", "Requests refused: pages, sign-ins and WebSockets.", "reason"),
		streams:      gauge("streams", "Open streams: lists, watches, logs and gets."),
		ends:         counter("streams_ended_total", "Streams that ended.", "reason"),
		requests:     counter("apiserver_requests_total", "Requests to the apiserver, by verb and status class; none if there was no response.", "verb", "code"),
		bytes:        in.NewCounter(prometheus.CounterOpts{Name: "watchglass_relayed_bytes_total", Help: "Bytes of frames sent to tabs, before compression."}),
		answers: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "watchglass_apiserver_answer_seconds", Help: "Time from a request to its response header.", Buckets: answerBuckets,
		}, []string{"verb"}),
		delays: in.NewHistogram(prometheus.HistogramOpts{
			Name: "watchglass_relay_delay_seconds", Help: "Time from reading the first event of a frame to writing the frame, including the wait for the tab's credit.", Buckets: delayBuckets,
		}),
	}
	in.NewGaugeFunc(prometheus.GaugeOpts{Name: "watchglass_shared_watches", Help: "Open watches of the apiserver that several streams may read."}, sharing.Watches)
	in.NewGaugeFunc(prometheus.GaugeOpts{Name: "watchglass_lists_in_flight", Help: "Lists and initial watches that the apiserver has not completed."}, places.InFlight)
	in.NewGaugeFunc(prometheus.GaugeOpts{Name: "watchglass_lists_waiting", Help: "Lists and initial watches that wait for their turn at the apiserver."}, places.Waiting)
	in.NewGaugeVec(prometheus.GaugeOpts{Name: "watchglass_build_info", Help: "Version, commit and Go version of the build."}, []string{"version", "commit", "goversion"}).
		WithLabelValues(b.version, b.commit, b.compiler).Set(1)
	m.begin()
	return m
}

// begin creates every series, so that rates start from zero.
func (m *counts) begin() {
	for _, v := range slices.Concat(verbs, []wire.Verb{otherValue}) {
		m.answers.WithLabelValues(string(v))
		for _, c := range classes {
			m.requests.WithLabelValues(string(v), c)
		}
	}
	for _, e := range ends {
		m.ends.WithLabelValues(string(e))
	}
	for _, reason := range refused {
		m.refused.WithLabelValues(reason)
	}
	m.refused.WithLabelValues(otherValue)
}

// Opened counts a stream.
func (m *counts) Opened() { m.streams.Inc() }

// Answered counts a request to the apiserver and its answer.
func (m *counts) Answered(verb wire.Verb, code int, after time.Duration) {
	if !slices.Contains(verbs, verb) {
		verb = otherValue
	}
	class := classes[0]
	if n := code / 100; n > 0 && n < len(classes) {
		class = classes[n]
	}
	m.requests.WithLabelValues(string(verb), class).Inc()
	m.answers.WithLabelValues(string(verb)).Observe(after.Seconds())
}

// Relayed counts a frame.
func (m *counts) Relayed(bytes int, after time.Duration) {
	m.bytes.Add(float64(bytes))
	m.delays.Observe(after.Seconds())
}

func (m *counts) ended(why relay.End) {
	m.streams.Dec()
	m.ends.WithLabelValues(string(why)).Inc()
}

// meter returns the meter of a relay, or nil without metrics.
func (m *counts) meter() relay.Meter {
	if m == nil {
		return nil
	}
	return m
}

// sockets counts the sockets that next opens and refuses.
func (m *counts) sockets(next http.Handler) http.Handler {
	if m == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := &socketWriter{ResponseWriter: w, opened: m.connections.Inc}
		next.ServeHTTP(d, r)
		if d.in {
			m.connections.Dec()
			return
		}
		reason, ok := refused[d.code]
		if !ok {
			reason = otherValue
		}
		m.refused.WithLabelValues(reason).Inc()
	})
}

// authRefused counts a request that the authenticator refused, by its reason.
func (m *counts) authRefused(reason string) {
	if m != nil {
		m.authRefusals.WithLabelValues(reason).Inc()
	}
}

// limited counts a connection or a request that exceeded a limit.
func (m *counts) limited() {
	if m != nil {
		m.refused.WithLabelValues(refused[http.StatusTooManyRequests]).Inc()
	}
}

// socketWriter records whether a request became a socket, and the status code if it did not.
type socketWriter struct {
	http.ResponseWriter
	opened func()
	in     bool
	code   int
}

func (d *socketWriter) WriteHeader(code int) {
	d.code = code
	d.ResponseWriter.WriteHeader(code)
}

// Hijack is called when a request becomes a WebSocket.
func (d *socketWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(d.ResponseWriter).Hijack()
	if err == nil {
		d.in = true
		d.opened()
	}
	return conn, rw, err
}
