package route

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		base, path, query string
		want              Address
		text              string
	}{
		{"", "/", "", Address{Resource: "problems", Overview: true}, "/"},
		{"", "/", "q=web&n=a&sel=nodes:n7:NotReady", Address{Resource: "problems", Overview: true, Namespaces: []string{"a"}, Filter: "web", Selected: "nodes:n7:NotReady"}, "/?n=a&q=web&sel=nodes:n7:NotReady"},
		{"/k8s", "/k8s", "c=prod", Address{Resource: "problems", Overview: true, Context: "prod"}, "/k8s/?c=prod"},
		{"", "/overview", "", Address{Resource: "problems", Overview: true}, "/"},
		{"", "/problems", "q=web", Address{Resource: "problems", Filter: "web"}, "/problems?q=web"},
		{"", "/", "embed=list", Address{Resource: "pods", Embed: "list"}, "/pods?embed=list"}, // as before there was an overview
		{"", "/", "embed=overview", Address{Resource: "problems", Overview: true, Embed: "overview"}, "/?embed=overview"},
		{"", "/overview", "embed=list&hosted=1", Address{Resource: "problems", Overview: true, Embed: "overview", Hosted: true}, "/?embed=overview&hosted=1"},
		{"", "/overview", "embed=object&sel=pods/a/b", Address{Resource: "problems", Selected: "pods/a/b", Embed: "object"}, "/problems?sel=pods/a/b&embed=object"},
		{"", "/pods", "", Address{Resource: "pods"}, "/pods"},
		{"", "/Deployments.apps", "", Address{Resource: "deployments.apps"}, "/deployments.apps"},
		{"/k8s", "/k8s/pods", "n=a,b&l=app%3Dweb,tier!%3Ddb&q=crash%20loop&sort=-Restarts", Address{Resource: "pods", Namespaces: []string{"a", "b"}, Labels: "app=web,tier!=db", Filter: "crash loop", Sort: "Restarts", Descending: true}, "/k8s/pods?n=a,b&l=app=web,tier!=db&q=crash+loop&sort=-Restarts"},
		{"", "/pods", "sel=a/b&tab=logs&lq=level>%3Dwarn+user:ana&since=300&wrap=true&raw=true", Address{Resource: "pods", Selected: "a/b", Tab: "logs", Log: Log{Filter: "level>=warn user:ana", Since: "300", Wrap: true, Raw: true}}, "/pods?sel=a/b&tab=logs&lq=level%3E=warn+user:ana&since=300&wrap=true&raw=true"},
		{"", "/pods", "sel=a/b&tab=related&expand=pods/web,nodes/pods", Address{Resource: "pods", Selected: "a/b", Tab: "related", Expanded: "pods/web,nodes/pods"}, "/pods?sel=a/b&tab=related&expand=pods/web,nodes/pods"},
		{"", "/pods", "sel=a/b&expand=pods/web", Address{Resource: "pods", Selected: "a/b", Expanded: "pods/web"}, "/pods?sel=a/b"},
		{"", "/pods", "sel=a/b&lq=x&wrap=true", Address{Resource: "pods", Selected: "a/b", Log: Log{Filter: "x", Wrap: true}}, "/pods?sel=a/b"},
		{"/k8s", "/k8s/pods/", "cols=wide&sel=a/b&tab=yaml&ct=c&previous=true&c=prod", Address{Resource: "pods", Context: "prod", Columns: "wide", Selected: "a/b", Tab: "yaml", Container: "c", Previous: true}, "/k8s/pods?c=prod&cols=wide&sel=a/b&tab=yaml&ct=c&previous=true"},
		{"", "/pods", "?q=crash", Address{Resource: "pods", Filter: "crash"}, "/pods?q=crash"},
		{"", "/pods", "q=%zz", Address{Resource: "pods"}, "/pods"},
		{"", "/pods", "q=%zz&n=a", Address{Resource: "pods", Namespaces: []string{"a"}}, "/pods?n=a"},
		{"", "/pods", "l=a;b&n=a", Address{Resource: "pods", Namespaces: []string{"a"}}, "/pods?n=a"},
		{"", "/pods", "x=1&utm_source=mail&q=a", Address{Resource: "pods", Filter: "a"}, "/pods?q=a"},
		{"", "/pods", "q=a+or+c&q=&q=b", Address{Resource: "pods", Filter: "(a or c) (b)"}, "/pods?q=(a+or+c)+(b)"},
		{"", "/pods", "n=t01&n=t02,t01&l=a=b&l=c", Address{Resource: "pods", Namespaces: []string{"t01", "t02"}, Labels: "a=b,c"}, "/pods?n=t01,t02&l=a=b,c"},
		{"", "/pods", "n=,a,,b,", Address{Resource: "pods", Namespaces: []string{"a", "b"}}, "/pods?n=a,b"},
		{"", "/pods", "sort=-", Address{Resource: "pods"}, "/pods"},
		{"", "/pods", "sort=Nominated+Node", Address{Resource: "pods", Sort: "Nominated Node"}, "/pods?sort=Nominated+Node"},
		{"", "/pods/a/b", "", Address{Resource: "pods"}, "/pods"},
		{"", "/caf%C3%A9", "", Address{Resource: "café"}, "/caf%C3%A9"},
		{"", "/a%2Fb%3Fc", "", Address{Resource: "a/b?c"}, "/a%2Fb%3Fc"},
		{"", "/%zz", "", Address{Resource: "%zz"}, "/%25zz"},
		{"", "/pods", "embed=1", Address{Resource: "pods", Embed: "list"}, "/pods?embed=list"},
		{"", "/pods", "sel=a/b&embed=object&hosted=1", Address{Resource: "pods", Selected: "a/b", Embed: "object", Hosted: true}, "/pods?sel=a/b&embed=object&hosted=1"},
		{"", "/pods", "hosted=1", Address{Resource: "pods"}, "/pods"},
		{"", "/pods", "q=%3Cscript%3E%26%23%00%22", Address{Resource: "pods", Filter: "<script>&#\x00\""}, "/pods?q=%3Cscript%3E%26%23%00%22"},
		// A page at one path only, which has the rest in its query.
		{"/a/?view=", "/a/", "", Address{Resource: "problems", Overview: true}, "/a/?view=/"},
		{"/a/index.html?view=", "/a/index.html", "?view=/pods&n=a&q=b", Address{Resource: "pods", Namespaces: []string{"a"}, Filter: "b"}, "/a/index.html?view=/pods&n=a&q=b"},
		{"/?view=", "/", "view=%2Fdeployments.apps", Address{Resource: "deployments.apps"}, "/?view=/deployments.apps"},
	} {
		got := Parse(c.base, c.path, c.query)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s?%s: %+v", c.path, c.query, got)
		}
		if s := got.String(c.base); s != c.text {
			t.Errorf("%+v: want %s, got %s", got, c.text, s)
		}
	}
}

// FuzzAddress checks that parsing and formatting round-trip, so that no reload and no Back changes
// a view.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"/pods", "/a%2Fb?q=a+b%2B&l=a=b,c!=d&n=x,y&sort=-Age&cols=wide&sel=a/b&tab=yaml&ct=c&c=k", "/%25?q=%2525;&n=%2C", "?q=%ff", "/k8s/k8s?sort=--", "//", "?lq=error"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, query, _ := strings.Cut(text, "?")
		for _, base := range []string{"", "/k8s"} {
			a := Parse(base, base+path, query)
			written := a.String(base)
			path, query, _ := strings.Cut(written, "?")
			again := Parse(base, path, query)
			for _, f := range fields { // what belongs to a tab that is not open is read, and not written
				if f.format(&a) == "" {
					f.parse(&a, []string{""})
				}
			}
			if !reflect.DeepEqual(a, again) {
				t.Errorf("%q is %+v, written %q, which is %+v", text, a, written, again)
			}
			if u, err := url.Parse(written); err != nil || u.Host != "" || u.Scheme != "" || strings.HasPrefix(written, "//") {
				t.Errorf("%q is written %q, which leaves the page: %v", text, written, err)
			}
		}
	})
}

// TestView checks that a saved view keeps nothing of the frame in which it was saved.
func TestView(t *testing.T) {
	if view := (Address{Resource: "pods", Embed: EmbedList, Hosted: true}).View(); view.Embed != "" || view.Hosted {
		t.Errorf("a view saved in a frame opens as one: %+v", view)
	}
}
