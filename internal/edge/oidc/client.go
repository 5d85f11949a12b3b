//go:build !js

package oidc

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const (
	// within is the timeout for a response of the provider.
	within = 10 * time.Second
	// maxAnswer is the maximum size of a response. The longest is that with the keys.
	maxAnswer = 1 << 20
)

// newClient returns the HTTP client for the provider. It follows no redirects, since requests may
// contain a secret for one address only.
func newClient(ca []byte) (*http.Client, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(ca) > 0 {
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("OIDC CA: no PEM certificate found")
		}
	}
	return &http.Client{
		Timeout:       within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: answers{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        secure,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}, nil
}

// answers is a transport that returns only responses that fit the protocol: complete, not too long,
// and JSON unless the request accepts something else.
type answers struct{ next http.RoundTripper }

// nonsense is the error for a response that does not fit the protocol.
type nonsense struct{ text string }

func (n *nonsense) Error() string { return n.text }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "watchglass")
	free := r.Header.Get("Accept") != ""
	if !free {
		r.Header.Set("Accept", "application/json")
	}
	resp, err := a.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if what := unfit(r.Method, resp.StatusCode, body, free); what != "" {
		return nil, &nonsense{fmt.Sprintf("%s://%s%s answered %d %s%s", r.URL.Scheme, r.URL.Host, r.URL.Path, resp.StatusCode, http.StatusText(resp.StatusCode), what)}
	}
	resp.Header.Set("Content-Type", "application/json") // checked above
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// unfit returns what is wrong with a response, or "".
func unfit(method string, code int, body []byte, free bool) string {
	switch {
	case code >= 300 && code < 400:
		return ", a redirect, which is not allowed"
	case code == http.StatusTooManyRequests, code >= 500:
		return ": try again later"
	case method == http.MethodGet && code != http.StatusOK:
		return ": is it the right address?"
	case len(body) > maxAnswer:
		return " with more than 1 MiB"
	case !free && !json.Valid(body):
		return " with something that is not JSON"
	}
	return ""
}

// unreached returns the error if the provider gave no valid answer. It contains the text of known
// kinds of errors only, since others may contain what was sent.
func (p *Provider) unreached(err error) error {
	return fmt.Errorf("no valid answer from the provider %s: %w", p.options.Issuer, reason(err))
}

func reason(err error) error {
	var (
		wrong       *nonsense
		certificate *tls.CertificateVerificationError
		plain       tls.RecordHeaderError
		network     *net.OpError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return fmt.Errorf("it did not answer in time: %w", context.DeadlineExceeded)
	case errors.As(err, &wrong):
		return wrong
	case errors.As(err, &certificate):
		return certificate.Err
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return errors.New("it does not speak TLS")
	case errors.As(err, &network):
		return network
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection")
	}
	return errors.New("its answer was not understood")
}
