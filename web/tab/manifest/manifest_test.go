package manifest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/tab/tabtest"
	"watchglass/web/words"
)

// TestYAMLUnwritable shows objects of which the second can't be written: the text stays, with the time at which
// that came and the reason.
func TestYAMLUnwritable(t *testing.T) {
	const first, second = 1_700_000_000_000, 1_700_000_060_000
	y := New(new(tabtest.Host)).(*manifest)
	y.Open()
	show := func(at int64, object string) {
		t.Helper()
		head, err := json.Marshal(detail.YAMLHead{At: at, Managed: at == second})
		if err != nil || !y.OnDetail(append(append(head, '\n'), object...)) {
			t.Fatal(err)
		}
	}
	show(first, `{"a":1}`)
	show(second, `{"a":1e999}`)
	if text, facts := y.shown.reader.Text().Text(), y.shown.facts; text != "a: 1\n" || facts.At != first || facts.Managed || facts.Said == nil {
		t.Errorf("%q, %+v", text, facts)
	}
	const want = "Update failed; this page said: not a JSON object: a number out of range. Showing the version received at "
	if drawn := app.HTMLString(y.Draw()); !strings.Contains(drawn, want+words.ClockTime(first)+".") {
		t.Error(drawn)
	}
	if show(second, `{"a":2}`); y.shown.facts.Said != nil || y.shown.facts.At != second {
		t.Errorf("%+v", y.shown.facts)
	}
}
