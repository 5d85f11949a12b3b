package quote

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Line returns the words quoted for the shell. The command line is these words with spaces
// between them. The error says, in words for the user, which word cannot be quoted and why.
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

// expanded are the characters that some shell expands in double quotes. operators are the
// characters that cmd acts on outside of double quotes; to cmd a single quote is an ordinary
// character.
const (
	expanded  = "$`!%"
	operators = "&|<>"
)

// word returns a word quoted for the shell. It uses double quotes if no shell expands anything
// in them, because all shells then read them alike. Otherwise it uses single quotes. cmd does not
// know those, so the word must not contain a character that cmd acts on.
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

// refuses returns why a character cannot be quoted for the shell, or "" if it can. Quotes and
// backslashes are refused because one shell ends a word where another takes them as part of it.
// Of the other Unicode characters only letters, marks, digits and symbols are allowed, because a
// shell or a terminal may take the rest for quotes, dashes or spaces.
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

// named returns a readable name of a character.
func named(r rune) string {
	if r > ' ' && r < 0x7f {
		return string(r)
	}
	return fmt.Sprintf("%U", r)
}

// shownMost is how many bytes of a word an error message shows.
const shownMost = 80

func shown(word string) string {
	if len(word) > shownMost {
		word = word[:shownMost] + "…"
	}
	return strconv.QuoteToGraphic(word)
}
