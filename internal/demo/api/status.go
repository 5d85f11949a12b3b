//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statusOf returns the Status of an API machinery error.
func statusOf(err *apierrors.StatusError) *metav1.Status { return &err.ErrStatus }

func badRequest(format string, args ...any) *metav1.Status {
	return statusOf(apierrors.NewBadRequest(fmt.Sprintf(format, args...)))
}

// generic returns the Status for an unknown API path, or for a method that is not allowed.
func generic(code int) *metav1.Status {
	return statusOf(apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, false))
}

func notFound() *metav1.Status { return generic(http.StatusNotFound) }

func notAllowed() *metav1.Status { return generic(http.StatusMethodNotAllowed) }

// badVersion returns a watch's error for a version that is not a number.
func badVersion(err error) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
}

// tooLarge returns the error for a version that has not been reached.
func tooLarge(version, current int64) *metav1.Status {
	s := statusOf(apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, current), 1))
	s.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return s
}

func expired(format string, args ...any) *metav1.Status {
	return statusOf(apierrors.NewResourceExpired(fmt.Sprintf(format, args...)))
}

// writeStatus writes a Status, in protobuf if the client prefers it.
func writeStatus(w http.ResponseWriter, r *http.Request, s *metav1.Status) {
	if s.Details != nil && s.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(s.Details.RetryAfterSeconds))
	}
	body, contentType := statusJSON(s), jsonType
	if f, status := negotiate(r, nil, nil); status == nil {
		body, contentType = f.status(s), f.contentType(false)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(int(s.Code))
	_, _ = w.Write(body) // an error means that the client is gone
}

func statusJSON(s *metav1.Status) []byte {
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, _ := json.Marshal(s) // strings and numbers only, so it cannot fail
	return body
}
