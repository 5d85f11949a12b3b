package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// TestReadBodies checks which lists are requested for lost bodies, and that only those of the same version
// of the same object are restored.
func TestReadBodies(t *testing.T) {
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}
	doc := func(namespace, name, uid string, version int) string {
		return fmt.Sprintf(`{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"namespace":%q,"name":%q,"uid":%q,"resourceVersion":"%d"}}`, namespace, name, uid, version)
	}
	decoder := object.NewDecoder(kind, true)
	var lost []*object.Object
	lose := func(namespace, name string) {
		o, err := decoder.Decode([]byte(doc(namespace, name, "u", 1)))
		if err != nil {
			t.Fatal(err)
		}
		object.NewBudget(0).Keep(o)
		lost = append(lost, o)
	}
	for _, name := range []string{"same", "newer", "another", "gone"} {
		lose("few", name)
	}
	for i := range bodiesByName + 1 {
		lose("many", fmt.Sprint("w", i))
	}
	served := map[string]string{
		"few/same": doc("few", "same", "u", 1), "few/newer": doc("few", "newer", "u", 2), "few/another": doc("few", "another", "v", 1),
	}
	var asked []string
	server := reflector.SourceFunc(func(_ context.Context, r wire.Request) (reflector.Stream, error) {
		asked = append(asked, strings.TrimSpace(r.Namespace+" "+r.FieldSelector+r.Continue))
		s := new(stream)
		if name, one := strings.CutPrefix(r.FieldSelector, "metadata.name="); one {
			if is, ok := served[r.Namespace+"/"+name]; ok {
				s.script = append(s.script, "+"+is)
			}
			s.script = append(s.script, ".{}")
			return s, nil
		}
		if r.Limit != bodiesAtOnce {
			t.Errorf("at most %d", r.Limit)
		}
		half, next := []int{0, 1, 2, 3}, `.{"continue":"c"}`
		if r.Continue != "" {
			half, next = []int{4, 5, 6, 7, 8}, ".{}"
		}
		for _, i := range half {
			s.script = append(s.script, "+"+doc("many", fmt.Sprint("w", i), "u", 1))
		}
		s.script = append(s.script, next)
		return s, nil
	})
	err := ReadBodies(t.Context(), server, wire.Request{Group: "example.com", Version: "v1", Resource: "widgets"}, kind, lost, (*object.Object).Restore)
	if slices.Sort(asked); err != nil || strings.Join(asked, ", ") != "few metadata.name=another, few metadata.name=gone, few metadata.name=newer, few metadata.name=same, many, many c" {
		t.Errorf("%v, asked %q", err, asked)
	}
	var still []string
	for _, o := range lost {
		if o.Lost() {
			still = append(still, o.Key())
		}
	}
	if got := strings.Join(still, " "); got != "few/newer few/another few/gone" {
		t.Errorf("without a body are still %s", got)
	}
	refused := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "no"}
	server = func(context.Context, wire.Request) (reflector.Stream, error) { return nil, refused }
	if err := ReadBodies(t.Context(), server, wire.Request{}, kind, lost, (*object.Object).Restore); !errors.Is(err, refused) {
		t.Error(err)
	}
}
