package compare

import (
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/web/route"
	"watchglass/web/words"
)

// copyAll copies the comparison as text, in the form of a unified diff.
func (t *Tab) copyAll() {
	if t.shown == nil || !t.shown.Known {
		t.host.Notify("Nothing to copy yet.")
		return
	}
	left, right := t.sides()
	var out strings.Builder
	head := func(mark string, o route.Object) {
		out.WriteString(mark + " " + o.String())
		if o.Context != "" {
			out.WriteString(" in " + o.Context)
		}
		out.WriteString(t.asOf(o) + "\n")
	}
	head("---", left)
	head("+++", right)
	for _, r := range t.shown.Rows {
		writeRow(&out, t.flipped(r))
	}
	if n := t.shown.More; n > 0 {
		out.WriteString("@@ and " + words.CountOf(n, "more field") + " @@\n")
	}
	if t.shown.Short {
		out.WriteString("@@ cut short: the objects are too large @@\n")
	}
	t.host.Copy(out.String(), "Comparison copied.")
}

// writeRow writes a row as a part of a unified diff.
func writeRow(out *strings.Builder, r detail.FieldPair) {
	if r.Kind == detail.SameNow {
		return
	}
	out.WriteString("@@ " + r.Path + " @@\n")
	put := func(mark, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			out.WriteString(mark + line + "\n")
		}
	}
	for _, l := range r.Lines {
		switch {
		case l.Skip > 0:
			put("@@ ", words.Count(l.Skip)+" lines @@")
		default:
			put(map[diff.Kind]string{diff.Removed: "-", diff.Added: "+", "": " "}[l.Kind], l.Text)
		}
	}
	if len(r.Lines) > 0 {
		return
	}
	if r.Kind != diff.Added {
		put("-", r.Left)
	}
	if r.Kind != diff.Removed {
		put("+", r.Right)
	}
}
