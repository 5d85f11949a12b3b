package words

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/port"
)

// TestImages checks how rollouts name images.
func TestImages(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"registry.example.com:5000/shop/api:1.4.2", "registry.example.com:5000/shop/api:1.5.0", "api 1.4.2 → 1.5.0"},
		{"api", "api:2", "api latest → 2"},
		{"a/web:1", "b/front:1", "web 1 → front 1"},
		{"", "envoy:1.30", "envoy 1.30 (new container)"},
		{"x/api@sha256:0123456789abcdef", "x/api:2@sha256:fedcba9876543210", "api 0123456 → fedcba9"},
	} {
		if got := Images([]port.ImageChange{{From: c.from, To: c.to}}); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s, %s: %q", c.from, c.to, got)
		}
	}
	if got := Images(nil); got[0] != "Pod template changed" {
		t.Error(got)
	}
	for since, want := range map[time.Duration]string{40 * time.Second: "40s ago", 4*time.Minute + 31*time.Second: "4m ago", 71 * time.Minute: "71m ago"} {
		if got := Since(noon, noon.Add(since)); got != want {
			t.Errorf("%s: %s", since, got)
		}
	}
}

// TestShortImage checks how images are elided.
func TestShortImage(t *testing.T) {
	digest := strings.Repeat("0123456789abcdef", 4)
	for image, want := range map[string]string{
		"":                   "",
		"nginx":              "nginx",
		"nginx:1":            "nginx:1",
		"library/nginx:1.27": "library/nginx:1.27",
		"registry.example.com/team/shop/checkout:1.4.2":    "registry…/checkout:1.4.2",
		"registry.example.com/checkout:1.4.2":              "registry…/checkout:1.4.2",
		"localhost:5000/team/checkout:1.4.2":               "localhost…/checkout:1.4.2",
		"123456789012.dkr.ecr.example.com/a/checkout:1":    "1234567890…/checkout:1",
		"some-very-long-team/checkout:1.4.2":               "some-very-…/checkout:1.4.2",
		"registry.example.com/checkout@sha256:" + digest:   "registry…/checkout@0123456789ab",
		"registry.example.com/checkout:1@sha256:" + digest: "registry…/checkout:1@0123456789ab",
		"checkout@sha256:" + digest:                        "checkout@0123456789ab",
		"sha256:" + digest:                                 "0123456789ab",
	} {
		if stem, tail := ShortImage(image); stem+tail != want {
			t.Errorf("%s: %s, want %s", image, stem+tail, want)
		}
	}
}
