//go:build !js

package recorded

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Fault is a state of a cluster, and the rows that the list of problems must have of it. Each is in a namespace of its
// own, NS in every text.
type Fault struct {
	Name string
	Rows []string // "severity key: words"; the severity may be one of two: "Warning|Error"
	Why  string   // there is no row
}

// Faults are what the table of e2e/problems raises one by one, and States what its file makes of objects.
var (
	//go:embed testdata/faults.yaml
	Faults []byte
	//go:embed testdata/states.yaml
	States []byte
)

// ReadTable reads Faults or States. All but the names and the rows is for those who make them, as are the instants, which
// YAML does not read as they are.
func ReadTable(text []byte) (all []Fault, err error) {
	return all, yaml.Unmarshal(bytes.ReplaceAll(text, []byte(": @"), []byte(": ")), &all)
}

// Want is a row: its key, such as "pods/NS/bad/NotReady", its severity and a part of its words.
type Want struct{ Key, Severity, Words string }

// Wants returns the rows of the fault in a namespace.
func (f Fault) Wants(namespace string) (all []Want) {
	for _, row := range f.Rows {
		severity, rest, _ := strings.Cut(row, " ")
		key, words, _ := strings.Cut(rest, ": ")
		all = append(all, Want{strings.ReplaceAll(key, "NS", namespace), severity, strings.ReplaceAll(words, "NS", namespace)})
	}
	return all
}

// Row is a row of the list of problems, without its age.
type Row struct{ Severity, Kind, Name, Reason, Words, Count string }

// ReadRow returns the row of a list with some columns. A cell whose column is not among them is "".
func ReadRow(columns, cells []string) Row {
	cell := func(name string) string {
		if i := slices.Index(columns, name); i >= 0 {
			return cells[i]
		}
		return ""
	}
	return Row{cell("Severity"), cell("Kind"), cell("Name"), cell("Reason"), cell("Problem"), cell("Count")}
}

// Is reports whether a row is what is wanted.
func (w Want) Is(r Row) bool {
	return slices.Contains(strings.Split(w.Severity, "|"), r.Severity) && strings.Contains(r.Words, w.Words)
}

// Differences compares rows, by their UIDs, with those of faults in their namespaces: none may be missing, and there may
// be no other.
func Differences(faults []Fault, namespaces map[string]string, rows map[string]Row) (all []string) {
	expected := make(map[string]bool)
	for _, f := range faults {
		ns := namespaces[f.Name]
		if ns == "" {
			all = append(all, fmt.Sprintf("%s: it was not raised; make recordings records it", f.Name))
			continue
		}
		if (f.Why == "") != (len(f.Rows) > 0) {
			all = append(all, fmt.Sprintf("%s: it has neither rows nor a reason for none, or both", f.Name))
		}
		for _, w := range f.Wants(ns) {
			expected[w.Key] = true
			if r, ok := rows[w.Key]; !ok {
				all = append(all, fmt.Sprintf("%s: no row %s", f.Name, w.Key))
			} else if !w.Is(r) {
				all = append(all, fmt.Sprintf("%s: %s is %v, want %s %q", f.Name, w.Key, r, w.Severity, w.Words))
			}
		}
	}
	for key, r := range rows {
		if !expected[key] {
			all = append(all, fmt.Sprintf("%s: nobody expects %s %v", whose(key, namespaces), key, r))
		}
	}
	slices.Sort(all)
	return all
}

// whose returns the fault in whose namespace a row is.
func whose(key string, namespaces map[string]string) string {
	for name, ns := range namespaces {
		if strings.Contains(key, ns) {
			return name
		}
	}
	return "no fault"
}

// Rollout is one of the strip of the overview: its images, as the page writes them.
type Rollout struct{ Resource, Name, Images string }

// RolledBack are the rollouts of the recording of that name. All their new pods are ready.
var RolledBack = []Rollout{{"statefulsets.apps", "store", "app 2 → 1"}, {"daemonsets.apps", "logs", "app 2 → 1"}}
