// Package printers holds the columns that the tab computes to the printers of the
// apiserver itself, for objects that no client could make: random ones.
//
// The printers are of e2e's module, and what is held to them is of the root's, which
// has another version of the API: the objects and their cells go over in a file.
package printers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// perKind is how many objects of each kind are printed.
const perKind = 400

// kindPrinted is what goes over: a kind, its columns, and objects with their cells.
type kindPrinted struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Columns    []string        `json:"columns"`
	Objects    []objectPrinted `json:"objects"`
}

type objectPrinted struct {
	Payload []byte   `json:"payload"`
	Cells   []string `json:"cells"`
	Before  int64    `json:"before"` // unix seconds between which it was printed
	After   int64    `json:"after"`
}

// TestPrinters has the root's tests compare what the tab prints with what the
// apiserver does.
func TestPrinters(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	objects := newMaker(seed)
	var all []kindPrinted
	for _, gvk := range kinds {
		k := kindPrinted{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
		printer := printerOf(gvk)
		for len(k.Objects) < perKind {
			print(t, printer, gvk, objects, &k)
		}
		all = append(all, k)
	}
	doc, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "printed.json")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./internal/object", "-run", "^TestPrinted$", "-printed", file)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no tests to run") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// print makes a random object as the apiserver would have read it from its store,
// and prints it.
func print(t *testing.T, p printer, gvk schema.GroupVersionKind, objects maker, into *kindPrinted) {
	t.Helper()
	random, err := p.scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	objects.Make(random)
	object, err := meta.Accessor(random)
	if err != nil {
		t.Fatal(err)
	}
	object.SetName(fmt.Sprint("name-", len(into.Objects)))
	form := protobuf.NewSerializer(p.scheme, p.scheme)
	stored, _, err := form.Decode(encode(t, form, random, gvk), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.scheme.Default(stored)
	internal, err := p.scheme.ConvertToVersion(stored, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return // of values that make no sense
	}
	sent, err := p.scheme.ConvertToVersion(internal, gvk.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	o := objectPrinted{Payload: encode(t, form, sent, gvk), Before: time.Now().Unix()}
	table, err := p.ConvertToTable(t.Context(), internal, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.After = time.Now().Unix()
	for _, cell := range table.Rows[0].Cells {
		o.Cells = append(o.Cells, fmt.Sprint(cell))
	}
	into.Objects, into.Columns = append(into.Objects, o), nil
	for _, c := range table.ColumnDefinitions {
		into.Columns = append(into.Columns, fmt.Sprint(c.Name, " ", c.Priority))
	}
}

func encode(t *testing.T, form runtime.Encoder, object runtime.Object, gvk schema.GroupVersionKind) []byte {
	t.Helper()
	object.GetObjectKind().SetGroupVersionKind(gvk)
	out, err := runtime.Encode(form, object)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
