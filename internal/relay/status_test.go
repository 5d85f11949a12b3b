//go:build !js

package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"watchglass/internal/wire"
)

// refusals are an apiserver's errors.
func refusals(message string, seconds int) []*apierrors.StatusError {
	pods, why := schema.GroupResource{Resource: "pods"}, errors.New(message)
	gone := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonGone, Message: message}}
	tooLarge := apierrors.NewTimeoutError("Too large resource version: "+message, seconds)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: message}}
	return []*apierrors.StatusError{
		apierrors.NewBadRequest(message), apierrors.NewUnauthorized(message), apierrors.NewForbidden(pods, message, why), apierrors.NewNotFound(pods, message),
		apierrors.NewMethodNotSupported(pods, message), apierrors.NewConflict(pods, message, why), gone, apierrors.NewResourceExpired(message),
		apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, message, nil), apierrors.NewTooManyRequests(message, seconds), apierrors.NewInternalError(why),
		apierrors.NewServiceUnavailable(message), apierrors.NewTimeoutError(message, seconds), apierrors.NewServerTimeout(pods, message, seconds), tooLarge,
	}
}

// answered returns the Status of an answer with a body.
func answered(code int, body []byte) *wire.Status {
	return statusOfResponse(&http.Response{StatusCode: code, Status: fmt.Sprint(code), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))})
}

// TestPlainErrors shows the origin of errors that are not a Status. Answers of the apiserver have an
// audit ID, including the plain text of its aggregator.
func TestPlainErrors(t *testing.T) {
	const unreachable = "error trying to reach service: dial tcp 10.0.0.1:443: connect: connection refused"
	for _, c := range []struct {
		code    int
		body    string
		audited bool
		want    string
	}{
		{503, "service unavailable\n", true, "apiserver ServiceUnavailable: service unavailable"},
		{503, unreachable, true, "apiserver ServiceUnavailable: " + unreachable},
		{500, "missing user\n", true, "apiserver : missing user"},
		{404, "404 page not found\n", true, "apiserver : 404 page not found"},
		{404, "404 page not found\n", false, "network Unreachable: something in front of the apiserver answered 404 (text/plain)"},
		{503, "no healthy upstream", false, "network Unreachable: something in front of the apiserver answered 503 (text/plain)"},
		{503, "<html>503</html>", true, "network Unreachable: something in front of the apiserver answered 503 (text/plain)"},
		{502, "", false, "network Unreachable: something in front of the apiserver answered 502 (text/plain)"},
	} {
		head := http.Header{"Content-Type": {"text/plain"}}
		if c.audited {
			head.Set("Audit-Id", "ffa0b5a4-b1a6-4a3c-8a5c-5b1f0c8a2d11")
		}
		s := statusOfResponse(&http.Response{StatusCode: c.code, Status: fmt.Sprint(c.code), Header: head, Body: io.NopCloser(strings.NewReader(c.body))})
		if got := fmt.Sprintf("%s %s: %s", s.Origin, s.Reason, s.Message); got != c.want || s.Code != c.code || s.Transient() != (c.code > 501 || s.Origin == wire.FromNetwork) {
			t.Errorf("%d %q: %s, want %s", c.code, c.body, got, c.want)
		}
	}
}

// TestRetryAfter reads the header in both of its forms.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock is at 2000-01-01 00:00:00
		for _, c := range []struct {
			after, date string
			want        int
		}{
			{"7", "", 7},
			{"0", "", 0},
			{"", "", 0},
			{"-7", "", 0},
			{"soon", "", 0},
			{"Sat, 01 Jan 2000 00:00:09 GMT", "", 9},
			{"Fri, 31 Dec 1999 23:59:59 GMT", "", 0},
			{"Mon, 23 Nov 2026 12:00:07 GMT", "Mon, 23 Nov 2026 12:00:00 GMT", 7},
		} {
			head := http.Header{"Content-Type": {"text/plain"}, "Retry-After": {c.after}, "Date": {c.date}}
			s := statusOfResponse(&http.Response{StatusCode: 429, Header: head, Body: io.NopCloser(strings.NewReader("Too many requests"))})
			if s.RetryAfter != c.want || !s.TooManyRequests() {
				t.Errorf("%q at %q: %d s, want %d", c.after, c.date, s.RetryAfter, c.want)
			}
		}
	})
}

// FuzzStatus checks that the tab classifies an error like apimachinery, in both encodings, as an
// answer and as the end of a watch. Any other answer must name its origin.
func FuzzStatus(f *testing.F) {
	for kind := range refusals("", 0) {
		f.Add(uint8(kind), "too old resource version: 1 (2)", 7, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"details":{"causes":[{"reason":"a"}]}}`))
	}
	f.Add(uint8(0), "\xff", -1, []byte("<html>502</html>"))
	f.Add(uint8(1), "", 0, []byte("404 page not found\n"))
	f.Fuzz(func(t *testing.T, kind uint8, message string, seconds int, body []byte) {
		message = strings.ToValidUTF8(message, "?") // as in all that an apiserver writes
		all := refusals(message, max(0, seconds)%1e6)
		said := all[int(kind)%len(all)]
		status := said.ErrStatus
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		got := answered(int(status.Code), asJSON(t, &status))
		sameMeaning(t, got, said)

		event := metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: asJSON(t, &status)}}
		inJSON, err := collect(bytes.NewReader(asJSON(t, event)), (*unframer).watchJSON, withhold{})
		event.Object.Raw = asProtobuf(t, &status)
		inProtobuf, also := collect(bytes.NewReader(watchFrames(t, event)), (*unframer).watchProtobuf, withhold{})
		if err := errors.Join(err, also); err != nil {
			t.Fatal(err)
		}
		if other := answered(int(status.Code), asProtobuf(t, &status)); !reflect.DeepEqual(got, other) {
			t.Fatalf("want %+v\ngot  %+v", got, other)
		}
		for _, e := range append(inJSON, inProtobuf...) {
			var other wire.Status
			if err := json.Unmarshal(e.Payload, &other); err != nil || !reflect.DeepEqual(*got, other) {
				t.Fatalf("want %+v\ngot  %s %v", got, e.Payload, err)
			}
		}
		if any := answered(int(status.Code), body); any.Code == 0 || any.Origin != wire.FromAPIServer && any.Reason != wire.ReasonUnreachable {
			t.Fatalf("%q became %+v", body, any)
		}
	})
}

// sameMeaning checks that a Status is classified like apimachinery does.
func sameMeaning(t *testing.T, s *wire.Status, said *apierrors.StatusError) {
	t.Helper()
	delay, _ := apierrors.SuggestsClientDelay(said)
	status := said.ErrStatus
	for what, c := range map[string][2]any{
		"expired":           {s.Expired(), apierrors.IsGone(said) || apierrors.IsResourceExpired(said)},
		"too many requests": {s.TooManyRequests(), apierrors.IsTooManyRequests(said)},
		"unauthorized":      {s.Unauthorized(), apierrors.IsUnauthorized(said)},
		"denied":            {s.Denied(), apierrors.IsUnauthorized(said) || apierrors.IsForbidden(said)},
		"not found":         {s.NotFound(), apierrors.IsNotFound(said)},
		"unsupported":       {s.Unsupported(), apierrors.IsBadRequest(said) || apierrors.IsInvalid(said) || apierrors.IsMethodNotSupported(said)},
		"version too large": {s.VersionTooLarge(), apierrors.HasStatusCause(said, metav1.CauseTypeResourceVersionTooLarge)},
		"wait":              {s.Wait(), time.Duration(delay) * time.Second},
		"message":           {s.Error(), said.Error()},
		"code and reason":   {fmt.Sprint(s.Code, s.Reason), fmt.Sprint(status.Code, status.Reason)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: apimachinery says %v of %q, and we %v", what, c[1], said, c[0])
		}
	}
}
