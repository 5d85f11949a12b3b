//go:build !js

package object

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	printedFile = flag.String("printed", "", "objects and what an apiserver prints for them, from e2e/printers")
	printedBy   = flag.Int("release", 0, "the minor version of that apiserver; 0: the newest")
)

// TestPrinted compares cells with those that an apiserver printed. e2e's module, which has the
// apiserver's printers, runs it with a file.
func TestPrinted(t *testing.T) {
	if *printedFile == "" {
		t.Skip("it is run by e2e/printers")
	}
	var kinds []struct {
		APIVersion, Kind string
		Columns          []string
		Objects          []struct {
			Payload       []byte
			Cells         []string
			Before, After int64
		}
	}
	doc, err := os.ReadFile(*printedFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(doc, &kinds); err != nil {
		t.Fatal(err)
	}
	held := make(map[string]bool)
	for _, k := range kinds {
		i := slices.IndexFunc(builtin, func(b Kind) bool { return b.APIVersion() == k.APIVersion && b.Name == k.Kind })
		if i < 0 {
			t.Errorf("%s is not printed here", k.Kind)
			continue
		}
		held[k.APIVersion+k.Kind] = true
		t.Run(k.Kind, func(t *testing.T) {
			d := NewDecoder(printedAs(builtin[i], Printing{Release: *printedBy}), false)
			var columns []string
			for _, c := range d.Columns() {
				columns = append(columns, fmt.Sprint(c.Name, " ", c.Priority))
			}
			if !slices.Equal(columns, k.Columns) {
				t.Fatalf("the columns are %q, and the server's %q", columns, k.Columns)
			}
			wrong := 0
			for _, o := range k.Objects {
				made, err := d.Decode(o.Payload)
				if err != nil {
					t.Fatal(err)
				}
				for at, c := range d.Columns() {
					cell, want := made.Cell(d.Columns(), at), string(appendPlain(nil, []byte(o.Cells[at])))
					before, after := cell.Append(nil, time.Unix(o.Before, 0)), cell.Append(nil, time.Unix(o.After, 0))
					if string(before) != want && string(after) != want && wrong < 10 {
						wrong++
						t.Errorf("%s: %q is %q\nand the server's %s", c.Name, after, want, strings.Join(o.Cells, " | "))
					}
				}
			}
		})
	}
	for _, k := range builtin {
		if !held[k.APIVersion()+k.Name] && *printedBy == 0 {
			t.Errorf("%s is printed, and not held to the server", k.Name)
		}
	}
}
