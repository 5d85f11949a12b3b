package route

import "testing"

// TestIsBare checks which URLs name no list: the user's saved columns apply to them.
func TestIsBare(t *testing.T) {
	for _, c := range []struct {
		base, path, query string
		want              bool
	}{
		{"", "/", "?q=web", true},
		{"/k8s", "/k8s", "", true},
		{"/k8s", "/k8s/pods", "", false},
		{"/a/?view=", "/a/", "?n=a", true},
		{"/a/?view=", "/a/", "?view=/pods", false},
	} {
		if got := IsBare(c.base, c.path, c.query); got != c.want {
			t.Errorf("%s%s below %q: %t", c.path, c.query, c.base, got)
		}
	}
}
