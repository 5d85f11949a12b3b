//go:build !js

package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strconv"
	"testing"

	"watchglass/web/ui"
)

// TestActions checks that each action has a handler, and that each handler has an action or a key.
func TestActions(t *testing.T) {
	handled := still().table.byID
	for name, action := range declaredActions(t) {
		if action != ui.NoAction && handled[action] == nil {
			t.Errorf("no part handles %s", name)
		}
		delete(handled, action)
	}
	for action, c := range handled {
		if len(c.Keys) == 0 {
			t.Errorf("%q is handled, and no constant", action)
		}
	}
}

// declaredActions returns the constants of type ui.Action by their packages and names.
func declaredActions(t *testing.T) map[string]ui.Action {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	found := make(map[string]ui.Action)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			kind := v.Type
			if selector, ok := kind.(*ast.SelectorExpr); ok {
				kind = selector.Sel // ui.Action
			}
			if kind, ok := kind.(*ast.Ident); ok && kind.Name == "Action" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[file.Name.Name+"."+v.Names[0].Name] = ui.Action(text)
			}
			return true
		})
	}
	if len(found) < 50 {
		t.Fatalf("%d actions are declared", len(found))
	}
	return found
}

// sharedKeys are the keys whose meaning depends on the focus: on the list or on a tab. Any other key
// has one meaning everywhere.
var sharedKeys = map[string]string{
	"/": "find in the list or in the text", "p": "pause the list or the logs",
	"n": "next match in a text, as in vi and less", "N": "previous match in a text, as in vi and less",
	"g": "to the beginning", "Home": "to the beginning", "G": "to the end", "End": "to the end",
	"Enter": "open what has the focus", "ArrowUp": "move within", "ArrowDown": "move within",
}

// TestOneMeaning checks that no key has two meanings in one place, nor one in the page and
// another in a tab.
func TestOneMeaning(t *testing.T) {
	page, shared := make(map[string]ui.Action), maps.Clone(sharedKeys)
	g := still()
	for _, b := range shortcutsOf(g, "") {
		for _, key := range b.Keys {
			page[key] = b.ID
		}
	}
	tabs := make(map[string]bool)
	for _, c := range g.table.all {
		if c.Tab != "" {
			tabs[c.Tab] = true
		}
	}
	for tab := range tabs {
		for _, b := range shortcutsOf(g, tab) {
			for _, key := range b.Keys {
				delete(shared, key)
				if action, both := page[key]; both && action != b.ID && b.In == "" && sharedKeys[key] == "" {
					t.Errorf("%s is %s in the page, and %s in %s", key, action, b.ID, tab)
				}
			}
		}
	}
	for key := range shared {
		t.Errorf("%s needs no exception", key)
	}
	places := map[string][]ui.Command{"the page": shortcutsOf(g, "")}
	for tab := range tabs {
		places[tab] = shortcutsOf(g, tab)
	}
	for place, all := range places {
		bound := make(map[[2]string]ui.Action)
		for _, b := range all {
			for _, key := range b.Keys {
				in := [2]string{b.In, key}
				if before, twice := bound[in]; twice {
					t.Errorf("%s is %s and %s in %s", key, before, b.ID, place)
				}
				bound[in] = b.ID
			}
		}
	}
}
