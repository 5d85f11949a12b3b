//go:build !js

package main

import (
	"bytes"
	goflag "flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = goflag.Bool("update", false, "rewrite the table of flags in README.md")

// TestReadme checks that the table of flags in README.md matches the flags.
func TestReadme(t *testing.T) {
	const begin, end = "<!-- flags: written by the test -->\n", "<!-- /flags -->"
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(readme), begin)
	written, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has no markers for the flags")
	}
	var want bytes.Buffer
	table(&want)
	if written == want.String() {
		return
	}
	if !*update {
		t.Fatal("the flags in README.md are out of date: run 'go test ./proxy -run TestReadme -update'")
	}
	if err := os.WriteFile("README.md", []byte(before+begin+want.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// links finds the targets of links and pictures in Markdown.
var links = regexp.MustCompile(`\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"]+)"`)

// TestLinks checks that relative links in the documentation lead to a file, and to a heading
// in it if they name one.
func TestLinks(t *testing.T) {
	for _, file := range []string{"README.md", ".github/CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", "internal/DESIGN.md", "internal/DESIGN-HISTORY.md", "proxy/README.md", "proxy/deploy/README.md", "web/README.md", "e2e/bench/README.md"} {
		doc, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range links.FindAllStringSubmatch(string(doc), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") {
				continue
			}
			path, heading, named := strings.Cut(target, "#")
			path = filepath.Join("..", filepath.Dir(file), path)
			if strings.HasPrefix(target, "#") {
				path = filepath.Join("..", file)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", file, target, err)
			} else if named && !slices.Contains(headings(t, path), heading) {
				t.Errorf("%s links to %s, which is not a heading of that file", file, target)
			}
		}
	}
}

// headings returns the anchors of a Markdown file's headings, as GitHub makes them.
func headings(t *testing.T, path string) (anchors []string) {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(doc)) {
		if text := strings.TrimLeft(line, "#"); text != line {
			anchors = append(anchors, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(text)))
		}
	}
	return anchors
}

func TestUsage(t *testing.T) {
	var out bytes.Buffer
	usage(&out, "watchglass")
	for _, f := range new(options).flags() {
		if !strings.Contains(out.String(), "--"+f.name) || f.help == "" {
			t.Errorf("--help does not tell of --%s", f.name)
		}
	}
}

func TestParse(t *testing.T) {
	env := map[string]string{"WATCHGLASS_CONTEXT": "from-env", "WATCHGLASS_AS_GROUP": "env-group", "WATCHGLASS_LISTEN": "127.0.0.1:9"}
	o, err := parse([]string{"--context", "from-args", "-n", "ns", "--as=ana", "--as-group", "a", "--as-group", "b", "--base-path", "/k8s/"}, func(n string) string { return env[n] })
	if err != nil {
		t.Fatal(err)
	}
	if o.cluster.Context != "from-args" || o.cluster.Namespace != "ns" || o.cluster.As != "ana" || strings.Join(o.cluster.AsGroups, ",") != "a,b" || o.listen != "127.0.0.1:9" || o.basePath != "/k8s" {
		t.Errorf("%+v", o)
	}
	o, err = parse(nil, func(n string) string { return env[n] })
	if err != nil || o.cluster.Context != "from-env" || strings.Join(o.cluster.AsGroups, ",") != "env-group" {
		t.Errorf("%+v %v", o, err)
	}
	for args, want := range map[string]string{
		"--nonsense":                   "see --help",
		"pods":                         "unexpected argument \"pods\"; see --help",
		"demo":                         "did you mean --demo?",
		"help me":                      `help: unexpected argument "me"`,
		"--listen 0.0.0.0:7117":        "for this machine only",
		"--listen :7117":               "for this machine only",
		"--listen 192.168.1.2:1":       "for this machine only",
		"--listen 127.0.0.1":           "missing port",
		"--namespaces a,B":             `"B" is not a namespace name`,
		"--namespaces a/b":             "is not a namespace name",
		"--base-path k8s":              "must begin with a slash",
		"--base-path /a/-/b":           "must begin with a slash",
		"--listen example.com:80":      "for this machine only",
		"--listen [2001:db8::1]:80":    "for this machine only",
		"--listen 127.evil.example:80": "for this machine only",
	} {
		if _, err := parse(strings.Fields(args), func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	env["WATCHGLASS_NAMESPACES"] = "a, b,,a"
	if o, err := parse(nil, func(n string) string { return env[n] }); err != nil || strings.Join(o.namespaces(), ",") != "a,b" {
		t.Errorf("%+v %v", o, err)
	}
	for _, listen := range []string{"localhost:0", "127.0.0.1:80", "[::1]:80", "127.0.0.2:1"} {
		if _, err := parse([]string{"--listen", listen}, func(string) string { return "" }); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

// TestStreamBuffer checks how much of a response is received ahead of its reader: little where the memory is that of all
// users, and in local mode the default, which is best for one.
func TestStreamBuffer(t *testing.T) {
	for args, want := range map[string]int{"": 0, "--auth token --public-url https://wg.example.com": 256 << 10} {
		o, err := parse(strings.Fields(args), func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		if got := o.cluster.StreamBuffer; got != want {
			t.Errorf("%q: %d bytes, want %d", args, got, want)
		}
	}
}
