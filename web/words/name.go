package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/yaml"
)

// longestName is how many bytes are shown of a name. No object has a longer one.
const longestName = 253

// Name returns a name as the page shows it: cut, and without invisible characters. Somebody may have written it into an
// address for others.
func Name(name string) string { return yaml.Visible(diff.Cut(name, longestName)) }

// SplitList splits a comma-separated list.
func SplitList(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
}

// Without returns the names that are not in others.
func Without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
}

// longestCut is how many characters CutName leaves.
const longestCut = 60

// CutName shortens a name that others chose, such as that of a file, to what a line has room for.
func CutName(name string) string {
	if r := []rune(name); len(r) > longestCut {
		return string(r[:longestCut]) + "…"
	}
	return name
}

// unfit matches characters that file names must not contain.
var unfit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9.-]+`) })

// FileName replaces the characters of a name that file names must not contain.
func FileName(name string) string { return unfit().ReplaceAllString(name, "-") }

// FirstOf names some, or so many of them.
func FirstOf(all []string, most int) string {
	names := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		names += " and " + Count(more) + " more"
	}
	return names
}

// Listed puts a space after each comma of a list.
func Listed(list string) string { return strings.ReplaceAll(list, ",", ", ") }

// JoinNumbers lists numbers: "1, 2".
func JoinNumbers(all []int64) string {
	out := ""
	for i, n := range all {
		if i > 0 {
			out += ", "
		}
		out += strconv.FormatInt(n, 10)
	}
	return out
}

// Sentence begins with a capital letter.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
