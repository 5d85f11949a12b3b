package view

import (
	"slices"

	"watchglass/internal/query"
)

// Query is the page's request: which rows and columns to show.
type Query struct {
	Seq        uint32   // number of the query, repeated in the patches that answer it
	Namespaces []string // empty: all
	Labels     string   // a label selector in kubectl's syntax
	Text       string   // a filter, see package query
	// From and Until select the objects that were created from one second and before another, in
	// unix seconds; 0 is any. Rows of a timeline are created when what they say happened.
	From, Until int64
	// Typing means that the user is still typing the last part of Text. That part is left out
	// while nothing matches.
	Typing     bool
	Sort       string // a column's name; empty: by namespace and name
	Descending bool
	// Group is the facet whose values the rows stand for, each with the sums of its objects; empty:
	// a row is an object. Sort is then one of the columns of the groups; empty is the largest first.
	Group string
	// Sum is the column that the facets sum besides their counts; empty: none.
	Sum   string
	Wide  bool // also show columns with a priority above 0
	Extra bool // also show derived columns with such a priority, which kubectl does not have
	// Columns names the visible columns in order. AllColumns stands for kubectl's columns;
	// empty means kubectl's columns alone.
	Columns []string
	Offset  int // of the window's first row
	Limit   int
	// Paused stops applying changes to the objects. They are counted instead.
	Paused bool
	// Anchor is the key of a row that must stay in place on screen: the window moves with it.
	Anchor string
	// Locate is the key of a row. Patches report its index, even outside the window. One that ends
	// with a colon is also the beginning of a key: of the first row about an object, in a list that has
	// several.
	Locate string
}

// AllColumns stands for kubectl's columns in Query.Columns.
const AllColumns = "*"

// Names reports whether a query shows a column by its name, or sorts, sums or filters by it.
func (q Query) Names(column string) bool {
	return q.Sort == column || q.Sum == column || slices.Contains(q.Columns, column) || query.Sound(q.Text).Reads(query.FieldName(column))
}
