package hub

import (
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/wire"
)

// yamls returns the versions of the texts that the page was sent since the last call, or why
// there is none.
func (b *fixture) yamls() string {
	var out []string
	for _, doc := range b.docs("yaml") {
		head, text, err := detail.ParseYAML(doc)
		if err != nil {
			b.t.Error(err)
		}
		if head.Said != nil {
			text = []byte(head.Said.Reason)
		}
		out = append(out, string(text))
	}
	return strings.Join(out, ", ")
}

// TestYAMLComes checks that an object that does not exist when it is opened is requested when
// it is created, and that an existing one is requested once.
func TestYAMLComes(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("new", "yaml")
		if got := b.yamls(); got != string(wire.ReasonNotFound) {
			t.Errorf("%q", got)
		}
		b.proxy.takeRequests()
		b.proxy.change(wire.Added, pod("a", "new", "Pending"))
		b.wait(soon)
		b.wantAsked("get pods/a new, close get pods/a new")
		if got := b.yamls(); !strings.Contains(got, "Pending") {
			t.Errorf("%q", got)
		}
		b.openTab("web1", "yaml")
		b.wait(soon)
		b.wantAsked("get pods/a web1, close get pods/a web1")
	})
}

// TestYAMLOfGone checks that the page is told that there is no YAML if the object was deleted
// before its YAML was opened.
func TestYAMLOfGone(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "summary")
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		b.openTab("web1", "yaml")
		b.wait(soon)
		if got := b.yamls(); !strings.HasSuffix(got, string(wire.ReasonNotFound)) {
			t.Errorf("%q", got)
		}
	})
}
