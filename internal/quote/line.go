package quote

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Line returns the words as they are typed into the shell, with spaces between. Its
// error says, for people, which word the shell cannot be given and why.
func (s Shell) Line(words []string) ([]string, error) {
	typed := make([]string, len(words))
	length := 0
	for i, word := range words {
		text, err := s.word(word)
		if err != nil {
			return nil, err
		}
		typed[i] = text
		length += len(text) + 1
	}
	if most := s.grammar().longest; most > 0 && length > most {
		return nil, fmt.Errorf("the command is longer than the %d characters that %s reads", most, s.Title())
	}
	return typed, nil
}

// expanded are the characters that some shell expands in double quotes, and operators
// those that cmd, to which single quotes are letters, acts on outside of double ones.
const (
	expanded  = "$`!%"
	operators = "&|<>"
)

// word returns a word as it is typed. All shells read double quotes alike around what
// they do not expand there. What is left stands in single quotes, which hold for all but
// cmd: so it must have nothing that cmd would act on.
func (s Shell) word(word string) (string, error) {
	if word == "" {
		return "", fmt.Errorf("an argument is empty, and PowerShell drops it")
	}
	for _, r := range word {
		if why := s.refuses(r); why != "" {
			return "", fmt.Errorf("%s contains %s, which %s", shown(word), named(r), why)
		}
	}
	switch expands := strings.IndexAny(word, expanded); {
	case s.grammar().plain(word):
		return word, nil
	case expands < 0:
		return `"` + word + `"`, nil
	case strings.ContainsAny(word, operators):
		at := strings.IndexAny(word, operators)
		return "", fmt.Errorf("%s contains %s and %s, which no quoting protects in every shell", shown(word), word[expands:expands+1], word[at:at+1])
	}
	return "'" + word + "'", nil
}

// refuses says why the shell cannot be given a character, and nothing if it can. Quotes
// and backslashes end a word in one shell where they are part of it in another. Marks
// that are no letters may be quotes, dashes or spaces to a shell or a terminal.
func (s Shell) refuses(r rune) string {
	switch {
	case r == '\'' || r == '"' || r == '\\':
		return "shells read differently"
	case r == unicode.ReplacementChar || r < ' ' || r == 0x7f:
		return "a terminal acts on"
	case r < 0x7f:
		for _, refusal := range s.grammar().refused {
			if strings.ContainsRune(refusal.characters, r) {
				return refusal.why
			}
		}
		return ""
	case !unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lo, unicode.M, unicode.Nd, unicode.So):
		return "a shell or a terminal may mistake for another character"
	}
	return ""
}

// named is a character as people can read it.
func named(r rune) string {
	if r > ' ' && r < 0x7f {
		return string(r)
	}
	return fmt.Sprintf("%U", r)
}

// shownMost is how many bytes of a word an error shows.
const shownMost = 80

func shown(word string) string {
	if len(word) > shownMost {
		word = word[:shownMost] + "…"
	}
	return strconv.QuoteToGraphic(word)
}
