//go:build unix

package kubectl

import (
	"bytes"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/quote"
	"watchglass/web/route"
)

// hostileWords are words for names, contexts and queries that some shell interprets.
var hostileWords = []string{
	"prod", `\'; touch hacked; '`, "it's", `a"b`, "$(touch hacked)", "`touch hacked`", "a b", "a;touch hacked", "a&&touch hacked", "a|touch hacked", "a>hacked",
	"(touch hacked)", "*", "~", "-x", "--all", "!!", "!x", `a\b`, "é", "#a", "a=b", "=ls", "{a,b}", "<x>", "%self", "%PATH%", "@a", "a,b", "-a.b", "$x", "^x",
}

// realShells run a script from a file. In each, kubectl is defined to print the number of its
// arguments and then the arguments.
var realShells = map[string]struct{ define, home string }{
	"dash": {define: `kubectl() { printf '%s\0' "$#" kubectl "$@"; }`},
	"bash": {define: `kubectl() { printf '%s\0' "$#" kubectl "$@"; }`},
	"zsh":  {define: `kubectl() { printf '%s\0' "$#" kubectl "$@"; }`},
	"fish": {define: `function kubectl; printf '%s\0' (count $argv) kubectl $argv; end`},
}

// copyable returns all commands that the page offers for hostile words: as quoted lines, and as the
// arguments they must yield.
func copyable(shell quote.Shell) (lines []string, want [][]string) {
	add := func(args []string, text string) {
		if text != "" {
			lines, want = append(lines, text), append(want, args)
		}
	}
	for _, word := range hostileWords {
		for _, s := range slices.Concat(subjects(word, "shop", word), subjects("prod", word, "web")) {
			for _, c := range Commands(s, shell) {
				add(c.Args, c.Text())
			}
		}
		for _, of := range []string{"n=", "l=", "q=", "cols=label.", "q=name:", "l=app!="} {
			l := List{Address: route.Parse("", "/pods", of+url.QueryEscape(word)), Kind: "pods", Namespaced: true}
			for _, reach := range [][]string{{"--context=" + word}, nil} {
				l.Reach = reach
				c := CommandOf(l, shell)
				add(c.Args, c.Text)
			}
		}
	}
	return lines, want
}

// TestCommandsInShells has each shell parse every command that can be copied, whichever shell it was
// quoted for. The arguments must be the same, byte for byte, and nothing must run.
func TestCommandsInShells(t *testing.T) {
	for _, shell := range quote.Shells() {
		lines, want := copyable(shell)
		if len(lines) < 500 {
			t.Fatalf("%d commands for %s: that shows nothing", len(lines), shell)
		}
		for _, name := range slices.Sorted(maps.Keys(realShells)) {
			dir := t.TempDir()
			script := dir + "/script"
			if err := os.WriteFile(script, []byte(realShells[name].define+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), name, script)
			c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir)
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%s: %v: 'make deps' installs the shells", name, err)
			}
			told := bytes.Split(out, []byte{0})
			for i, args := range want {
				n := len(args) + 1
				if len(told) < n {
					t.Fatalf("%s ends before %s", name, lines[i])
				}
				var got []string
				for _, word := range told[1:n] {
					got = append(got, string(word))
				}
				if told = told[n:]; !slices.Equal(got, args) {
					t.Fatalf("%s, quoted for %s, is read by %s as %q", lines[i], shell, name, got)
				}
			}
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if f.Name() != "script" && !strings.HasPrefix(f.Name(), ".") {
					t.Errorf("%s ran something: there is %s", name, f.Name())
				}
			}
		}
	}
}

// TestNamesAreNoFlags checks that no name that others chose can be taken for a flag.
func TestNamesAreNoFlags(t *testing.T) {
	for _, word := range []string{"-x", "--all"} {
		for _, s := range subjects("prod", "shop", word) {
			for _, c := range Commands(s, quote.Sh) {
				if at := slices.Index(c.Args, word); at >= 0 && !slices.Contains(c.Args[:at], "--") {
					t.Errorf("%s has the flag %s", c.Text(), word)
				}
			}
		}
	}
}
