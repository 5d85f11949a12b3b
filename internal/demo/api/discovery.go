//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/munnerz/goautoneg"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// discoveryType is the media type of aggregated discovery, which returns all groups at once.
const discoveryType = jsonType + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// serverVersion is the Kubernetes version that the demo reports.
var serverVersion = version.Info{
	Major: "1", Minor: "36", GitVersion: "v1.36.3+demo", GitTreeState: "clean", BuildDate: "2026-09-15T00:00:00Z",
	GoVersion: "go1.26", Compiler: "gc", Platform: "linux/amd64",
}

// addPages adds the pages that do not serve objects.
func (s *Server) addPages() {
	ok := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok"))
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		s.pages[path] = ok
	}
	s.pages["/version"] = func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, jsonType, http.StatusOK, serverVersion) }
	s.addDiscovery("/api", metav1.APIVersions{TypeMeta: typeOf("APIVersions"), Versions: []string{"v1"}}, "")
	s.addDiscovery("/apis", s.groupList(), s.groupNames()...)
	s.addLegacy("/api/v1", s.resourceList("", "v1"))
	for _, group := range s.groupList().Groups {
		s.addLegacy("/apis/"+group.Name, group)
		for _, v := range group.Versions {
			s.addLegacy("/apis/"+v.GroupVersion, s.resourceList(group.Name, v.Version))
		}
	}
}

func typeOf(kind string) metav1.TypeMeta { return metav1.TypeMeta{Kind: kind, APIVersion: "v1"} }

func writeJSON(w http.ResponseWriter, contentType string, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err)) // it is always our own type
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = w.Write(append(body, '\n')) // an error means that the client is gone
}

// add adds a page, with and without a trailing slash.
func (s *Server) add(path string, page http.HandlerFunc) {
	s.pages[path], s.pages[path+"/"] = page, page
}

func (s *Server) addLegacy(path string, document any) {
	s.add(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, jsonType, http.StatusOK, document) })
}

// addDiscovery adds a page that serves both forms of discovery: the aggregated document of all
// groups, and the older list of groups or versions.
func (s *Server) addDiscovery(path string, legacy any, groups ...string) {
	all := apidiscoveryv2.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}}
	for _, group := range groups {
		all.Items = append(all.Items, s.discover(group))
	}
	s.add(path, func(w http.ResponseWriter, r *http.Request) {
		wanted := apidiscoveryv2.SchemeGroupVersion.WithKind("APIGroupDiscoveryList")
		for _, clause := range goautoneg.ParseAccept(r.Header.Get("Accept")) {
			as := schema.GroupVersionKind{Group: clause.Params["g"], Version: clause.Params["v"], Kind: clause.Params["as"]}
			switch {
			case !matches(clause, jsonType):
			case as == wanted:
				writeJSON(w, discoveryType, http.StatusOK, all)
				return
			case as == (schema.GroupVersionKind{}):
				writeJSON(w, jsonType, http.StatusOK, legacy)
				return
			}
		}
		if r.Header.Get("Accept") == "" {
			writeJSON(w, jsonType, http.StatusOK, legacy)
			return
		}
		writeStatus(w, r, unacceptable(true))
	})
}

func (s *Server) groupNames() (names []string) {
	for _, k := range s.order {
		if k.Group != "" && !slices.Contains(names, k.Group) {
			names = append(names, k.Group)
		}
	}
	for _, r := range reviewOrder {
		if !slices.Contains(names, r.group) {
			names = append(names, r.group)
		}
	}
	return names
}

func (s *Server) groupList() metav1.APIGroupList {
	l := metav1.APIGroupList{TypeMeta: typeOf("APIGroupList")}
	for _, name := range s.groupNames() {
		v := metav1.GroupVersionForDiscovery{GroupVersion: name + "/v1", Version: "v1"}
		for _, k := range s.order {
			if k.Group == name {
				v = metav1.GroupVersionForDiscovery{GroupVersion: k.apiVersion(), Version: k.Version}
			}
		}
		l.Groups = append(l.Groups, metav1.APIGroup{TypeMeta: typeOf("APIGroup"), Name: name, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
	}
	return l
}

// readVerbs are the verbs of every resource; nothing can be written.
var readVerbs = []string{"get", "list", "watch"}

// discover returns the aggregated discovery of a group. All kinds of a group have one version.
func (s *Server) discover(group string) apidiscoveryv2.APIGroupDiscovery {
	g := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: group}}
	v := apidiscoveryv2.APIVersionDiscovery{Version: "v1", Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, k := range s.order {
		if k.Group != group {
			continue
		}
		v.Version = k.Version
		r := apidiscoveryv2.APIResourceDiscovery{
			Resource: k.Resource, ResponseKind: responseKind(k), Scope: apidiscoveryv2.ScopeCluster,
			SingularResource: k.Singular, Verbs: k.verbs(), ShortNames: k.Short, Categories: k.Categories,
		}
		if k.Namespaced {
			r.Scope = apidiscoveryv2.ScopeNamespace
		}
		for _, sub := range k.Subresources {
			r.Subresources = append(r.Subresources, apidiscoveryv2.APISubresourceDiscovery{Subresource: sub, ResponseKind: responseKind(k), Verbs: readVerbs[:1]})
		}
		v.Resources = append(v.Resources, r)
	}
	for _, r := range reviewOrder {
		if r.group == group {
			v.Resources = append(v.Resources, apidiscoveryv2.APIResourceDiscovery{
				Resource: r.resource, ResponseKind: &metav1.GroupVersionKind{Kind: r.kind}, Scope: apidiscoveryv2.ScopeCluster,
				SingularResource: r.singular, Verbs: []string{"create"},
			})
		}
	}
	g.Versions = append(g.Versions, v)
	return g
}

// responseKind returns the kind without its group and version, or with them if it is a custom
// kind.
func responseKind(k *Kind) *metav1.GroupVersionKind {
	if k.New == nil {
		gvk := metav1.GroupVersionKind(k.GroupVersionKind())
		return &gvk
	}
	return &metav1.GroupVersionKind{Kind: k.Name}
}

func (s *Server) resourceList(group, version string) metav1.APIResourceList {
	l := metav1.APIResourceList{TypeMeta: typeOf("APIResourceList"), GroupVersion: schema.GroupVersion{Group: group, Version: version}.String(), APIResources: []metav1.APIResource{}}
	for _, k := range s.order {
		if k.Group != group || k.Version != version {
			continue
		}
		r := metav1.APIResource{Name: k.Resource, SingularName: k.Singular, Namespaced: k.Namespaced, Kind: k.Name, Verbs: k.verbs(), ShortNames: k.Short, Categories: k.Categories}
		l.APIResources = append(l.APIResources, r)
		for _, sub := range k.Subresources {
			l.APIResources = append(l.APIResources, metav1.APIResource{Name: k.Resource + "/" + sub, Namespaced: k.Namespaced, Kind: k.Name, Verbs: readVerbs[:1]})
		}
	}
	for _, r := range reviewOrder {
		if r.group == group {
			l.APIResources = append(l.APIResources, metav1.APIResource{Name: r.resource, SingularName: r.singular, Kind: r.kind, Verbs: []string{"create"}})
		}
	}
	return l
}
