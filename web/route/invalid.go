package route

import (
	"net/url"
	"strconv"
	"strings"
)

// Parameter is a parameter of a query string, unescaped.
type Parameter struct{ Name, Value string }

// Invalid returns the parameters of a query string that Parse ignores because they are no time, no
// start of a log or no tab.
func Invalid(query string) (all []Parameter) {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
	for _, name := range []string{"at", "tab", "since", "from", "to", "tfrom", "tto"} {
		if value := q.Get(name); value != "" && !valid(name, value) {
			all = append(all, Parameter{name, value})
		}
	}
	return all
}

// valid reports whether a parameter of Invalid has a value that means something.
func valid(name, value string) bool {
	switch name {
	case "tab":
		return isTab(value)
	case "since":
		seconds, _ := strconv.ParseInt(value, 10, 64)
		return value == "all" || seconds > 0
	}
	return ParseTime(value) != 0
}
