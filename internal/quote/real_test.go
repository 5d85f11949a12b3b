//go:build unix

package quote

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// real are the shells that can be had here. Each reads one line after the other, and
// expands what it would expand for somebody who types. Fish would read its input to the
// end first, so lines are handed to it.
var real = map[string][]string{
	"dash": {"dash"},
	"bash": {"bash", "--noprofile", "--norc"},
	"zsh":  {"zsh", "-f", "-i"},
	"fish": {"fish", "--no-config", "-c", `while read -z -l line; eval $line; end`},
}

// prelude is what a shell reads first.
var prelude = map[string]string{
	"bash": "set -o history; set -o histexpand; shopt -s extglob\n",
	"zsh":  "setopt banghist extendedglob equals magicequalsubst\n",
}

// asked is a shell that runs, in a folder with a file for whatever expands.
type asked struct {
	name string
	kill func() error
	in   io.WriteCloser
	out  *bufio.Reader
	dir  string
}

// answersWithin is how long a shell may take to read a line.
const answersWithin = 20 * time.Second

func ask(t testing.TB, name string) *asked {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(real[name][0], real[name][1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8", "x=expanded")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the terminal of who runs the tests is none of its
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatalf("%v: 'make deps' installs the shells", err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	a := &asked{name: name, kill: c.Process.Kill, in: in, out: bufio.NewReader(out), dir: dir}
	a.tell(t, prelude[name])
	return a
}

func (a *asked) tell(t testing.TB, line string) {
	t.Helper()
	if a.name == "fish" && line != "" {
		line += "\x00"
	}
	if _, err := io.WriteString(a.in, line); err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
}

// words are what the shell reads a line as.
func (a *asked) words(t testing.TB, line string) []string {
	t.Helper()
	late := time.AfterFunc(answersWithin, func() { _ = a.kill() }) // it waits for the end of a quote
	defer late.Stop()
	a.tell(t, `printf '%s\0' `+line+"; printf '\\001'\n")
	said, err := a.out.ReadString(1)
	if err != nil {
		t.Fatalf("%s: %s: %v %q", a.name, line, err, said)
	}
	return strings.Split(strings.TrimSuffix(strings.TrimSuffix(said, "\x01"), "\x00"), "\x00")
}

// check holds what the shell reads to the words, whichever shell they are quoted for, and
// that nothing ran: that would have left a file.
func (a *asked) check(t testing.TB, words []string) {
	t.Helper()
	for _, shell := range Shells() {
		typed, err := shell.Line(words)
		if err != nil {
			continue
		}
		if got := a.words(t, strings.Join(typed, " ")); !slices.Equal(got, words) {
			t.Fatalf("%s, quoted for %s, is read by %s as %q, want %q", strings.Join(typed, " "), shell, a.name, got, words)
		}
	}
	files, err := os.ReadDir(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains([]string{"a", ".local", ".cache", ".config"}, f.Name()) {
			t.Fatalf("%q has %s run something: there is %s", words, a.name, f.Name())
		}
	}
}

// TestRealShells holds what each shell that can be had here reads of hostile words to
// what they are.
func TestRealShells(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab'\"\\$`!%&|<>()[]{}*?~#;=,^@:+-./ \t\n\x1b\u2019é0")
	for name := range real {
		t.Run(name, func(t *testing.T) {
			a := ask(t, name)
			for _, word := range hostile {
				a.check(t, []string{"get", word})
				a.check(t, []string{"pods/" + word, "--context=" + word})
			}
			for range 500 {
				words := make([]string, 1+random.IntN(3))
				for i := range words {
					for range 1 + random.IntN(8) {
						words[i] += string(letters[random.IntN(len(letters))])
					}
				}
				a.check(t, words)
			}
		})
	}
}

// TestRealFinds shows that a shell says what it reads otherwise: else the tests here
// would find nothing.
func TestRealFinds(t *testing.T) {
	for name := range real {
		a := ask(t, name)
		lines := map[string]string{`$x`: "expanded", `*`: "a", `"a"'b'`: "ab", `a\ b`: "a b"}
		switch name {
		case "bash":
			lines[`"!-1"`] = `printf '%s\0' first; printf '\001'`
		case "zsh":
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Fatal(err)
			}
			lines[`=sh`], lines[`"!-1:0"`] = sh, "printf"
		case "fish":
			lines[`'a\'b'`], lines[`"%self"`] = "a'b", "%self"
		}
		for line, want := range lines {
			a.words(t, "first")
			if got := a.words(t, line); !slices.Equal(got, []string{want}) {
				t.Errorf("%s reads %s as %q, want %q", name, line, got, want)
			}
		}
	}
}

// TestProgram holds what a program that a shell starts is given, not only what the shell
// reads.
func TestProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "kubectl")
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	words := []string{program}
	for _, word := range hostile {
		if _, err := Sh.Line([]string{word}); err == nil {
			words = append(words, word)
		}
	}
	typed, err := Sh.Line(words)
	if err != nil || len(words) < 40 {
		t.Fatal(len(words), err)
	}
	for _, name := range []string{"dash", "bash", "zsh", "fish"} {
		c := exec.CommandContext(t.Context(), name, "-c", strings.Join(typed, " "))
		c.Dir, c.Env = t.TempDir(), append(os.Environ(), "HOME="+t.TempDir())
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words[1:]) {
			t.Errorf("%s starts the program with %q, want %q", name, got, words[1:])
		}
	}
}

// TestMain is the program of TestProgram too.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "kubectl" {
		for _, arg := range os.Args[1:] {
			fmt.Print(arg, "\x00")
		}
		return
	}
	os.Exit(m.Run())
}

// FuzzLine holds any word to every shell: to those that can be had here as they read it,
// and to the others by their grammar.
func FuzzLine(f *testing.F) {
	for _, word := range hostile {
		f.Add(word)
	}
	shells := make([]*asked, 0, len(real))
	for name := range real {
		shells = append(shells, ask(f, name))
	}
	f.Fuzz(func(t *testing.T, word string) {
		words := []string{word, "pods/" + word}
		checkGrammars(t, words)
		for _, a := range shells {
			a.check(t, words)
		}
	})
}
