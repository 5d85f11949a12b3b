//go:build !js

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"watchglass/internal/edge"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// operating is the flags for operators.
type operating struct {
	config                     string
	metricsListen, debugListen string
	audit                      *bool          // nil: the default of the mode
	drain                      *time.Duration // nil: the default of the mode
	tlsCert, tlsKey, tlsLeast  string
}

func (o *operating) flags() []flag {
	return []flag{
		{"tls-cert-file", "", "FILE", "PEM file with the HTTPS certificate, followed by its chain. Reloaded when it changes", text(&o.tlsCert, "")},
		{"tls-private-key-file", "", "FILE", "PEM file with the private key of the certificate. Reloaded when it changes", text(&o.tlsKey, "")},
		{"tls-min-version", "", "VERSION", "minimum TLS version, 1.2 or 1.3 (default 1.2)", text(&o.tlsLeast, "1.2")},
		{"metrics-listen", "", "HOST:PORT", "address for Prometheus metrics at /metrics, and for /livez and /readyz (default: none)", text(&o.metricsListen, "")},
		{"debug-listen", "", "HOST:PORT", "loopback address for Go's profiles at /debug/pprof/ (default: none)", text(&o.debugListen, "")},
		{"audit", "", "[=on|off]", "log each request to the apiserver: who, what, how much, and why it ended (default: on; off in local mode)", onOff(&o.audit)},
		{"drain", "", "DURATION", "how long to spend moving tabs to other replicas when stopping (default 10s; 0s in local mode)", duration(&o.drain)},
		{"config", "", "FILE", "YAML file that sets flags by name. Flags override environment variables, which override the file", text(&o.config, "")},
	}
}

// operation is the part of the proxy for operators: TLS, metrics, health and draining.
type operation struct {
	certificate *edge.Certificate // nil: plain HTTP
	front       *x509.CertPool    // CAs of the front's certificate; nil: none
	metrics     *counts           // nil: no metrics
	beside      []*beside
	condition   condition
	tabs        tabs
	drain       *relay.Drain
	heavy       *relay.Heavy
	limiter     *relay.Limiter
	places      *relay.Places
	sharing     *relay.Sharing
	cutting     context.Context // ends when the remaining connections are closed
	cut         context.CancelFunc
}

func newOperation() *operation {
	p := &operation{drain: relay.NewDrain(), heavy: relay.NewHeavy(), limiter: relay.NewLimiter(), places: relay.NewPlaces(), sharing: relay.NewSharing()}
	p.cutting, p.cut = context.WithCancel(context.Background())
	return p
}

// operate loads the certificate and opens the listeners for operators. The caller has to close
// it after serving has ended.
func (o *options) operate(ctx context.Context, log *slog.Logger) (*operation, error) {
	p := newOperation()
	if o.metricsListen != "" {
		p.metrics = newMetrics(built(), p.sharing, p.places)
	}
	err := p.listen(ctx, o, log)
	if err == nil {
		err = p.load(o, log)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// load reads the certificates.
func (p *operation) load(o *options, log *slog.Logger) (err error) {
	if o.front.caFile != "" {
		if p.front, err = edge.Authority(o.front.caFile); err != nil {
			return fmt.Errorf("--front-ca-file: %w", err)
		}
	}
	if o.tlsCert != "" {
		p.certificate, err = edge.NewCertificate(o.tlsCert, o.tlsKey, log)
	}
	return err
}

func (p *operation) close() {
	for _, b := range p.beside {
		b.close()
	}
	p.cut()
}

// The default and the maximum of --drain.
const (
	standardDrain = 10 * time.Second
	mostDrain     = wire.DrainMost
)

// audits reports whether each request is logged. By default it is not in local mode, in which
// users would only read about themselves.
func (o *options) audits() bool {
	if o.audit != nil {
		return *o.audit
	}
	return !o.local()
}

// drains returns how long a drain takes. By default there is none in local mode, in which the
// user waits for the proxy to stop.
func (o *options) drains() time.Duration {
	switch {
	case o.drain != nil:
		return *o.drain
	case o.local():
		return 0
	}
	return standardDrain
}

// tlsVersions are the values of --tls-min-version.
var tlsVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// validateOperation returns the first error in the flags of this file.
func (o *options) validateOperation() error {
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return errors.New("--tls-cert-file and --tls-private-key-file must be set together")
	}
	if o.front.caFile != "" && o.tlsCert == "" {
		return errors.New("--front-ca-file needs --tls-cert-file: the front shows its certificate over TLS")
	}
	if _, ok := tlsVersions[o.tlsLeast]; !ok {
		return fmt.Errorf("--tls-min-version %s: must be 1.2 or 1.3", o.tlsLeast)
	}
	if d := o.drains(); d < 0 || d > mostDrain {
		return fmt.Errorf("--drain %v: must be from 0s to %v", d, mostDrain)
	}
	if o.metricsListen != "" {
		if _, _, err := net.SplitHostPort(o.metricsListen); err != nil {
			return fmt.Errorf("--metrics-listen %s: %w", o.metricsListen, err)
		}
	}
	if o.debugListen == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(o.debugListen)
	if err != nil {
		return fmt.Errorf("--debug-listen %s: %w", o.debugListen, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("--debug-listen %s: profiles show what is in memory and slow the proxy down, so they are for this machine only. Listen on 127.0.0.1 or [::1]", o.debugListen)
	}
	return nil
}
