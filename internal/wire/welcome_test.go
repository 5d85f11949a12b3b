package wire

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSeenBy checks that the page, before it has the program, ties what it stored to the same fields of a welcome as
// Same compares. Else it would show one user's rows to another.
func TestSeenBy(t *testing.T) {
	const file = "../../web/static/visits.js"
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`const seenBy = \(\{ ([^}]+) \}\) => JSON\.stringify\(\[([^\]]+)\]\);`).FindSubmatch(script)
	if found == nil {
		t.Fatalf("%s: seenBy was not found", file)
	}
	var w Welcome
	for field, v := range reflect.ValueOf(&w).Elem().Fields() {
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(1)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(field.Type, 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(field.Type.Elem()))
		default:
			t.Fatalf("%s is a %s", field.Name, v.Kind())
		}
	}
	var want []string
	for field, v := range reflect.ValueOf(w.lasting()).Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !v.IsZero() && name != "noDiskHistory" { // with it, nothing is stored
			want = append(want, name)
		}
	}
	slices.Sort(want)
	for i, what := range []string{"reads", "compares"} {
		got := strings.Split(string(found[i+1]), ", ")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("seenBy %s %v, Same compares %v", what, got, want)
		}
	}
}
