package main

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// yamls are the texts' versions that the page was told since it was last asked, or why
// there is none.
func (b *bench) yamls() string {
	var out []string
	for _, doc := range b.docs("yaml") {
		head, text, err := detail.ParseYAML(doc)
		if err != nil {
			b.t.Error(err)
		}
		if head.Said != nil {
			text = string(head.Said.Reason)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestYAMLComes shows that an object that is not there when it is opened is asked for
// when it comes, and that one which is there is asked for once.
func TestYAMLComes(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.opens("new", "yaml")
		if got := b.yamls(); got != string(wire.ReasonNotFound) {
			t.Errorf("%q", got)
		}
		b.proxy.said()
		b.proxy.change(wire.Added, pod("a", "new", "Pending"))
		b.wait(soon)
		b.wantAsked("get pods/a new, close get pods/a new")
		if got := b.yamls(); !strings.Contains(got, "Pending") {
			t.Errorf("%q", got)
		}
		b.opens("web1", "yaml")
		b.wait(soon)
		b.wantAsked("get pods/a web1, close get pods/a web1")
	})
}

// TestYAMLOfGone shows that of an object which is gone when its YAML is opened it is said
// that there is none.
func TestYAMLOfGone(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.opens("web1", "summary")
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		b.opens("web1", "yaml")
		b.wait(soon)
		if got := b.yamls(); !strings.HasSuffix(got, string(wire.ReasonNotFound)) {
			t.Errorf("%q", got)
		}
	})
}

// TestYAMLVersions shows when a text is asked for again: when the object is of another
// version than what is on screen, whichever of the two came first.
func TestYAMLVersions(t *testing.T) {
	const note = "  annotations:\n    a: |-\n      x\n\n      y\n"
	text := func(version string) []byte {
		return []byte("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |-\n    metadata:\n      resourceVersion: \"9\"\nmetadata:\n" + note + "  name: web1\n  resourceVersion: \"" + version + "\"\n")
	}
	for _, c := range []struct {
		steps string // o1: the list has version 1; y1: the text of version 1 comes; yx: it does not
		again bool
	}{
		{"o1 y1", false}, {"y1 o1", false}, {"y1 o2", true}, {"o2 y1", true}, {"y2 o1 o2", false}, {"y1 o1 o2", true},
		{"o1 o2 y2", false}, {"o1 o2 y1", true}, {"yx o1", true}, {"o1 yx", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &yamlPane{desk: &desk{dirty: make(chan struct{}, 1)}, asking: true}
			for step := range strings.FieldsSeq(c.steps) {
				switch version := step[1:]; {
				case step == "yx":
					p.answered(nil, &wire.Status{Code: 404, Reason: wire.ReasonNotFound}, false)
				case step[0] == 'y':
					p.answered(text(version), nil, false)
				default:
					p.object(podAt(t, version), nil)
				}
			}
			if c.again != p.due.Equal(time.Now().Add(yamlStill)) || !c.again && !p.due.IsZero() {
				t.Errorf("%s: it is due at %v", c.steps, p.due)
			}
		})
	}
}

// podAt is a pod of a version.
func podAt(t *testing.T, version string) *object.Object {
	t.Helper()
	number, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	kind := object.Kind{Version: "v1", Name: "Pod", Resource: "pods", Namespaced: true}
	o, err := object.NewDecoder(kind, true).Decode(podBytes(at(number, pod("a", "web1", "Running"))))
	if err != nil {
		t.Fatal(err)
	}
	return o
}
