package route

import (
	"strings"
	"testing"

	"watchglass/internal/view"
)

// TestGroupAddress checks the address of a grouped list, and the query that it asks.
func TestGroupAddress(t *testing.T) {
	const text = "/pods?q=crash&sort=-Restarts&group=Node&sum=CPU+Requests&cols=Name"
	path, query, _ := strings.Cut(text, "?")
	a := Parse("", path, query)
	if a.Group != "Node" || a.Sum != "CPU Requests" || a.String("") != text {
		t.Errorf("%+v: %s", a, a.String(""))
	}
	if q := a.Query(); q.Group != "Node" || q.Sum != "CPU Requests" || q.Sort != "Restarts" || !q.Descending {
		t.Errorf("%+v", q)
	}
	a.Sort, a.Descending = "", false
	if q := a.Query(); q.Sort != view.ObjectsColumn || !q.Descending {
		t.Errorf("groups without an order: %+v", q)
	}
	if v := a.View(); v.Group != "Node" || v.Sum != "CPU Requests" {
		t.Errorf("a saved view lacks the group: %+v", v)
	}
}

// TestWithin checks the address of a group's objects, whatever the filter was.
func TestWithin(t *testing.T) {
	for _, c := range []struct{ from, key, want string }{
		{"/pods?group=Node&sort=-Objects", "/n1", "/pods?q=node:n1"},
		{"/pods?q=crash&group=Node&sum=Restarts", "/n1", "/pods?q=crash+node:n1&sum=Restarts"},
		{"/pods?q=node:n1,n2&group=Node", "/n1", "/pods?q=node:n1"},
		{"/pods?q=!node:n2&group=Node", "/n1", "/pods?q=node:n1"},
		{"/pods?group=Owner", "/", "/pods?q=owner:%22%22"},
		{"/pods?group=Image", "/docker.io/a/b:1", `/pods?q=image:%22docker.io/a/b:1%22`},
		{"/pods?n=a,b&group=Namespace&q=x", "/b", "/pods?n=b&q=x"},
		{"/pods?q=x+ns:a,b&group=Namespace", "/b", "/pods?n=b&q=x"},
	} {
		path, query, _ := strings.Cut(c.from, "?")
		a := Parse("", path, query)
		if got := a.Within(c.key).String(""); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.from, c.key, got, c.want)
		}
	}
}
