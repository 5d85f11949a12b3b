//go:build !js

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"watchglass/internal/wire"
)

// The Accept headers. Protobuf comes first: built-in kinds have it, and it costs least. Kinds
// without protobuf answer with a Table, and kinds without a Table with JSON.
const (
	acceptObjects   = "application/vnd.kubernetes.protobuf,application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	acceptTable     = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	acceptJSON      = "application/json"
	acceptMetadata  = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	acceptPartial   = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	acceptText      = "text/plain,application/json" // errors are JSON
	acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
)

// maxWatch is the longest timeout of a watch, in seconds.
const maxWatch = 10 * 60

// maxURL is the longest URL that every server on the way accepts.
const maxURL = 8<<10 - 64

var (
	groupPattern    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)
	versionPattern  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	resourcePattern = versionPattern
)

// reviews are the bodies of the only requests that POST. The tab does not send them.
var reviews = map[string]string{
	"selfsubjectreviews":       `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`,
	"selfsubjectaccessreviews": `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":%s}}`,
	"selfsubjectrulesreviews":  `{"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","spec":{"namespace":%s}}`,
}

// Build returns the request to the apiserver. Every part of the URL is checked and written
// anew. Nothing of a client's URL or headers passes.
func Build(ctx context.Context, base *url.URL, r wire.Request) (*http.Request, *wire.Status) {
	req, status := build(ctx, base, r)
	if status != nil {
		return nil, status
	}
	if n := len(req.URL.RequestURI()); n > maxURL {
		return nil, proxyStatus(wire.ReasonBadRequest, "names and selectors are too long: the URL would have %d bytes, the maximum is %d", n, maxURL)
	}
	return req, nil
}

func build(ctx context.Context, base *url.URL, r wire.Request) (*http.Request, *wire.Status) {
	switch r.Verb {
	case wire.List, wire.Watch, wire.Get:
		return buildRead(ctx, base, r)
	case wire.Log:
		return buildLog(ctx, base, r)
	case wire.Discover:
		return buildDiscovery(ctx, base, r), nil
	case wire.Review:
		return buildReview(ctx, base, r)
	}
	return nil, proxyStatus(wire.ReasonBadRequest, "verb %q is not supported", r.Verb)
}

// buildDiscovery requests the kinds of the core group, those of all other groups, or the
// server's version.
func buildDiscovery(ctx context.Context, base *url.URL, r wire.Request) *http.Request {
	switch {
	case r.Resource == wire.ServerVersion.Resource:
		return get(ctx, base, acceptJSON, nil, "version")
	case r.Group == "":
		return get(ctx, base, acceptDiscovery, nil, "api")
	}
	return get(ctx, base, acceptDiscovery, nil, "apis")
}

func buildRead(ctx context.Context, base *url.URL, r wire.Request) (*http.Request, *wire.Status) {
	parts, status := resourcePath(r)
	if status != nil {
		return nil, status
	}
	if (r.Verb == wire.Get) != (r.Name != "") {
		return nil, proxyStatus(wire.ReasonBadRequest, "a get needs a name; a list or watch must not have one")
	}
	if r.Subresource != "" {
		return nil, proxyStatus(wire.ReasonBadRequest, "subresource %q is not allowed", r.Subresource)
	}
	accept := acceptObjects
	switch {
	case r.Encoding == wire.EncodingJSON:
		accept = acceptJSON
	case r.Encoding == wire.EncodingTable, r.Encoding == wire.EncodingWhole:
		accept = acceptTable
	case r.Encoding == wire.EncodingMetadata && r.Verb == wire.List:
		accept = acceptMetadata
	case r.Encoding == wire.EncodingMetadata && r.Verb == wire.Watch:
		accept = acceptPartial
	case r.Encoding != wire.EncodingDefault && r.Encoding != wire.EncodingMetadata:
		return nil, proxyStatus(wire.ReasonBadRequest, "unknown encoding %q: if Watchglass was updated, reload the page", r.Encoding)
	}
	if r.Verb == wire.Get {
		return get(ctx, base, accept, nil, append(parts, r.Name)...), nil
	}
	q, status := listQuery(r)
	if status != nil {
		return nil, status
	}
	if r.Encoding == wire.EncodingWhole {
		q.Set("includeObject", "Object") // in the rows of a Table
	}
	return get(ctx, base, accept, q, parts...), nil
}

// buildLog requests the log of a container: the only subresource that may be read.
func buildLog(ctx context.Context, base *url.URL, r wire.Request) (*http.Request, *wire.Status) {
	parts, status := resourcePath(r)
	switch {
	case status != nil:
		return nil, status
	case r.Group != "" || r.Version != "v1" || r.Resource != "pods" || r.Namespace == "" || r.Name == "":
		return nil, proxyStatus(wire.ReasonBadRequest, "a log needs a pod's namespace and name")
	case r.Subresource != "":
		return nil, proxyStatus(wire.ReasonBadRequest, "subresource %q is not allowed", r.Subresource)
	}
	q := url.Values{}
	if r.Log != nil {
		if q, status = logQuery(*r.Log); status != nil {
			return nil, status
		}
	}
	return get(ctx, base, acceptText, q, append(parts, r.Name, "log")...), nil
}

func logQuery(o wire.LogOptions) (url.Values, *wire.Status) {
	switch {
	case o.Container != "" && len(content.IsDNS1123Label(o.Container)) > 0:
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is no container", o.Container)
	case o.SinceSeconds < 0 || o.LimitBytes < 0 || o.TailLines != nil && *o.TailLines < 0:
		return nil, proxyStatus(wire.ReasonBadRequest, "seconds, bytes and lines of a log must not be negative")
	case o.SinceSeconds > 0 && o.SinceTime != "":
		return nil, proxyStatus(wire.ReasonBadRequest, "a log takes sinceTime or sinceSeconds, not both")
	}
	q := url.Values{}
	if o.Container != "" {
		q.Set("container", o.Container)
	}
	for name, set := range map[string]bool{"follow": o.Follow, "previous": o.Previous, "timestamps": o.Timestamps} {
		if set {
			q.Set(name, "true")
		}
	}
	for name, n := range map[string]int64{"sinceSeconds": o.SinceSeconds, "limitBytes": o.LimitBytes} {
		if n > 0 {
			q.Set(name, strconv.FormatInt(n, 10))
		}
	}
	if o.TailLines != nil {
		q.Set("tailLines", strconv.FormatInt(*o.TailLines, 10))
	}
	if o.SinceTime != "" {
		since, err := time.Parse(time.RFC3339, o.SinceTime)
		if since = since.UTC(); err != nil || since.Year() < 0 || since.Year() > 9999 {
			return nil, proxyStatus(wire.ReasonBadRequest, "%q is not an RFC 3339 time", o.SinceTime)
		}
		q.Set("sinceTime", since.Format(time.RFC3339Nano))
	}
	return q, nil
}

// resourcePath checks group, version, resource, namespace and name, and returns the path up to
// the resource.
func resourcePath(r wire.Request) ([]string, *wire.Status) {
	switch {
	case r.Group != "" && (!groupPattern.MatchString(r.Group) || len(r.Group) > 253):
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is not an API group", r.Group)
	case !versionPattern.MatchString(r.Version) || len(r.Version) > 63:
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is not an API version", r.Version)
	case !resourcePattern.MatchString(r.Resource) || len(r.Resource) > 63:
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is no resource", r.Resource)
	case r.Resource == "watch" || r.Resource == "proxy": // the apiserver reads it as a verb that a path follows
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is a path verb, not a resource", r.Resource)
	case r.Namespace != "" && (!versionPattern.MatchString(r.Namespace) || len(r.Namespace) > 63):
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is no namespace", r.Namespace)
	case r.Namespace != "" && (r.Resource == "status" || r.Resource == "finalize"): // it would be a subresource of the namespace
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is a subresource of namespaces, not a resource in one", r.Resource)
	case r.Name != "" && !segment(r.Name):
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is no name", r.Name)
	}
	parts := []string{"apis", r.Group, r.Version}
	if r.Group == "" {
		parts = []string{"api", r.Version}
	}
	if r.Namespace != "" {
		parts = append(parts, "namespaces", r.Namespace)
	}
	return append(parts, r.Resource), nil
}

// segment reports whether every server on the way reads a name as one path segment. Some read
// a backslash as a slash, or ignore what follows a semicolon.
func segment(name string) bool {
	return len(content.IsPathSegmentName(name)) == 0 && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '\\' || r == ';' || unicode.IsControl(r)
	})
}

func listQuery(r wire.Request) (url.Values, *wire.Status) {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("labelSelector", r.LabelSelector)
	set("fieldSelector", r.FieldSelector)
	set("resourceVersion", r.ResourceVersion)
	set("resourceVersionMatch", r.ResourceVersionMatch)
	set("continue", r.Continue)
	if r.Limit < 0 || r.TimeoutSeconds < 0 {
		return nil, proxyStatus(wire.ReasonBadRequest, "limit and timeout must not be negative")
	}
	if r.Limit > 0 {
		q.Set("limit", strconv.FormatInt(r.Limit, 10))
	}
	if r.Verb == wire.List {
		return q, nil
	}
	q.Set("watch", "true")
	q.Set("timeoutSeconds", strconv.Itoa(int(lasts(r)/time.Second)))
	if r.AllowWatchBookmarks {
		q.Set("allowWatchBookmarks", "true")
	}
	if r.SendInitialEvents {
		q.Set("sendInitialEvents", "true")
	}
	return q, nil
}

// lasts returns how long a watch may last.
func lasts(r wire.Request) time.Duration {
	if r.TimeoutSeconds == 0 || r.TimeoutSeconds > maxWatch {
		return maxWatch * time.Second
	}
	return time.Duration(r.TimeoutSeconds) * time.Second
}

// get builds every request that reads.
func get(ctx context.Context, base *url.URL, accept string, q url.Values, parts ...string) *http.Request {
	return request(ctx, http.MethodGet, base, accept, q, nil, parts)
}

func request(ctx context.Context, method string, base *url.URL, accept string, q url.Values, body []byte, parts []string) *http.Request {
	u := *base
	u.Path = strings.TrimSuffix(base.Path, "/") + "/" + strings.Join(parts, "/")
	u.RawPath, u.Fragment, u.User = "", "", nil
	u.RawQuery = q.Encode()
	r := (&http.Request{
		Method: method, URL: &u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {accept}},
	}).WithContext(ctx)
	if body != nil {
		// The transport repeats the request on another connection if the apiserver closes
		// this one without an answer.
		r.GetBody = func() (io.ReadCloser, error) { return readCloser{bytes.NewReader(body)}, nil }
		r.Body, r.ContentLength = readCloser{bytes.NewReader(body)}, int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// buildReview asks the apiserver who the user is, or what the user may do. It is the only
// request that is not a GET. It creates nothing.
func buildReview(ctx context.Context, base *url.URL, r wire.Request) (*http.Request, *wire.Status) {
	body, ok := reviews[r.Resource]
	if !ok {
		return nil, proxyStatus(wire.ReasonBadRequest, "%q is no review", r.Resource)
	}
	group := "authorization.k8s.io"
	switch r.Resource {
	case "selfsubjectreviews":
		group = "authentication.k8s.io"
	case "selfsubjectaccessreviews":
		attributes, err := json.Marshal(r.Access)
		if err != nil || r.Access == nil {
			return nil, proxyStatus(wire.ReasonBadRequest, "an access review needs attributes")
		}
		body = fmt.Sprintf(body, attributes)
	case "selfsubjectrulesreviews":
		namespace, _ := json.Marshal(r.Namespace) // a string cannot fail
		body = fmt.Sprintf(body, namespace)
	}
	parts := []string{"apis", group, "v1", r.Resource}
	return request(ctx, http.MethodPost, base, acceptJSON, nil, []byte(body), parts), nil
}
