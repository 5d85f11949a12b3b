package tabtest

import (
	"testing"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// TestText checks that no attribute counts as text, not even one with a sign that ends an element.
func TestText(t *testing.T) {
	drawn := app.P().Title("level>=warn").Body(app.Span().Text("1 > 0"), app.Input().Placeholder("a>b"))
	if got := Text(drawn); got != "1 > 0" {
		t.Errorf("%q", got)
	}
}
