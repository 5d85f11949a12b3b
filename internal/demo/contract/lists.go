//go:build !js

package contract

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// list checks that a list is complete and in order, that it has a version, and that its items
// have no kind.
func list(t *testing.T, s Server) {
	l := s.get(t, pods).ok(t)
	if l.Kind != "PodList" || l.APIVersion != "v1" || len(l.Items) < 5 || l.Metadata.Continue != "" || l.Metadata.Remaining != nil {
		t.Fatalf("%s %s of %d items, %+v", l.Kind, l.APIVersion, len(l.Items), l.Metadata)
	}
	at := number(t, l.Metadata.ResourceVersion)
	if !slices.IsSortedFunc(l.Items, func(a, b object) int { return strings.Compare(a.key(), b.key()) }) {
		t.Error("the items are not in the order of their keys")
	}
	uids := map[string]bool{}
	for _, o := range l.Items {
		switch m := o.Metadata; {
		case o.Kind != "" || o.APIVersion != "":
			t.Errorf("%s says that it is a %s", o.key(), o.Kind)
		case m.Name == "" || m.Namespace == "" || m.CreationTimestamp.IsZero() || uids[m.UID]:
			t.Errorf("%+v", m)
		case number(t, m.ResourceVersion) > at:
			t.Errorf("%s is of version %s, and the list of %d", o.key(), m.ResourceVersion, at)
		case len(m.ManagedFields) == 0:
			t.Errorf("%s has no managedFields", o.key())
		}
		uids[o.Metadata.UID] = true
	}
	namespace := l.Items[0].Metadata.Namespace
	for _, o := range s.get(t, "/api/v1/namespaces/"+namespace+"/pods").ok(t).Items {
		if o.Metadata.Namespace != namespace {
			t.Errorf("%s is in another namespace", o.key())
		}
	}
	if l := s.get(t, "/api/v1/namespaces/no-such-namespace/pods").ok(t); len(l.Items) != 0 || l.Items == nil {
		t.Errorf("a namespace that is not there has %d pods", len(l.Items))
	}
	if n := s.get(t, "/api/v1/namespaces/default").ok(t); n.Kind != "Namespace" || n.APIVersion != "v1" || n.Metadata.Name != "default" {
		t.Errorf("%+v", n)
	}
}

// pages checks that the pages of a list add up to the list at the first page's version.
func pages(t *testing.T, s Server) {
	first := s.get(t, pods, "limit", "3").ok(t)
	if len(first.Items) != 3 || first.Metadata.Continue == "" || first.Metadata.Remaining == nil || *first.Metadata.Remaining < 1 {
		t.Fatalf("%d items, %+v", len(first.Items), first.Metadata)
	}
	whole := s.get(t, pods, "resourceVersion", first.Metadata.ResourceVersion, "resourceVersionMatch", "Exact").ok(t)
	if int64(len(whole.Items)) != 3+*first.Metadata.Remaining {
		t.Errorf("%d items, of which %d remained after 3", len(whole.Items), *first.Metadata.Remaining)
	}
	got := first.Items
	for next := first.Metadata.Continue; next != ""; {
		page := s.get(t, pods, "limit", "400", "continue", next).ok(t)
		if page.Metadata.ResourceVersion != first.Metadata.ResourceVersion {
			t.Fatalf("a page of version %s of a list of version %s", page.Metadata.ResourceVersion, first.Metadata.ResourceVersion)
		}
		got, next = append(got, page.Items...), page.Metadata.Continue
	}
	same(t, got, whole.Items)
	if l := s.get(t, pods, "limit", "3", "labelSelector", "no-such-label!=x").ok(t); l.Metadata.Continue == "" || l.Metadata.Remaining != nil {
		t.Errorf("with a selector nobody can know how many remain: %+v", l.Metadata)
	}
	if l := s.get(t, pods, "limit", "3", "resourceVersion", "0").ok(t); len(l.Items) <= 3 || l.Metadata.Continue != "" {
		t.Errorf("at version 0 there are no pages: %d items, %+v", len(l.Items), l.Metadata)
	}
	if l := s.get(t, pods, "limit", "-1").ok(t); len(l.Items) <= 3 {
		t.Errorf("%d items without a limit", len(l.Items))
	}
	s.get(t, pods, "continue", first.Metadata.Continue, "resourceVersion", first.Metadata.ResourceVersion).status(t, 400, "BadRequest", "specifying resource version is not allowed when using continue")
	s.get(t, pods, "continue", "abc").status(t, 400, "BadRequest", "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value")
}

func same(t *testing.T, got, want []object) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d objects, and not %d", len(got), len(want))
	}
	for i := range got {
		if got[i].key() != want[i].key() || got[i].Metadata.ResourceVersion != want[i].Metadata.ResourceVersion {
			t.Fatalf("%s at %s, and not %s at %s", got[i].key(), got[i].Metadata.ResourceVersion, want[i].key(), want[i].Metadata.ResourceVersion)
		}
	}
}

// versions checks at which version a list is answered.
func versions(t *testing.T, s Server) {
	now := s.get(t, pods).ok(t).Metadata.ResourceVersion
	for _, c := range []struct {
		query []string
		exact bool
	}{
		{[]string{}, false},
		{[]string{"resourceVersion", "0"}, false},
		{[]string{"resourceVersion", now}, false},
		{[]string{"resourceVersion", now, "resourceVersionMatch", "NotOlderThan"}, false},
		{[]string{"resourceVersion", now, "resourceVersionMatch", "NotOlderThan", "limit", "2"}, false},
		{[]string{"resourceVersion", now, "resourceVersionMatch", "Exact"}, true},
		{[]string{"resourceVersion", now, "resourceVersionMatch", "Exact", "limit", "2"}, true},
		{[]string{"resourceVersion", now, "limit", "2"}, true},
	} {
		got := s.get(t, pods, c.query...).ok(t).Metadata.ResourceVersion
		zero := len(c.query) == 2 && c.query[1] == "0"
		if c.exact && got != now || !zero && number(t, got) < number(t, now) {
			t.Errorf("%v is of version %s", c.query, got)
		}
	}
	future := text(number(t, now) + 100_000_000)
	for _, query := range [][]string{{"resourceVersion", future}, {"resourceVersion", future, "resourceVersionMatch", "Exact"}} {
		o := s.get(t, pods, query...).status(t, 504, "Timeout", "")
		if !strings.HasPrefix(o.Message, "Timeout: Too large resource version: "+future+", current: ") || o.Details == nil || o.Details.RetryAfterSeconds != 1 || len(o.Details.Causes) != 1 || o.Details.Causes[0].Reason != "ResourceVersionTooLarge" {
			t.Errorf("%+v %+v", o, o.Details)
		}
	}
	s.get(t, pods, "resourceVersion", "abc").status(t, 400, "BadRequest", `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`)
	const invalid = `ListOptions.meta.k8s.io "" is invalid: `
	s.get(t, pods, "resourceVersionMatch", "Exact").status(t, 422, "Invalid", invalid+"resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided")
	s.get(t, pods, "resourceVersionMatch", "Exact", "resourceVersion", "0").status(t, 422, "Invalid", invalid+`resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
	s.get(t, pods, "resourceVersionMatch", "Sometimes", "resourceVersion", "1").status(t, 422, "Invalid", "")
	s.get(t, pods, "sendInitialEvents", "true").status(t, 422, "Invalid", invalid+"sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list")
}

// gone checks how an expired version is refused: for a list by the response, for a watch by an
// event.
func gone(t *testing.T, s Server) {
	expired := text(s.Expired)
	s.get(t, s.ExpiredKind, "resourceVersion", expired, "resourceVersionMatch", "Exact").status(t, 410, "Expired", "The resourceVersion for the provided list is too old.")
	token := base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":` + expired + `,"start":"a/a\u0000"}`))
	o := s.get(t, s.ExpiredKind, "limit", "1", "continue", token).status(t, 410, "Expired", "")
	if !strings.HasPrefix(o.Message, "The provided continue parameter is too old to display a consistent list result. You can start a new list") || o.Metadata.Continue == "" {
		t.Errorf("%+v", o)
	}
	rest := s.get(t, s.ExpiredKind, "continue", o.Metadata.Continue).ok(t)
	number(t, rest.Metadata.ResourceVersion)

	all := s.watch(t, s.ExpiredKind, "resourceVersion", expired, "timeoutSeconds", "5").all()
	if len(all) != 1 || all[0].Type != "ERROR" || all[0].Object.Kind != "Status" || all[0].Object.Code != 410 || all[0].Object.Reason != "Expired" || !strings.HasPrefix(all[0].Object.Message, "too old resource version: "+expired+" (") {
		t.Errorf("%+v", all)
	}
}

// selectors checks which selectors work, and how unsupported ones are refused.
func selectors(t *testing.T, s Server) {
	l := s.get(t, pods).ok(t)
	var o object
	for _, o = range l.Items {
		if o.Spec.NodeName != "" && len(o.Metadata.Labels) > 0 {
			break
		}
	}
	label := ""
	for name, value := range o.Metadata.Labels {
		label = name + "=" + value
	}
	for _, c := range []struct {
		kind, selector string
		fits           func(object) bool
	}{
		{"fieldSelector", "metadata.name=" + o.Metadata.Name, func(p object) bool { return p.Metadata.Name == o.Metadata.Name }},
		{"fieldSelector", "metadata.namespace=" + o.Metadata.Namespace, func(p object) bool { return p.Metadata.Namespace == o.Metadata.Namespace }},
		{"fieldSelector", "metadata.namespace!=" + o.Metadata.Namespace, func(p object) bool { return p.Metadata.Namespace != o.Metadata.Namespace }},
		{"fieldSelector", "spec.nodeName=" + o.Spec.NodeName, func(p object) bool { return p.Spec.NodeName == o.Spec.NodeName }},
		{"fieldSelector", "spec.nodeName=,metadata.name!=x", func(p object) bool { return p.Spec.NodeName == "" }},
		{"labelSelector", label, func(p object) bool {
			name, value, _ := strings.Cut(label, "=")
			return p.Metadata.Labels[name] == value
		}},
		{"labelSelector", "!no-such-label", func(object) bool { return true }},
	} {
		got := s.get(t, pods, c.kind, c.selector).ok(t)
		exact := s.get(t, pods, "resourceVersion", got.Metadata.ResourceVersion, "resourceVersionMatch", "Exact").ok(t)
		same(t, got.Items, slices.DeleteFunc(exact.Items, func(p object) bool { return !c.fits(p) }))
	}
	for _, field := range []string{"status.phase=Running", "spec.restartPolicy=Always", "spec.schedulerName=x", "spec.serviceAccountName=x", "spec.hostNetwork=true", "status.podIP=x", "status.nominatedNodeName=x"} {
		s.get(t, pods, "limit", "1", "fieldSelector", field).ok(t)
	}
	for _, field := range []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"} {
		s.get(t, "/api/v1/events", "limit", "1", "fieldSelector", field+"=x").ok(t)
	}
	for path, fields := range map[string]string{
		"/api/v1/nodes": "spec.unschedulable=true", "/api/v1/namespaces": "status.phase=Active", "/api/v1/secrets": "type=Opaque",
		"/api/v1/services": "spec.type=ClusterIP,spec.clusterIP=x", "/apis/batch/v1/jobs": "status.successful=1",
	} {
		s.get(t, path, "limit", "1", "fieldSelector", fields).ok(t)
	}
	s.get(t, pods, "fieldSelector", "spec.foo=1").status(t, 400, "BadRequest", "field label not supported: spec.foo")
	s.get(t, "/api/v1/configmaps", "fieldSelector", "spec.foo=1").status(t, 400, "BadRequest", `"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"`)
	s.get(t, "/apis/apps/v1/replicasets", "fieldSelector", "status.replicas=0").status(t, 400, "BadRequest", "")
	s.get(t, pods, "fieldSelector", "===").status(t, 400, "BadRequest", "")
	s.get(t, pods, "labelSelector", "a b").status(t, 400, "BadRequest", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt")
	s.get(t, pods, "limit", "abc").status(t, 400, "BadRequest", `strconv.ParseInt: parsing "abc": invalid syntax`)
}
