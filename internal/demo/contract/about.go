//go:build !js

package contract

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const discoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// group is an API group in discovery.
type group struct {
	Metadata struct{ Name string }
	Versions []struct {
		Version   string
		Freshness string
		Resources []struct {
			Resource, Scope, SingularResource string
			Verbs, ShortNames, Categories     []string
			ResponseKind                      struct{ Group, Version, Kind string }
		}
	}
}

// discovery checks discovery in the aggregated and in the older form.
func discovery(t *testing.T, s Server) {
	for path, want := range map[string]string{
		"/api":  " v1 pods Namespaced pod Pod po| v1 nodes Cluster node Node no| v1 events Namespaced event Event ev| v1 secrets Namespaced secret Secret ",
		"/apis": "apps v1 deployments Namespaced deployment Deployment deploy|batch v1 cronjobs Namespaced cronjob CronJob cj|autoscaling v2 horizontalpodautoscalers Namespaced horizontalpodautoscaler HorizontalPodAutoscaler hpa|apiextensions.k8s.io v1 customresourcedefinitions Cluster customresourcedefinition CustomResourceDefinition crd,crds",
	} {
		a := s.accept(t, discoveryType+","+jsonType, path)
		var d struct {
			Kind, APIVersion string
			Items            []group
		}
		if err := json.Unmarshal(a.body, &d); err != nil || a.code != 200 || a.contentType != discoveryType || d.Kind != "APIGroupDiscoveryList" || d.APIVersion != "apidiscovery.k8s.io/v2" {
			t.Fatalf("%s: %v, %d %s %.200s", path, err, a.code, a.contentType, a.body)
		}
		for _, line := range strings.Split(want, "|") {
			if !slices.Contains(lines(d.Items), line) {
				t.Errorf("%s tells nothing of %s", path, line)
			}
		}
	}
	custom := strings.Split(strings.TrimPrefix(s.Custom, "/apis/"), "/") // group, version, resource
	if a := s.accept(t, discoveryType, "/apis"); !strings.Contains(string(a.body), `"`+custom[0]+`"`) || !strings.Contains(string(a.body), `"`+custom[2]+`"`) {
		t.Errorf("%s is not told of", s.Custom)
	}
	s.accept(t, "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList", "/apis").status(t, 406, "NotAcceptable", "")
	for path, kind := range map[string]string{"/api": "APIVersions", "/apis": "APIGroupList", "/apis/": "APIGroupList", "/apis/apps": "APIGroup", "/apis/apps/v1": "APIResourceList", "/api/v1": "APIResourceList", "/api/v1/": "APIResourceList"} {
		if o := s.get(t, path).ok(t); o.Kind != kind {
			t.Errorf("%s is a %s", path, o.Kind)
		}
	}
	var v struct{ Major, Minor, GitVersion string }
	if err := json.Unmarshal(s.get(t, "/version").body, &v); err != nil || v.Major != "1" || !strings.HasPrefix(v.GitVersion, "v1."+v.Minor) {
		t.Errorf("%v: %+v", err, v)
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		if a := s.get(t, path); a.code != 200 || string(a.body) != "ok" {
			t.Errorf("%s: %d %q", path, a.code, a.body)
		}
	}
}

// lines returns one line per resource that can be listed and watched.
func lines(groups []group) (all []string) {
	for _, g := range groups {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch") && v.Freshness == "Current" {
					all = append(all, strings.Join([]string{g.Metadata.Name, v.Version, r.Resource, r.Scope, r.SingularResource, r.ResponseKind.Kind, strings.Join(r.ShortNames, ",")}, " "))
				}
			}
		}
	}
	return all
}

// reviews checks the reviews of the user's identity and rights.
func reviews(t *testing.T, s Server) {
	ask := func(path, kind, spec string) answer {
		group, _, _ := strings.Cut(strings.TrimPrefix(path, "/apis/"), "/")
		body := `{"kind":"` + kind + `","apiVersion":"` + group + `/v1","spec":` + spec + `}`
		return s.send(t, http.MethodPost, path, nil, http.Header{"Content-Type": {jsonType}}, body)
	}
	const access, rules, self = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	var answered struct {
		Kind   string
		Status struct {
			UserInfo      struct{ Username string }
			Allowed       bool
			ResourceRules []struct{ Verbs []string }
		}
	}
	read := func(a answer, kind string) {
		t.Helper()
		if err := json.Unmarshal(a.body, &answered); err != nil || a.code != http.StatusCreated || answered.Kind != kind {
			t.Errorf("%v: %d %s", err, a.code, a.body)
		}
	}
	if read(ask(self, "SelfSubjectReview", "{}"), "SelfSubjectReview"); answered.Status.UserInfo.Username == "" {
		t.Error("nobody asks")
	}
	if read(ask(access, "SelfSubjectAccessReview", `{"resourceAttributes":{"verb":"list","resource":"pods"}}`), "SelfSubjectAccessReview"); !answered.Status.Allowed {
		t.Error("the pods may not be listed")
	}
	if read(ask(rules, "SelfSubjectRulesReview", `{"namespace":"default"}`), "SelfSubjectRulesReview"); len(answered.Status.ResourceRules) == 0 {
		t.Error("there are no rules")
	}
	ask(access, "SelfSubjectAccessReview", "{}").status(t, 422, "Invalid", `.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`)
	s.send(t, http.MethodPost, rules, nil, http.Header{"Content-Type": {jsonType}}, "{").status(t, 400, "BadRequest", "")
	s.send(t, http.MethodPost, rules, nil, http.Header{"Content-Type": {"text/plain"}}, "{").status(t, 415, "UnsupportedMediaType", "")
}
