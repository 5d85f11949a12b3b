package quote

import "strings"

// Shell is one that a command can be meant for. One that is not known is Sh.
type Shell string

// The shells. Sh stands for all that read as POSIX says.
const (
	Sh         Shell = "sh"
	Fish       Shell = "fish"
	PowerShell Shell = "powershell"
	Cmd        Shell = "cmd"
)

// Shells returns all shells, in the order in which they are offered.
func Shells() []Shell { return []Shell{Sh, Fish, PowerShell, Cmd} }

// Named returns the shell of a name, and false if there is none.
func Named(name string) (Shell, bool) {
	for _, s := range Shells() {
		if string(s) == name {
			return s, true
		}
	}
	return "", false
}

// Title names the shell for people.
func (s Shell) Title() string { return s.grammar().title }

// grammar is what tells one shell from another.
type grammar struct {
	title string
	// plain reports whether the shell reads a word as it is, without quotes.
	plain   func(word string) bool
	refused []refusal
	longest int // bytes of a line; 0 is any number
}

// refusal are characters that a shell changes, or may change, in quotes too, and why.
type refusal struct{ characters, why string }

var (
	posix      = grammar{title: "sh, bash, zsh", plain: plainPOSIX}
	fish       = grammar{title: "fish", plain: plainPOSIX}
	powerShell = grammar{title: "PowerShell", plain: plainName, refused: []refusal{{"&|<>^", "PowerShell may pass to cmd unquoted"}}}
	cmd        = grammar{title: "cmd", plain: plainCmd, refused: []refusal{{"%!", "cmd expands even in quotes"}, {"$`", "other shells expand in cmd's quotes"}}, longest: 8191}
)

func (s Shell) grammar() *grammar {
	switch s {
	case Fish:
		return &fish
	case PowerShell:
		return &powerShell
	case Cmd:
		return &cmd
	}
	return &posix
}

// plainPOSIX also serves fish. A "=" at the start of a word, or behind another or a
// colon, is a path to zsh.
func plainPOSIX(word string) bool {
	return only(word, "_./:@,+-=") && word[0] != '=' && !strings.Contains(word, "==") && !strings.Contains(word, ":=")
}

// plainName matches words like "get" and "--all". To PowerShell "a,b" is a list, "-a.b"
// two words, "--" a word of its own and "1kb" a number.
func plainName(word string) bool {
	name := strings.TrimLeft(word, "-")
	return only(word, "-") && len(name) >= len(word)-2 && name != "" && (name[0] < '0' || name[0] > '9')
}

func plainCmd(word string) bool { return only(word, "_./:@+-") }

// only reports whether a word has letters and digits of ASCII and some marks only.
func only(word, marks string) bool {
	for _, r := range word {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(marks, r) {
			return false
		}
	}
	return true
}
