package quote

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// errActs is a line in which the shell would act on something, or might.
var errActs = errors.New("the shell acts on it")

// readPowerShell reads the arguments of a native command as about_Quoting_Rules and
// about_Parsing have them, as far as nothing in them is expanded: in double quotes the
// dollar sign and the backtick are, in single quotes nothing, and outside of both only
// names are taken for themselves.
func readPowerShell(line string) (words []string, err error) {
	for line != "" {
		var word string
		switch line[0] {
		case ' ':
			line = line[1:]
			continue
		case '"', '\'':
			end := strings.IndexByte(line[1:], line[0]) + 1
			if end < 1 || line[0] == '"' && strings.ContainsAny(line[1:end], "$`") || strings.ContainsAny(line[1:end], "“”„‘’‚‛") {
				return nil, errActs
			}
			word, line = line[1:end], line[end+1:]
			if line != "" && line[0] != ' ' { // a doubled quote, or two strings in one
				return nil, errActs
			}
		default:
			word, line, _ = strings.Cut(line, " ")
			if !plainName(word) {
				return nil, errActs
			}
		}
		if strings.ContainsAny(word, "\"\\") || word == "" || strings.ContainsAny(word, "&|<>^") {
			return nil, errActs // 5.1 changes it on its way to the program
		}
		words = append(words, word)
	}
	return words, nil
}

// readCmd reads a line as cmd does (percent signs and, where that is turned on,
// exclamation marks anywhere; operators, parentheses and carets outside of double
// quotes), and splits it as CommandLineToArgvW does.
func readCmd(line string) (words []string, err error) {
	var word strings.Builder
	quoted, within := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case strings.IndexByte("%!\r\n\\", c) >= 0, !quoted && strings.IndexByte("&|<>^()", c) >= 0:
			return nil, errActs
		case c == '"':
			quoted, within = !quoted, true
		case c == ' ' && !quoted:
			if within {
				words = append(words, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteByte(c)
			within = true
		}
	}
	if quoted {
		return nil, errActs
	}
	if within {
		words = append(words, word.String())
	}
	return words, nil
}

// runsInCmd reports whether cmd would run or write something for a line: whether it has
// an operator outside of double quotes.
func runsInCmd(line string) bool {
	quoted := false
	for _, r := range line {
		if r == '"' {
			quoted = !quoted
		} else if !quoted && strings.ContainsRune("&|<>\r\n", r) {
			return true
		}
	}
	return false
}

// checkGrammars holds a command to the shells that cannot be asked here.
func checkGrammars(t *testing.T, words []string) {
	t.Helper()
	for shell, read := range map[Shell]func(string) ([]string, error){PowerShell: readPowerShell, Cmd: readCmd} {
		typed, err := shell.Line(words)
		if err != nil {
			continue
		}
		line := strings.Join(typed, " ")
		if got, err := read(line); err != nil || !slices.Equal(got, words) {
			t.Errorf("%s in %s: %q (%v), want %q", line, shell, got, err, words)
		}
	}
	for _, shell := range Shells() {
		if typed, err := shell.Line(words); err == nil && runsInCmd(strings.Join(typed, " ")) {
			t.Errorf("%s, meant for %s, runs something in cmd", strings.Join(typed, " "), shell)
		}
	}
}

// TestPowerShellGrammar and TestCmdGrammar hold the readers above to what is documented.
func TestPowerShellGrammar(t *testing.T) {
	for line, want := range map[string][]string{
		`get -A`:            {"get", "-A"},
		`get "a b" 'c $d'`:  {"get", "a b", "c $d"},
		`"--context=a.b" x`: {"--context=a.b", "x"},
		`"--" x`:            {"--", "x"},
		`"$x"`:              nil, // a variable
		"\"`n\"":            nil, // an escape
		`'it''s'`:           nil, // a doubled quote
		`a,b`:               nil, // a list
		`-a.b`:              nil, // two words
		`@a`:                nil, // a splat
		`a;b`:               nil, // two commands
		`(a)`:               nil, // an expression
		`1kb`:               nil, // a number
		`''`:                nil, // dropped by 5.1
		`"a" "b`:            nil, // not closed
		`"a’b"`:             nil, // a quote
	} {
		if got, err := readPowerShell(line); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q %v, want %q", line, got, err, want)
		}
	}
}

func TestCmdGrammar(t *testing.T) {
	for line, want := range map[string][]string{
		`get -A`:         {"get", "-A"},
		`get "a b"  "c"`: {"get", "a b", "c"},
		`"a&b" "(x)"`:    {"a&b", "(x)"},
		`""`:             {""},
		`'a b'`:          {"'a", "b'"},
		`"%PATH%"`:       nil,
		`"!x!"`:          nil,
		`a&b`:            nil,
		`'a|b'`:          nil,
		`a^b`:            nil,
		`"a`:             nil,
		`"a\"`:           nil,
	} {
		if got, err := readCmd(line); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q %v, want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]bool{`a "b&c"`: false, `'b&c'`: true, `a>b`: true, `a^b (c)`: false} {
		if runsInCmd(line) != want {
			t.Errorf("%s", line)
		}
	}
}

// hostile are words that some shell acts on.
var hostile = []string{
	`\';touch hacked;'`, `\'; touch hacked; \'`, "it's", `a"b`, `$(touch hacked)`, "`touch hacked`", "(touch hacked)", "a; touch hacked", "a && touch hacked", "a & touch hacked", "a | touch hacked",
	"a\ntouch hacked", "a > hacked", "<(touch hacked)", ">hacked", "2>hacked", "=ls", "a==ls", "a=b,c=d", "x=a:=ls", "--x==ls", "%self", "%PATH%", "%1", "!!", "!touch", "^a^b", "~", "~root", "a~", "*", "?", "[a]", "{a,b}", "{1..3}", "$x", "${x}", "$'a'",
	"#a", "a #b", "-", "--", "---", "-x", "--all", "--%", "@a", "a,b", "-a.b", "1kb", "0x10", "a=b", "x=1", "é", "生产", "a b", " a", "a ", "(a)", "a(b)", "^", "a^(b)", "a\\", `a\b`, `a\\`, "a\tb", "\x1b[31m", "a\u2019b", "a\u00a0b", "\u202e", "a\xffb", "+", "+x", ":", ".", "..", "/", "a/b", "a:b", "$", "$$", "$?", "$(", "``", "a$", "!", "a!b", "\"!\"", "app in (a,b),!x", "a notin (b)", "a>1", "spec: {suspend: true}",
}

// TestGrammars holds hostile words to the shells that cannot be asked here.
func TestGrammars(t *testing.T) {
	for _, word := range hostile {
		checkGrammars(t, []string{"get", word})
	}
}
