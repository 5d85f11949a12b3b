// Command releases writes down what each release of Kubernetes prints: the columns of every
// kind that the tab prints, and the cells of the objects in objects.json. It builds the
// command table with each release, which takes an hour and the module proxy, and is run when
// there is a new one. APIServices are not among the kinds: not every release of the aggregator,
// which prints them, can be had.
//
//	go run ./printers/releases ../internal/object/testdata/releases
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"watchglass/e2e/printers"
)

// versions are the newest patches of the releases, oldest first.
var versions = []string{"1.27.16", "1.28.15", "1.29.14", "1.30.14", "1.31.14", "1.32.13", "1.33.13", "1.34.4", "1.35.4", "1.36.3"}

// kind is what goes to the command table and comes back.
type kind struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Columns    []string `json:"columns"`
	Objects    []object `json:"objects"`
}

type object struct {
	Payload []byte   `json:"payload"`
	Cells   []string `json:"cells"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: releases FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	source, err := os.ReadFile("printers/table/main.go")
	if err != nil {
		return err
	}
	var out strings.Builder
	last := make(map[string]string)
	for _, version := range versions {
		printed, err := printedBy(version, source, filepath.Join(folder, "objects.json"))
		if err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
		release := version[:strings.LastIndexByte(version, '.')]
		for _, name := range slices.Sorted(maps.Keys(printed)) {
			if text := printed[name]; text != last[name] {
				last[name] = text
				fmt.Fprintf(&out, "%s %s\n%s", release, name, text)
			}
		}
	}
	return os.WriteFile(filepath.Join(folder, "printed.txt"), []byte(out.String()), 0o644)
}

// printedBy builds the command table with a release, and returns what it prints of each kind.
func printedBy(version string, source []byte, objects string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "releases-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	mod, err := module(version)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"main.go": source, "go.mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	if _, err := command(dir, nil, "mod", "tidy"); err != nil {
		return nil, err
	}
	if _, err := command(dir, nil, "build", "-o", "table", "."); err != nil {
		return nil, err
	}
	doc, err := stored(objects) // now: there are ages
	if err != nil {
		return nil, err
	}
	table := exec.Command(filepath.Join(dir, "table"))
	table.Stdin, table.Stderr = bytes.NewReader(doc), os.Stderr
	tables, err := table.Output()
	if err != nil {
		return nil, err
	}
	return written(tables)
}

func command(dir string, in []byte, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir, c.Stdin, c.Stderr = dir, bytes.NewReader(in), os.Stderr
	return c.Output()
}

var staging = regexp.MustCompile(`(?m)^\s*(?:replace )?(k8s\.io/[a-z-]+) => \./staging`)

// module is a go.mod for a release, whose parts are versions of their own.
func module(version string) ([]byte, error) {
	doc, err := command("", nil, "mod", "download", "-json", "k8s.io/kubernetes@v"+version)
	if err != nil {
		return nil, err
	}
	var of struct{ Dir string }
	if err := json.Unmarshal(doc, &of); err != nil {
		return nil, err
	}
	theirs, err := os.ReadFile(filepath.Join(of.Dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	mod := "module table\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v" + version + "\n"
	for _, part := range staging.FindAllSubmatch(theirs, -1) {
		mod += fmt.Sprintf("\nreplace %s => %s v0.%s\n", part[1], part[1], strings.TrimPrefix(version, "1."))
	}
	return []byte(mod), nil
}

var relative = regexp.MustCompile(`@-([0-9hms]+)`)

// stored is every kind, with its objects in protobuf; one that has none has an empty one,
// for its columns.
func stored(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	text = relative.ReplaceAllFunc(text, func(at []byte) []byte {
		ago, err := time.ParseDuration(string(at[2:]))
		if err != nil {
			panic(err)
		}
		return []byte(now.Add(-ago).UTC().Format(time.RFC3339))
	})
	var docs []json.RawMessage
	if err := json.Unmarshal(text, &docs); err != nil {
		return nil, err
	}
	var all []kind
	for _, gvk := range printers.Kinds {
		k := kind{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
		for _, doc := range docs {
			var is struct{ APIVersion, Kind string }
			if err := json.Unmarshal(doc, &is); err != nil {
				return nil, err
			}
			if is.APIVersion == k.APIVersion && is.Kind == k.Kind {
				if err := k.add(gvk, doc); err != nil {
					return nil, err
				}
			}
		}
		if len(k.Objects) == 0 {
			if err := k.add(gvk, []byte(`{}`)); err != nil {
				return nil, err
			}
		}
		all = append(all, k)
	}
	return json.Marshal(all)
}

func (k *kind) add(gvk schema.GroupVersionKind, doc []byte) error {
	scheme := printers.SchemeOf(gvk)
	o, err := scheme.New(gvk)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(doc, o); err != nil {
		return err
	}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	payload, err := runtime.Encode(protobuf.NewSerializer(scheme, scheme), o)
	k.Objects = append(k.Objects, object{Payload: payload})
	return err
}

// written is each kind's columns in a line, and each named object's cells in one.
func written(tables []byte) (map[string]string, error) {
	var all []kind
	if err := json.Unmarshal(tables, &all); err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, k := range all {
		text, name := "\t"+strings.Join(k.Columns, "|")+"\n", slices.IndexFunc(k.Columns, func(c string) bool { return strings.HasPrefix(c, "Name ") })
		for _, o := range k.Objects {
			if o.Cells[name] != "" {
				text += "\t" + strings.Join(o.Cells, "|") + "\n"
			}
		}
		out[k.APIVersion+" "+k.Kind] = text
	}
	return out, nil
}
