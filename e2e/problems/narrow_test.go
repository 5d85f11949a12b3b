package problems

import (
	"strings"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// inSight returns the columns of the list that end inside of it.
const inSight = `[...document.querySelectorAll(".grid .head .cell")].filter(c => c.getBoundingClientRect().right <= document.querySelector(".grid").getBoundingClientRect().right).map(c => c.dataset.column).join(" ")`

// TestNarrow shows what, where and since when in a list of problems that is narrow, beside an object
// and on a phone. The severity is a glyph there; its word is left to screen readers.
func TestNarrow(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, deployment("bad", 1, "", labelled+cluster.OOMKilled, `containers: [{name: main, image: a, resources: {limits: {memory: 512Mi}}}]`))
	e := stage.Open(t, stage.Serve(t, proxy.Options{}).At("/problems?n="+ns.name))
	e.Says(".grid .body", "OOMKilled (limit 512Mi)")
	for _, look := range []struct {
		width      int64
		open, want string
		glyph      bool
	}{
		{1400, "", "Severity Kind Name Problem Since", false},
		{1280, "j\r", "Severity Name Problem Since", true},
		{390, "\x1b", "Severity Name Problem Since", true},
	} {
		e.Must(e.Resize(look.width, 800))
		if look.open != "" {
			e.Press(look.open)
		}
		e.Await(`document.querySelector(".grid .head .glyph") ? ` + map[bool]string{true: "true : false", false: "false : true"}[look.glyph])
		stage.AwaitValue(e, inSight, func(columns string) bool { return strings.TrimPrefix(columns, "Namespace ") == look.want })
		e.IsText(`.grid .body [data-column="Severity"]`, "Error")
	}
}
