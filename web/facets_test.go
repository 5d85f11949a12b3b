package web

import (
	"strings"
	"testing"

	"watchglass/internal/view"
)

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
		if stem, tail := shortImage(image); stem+tail != want {
			t.Errorf("%s: %s, want %s", image, stem+tail, want)
		}
	}
}

// TestImageFacet checks that an elided image keeps its full name in the title and the term.
func TestImageFacet(t *testing.T) {
	const image = "registry.example.com/team/shop/checkout:1.4.2"
	f := &facet{Name: view.ImageFacet, Values: []value{{Text: image, Count: "3"}}}
	for _, e := range parts(t, f.Render()) {
		if e.attrs["class"] == "value" && (e.attrs["title"] != image || e.attrs["data-value"] != view.ImageFacet+":"+image || e.text != "registry…/ checkout:1.4.2 3") {
			t.Errorf("%+v", e)
		}
	}
}
