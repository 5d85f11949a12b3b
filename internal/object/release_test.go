//go:build !js

package object

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// newestRelease is the release that printers assume by default.
const newestRelease = 36

// printout is what the apiservers of some releases print for a kind, as recorded by e2e's
// command releases: the first release, the columns, and a row of cells for each object.
type printout struct {
	release int
	columns string
	rows    []string
}

// printouts reads the recorded printouts, by kind.
func printouts(t *testing.T) map[string][]printout {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "releases", "printed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all, kind := make(map[string][]printout), ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		cells, inside := strings.CutPrefix(line, "\t")
		if !inside {
			version, name, _ := strings.Cut(line, " ")
			release, err := strconv.Atoi(strings.TrimPrefix(version, "1."))
			if err != nil {
				t.Fatal(err)
			}
			kind = name
			all[kind] = append(all[kind], printout{release: release})
			continue
		}
		if p := &all[kind][len(all[kind])-1]; p.columns == "" {
			p.columns = cells
		} else {
			p.rows = append(p.rows, cells)
		}
	}
	return all
}

var relativeTime = regexp.MustCompile(`@-[0-9hms]+`)

// releaseObjects returns the objects that were printed, by kind and name, with times relative
// to now.
func releaseObjects(t *testing.T, now time.Time) map[string]map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "releases", "objects.json"))
	if err != nil {
		t.Fatal(err)
	}
	text = relativeTime.ReplaceAllFunc(text, func(at []byte) []byte {
		ago, err := time.ParseDuration(string(at[2:]))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(now.Add(-ago).UTC().Format(time.RFC3339))
	})
	var docs []json.RawMessage
	if err := json.Unmarshal(text, &docs); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string][]byte)
	for _, doc := range docs {
		var is struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := json.Unmarshal(doc, &is); err != nil {
			t.Fatal(err)
		}
		k, ok := BuiltinNamed(groupOf(is.APIVersion), is.Kind)
		if !ok {
			t.Fatalf("%s is not printed here", is.Kind)
		}
		o := newObject(t, k)
		if err := json.Unmarshal(doc, o); err != nil {
			t.Fatal(err)
		}
		kind := is.APIVersion + " " + is.Kind
		if all[kind] == nil {
			all[kind] = make(map[string][]byte)
		}
		all[kind][is.Metadata.Name] = payload(t, o)
	}
	return all
}

func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// TestReleases compares the columns and cells of each release from 1.27 on with what the
// apiserver of that release prints.
func TestReleases(t *testing.T) {
	all, objects := printouts(t), releaseObjects(t, now)
	for _, k := range builtin {
		kind := k.APIVersion() + " " + k.Name
		if len(all[kind]) == 0 {
			if k.Name != "APIService" { // of another server, and never changed
				t.Errorf("%s is not held to any release", kind)
			}
			continue
		}
		for release := all[kind][0].release; release <= newestRelease; release++ {
			of := all[kind][0]
			for _, p := range all[kind] {
				if p.release <= release {
					of = p
				}
			}
			t.Run(fmt.Sprint(kind, " 1.", release), func(t *testing.T) { of.holds(t, printedAs(k, Printing{Release: release}), objects[kind]) })
		}
	}
}

// holds compares what is printed here with the printout.
func (p printout) holds(t *testing.T, k Kind, objects map[string][]byte) {
	d := NewDecoder(k, false)
	var columns []string
	for _, c := range d.Columns() {
		columns = append(columns, fmt.Sprint(c.Name, " ", c.Priority))
	}
	if got := strings.Join(columns, "|"); got != p.columns {
		t.Errorf("the columns are\n%s, and the server's\n%s", got, p.columns)
	}
	var rows []string
	for _, name := range namesOf(p.rows) {
		o, err := d.Decode(objects[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, strings.Join(printed(d, o), "|"))
	}
	if len(rows) != len(objects) {
		t.Errorf("%d objects of %d", len(rows), len(objects))
	}
	for i, row := range rows {
		if row != p.rows[i] {
			t.Errorf("%s\nand the server's\n%s", row, p.rows[i])
		}
	}
}

// namesOf returns the names in rows, without the mark of a default class.
func namesOf(rows []string) (names []string) {
	for _, row := range rows {
		name, _, _ := strings.Cut(row, "|")
		names = append(names, strings.TrimSuffix(name, " (default)"))
	}
	return names
}

// TestChanges compares the releases in which a kind's printing changes with the recorded
// printouts: exactly the releases that print alike count as one.
func TestChanges(t *testing.T) {
	for kind, all := range printouts(t) {
		var want []release
		for _, p := range all[1:] {
			want = append(want, release(p.release))
		}
		apiVersion, name, _ := strings.Cut(kind, " ")
		if k, ok := BuiltinNamed(groupOf(apiVersion), name); !ok || !slices.Equal(k.changes, want) {
			t.Errorf("%s changes in %v, and the server's printer in %v", kind, k.changes, want)
		}
	}
}

func TestReleaseOf(t *testing.T) {
	for _, c := range []struct {
		major, minor string
		want         int
	}{{"1", "30", 30}, {"1", "27+", 27}, {"1", "", 0}, {"2", "1", 0}, {"", "30", 0}, {"1", "x", 0}, {"1", "-3", 0}, {"1", "99999999999999999999", 0}} {
		if got := Release(c.major, c.minor); got != c.want {
			t.Errorf("%q.%q is %d", c.major, c.minor, got)
		}
	}
	k, _ := Builtin("pods")
	for of, want := range map[int]int{0: 0, 20: 27, 27: 27, 28: 30, 30: 30, 31: 34, 34: 34, 35: 0, 50: 0} {
		if k.PrintAs(Printing{Release: of}); k.Printing().Release != want {
			t.Errorf("1.%d prints pods like 1.%d, not 1.%d", of, k.Printing().Release, want)
		}
	}
}
