//go:build !js

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"watchglass/internal/object/encoded"
)

// review is a question about the user's own rights or identity. It is a POST that creates nothing.
type review struct {
	group, resource, singular, kind string
	handle                          func(s *Server, read decodeFunc) (any, error)
}

// decodeFunc decodes the review.
type decodeFunc func(into interface{ Unmarshal([]byte) error }) error

var reviewOrder = []*review{
	{"authentication.k8s.io", "selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview", (*Server).whoAmI},
	{"authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectaccessreview", "SelfSubjectAccessReview", (*Server).canI},
	{"authorization.k8s.io", "selfsubjectrulesreviews", "selfsubjectrulesreview", "SelfSubjectRulesReview", (*Server).canIList},
}

var reviews = func() map[string]*review {
	m := map[string]*review{}
	for _, r := range reviewOrder {
		m[r.resource] = r
	}
	return m
}()

// maxReview limits the body of a review.
const maxReview = 64 << 10

func (s *Server) review(w http.ResponseWriter, r *http.Request, v *review) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") == "" {
		mediaType = jsonType
	}
	body, readErr := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReview))
	switch {
	case r.Method != http.MethodPost:
		writeStatus(w, r, notAllowed())
	case mediaType != jsonType && mediaType != protobufType:
		status := generic(http.StatusUnsupportedMediaType)
		status.Message, status.Details = "the body of the request was in an unknown format - accepted media types include: "+jsonType+", "+protobufType, nil
		writeStatus(w, r, status)
	case readErr != nil:
		writeStatus(w, r, badRequest("%s", readErr))
	default:
		s.reply(w, r, v, mediaType, body)
	}
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, v *review, mediaType string, body []byte) {
	kind, read, err := openReview(mediaType, body)
	if err != nil || kind != v.kind {
		writeStatus(w, r, badRequest("the object provided is unrecognized (must be of type %s): %v", v.kind, err))
		return
	}
	answer, err := v.handle(s, read)
	var status *apierrors.StatusError
	switch {
	case err == nil:
		writeJSON(w, jsonType, http.StatusCreated, answer)
	case errors.As(err, &status):
		writeStatus(w, r, statusOf(status))
	default:
		writeStatus(w, r, badRequest("%s", err))
	}
}

// openReview opens the body of a review: it returns the kind and a reader for the rest.
func openReview(mediaType string, body []byte) (kind string, read decodeFunc, err error) {
	if mediaType == jsonType {
		var meta metav1.TypeMeta
		err := json.Unmarshal(body, &meta)
		return meta.Kind, func(into interface{ Unmarshal([]byte) error }) error { return json.Unmarshal(body, into) }, err
	}
	raw, ok := bytes.CutPrefix(body, []byte(encoded.Magic))
	if !ok {
		return "", nil, errors.New("no envelope")
	}
	var u runtime.Unknown
	err = u.Unmarshal(raw)
	return u.Kind, func(into interface{ Unmarshal([]byte) error }) error { return into.Unmarshal(u.Raw) }, err
}

// user is every user's name in the demo cluster.
const user = "demo"

func (s *Server) whoAmI(decodeFunc) (any, error) {
	r := authenticationv1.SelfSubjectReview{TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectReview", APIVersion: "authentication.k8s.io/v1"}}
	r.CreationTimestamp = metav1.NewTime(s.Now())
	r.Status.UserInfo = authenticationv1.UserInfo{Username: user, Groups: []string{"demo:viewers", "system:authenticated"}}
	return r, nil
}

func (s *Server) canI(read decodeFunc) (any, error) {
	var r authorizationv1.SelfSubjectAccessReview
	if err := read(&r); err != nil {
		return nil, err
	}
	r.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}
	resource, path := r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes
	verb := ""
	switch {
	case (resource == nil) == (path == nil):
		null := field.Invalid(field.NewPath("spec.resourceAttributes"), resource, "exactly one of nonResourceAttributes or resourceAttributes must be specified")
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "authorization.k8s.io"}, "", field.ErrorList{null})
	case resource != nil:
		verb = resource.Verb
	default:
		verb = path.Verb
	}
	r.Status.Allowed = slices.Contains(readVerbs, verb)
	r.Status.Reason = "the demo cluster can be read by everybody, and written by nobody"
	return r, nil
}

func (s *Server) canIList(read decodeFunc) (any, error) {
	var r authorizationv1.SelfSubjectRulesReview
	if err := read(&r); err != nil {
		return nil, err
	}
	r.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectRulesReview", APIVersion: "authorization.k8s.io/v1"}
	if r.Spec.Namespace == "" {
		return nil, fmt.Errorf("no namespace on request")
	}
	r.Spec.Namespace = "" // as a real server answers
	r.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{
			{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
			{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}},
			{Verbs: readVerbs, APIGroups: []string{"*"}, Resources: []string{"*"}},
		},
		NonResourceRules: []authorizationv1.NonResourceRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"*"}}},
	}
	return r, nil
}
