package web

import (
	"testing"

	"watchglass/internal/view"
)

// TestImageFacet checks that an elided image keeps its full name in the title and the term.
func TestImageFacet(t *testing.T) {
	const image = "registry.example.com/team/shop/checkout:1.4.2"
	_, pane := still(func(g *page) {
		g.list.Window().Facets = []view.Facet{{Name: view.ImageFacet, Values: []view.FacetValue{{Value: image, Count: 3}}}}
	}).facets.Draw()
	e := find(t, parts(t, pane), "data-facet", view.ImageFacet)
	if e.attrs["title"] != image || e.attrs["data-value"] != view.ImageFacet+":"+image || e.text != "registry…/ checkout:1.4.2 3" {
		t.Errorf("%+v", e)
	}
}
