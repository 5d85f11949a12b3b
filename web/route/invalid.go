package route

import (
	"net/url"
	"strings"
)

// Parameter is a parameter of a query string, unescaped.
type Parameter struct{ Name, Value string }

// Invalid returns the parameters of a query string that Parse ignores because they are no time, no
// start of a log or no tab.
func Invalid(query string) (all []Parameter) {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
	for _, f := range fields {
		if value := q.Get(f.name); value != "" && f.valid != nil && !f.valid(value) {
			all = append(all, Parameter{f.name, value})
		}
	}
	return all
}
