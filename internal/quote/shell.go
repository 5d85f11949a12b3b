package quote

import "strings"

// Shell is a shell that a command line can be written for. An unknown one is treated as Sh.
type Shell string

// The shells. Sh stands for all POSIX shells.
const (
	Sh         Shell = "sh"
	Fish       Shell = "fish"
	PowerShell Shell = "powershell"
	Cmd        Shell = "cmd"
)

// Shells returns all shells, in the order in which they are offered.
func Shells() []Shell { return []Shell{Sh, Fish, PowerShell, Cmd} }

// Named returns the shell with a name, and false if there is none.
func Named(name string) (Shell, bool) {
	for _, s := range Shells() {
		if string(s) == name {
			return s, true
		}
	}
	return "", false
}

// Title returns the shell's name for display.
func (s Shell) Title() string { return s.grammar().title }

// grammar describes how a shell reads words.
type grammar struct {
	title string
	// plain reports whether the word needs no quotes.
	plain   func(word string) bool
	refused []refusal
	longest int // most bytes of a line; 0 is no limit
}

// refusal is a set of characters that a shell changes, or may change, even in quotes, and the
// reason.
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

// plainPOSIX reports whether a word needs no quotes in a POSIX shell or fish. zsh expands a "="
// at the start of a word, or after another "=" or a colon, to a path.
func plainPOSIX(word string) bool {
	return only(word, "_./:@,+-=") && word[0] != '=' && !strings.Contains(word, "==") && !strings.Contains(word, ":=")
}

// plainName reports whether a word is a name like "get" or "--all", which PowerShell reads
// without quotes. To PowerShell "a,b" is a list, "-a.b" is two words, "--" is a token of its own,
// and "1kb" is a number.
func plainName(word string) bool {
	name := strings.TrimLeft(word, "-")
	return only(word, "-") && len(name) >= len(word)-2 && name != "" && (name[0] < '0' || name[0] > '9')
}

func plainCmd(word string) bool { return only(word, "_./:@+-") }

// only reports whether a word consists only of ASCII letters, ASCII digits and the given marks.
func only(word, marks string) bool {
	for _, r := range word {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(marks, r) {
			return false
		}
	}
	return true
}
