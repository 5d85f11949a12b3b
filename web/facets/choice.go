package facets

import (
	"strings"

	"watchglass/internal/query"
)

// choice says whether the query includes or excludes a value.
type choice int8

const (
	unchosen choice = iota
	included
	excluded
)

// checked maps a choice to aria-checked.
var checked = map[choice]string{unchosen: "false", included: "true", excluded: "mixed"}

// choiceOf returns whether a filter includes or excludes a field's value.
func choiceOf(f query.Filter, field, value string) choice {
	in, out := f.Facet(field)
	return choiceIn(in, out, value)
}

// choiceIn returns whether a value is included, excluded or neither.
func choiceIn(in, out []string, value string) choice {
	for _, v := range in {
		if strings.EqualFold(v, value) {
			return included
		}
	}
	for _, v := range out {
		if strings.EqualFold(v, value) {
			return excluded
		}
	}
	return unchosen
}
