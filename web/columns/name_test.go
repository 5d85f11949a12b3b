package columns

import "testing"

// TestColumnNamed parses what the user types to add a column.
func TestColumnNamed(t *testing.T) {
	for text, want := range map[string][2]string{
		"app":                        {"label.app"},
		" app.kubernetes.io/name ":   {"label.app.kubernetes.io/name"},
		"label.app":                  {"label.app"},
		"annotation.example.com/own": {"annotation.example.com/own"},
		".spec.nodeName":             {"{.spec.nodeName}"},
		"{$.spec.nodeName}":          {"{.spec.nodeName}"},
		"{.spec..a}":                 {"", `Invalid path: at character 7: found "..", expected each step of the path: '..' is not supported`},
		"":                           {"", "Enter a label, an annotation or a path."},
		"app,tier":                   {"", `"app,tier" is not a valid label name. Use letters, digits, '-', '_' and '.', optionally after a domain and '/'.`},
		"label.":                     {"", "The name is missing. Example: label.app"},
	} {
		if name, wrong := columnNamed(text); name != want[0] || wrong != want[1] {
			t.Errorf("%q is %q, wrong: %q", text, name, wrong)
		}
	}
}
