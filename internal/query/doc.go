// Package query is a noun: the languages in which people select objects. It does no I/O.
//
// In: text. Out: a predicate over objects, or an error that says where the text is wrong
// and what was expected there; completions; and the text with a facet's value added or
// removed.
//
// There are two languages. A selector is kubectl's, see [ParseSelector]. A filter is the
// text in the box above the rows, and in the address:
//
//	crash                 rows with this text in any cell
//	"back-off restarting" text with spaces or operators
//	/web-\d+$/            a regular expression; ^ and $ are the ends of a cell, and the
//	                      gap between two cells is a space
//	!web                  rows without it; also 'not web'
//	-l app=web,!canary    kubectl's label selector
//	-f wbx1               fuzzy: the letters in this order, in namespace/name
//	status:Running        the field equals this; its opposite is '!status:Running' or 'status!=Running'
//	ns:team-a,team-b      one of these
//	image:*nginx*         '*' is any text
//	owner:/^web/          the field matches a regular expression
//	node:   !node:        has a value, has none
//	image:"nginx"         a quoted owner or image is the whole name, not a short form
//	label.app:web         a label; label.app:<none> is missing or empty
//	{.spec.priority}>100  a column added by a path; also annotation.a/b:c
//	age>3d restarts>=5    comparisons; ready<1 cpu<500m duration<=1h30m
//	level>=warn           in a log: debug, info, warn and error have an order
//	a b or (c and !d)     'and' may be omitted; not binds tighter than and, and tighter than or
//
// The case of ASCII letters matters in selectors only. The grammar:
//
//	filter     = [ or ] .
//	or         = and { ( "or" | "||" ) and } .
//	and        = unary { [ "and" | "&&" ] unary } .
//	unary      = ( "!" | "not" ) unary | "(" or ")" | term .
//	term       = text | quoted | regex | selector | fuzzy | field | comparison .
//	text       = anything else, up to a space or the ")" of a group .
//	quoted     = '"' { any character | '\"' | '\\' } '"' .
//	regex      = "/" { any character | "\/" } "/" .      Go's syntax
//	selector   = "-l" ( quoted | kubectl's syntax ) .    may have spaces after a comma and around "in"
//	fuzzy      = "-f" ( quoted | text ) .
//	field      = name ":" [ values ] | name ( "=" | "==" | "!=" ) values .
//	comparison = name ( "<" | "<=" | ">" | ">=" ) amount .
//	values     = value { "," value } .
//	value      = quoted | regex | text without a comma, in which "*" is any text .
//	amount     = number | duration | version .
//	number     = 5, -1, 0.5, 500m, 10Gi, 50%, 1/2 .      kubectl's quantities, parts and fractions
//	duration   = 90s, 1h30m, 3d, 2w, 1y .
//	version    = 1.2.3, v1.30, 4.2-rc1 .                 of labels, other added columns, and fields named …version
//	name       = "ns" | "name" | "owner" | "image" | column | "label." key |
//	             "annotation." key | path .
//	path       = "{" JSONPath "}" .                      see [Path]
//
// The lines of a log have any field, see [Schema.Open], with durations as programs log them: 500ms.
//
// A name begins with a letter, so 10.0.0.1:80 is text. So are nginx-1.2 and 1/2, which do
// not begin with a slash. A column's name is its heading, with dashes for spaces and without
// brackets: nominated-node, cpu. An operator other than ":" may have spaces around it. Equal
// durations are compared in the units given: age:3d matches objects in their fourth day.
//
// An owner is written Kind/name, and an image as in the pod. Short forms match too: the
// owner's name; the image without its registry, path, tag or digest. A missing value is
// printed as <none>, and the value <none> matches it.
package query
