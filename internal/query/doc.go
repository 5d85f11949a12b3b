// Package query is a noun: what people ask for, in the languages they know. It
// does no I/O.
//
// In: text. Out: something that tells whether an object matches, or where the
// text went wrong and what was expected there; what may be typed next; and the
// text with a value of a facet added or taken out.
//
// There are two languages. A selector is kubectl's, see [ParseSelector]. A filter
// is what stands in the box above the rows, and in the address:
//
//	crash                 rows that print it somewhere
//	"back-off restarting" text with spaces, or that would mean something else
//	/web-\d+$/            a regular expression; ^ and $ are the ends of a cell, and
//	                      what is between cells is a space
//	!web                  rows that do not; also 'not web'
//	-l app=web,!canary    kubectl's label selector
//	-f wbx1               fuzzy: the letters in this order, in namespace/name
//	status:Running        a field is exactly this; '!status:Running', 'status!=Running'
//	ns:team-a,team-b      one of these
//	image:*nginx*         any text where the '*' is
//	owner:/^web/          a regular expression, of the field
//	node:   !node:        has any, has none
//	image:"nginx"         in quotes an owner or an image is all of it, and not a form of it
//	label.app:web         a label; label.app:<none> is none, or an empty one
//	{.spec.priority}>100  a column that was added by a path; also annotation.a/b:c
//	age>3d restarts>=5    comparisons; ready<1 cpu<500m duration<=1h30m
//	a b or (c and !d)     'and' goes without saying; not binds tighter than and, and than or
//
// The case of ASCII letters matters in selectors only. The grammar:
//
//	filter     = [ or ] .
//	or         = and { ( "or" | "||" ) and } .
//	and        = unary { [ "and" | "&&" ] unary } .
//	unary      = ( "!" | "not" ) unary | "(" or ")" | term .
//	term       = text | quoted | regex | selector | fuzzy | field | comparison .
//	text       = what is none of the others, up to a space or the ")" of a group .
//	quoted     = '"' { any character | '\"' | '\\' } '"' .
//	regex      = "/" { any character | "\/" } "/" .      as Go's regexp has them
//	selector   = "-l" ( quoted | what kubectl takes ) .  may have spaces behind a comma, and around "in"
//	fuzzy      = "-f" ( quoted | text ) .
//	field      = name ":" [ values ] | name ( "=" | "==" | "!=" ) values .
//	comparison = name ( "<" | "<=" | ">" | ">=" ) amount .
//	values     = value { "," value } .
//	value      = quoted | regex | text without a comma, in which "*" is any text .
//	amount     = number | duration .
//	number     = 5, -1, 0.5, 500m, 10Gi, 50%, 1/2 .      kubectl's quantities, parts and fractions
//	duration   = 90s, 1h30m, 3d, 2w, 1y .
//	name       = "ns" | "name" | "owner" | "image" | column | "label." key |
//	             "annotation." key | path .
//	path       = "{" JSONPath "}" .                      see [Path]
//
// A name begins with a letter, so that 10.0.0.1:80 is text; so are nginx-1.2 and
// 1/2, which do not begin with a slash. A column is named as it is headed, with
// dashes for spaces and without brackets: nominated-node, cpu. An operator other
// than ":" may have spaces around it. To be equal, a duration has to be the same
// in the units that are given: age:3d is what is in its fourth day.
//
// An owner is Kind/name, an image as the pod has it; both are also found by less:
// the owner's name, the image without its registry, path, tag or digest. The
// value that a row does not have is printed <none>, and is none.
package query
