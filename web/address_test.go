package web

import (
	"reflect"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		base, path, query string
		want              Address
		text              string
	}{
		{"", "/", "", Address{Resource: "pods"}, "/pods"},
		{"", "/pods", "", Address{Resource: "pods"}, "/pods"},
		{"", "/Deployments.apps", "", Address{Resource: "deployments.apps"}, "/deployments.apps"},
		{"/k8s", "/k8s/pods", "n=a,b&l=app%3Dweb,tier!%3Ddb&q=crash%20loop&sort=-Restarts", Address{Resource: "pods", Namespaces: []string{"a", "b"}, Labels: "app=web,tier!=db", Filter: "crash loop", Sort: "Restarts", Descending: true}, "/k8s/pods?n=a,b&l=app=web,tier!=db&q=crash+loop&sort=-Restarts"},
		{"/k8s", "/k8s/", "cols=wide&sel=a/b&tab=yaml&ct=c&c=prod", Address{Resource: "pods", Context: "prod", Columns: "wide", Selected: "a/b", Tab: "yaml", Container: "c"}, "/k8s/pods?c=prod&cols=wide&sel=a/b&tab=yaml&ct=c"},
		{"", "/pods", "?q=crash", Address{Resource: "pods", Filter: "crash"}, "/pods?q=crash"},
		{"", "/pods", "q=%zz", Address{Resource: "pods"}, "/pods"},
	} {
		got := ParseAddress(c.base, c.path, c.query)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s?%s: %+v", c.path, c.query, got)
		}
		if s := got.String(c.base); s != c.text {
			t.Errorf("%+v: want %s, got %s", got, c.text, s)
		}
	}
}
