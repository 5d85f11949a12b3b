package rule

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/problem/problemtest"
)

// causesText writes causes as text.
func causesText(all []Cause) string {
	var out []string
	for _, c := range all {
		out = append(out, fmt.Sprintf("%s %s %s | %s | %s", c.Severity, c.Reason, problemtest.Age(c.Since), c.Words, c.Evidence))
	}
	return strings.Join(out, "\n")
}

// ruleCase is an object, merged from documents, with what is wrong with it.
type ruleCase struct {
	name string
	docs []string
	want string
}

func testRules(t *testing.T, resource, base string, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc := problemtest.Parse(t, append([]string{base}, c.docs...)...)
			if got := causesText(Check(problemtest.KindOf(t, resource), doc, problemtest.Noon)); got != strings.TrimSpace(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
