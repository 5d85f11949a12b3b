package query

import "testing"

// TestVersions holds the order of versions: each is before the next.
func TestVersions(t *testing.T) {
	for _, rising := range [][]string{
		{"4.1", "4.1.3", "v4.2-alpha.1", "4.2-alpha.2", "4.2-beta1", "4.2rc1", "4.2-rc.2", "4.2", "4.2.1", "4.10", "4.10.1", "V5"},
		{"v1.28.3-eks-4f4795d", "v1.28.4-eks-0a1b2c3", "v1.28.10+k3s1", "v1.29.0-gke.100", "v1.29.0-gke.1200"},
		{"2025-12-31", "2026-01-01", "2026-11-29", "2026-11-29.1"},
		{"1.0", "99999999999999999999.1", "99999999999999999999.2"},
	} {
		for i, a := range rising {
			for j, b := range rising {
				if !isVersion(a) || sign(compareVersions(a, b)) != sign(i-j) {
					t.Errorf("%s, %s: %d", a, b, compareVersions(a, b))
				}
			}
		}
	}
	for _, same := range [][2]string{{"1.2", "v1.2.0"}, {"1.28.3", "1.28.3-eks-1"}, {"1.2+a", "1.2+b"}, {"01.2", "1.2"}, {"1.2-RC1", "1.2rc1"}} {
		if compareVersions(same[0], same[1]) != 0 || compareVersions(same[1], same[0]) != 0 {
			t.Error(same)
		}
	}
	for _, text := range []string{"", "v", "latest", "vv1", "4f4795d", "10Gi", "500m", "1 2", "-1", "1/2", ".5", "main"} {
		if isVersion(text) {
			t.Errorf("%q is a version", text)
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// TestCompareVersions compares fields that are text with versions.
func TestCompareVersions(t *testing.T) {
	nodes := Schema{Columns: []Column{{Name: "Name"}, {Name: "Version"}, {Name: "OS-Image"}}}
	for _, c := range []struct {
		filter, version, label string
		want                   bool
	}{
		{"label.app.kubernetes.io/version<4.2", "", "4.1.3", true},
		{"label.app.kubernetes.io/version<4.2", "", "4.10", false},
		{"label.app.kubernetes.io/version>=4.2", "", "4.10", true},
		{"label.app.kubernetes.io/version<4.2", "", "v4.2.0", false},
		{"label.app.kubernetes.io/version<=4.2", "", "v4.2.0", true},
		{"label.app.kubernetes.io/version<4.2", "", "latest", false},
		{"label.app.kubernetes.io/version>=4.2", "", "latest", false},
		{"version<1.30", "v1.28.3-eks-4f4795d", "", true},
		{"version<1.30", "v1.30.0", "", false},
	} {
		m, err := Bind(mustParse(t, c.filter), nodes)
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		if got := m.Match(&pod{cells: []string{"n", c.version, ""}, labels: set{"app.kubernetes.io/version": c.label}}, now); got != c.want {
			t.Errorf("%s: %v of %+v", c.filter, got, c)
		}
	}
}
