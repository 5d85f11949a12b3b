package main

import (
	"strings"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/detail/log/line"
	"watchglass/internal/detail/text"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/object"
)

// target is a parser, what texts for it are made of, and how many steps it may take for each byte.
type target struct {
	name   string
	tokens []string
	read   func(text string)
	size   int
	most   float64
}

var targets = []target{
	{"line", logged, readLine, 16_000, 90},
	{"log", logged, readLog, 16_000, 90},
	{"rows", logged, func(s string) { text.Rows(s, 80); text.Expand(s, 0); _ = text.Visible(s) }, 16_000, 80},
	{"YAML", shown, showYAML, 16_000, 400}, // of a text that is there three times, and written again in another version
	{"columns", members, readColumns, 1_000_000, 30},
}

// logged are pieces of what parsers of lines look for.
var logged = strings.Split(" x=[\"| x=\"\\\"|\x1b]|x=|\"|\\|[|]|{|}|:|,| |a|1|\t|{\"a\":|{\"log\":{|\"level\":|\"msg\":|at |Caused by: |ERROR |2026-11-22T02:47:17Z |Nov 22 |PHP | HTTP/| - |::|.|(|#|é|日|\x1b[|\x1b\\|38;5;|\x07|\xc2\x9d|\xff|\u0301|\\ud83d|@", "|")

// shown are pieces of what YAML has trouble with.
var shown = strings.Split("- |? |: |a: |\n|  |'|\"|\\|#| #|>|!|[|{|- name: a\n|\u2028|é|a|1|.|\t|1_|:1", "|")

// members are pieces of an object.
var members = strings.Split("1,|\"\",|\"\\\"\\n\",|\"a\",|{\"x\":\"y\"},|{\"x\":[1]},|[1],|[[[[1]]]],|[{},{}],|{\"\":1,\"\\n\":2},", "|")

// columns are paths of the columns that users add and definitions have.
var columns = []string{"{.nope}", `{.spec[?(@.x=="y")].x}`, "{.spec[-1].x}", "{.spec[*][*][*]}", "{.spec[?(@[?(@[?(@.x)])])]}", "{.spec}"}

// readColumns reads an object whose list has the text's elements.
func readColumns(s string) {
	var extras []object.Extra
	for _, path := range columns {
		extra, err := object.ParseExtra(path)
		if err != nil {
			panic(err)
		}
		extras = append(extras, extra)
	}
	d := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Name: "Thing"}, false, extras...)
	if _, err := d.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":[` + s + `1]}`)); err != nil {
		panic(err)
	}
}

func readLine(s string) {
	var l line.Line
	l.Parse(s)
	l.Tree(s)
	l.Lookup(s, "a.b.c")
	var t line.Trace
	for _, text := range []string{s, "ERROR x", s, s} {
		t.Next(text)
	}
}

// readLog shows a line in all ways: as it comes, searched, wrapped, expanded, and completed.
func readLog(s string) {
	store := log.NewStore(log.Default)
	source := store.NewSource("pod", "container")
	source.Open(time.Unix(1, 0), false)
	source.Write([]byte("2026-11-22T02:47:17Z ERROR x\n2026-11-22T02:47:18Z " + strings.ReplaceAll(s, "\n", "") + "\n"))
	store.Merge(time.Unix(2, 0))
	v := log.NewView(store)
	q := log.Query{Columns: 80, Search: log.ParseTerm("/a+[0-9]|é.x/").Line}
	q.Filter, _, _ = log.ParseFilter("", "a.log:x or -level:debug")
	v.Ask(q)
	v.Step(1 << 30)
	var open []uint64
	for _, r := range v.Window(0, 50) {
		open = append(open, r.ID)
	}
	v.Expand(open)
	v.Window(0, 50)
	v.Fields("")
}

// showYAML shows an object with a text as a key and as a value, and then another version.
func showYAML(s string) {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
	doc := `{"value":` + quoted + `,"keys":{` + quoted + `:[` + quoted + `]}`
	r := yaml.NewReader()
	show := func(doc string, at int64) {
		if err := r.Show([]byte(doc), time.Unix(at, 0)); err != nil {
			panic(err)
		}
	}
	show(doc+"}", 1)
	r.Wrap(80)
	r.Window(0, 100)
	r.Find("a", 0)
	r.FoldAll(true)
	show(doc+`,"b":1}`, 2)
}
