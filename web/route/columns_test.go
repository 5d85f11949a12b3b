package route

import (
	"reflect"
	"slices"
	"testing"
)

// TestShown parses and formats the columns of an address.
func TestShown(t *testing.T) {
	for text, want := range map[string]struct {
		shown []Column
		text  string
		names []string
		wide  bool
	}{
		"":                       {nil, "", nil, false},
		"*":                      {nil, "", nil, false},
		"wide":                   {[]Column{{"wide", 0}}, "wide", nil, true},
		"*,label.app":            {[]Column{{"*", 0}, {"label.app", 0}}, "*,label.app", []string{"*", "label.app"}, false},
		"wide,Name:200":          {[]Column{{"wide", 0}, {"Name", 200}}, "wide,Name:200", []string{"*", "Name"}, true},
		"Name:1,Node:99999,Node": {[]Column{{"Name", 40}, {"Node", 1600}}, "Name:40,Node:1600", []string{"Name", "Node"}, false},
		"Name:x,,":               {[]Column{{"Name:x", 0}}, "Name:x", []string{"Name:x"}, false},
		`{.a['b,c'][?(@.d=="e:9")]}:70,annotation.a/b`: {[]Column{{`{.a['b,c'][?(@.d=="e:9")]}`, 70}, {"annotation.a/b", 0}}, `{.a['b,c'][?(@.d=="e:9")]}:70,annotation.a/b`, []string{`{.a['b,c'][?(@.d=="e:9")]}`, "annotation.a/b"}, false},
		"{.a:9}":       {[]Column{{"{['a:9']}", 0}}, "{['a:9']}", []string{"{['a:9']}"}, false},
		"{.a},{['a']}": {[]Column{{"{.a}", 0}}, "{.a}", []string{"{.a}"}, false},
		"{['a'].b},x":  {[]Column{{"{.a.b}", 0}, {"x", 0}}, "{.a.b},x", []string{"{.a.b}", "x"}, false},
	} {
		a := Address{Columns: canonical(text)}
		if a.Columns != want.text || !reflect.DeepEqual(a.Shown(), want.shown) || !slices.Equal(a.ColumnNames(), want.names) || a.Wide() != want.wide {
			t.Errorf("%q is %q: %v, %q, wide %v", text, a.Columns, a.Shown(), a.ColumnNames(), a.Wide())
		}
	}
}
