package printers

import (
	"bytes"
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

// tabled has the apiserver's printers print objects, of which there are payloads.
func tabled(t *testing.T, all []kindPrinted) []byte {
	t.Helper()
	doc, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./table")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(doc), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPrinters has the root's tests compare what the tab prints with what the
// apiserver does.
func TestPrinters(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	objects := newMaker(seed)
	var all []kindPrinted
	for _, gvk := range Kinds {
		k := kindPrinted{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
		for len(k.Objects) < perKind {
			store(t, gvk, objects, &k)
		}
		all = append(all, k)
	}
	file := filepath.Join(t.TempDir(), "printed.json")
	if err := os.WriteFile(file, tabled(t, all), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./internal/object", "-run", "^TestPrinted$", "-printed", file)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no tests to run") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// store makes a random object as the apiserver would have read it from its store.
func store(t *testing.T, gvk schema.GroupVersionKind, objects maker, into *kindPrinted) {
	t.Helper()
	scheme := SchemeOf(gvk)
	random, err := scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	objects.Make(random)
	object, err := meta.Accessor(random)
	if err != nil {
		t.Fatal(err)
	}
	object.SetName(fmt.Sprint("name-", len(into.Objects)))
	form := protobuf.NewSerializer(scheme, scheme)
	stored, _, err := form.Decode(encode(t, form, random, gvk), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	scheme.Default(stored)
	internal, err := scheme.ConvertToVersion(stored, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return // of values that make no sense
	}
	sent, err := scheme.ConvertToVersion(internal, gvk.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	into.Objects = append(into.Objects, objectPrinted{Payload: encode(t, form, sent, gvk)})
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
