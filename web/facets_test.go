package web

import (
	"testing"

	"watchglass/internal/view"
)

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
