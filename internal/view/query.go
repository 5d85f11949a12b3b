package view

// Query is what the page wants to see.
type Query struct {
	Seq        uint32   // the patches that answer it carry it
	Namespaces []string // none: all
	Labels     string   // a selector in kubectl's syntax
	Text       string   // a filter, see package query
	// Typing says that somebody still types the last part of Text: it is left out while
	// nothing matches.
	Typing     bool
	Sort       string // a column's name; none: by namespace and name
	Descending bool
	Wide       bool // columns of a priority above 0 too
	// Columns are those that show, by name and in their order, with AllColumns for
	// kubectl's; none: kubectl's alone.
	Columns []string
	Offset  int // of the window
	Limit   int
	// Paused leaves changes of the objects alone, and counts them.
	Paused bool
	// Anchor is the key of a row that must not move: the window moves with it.
	Anchor string
	// Locate is the key of a row whose index the patches tell, wherever the window is.
	Locate string
}

// AllColumns stands, among the names of columns, for those that kubectl shows.
const AllColumns = "*"
