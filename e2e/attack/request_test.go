package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // how the apiserver reads the options of a log

	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// parser is the apiserver's own, as the apiserver makes it.
var parser = &request.RequestInfoFactory{APIPrefixes: sets.NewString("apis", "api"), GrouplessAPIPrefixes: sets.NewString("api")}

var apiserver = &url.URL{Scheme: "https", Host: "apiserver.test:6443"}

// arrived is a request as the apiserver sees it.
type arrived struct {
	*http.Request
	line string // the first
	info *request.RequestInfo
	body []byte
}

// send has the relay build a request, writes it as it goes over the wire, reads it as
// a server does, and parses it as the apiserver does. It is nil where the relay refuses.
func send(r wire.Request) (*arrived, error) {
	built, status := relay.Build(context.Background(), apiserver, r)
	if status != nil {
		if status.Origin != wire.FromProxy || status.Message == "" {
			return nil, fmt.Errorf("refused without a word: %+v", status)
		}
		return nil, nil
	}
	var written bytes.Buffer
	if err := built.Write(&written); err != nil {
		return nil, fmt.Errorf("it cannot be written: %w", err)
	}
	a := new(arrived)
	a.line, _, _ = strings.Cut(written.String(), "\r\n")
	from := bufio.NewReader(&written)
	var err error
	if a.Request, err = http.ReadRequest(from); err != nil {
		return nil, fmt.Errorf("no server reads it: %w", err)
	}
	if a.body, err = io.ReadAll(a.Body); err != nil {
		return nil, err
	}
	if rest, _ := io.ReadAll(from); len(rest) > 0 {
		return nil, fmt.Errorf("a second request stands behind it: %q", rest)
	}
	if a.info, err = parser.NewRequestInfo(a.Request); err != nil {
		return nil, fmt.Errorf("the apiserver cannot tell what it is: %w", err)
	}
	return a, nil
}

// check tells in what way the apiserver understands something else than was asked for.
func check(r wire.Request) (passed bool, err error) {
	a, err := send(r)
	if a == nil {
		return false, err
	}
	if err := a.plain(); err != nil {
		return true, fmt.Errorf("%s: %w", a.line, err)
	}
	switch r.Verb {
	case wire.List, wire.Watch, wire.Get:
		err = a.read(r)
	case wire.Log:
		err = a.log(r)
	case wire.Discover:
		err = a.discovery(r)
	case wire.Review:
		err = a.review(r)
	default:
		err = fmt.Errorf("the verb %q passed", r.Verb)
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", a.line, err)
	}
	return true, nil
}

// maxLine is what every load balancer takes.
const maxLine = 8 << 10

// plain holds what is true of each request: nothing in its path that anybody on the
// way could read otherwise, and no header but the relay's own.
func (a *arrived) plain() error {
	target := strings.TrimSuffix(strings.TrimPrefix(a.line, a.Method+" "), " HTTP/1.1")
	path, _, _ := strings.Cut(target, "?")
	lower := strings.ToLower(path) + "/"
	for _, never := range []string{"//", "/./", "/../", "%2f", "%5c", "%25", "%3b", "%00", "%0a", "%0d", "%2e", ";", `\`, "#"} {
		if strings.Contains(lower, never) {
			return fmt.Errorf("%q stands in the path", never)
		}
	}
	if len(a.line) > maxLine {
		return fmt.Errorf("the first line has %d bytes", len(a.line))
	}
	if a.Host != apiserver.Host || a.URL.Host != "" {
		return fmt.Errorf("it goes to %q", a.Host)
	}
	for name, values := range a.Header {
		if !slices.Contains([]string{"Accept", "Content-Length", "Content-Type", "User-Agent"}, name) || len(values) != 1 {
			return fmt.Errorf("the header %s: %q", name, values)
		}
	}
	return nil
}

// read compares what is read with what was asked for.
func (a *arrived) read(r wire.Request) error {
	namespace, name := r.Namespace, r.Name
	if r.Resource == "namespaces" && namespace == "" {
		namespace = name // a namespace is in itself
	}
	if name == "" {
		name = selected(r.FieldSelector, a.info.Name)
	}
	want := request.RequestInfo{
		IsResourceRequest: true, Verb: string(r.Verb), APIPrefix: "apis", APIGroup: r.Group, APIVersion: r.Version,
		Namespace: namespace, Resource: r.Resource, Name: name,
		Path: a.info.Path, Parts: a.info.Parts, FieldSelector: a.info.FieldSelector, LabelSelector: a.info.LabelSelector,
	}
	if r.Group == "" {
		want.APIPrefix = "api"
	}
	if have := *a.info; fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
		return fmt.Errorf("the apiserver understands\n%+v, want\n%+v", have, want)
	}
	if a.Method != http.MethodGet || len(a.body) > 0 {
		return fmt.Errorf("%s with %d bytes", a.Method, len(a.body))
	}
	return a.query(r)
}

// selected is the name that the apiserver takes from a field selector, if that is why
// it has one.
func selected(selector, name string) string {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return ""
	}
	if one, ok := parsed.RequiresExactMatch("metadata.name"); ok && one == name {
		return name
	}
	return ""
}

// query holds that each parameter is there once, as it was given, and no other.
func (a *arrived) query(r wire.Request) error {
	have, err := url.ParseQuery(a.URL.RawQuery)
	if err != nil {
		return err
	}
	want := url.Values{}
	for name, value := range map[string]string{
		"labelSelector": r.LabelSelector, "fieldSelector": r.FieldSelector, "continue": r.Continue,
		"resourceVersion": r.ResourceVersion, "resourceVersionMatch": r.ResourceVersionMatch,
	} {
		if value != "" && r.Verb != wire.Get {
			want.Set(name, value)
		}
	}
	if r.Limit > 0 && r.Verb != wire.Get {
		want.Set("limit", strconv.FormatInt(r.Limit, 10))
	}
	for _, name := range []string{"watch", "timeoutSeconds", "allowWatchBookmarks", "sendInitialEvents", "includeObject"} {
		if r.Verb != wire.Get && have.Has(name) {
			want[name] = have[name]
		}
	}
	if have.Encode() != want.Encode() {
		return fmt.Errorf("the parameters are %q, want %q", have, want)
	}
	seconds, err := strconv.ParseInt(have.Get("timeoutSeconds"), 10, 64)
	if watches := r.Verb == wire.Watch; watches != (have.Get("watch") == "true") || watches && (err != nil || seconds < 1 || seconds > 600) {
		return fmt.Errorf("the watch: %q", have)
	}
	return nil
}

// log holds that what is read is the log that was asked for, of a pod, and as much of it.
func (a *arrived) log(r wire.Request) error {
	want := request.RequestInfo{
		IsResourceRequest: true, Verb: "get", APIPrefix: "api", APIVersion: "v1", Namespace: r.Namespace, Resource: "pods", Subresource: "log", Name: r.Name,
		Path: a.info.Path, Parts: a.info.Parts,
	}
	if have := *a.info; fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) || r.Group != "" || r.Version != "v1" || r.Resource != "pods" || r.Subresource != "" {
		return fmt.Errorf("the apiserver understands\n%+v, want\n%+v", have, want)
	}
	if a.Method != http.MethodGet || len(a.body) > 0 {
		return fmt.Errorf("%s with %d bytes", a.Method, len(a.body))
	}
	query, err := url.ParseQuery(a.URL.RawQuery)
	if err != nil {
		return err
	}
	var o, have corev1.PodLogOptions
	if err := legacyscheme.ParameterCodec.DecodeParameters(query, corev1.SchemeGroupVersion, &have); err != nil {
		return err
	}
	if r.Log != nil {
		if o, err = podLogOptions(*r.Log); err != nil {
			return err
		}
	}
	if !equality.Semantic.DeepEqual(have, o) {
		return fmt.Errorf("the apiserver understands\n%+v, want\n%+v", have, o)
	}
	for name, values := range query {
		if !slices.Contains(logParameters, name) || len(values) != 1 {
			return fmt.Errorf("the parameter %s: %q", name, values)
		}
	}
	return nil
}

var logParameters = []string{"container", "follow", "previous", "timestamps", "sinceSeconds", "sinceTime", "tailLines", "limitBytes"}

// podLogOptions are what the apiserver is to make of the options.
func podLogOptions(o wire.LogOptions) (p corev1.PodLogOptions, err error) {
	p = corev1.PodLogOptions{Container: o.Container, Follow: o.Follow, Previous: o.Previous, Timestamps: o.Timestamps, TailLines: o.TailLines}
	if o.SinceSeconds != 0 {
		p.SinceSeconds = &o.SinceSeconds
	}
	if o.LimitBytes != 0 {
		p.LimitBytes = &o.LimitBytes
	}
	if o.SinceTime != "" {
		at, err := time.Parse(time.RFC3339, o.SinceTime)
		if err != nil {
			return p, err
		}
		since := metav1.NewTime(at)
		p.SinceTime = &since
	}
	if len(validation.IsDNS1123Label(o.Container)) > 0 && o.Container != "" {
		return p, fmt.Errorf("the container %q", o.Container)
	}
	return p, nil
}

func (a *arrived) discovery(r wire.Request) error {
	want := "/apis"
	switch {
	case r.Resource == wire.ServerVersion.Resource:
		want = "/version"
	case r.Group == "":
		want = "/api"
	}
	if a.info.IsResourceRequest || a.info.Verb != "get" || a.info.Path != want || a.URL.RawQuery != "" || len(a.body) > 0 {
		return fmt.Errorf("the apiserver understands %+v", a.info)
	}
	return nil
}

// reviews are what may be created, since nothing is.
var reviews = map[string]string{
	"selfsubjectreviews": "authentication.k8s.io", "selfsubjectaccessreviews": "authorization.k8s.io", "selfsubjectrulesreviews": "authorization.k8s.io",
}

func (a *arrived) review(r wire.Request) error {
	group, known := reviews[a.info.Resource]
	want := request.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIPrefix: "apis", APIGroup: group, APIVersion: "v1", Resource: r.Resource,
		Path: a.info.Path, Parts: a.info.Parts,
	}
	if have := *a.info; !known || fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
		return fmt.Errorf("the apiserver understands\n%+v, want\n%+v", have, want)
	}
	var body struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Spec       struct {
			Namespace          *string      `json:"namespace"`
			ResourceAttributes *wire.Access `json:"resourceAttributes"`
		} `json:"spec"`
	}
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil || d.More() || strings.ToLower(body.Kind)+"s" != r.Resource || body.APIVersion != group+"/v1" {
		return fmt.Errorf("the body is %s (%v)", a.body, err)
	}
	if a.URL.RawQuery != "" {
		return fmt.Errorf("the parameters are %q", a.URL.RawQuery)
	}
	return nil
}
