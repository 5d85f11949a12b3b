package detail

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestReleaseLink checks which objects link to a release: those that Helm manages, and the Secrets in which
// it stores one. What anybody may have written is no link unless a release can have that name.
func TestReleaseLink(t *testing.T) {
	link := func(kind, name string, labels, annotations map[string]string) string {
		doc, err := json.Marshal(map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"name": name, "namespace": "shop", "labels": labels, "annotations": annotations}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Summarize(mustParse(t, string(doc)), More{}).Sections {
			for _, r := range s.Rows {
				if r.Name == "Helm release" {
					p := r.Lines[0][0]
					return p.Ref.Resource + " " + p.Ref.Namespace + " " + p.Ref.Name + " " + p.Text
				}
			}
		}
		return ""
	}
	managed := map[string]string{"app.kubernetes.io/managed-by": "Helm"}
	of := func(namespace, name string) map[string]string {
		return map[string]string{"meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": namespace}
	}
	for name, c := range map[string]struct{ got, want string }{
		"managed":                  {link("Service", "s", managed, of("shop", "web")), "releases.helm.sh shop web web"},
		"of another namespace":     {link("Service", "s", managed, of("infra", "web")), "releases.helm.sh infra web infra/web"},
		"not managed by Helm":      {link("Service", "s", nil, of("shop", "web")), ""},
		"no namespace":             {link("Service", "s", managed, of("", "web")), ""},
		"a namespace of two":       {link("Service", "s", managed, of("a/b", "web")), ""},
		"a dotted namespace":       {link("Service", "s", managed, of("a.b", "web")), ""},
		"a name of two":            {link("Service", "s", managed, of("shop", "a/b")), ""},
		"a name of controls":       {link("Service", "s", managed, of("shop", "w\u202eb")), ""},
		"a name of empty parts":    {link("Service", "s", managed, of("shop", "a..b")), ""},
		"a name like a flag":       {link("Service", "s", managed, of("shop", "-a")), ""},
		"a long name":              {link("Service", "s", managed, of("shop", strings.Repeat("a", 54))), ""},
		"a stored revision":        {link("Secret", "sh.helm.release.v1.web.v3", map[string]string{"owner": "helm", "name": "web", "version": "3"}, nil), "releases.helm.sh shop web web"},
		"a Secret of another name": {link("Secret", "web", map[string]string{"owner": "helm", "name": "web", "version": "3"}, nil), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

// TestReleaseObjects checks that counted objects are links, that lists which are not known yet are not
// counted as none, and that those which may not be read are named.
func TestReleaseObjects(t *testing.T) {
	v := mustParse(t, `{"kind":"Release","apiVersion":"helm.sh/release.v1","metadata":{"name":"web","namespace":"shop"},"status":{"revision":120,"status":"pending-upgrade","stored":120,"revisions":[{"revision":120,"status":"pending-upgrade"},{"revision":119,"status":"deployed"}]}}`)
	if wants := Wants(v); len(wants) != len(ofRelease) || !wants[0].Metadata || wants[0].Labels != "app.kubernetes.io/instance=web" || wants[0].Namespace != "shop" {
		t.Errorf("%+v", wants)
	}
	none := func(known ...string) map[string]map[string]int {
		all := make(map[string]map[string]int)
		for _, id := range known {
			all[id] = map[string]int{}
		}
		return all
	}
	some := none("pods", "secrets")
	some["pods"][""] = 3
	lines := spoken(Summarize(v, More{Counts: some, Denied: []Denial{{Resource: "services"}}}))
	for _, want := range []string{"Objects/Pod: <pods?n=shop&l=app.kubernetes.io/instance=web|3>", "Objects/Deployment: <deployments.apps?n=shop&l=app.kubernetes.io/instance=web|…>"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %q in %q", want, lines)
		}
	}
	for _, not := range []string{"Objects/Secret:", "Objects/Service:"} {
		if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, not) }) {
			t.Errorf("%q in %q", not, lines)
		}
	}
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "Release/Status: warning{pending-upgrade}") && strings.Contains(l, "interrupted")
	}) {
		t.Errorf("%q", lines)
	}
	s := Summarize(v, More{Counts: none(ofRelease...)})
	if lines := spoken(s); !slices.Contains(lines, "Objects/None: No object of the kinds counted here has the label app.kubernetes.io/instance=web. Others are not counted.") {
		t.Errorf("%q", lines)
	}
	for _, part := range s.Sections {
		if part.Title == "Revisions" && part.Tables[0].More != 118 {
			t.Errorf("%+v", part.Tables)
		}
	}
}
