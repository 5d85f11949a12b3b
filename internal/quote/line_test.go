package quote

import (
	"strings"
	"testing"
)

// TestLine shows how words are typed into each shell.
func TestLine(t *testing.T) {
	for _, c := range []struct{ word, sh, power, cmd string }{
		{"get", `get`, `get`, `get`},
		{"--all", `--all`, `--all`, `--all`},
		{"--", `--`, `"--"`, `--`},
		{"--context=prod", `--context=prod`, `"--context=prod"`, `"--context=prod"`},
		{"pods/web-1", `pods/web-1`, `"pods/web-1"`, `pods/web-1`},
		{"8080:80", `8080:80`, `"8080:80"`, `8080:80`},
		{"a,b", `a,b`, `"a,b"`, `"a,b"`},
		{"-a.b", `-a.b`, `"-a.b"`, `-a.b`},
		{"=ls", `"=ls"`, `"=ls"`, `"=ls"`},
		{"a==ls", `"a==ls"`, `"a==ls"`, `"a==ls"`},
		{"~", `"~"`, `"~"`, `"~"`},
		{"app in (a,b)", `"app in (a,b)"`, `"app in (a,b)"`, `"app in (a,b)"`},
		{"spec: {suspend: true}", `"spec: {suspend: true}"`, `"spec: {suspend: true}"`, `"spec: {suspend: true}"`},
		{"é 生", `"é 生"`, `"é 生"`, `"é 生"`},
		{"a&b", `"a&b"`, ``, `"a&b"`},
		{"a>1", `"a>1"`, ``, `"a>1"`},
		{"!app", `'!app'`, `'!app'`, ``},
		{"%self", `'%self'`, `'%self'`, ``},
		{"$(id)", `'$(id)'`, `'$(id)'`, ``},
		{"`id`", "'`id`'", "'`id`'", ``},
		{"$x&calc", ``, ``, ``},
		{"!x|y", ``, ``, ``},
		{"$x>y", ``, ``, ``},
		{"$x<y", ``, ``, ``},
	} {
		for shell, want := range map[Shell]string{Sh: c.sh, Fish: c.sh, PowerShell: c.power, Cmd: c.cmd} {
			typed, err := shell.Line([]string{"kubectl", c.word})
			if got := strings.TrimPrefix(strings.Join(typed, " "), "kubectl "); got != want || (err == nil) != (want != "") {
				t.Errorf("%s in %s: %s (%v), want %s", c.word, shell, got, err, want)
			}
		}
	}
}

// TestRefused shows what no shell is given, and the words that say why.
func TestRefused(t *testing.T) {
	for word, want := range map[string]string{
		"it's":         `"it's" contains ', which shells read differently`,
		`a"b`:          `"a\"b" contains ", which shells read differently`,
		`\';touch x;'`: `"\\';touch x;'" contains \, which shells read differently`,
		"a\nb":         `"a\nb" contains U+000A, which a terminal acts on`,
		"a\x1b[31m":    `"a\x1b[31m" contains U+001B, which a terminal acts on`,
		"\xff":         `"\xff" contains U+FFFD, which a terminal acts on`,
		"a\u202eb":     `"a\u202eb" contains U+202E, which a shell or a terminal may mistake for another character`,
		"a\u2019b":     `"a’b" contains U+2019, which a shell or a terminal may mistake for another character`,
		"a\u00a0b":     "\"a\u00a0b\" contains U+00A0, which a shell or a terminal may mistake for another character",
		"a\uff02b":     `"a＂b" contains U+FF02, which a shell or a terminal may mistake for another character`,
		"":             `an argument is empty, and PowerShell drops it`,
		"$x & y":       `"$x & y" contains $ and &, which no quoting protects in every shell`,
	} {
		for _, shell := range []Shell{Sh, Fish} {
			if _, err := shell.Line([]string{"kubectl", word}); err == nil || err.Error() != want {
				t.Errorf("%q in %s: %v, want %s", word, shell, err, want)
			}
		}
		for _, shell := range Shells() {
			if _, err := shell.Line([]string{"kubectl", word}); err == nil {
				t.Errorf("%q has a command in %s", word, shell)
			}
		}
	}
	if _, err := PowerShell.Line([]string{"a&b"}); err == nil || !strings.Contains(err.Error(), "PowerShell may pass to cmd") {
		t.Error(err)
	}
	if _, err := Cmd.Line([]string{"%PATH%"}); err == nil || !strings.Contains(err.Error(), "cmd expands even in quotes") {
		t.Error(err)
	}
	long := strings.Repeat("a", 8192)
	if _, err := Cmd.Line([]string{long}); err == nil {
		t.Error("cmd is given more than it reads")
	}
	if _, err := Sh.Line([]string{long}); err != nil {
		t.Error(err)
	}
}

func TestNamed(t *testing.T) {
	for _, shell := range Shells() {
		if got, ok := Named(string(shell)); got != shell || !ok || shell.Title() == "" {
			t.Errorf("%s: %s %v %q", shell, got, ok, shell.Title())
		}
	}
	if _, ok := Named("csh"); ok {
		t.Error("csh is none of them")
	}
}
