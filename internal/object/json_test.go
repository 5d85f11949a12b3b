//go:build !js

package object

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"watchglass/internal/object/objecttest"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// TestJSON compares JSON written from packed bytes with encoding/json of the Go types, for
// random objects of every built-in kind.
func TestJSON(t *testing.T) {
	types := objecttest.Types()
	kinds := make([]string, 0, len(types))
	for kind := range types {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	for _, kind := range kinds {
		t.Run(strings.ReplaceAll(kind, " ", "."), func(t *testing.T) {
			for seed := range int64(6) {
				obj := reflect.New(types[kind]).Interface()
				objecttest.Filler(seed).Fill(obj)
				raw, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
				if err != nil {
					t.Fatal(err)
				}
				message, ok := schema.Of(strings.Split(kind, " ")[0], strings.Split(kind, " ")[1])
				if !ok {
					t.Fatal("the schema does not know it")
				}
				got, err := tree.FromMessage(message, raw).AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := json.Marshal(obj)
				if err != nil {
					t.Fatal(err)
				}
				if d := differ("", pruned(t, want), pruned(t, got)); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
			}
		})
	}
}

// pruned decodes JSON and drops the values that protobuf cannot distinguish from missing ones:
// null, empty lists and empty maps.
func pruned(t *testing.T, doc []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return prune(v)
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e = prune(e); e == nil {
				delete(v, k)
			} else {
				v[k] = e
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = prune(v[i])
		}
	}
	return v
}

// differ returns the first path at which two trees differ, or "".
func differ(path string, want, got any) string {
	w, wok := want.(map[string]any)
	g, gok := got.(map[string]any)
	if wok && gok {
		for k := range w {
			if d := differ(path+"."+k, w[k], g[k]); d != "" {
				return d
			}
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s.%s: not wanted, got %v", path, k, g[k])
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: want %v, got %v", path, want, got)
	}
	return ""
}
