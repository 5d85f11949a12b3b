//go:build !js

package relay

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

// maxStatus is how many bytes of an error's body are read, and statusWithin how long that may
// take.
const (
	maxStatus    = 64 << 10
	statusWithin = 10 * time.Second
)

// statusOfResponse returns the Status of an answer that is an error. The body is not read if the
// answer is an upgrade, which was not requested: a connection follows it, not a body.
func statusOfResponse(resp *http.Response) *wire.Status {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonMalformed, Code: resp.StatusCode, Message: "something in front of the apiserver switched protocols"}
	}
	late := time.AfterFunc(statusWithin, func() { resp.Body.Close() })
	defer late.Stop()
	s := bodyStatus(resp)
	if s.Code == 0 {
		s.Code = resp.StatusCode
	}
	s.RetryAfter = max(s.RetryAfter, retryAfter(resp.Header))
	return s
}

// retryAfter returns how many seconds to wait, by the header of that name: a number, or a time by
// the clock of whoever sent it. 0 if there is none.
func retryAfter(h http.Header) int {
	said := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil {
		return max(seconds, 0)
	}
	until, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return int(max(math.Ceil(until.Sub(now).Seconds()), 0))
}

// auditID is a header that an apiserver sends with each answer. It proves the origin of errors
// that are not a Status: the aggregator answers in plain text when the server behind an
// APIService is away. A gateway may use the same words, but does not send this header.
const auditID = "Audit-Id"

func bodyStatus(resp *http.Response) *wire.Status {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxStatus)) // on an error, show what has come
	if e, err := openEnvelope(body); err == nil {
		if s := statusOfProtobuf(e.raw); s.Reason != wire.ReasonMalformed {
			return s
		}
	}
	var s metav1.Status
	if err := json.Unmarshal(body, &s); err == nil && s.Kind == "Status" {
		return statusOf(&s)
	}
	text := strings.TrimSpace(string(body))
	if resp.Header.Get(auditID) != "" && text != "" && !strings.HasPrefix(text, "<") && len(text) < 500 {
		var reason string
		if resp.StatusCode == http.StatusServiceUnavailable {
			reason = string(metav1.StatusReasonServiceUnavailable)
		}
		return &wire.Status{Origin: wire.FromAPIServer, Reason: reason, Message: text}
	}
	return &wire.Status{
		Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable,
		Message: fmt.Sprintf("something in front of the apiserver answered %s (%s)", resp.Status, resp.Header.Get("Content-Type")),
	}
}

func statusOfJSON(obj []byte) *wire.Status {
	var s metav1.Status
	if err := json.Unmarshal(obj, &s); err != nil {
		return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonMalformed, Message: "the apiserver sent an error that is not a Status"}
	}
	return statusOf(&s)
}

func statusOf(s *metav1.Status) *wire.Status {
	out := &wire.Status{Origin: wire.FromAPIServer, Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
	if s.Details != nil {
		out.RetryAfter = int(s.Details.RetryAfterSeconds)
		for _, c := range s.Details.Causes {
			out.Causes = append(out.Causes, string(c.Type))
		}
	}
	return out
}

// statusOfError returns the Status of an error on the way. A request that ended while it waited for
// the credential plugin never reached the apiserver, so the plugin comes before why the request ended.
func statusOfError(err error) *wire.Status {
	var plugin interface{ Credentials() string }
	if errors.As(err, &plugin) {
		return &wire.Status{Origin: wire.FromPlugin, Reason: wire.ReasonCredentials, Message: plugin.Credentials()}
	}
	if said := wire.StatusOf(err); said != nil {
		return said
	}
	s := &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: err.Error()}
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	switch {
	case errors.Is(err, errTooLarge):
		s.Origin, s.Reason = wire.FromProxy, wire.ReasonTooLarge
		s.Message = fmt.Sprintf("%v (maximum %d MiB)", err, wire.MaxFrame>>20)
	case errors.Is(err, errTooManyWaiting):
		return tooManyWaiting()
	case errors.Is(err, errUnread):
		s.Origin, s.Reason = wire.FromProxy, wire.ReasonUnread
	case errors.Is(err, encoded.ErrMalformed):
		s.Origin, s.Reason = wire.FromProxy, wire.ReasonMalformed
		s.Message = "unexpected response: " + err.Error()
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &record):
		s.Reason = wire.ReasonCertificate
	case strings.Contains(err.Error(), "getting credentials"):
		s.Reason = wire.ReasonCredentials
	case errors.As(err, &dns):
		s.Message = dns.Error()
	case errors.Is(err, context.DeadlineExceeded):
		s.Message = "the apiserver did not answer in time"
	case bytes.Contains([]byte(s.Message), []byte("tls: ")):
		s.Reason = wire.ReasonCertificate
	}
	return s
}

func proxyStatus(reason, format string, args ...any) *wire.Status {
	return &wire.Status{Origin: wire.FromProxy, Reason: reason, Code: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// tooManyWaiting is the answer to a user with more requests than the proxy handles at once.
func tooManyWaiting() *wire.Status {
	return &wire.Status{
		Origin: wire.FromProxy, Code: http.StatusTooManyRequests, Reason: wire.ReasonTooManyRequests, RetryAfter: 1,
		Message: "Too many lists and objects requested at once. Retrying.",
	}
}
