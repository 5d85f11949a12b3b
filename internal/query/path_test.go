package query

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TestPaths holds what is a path, and how it is written.
func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		"{.spec.nodeName}":        "{.spec.nodeName}",
		"{$.spec.nodeName}":       "{.spec.nodeName}",
		".spec.nodeName":          "{.spec.nodeName}",
		"spec.nodeName":           "{.spec.nodeName}",
		" { .spec }":              "",
		"{['spec']['node name']}": "{.spec['node name']}",
		`{.metadata.labels.app\.kubernetes\.io/name}`:     "{.metadata.labels['app.kubernetes.io/name']}",
		`{.metadata.labels["it's"]}`:                      `{.metadata.labels['it\'s']}`,
		"{.spec.containers[*].image}":                     "{.spec.containers[*].image}",
		"{.spec.containers.*.image}":                      "{.spec.containers[*].image}",
		"{.spec.containers[0].image}":                     "{.spec.containers[0].image}",
		"{.spec.containers[-1]}":                          "{.spec.containers[-1]}",
		`{.status.conditions[?(@.type=="Ready")].status}`: `{.status.conditions[?(@.type=="Ready")].status}`,
		`{.status.conditions[?( @.type != 'Ready' )]}`:    `{.status.conditions[?(@.type!="Ready")]}`,
		`{.spec.ports[?(@.port==80)].name}`:               `{.spec.ports[?(@.port=="80")].name}`,
		`{.spec.volumes[?(@.configMap.name)].name}`:       `{.spec.volumes[?(@.configMap.name)].name}`,
	} {
		p, err := ParsePath(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s is a path", text)
			}
			continue
		}
		if err != nil || p.String() != want {
			t.Errorf("%s is %s, not %s: %v", text, p, want, err)
		}
	}
}

// TestWrongPaths holds where paths are wrong, and the words for it.
func TestWrongPaths(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "at character 1: the path is empty, expected a field, as in {.spec.nodeName}",
		"{}":                "at character 1: the path is empty, expected a field, as in {.spec.nodeName}",
		"{.spec":            "at character 7: the path ends, expected '}'",
		"{.spec} and more":  "at character 9: found \"and\", expected the end: one path, without text around it",
		"{.spec..name}":     "at character 7: found \"..\", expected each step of the path: '..' is not supported",
		"{.spec[1}":         "at character 7: the bracket is not closed, expected ']'",
		"{.spec[a]}":        "at character 7: found \"a\" in brackets, expected a number, '*', a name in quotes, or ?(@.type==\"Ready\")",
		"{.spec['a}":        "at character 8: the quotes are not closed, expected '",
		"{.spec[?(.a)]}":    "at character 10: found \".a\", expected '@', the element",
		"{.spec[?(@.a<3)]}": "at character 13: found \"<3\", expected '==' or '!=' and a value, and ')'",
		"{.spec[0]a}":       "at character 10: found \"a}\", expected '.' and a field's name, or '['",
		"{.a.}":             "at character 5: found \"}\", expected a field's name",
	} {
		_, err := ParsePath(text)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, not: %s", text, err, want)
		}
	}
}

// TestDeepPath shows that a path cannot be so deep that nobody can read it.
func TestDeepPath(t *testing.T) {
	nest := func(n int) string {
		return "{" + strings.Repeat("[?(@", n) + ".a" + strings.Repeat(")]", n) + "}"
	}
	if _, err := ParsePath(nest(deepest)); err != nil {
		t.Error(err)
	}
	if _, err := ParsePath(nest(100_000)); err == nil || !strings.Contains(err.Error(), "too many nested conditions") {
		t.Error(err)
	}
}

// FuzzPath holds that a path is the same again when it has been written, and that
// an error stands in the text.
func FuzzPath(f *testing.F) {
	for _, text := range []string{"{.a.b[*]['c'][?(@.d==\"e\")][-1]}", "a", "{$..}", `{.a\.b}`, "{[?(@)]}", "{.a[?(@.b!='\\'')]}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.From < 0 || e.From > e.To || e.To > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if again, err := ParsePath(p.String()); err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%q is %s, which is another: %v", text, p, err)
		}
	})
}
