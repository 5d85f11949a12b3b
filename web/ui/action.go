package ui

// Action is something the user can do.
type Action string

// NoAction is the action of a key that has none.
const NoAction Action = ""

// The actions that more than one part of the page offers, or that the browser reports by itself.
const (
	FocusFilter     Action = "filter"
	FocusNamespace  Action = "namespaces"
	Leave           Action = "leave"
	ChooseNamespace Action = "choose"  // value: namespace
	ChooseOnly      Action = "only"    // value: namespace
	ChooseColumns   Action = "columns" // opens or closes the dialog
	AddNamespace    Action = "add"     // value: namespace; it is kept
	ForgetNamespace Action = "forget"  // value: namespace
	ClearFilters    Action = "clear"
	GroupBy         Action = "group-by"     // value: facet; the same again or none: ungroup
	ToggleGroup     Action = "group"        // value: a group of the sidebar or a facet
	GoTo            Action = "go"           // value: resource, or overview
	TogglePopover   Action = "popover"      // value: its name
	ToggleFacets    Action = "facets"       // where they are folded
	SortBy          Action = "sort"         // value: column
	GoIn            Action = "in"           // value: RESOURCE NAMESPACE,…
	Within          Action = "within"       // value: NAMESPACE,…; shows those only
	OpenPalette     Action = "palette"      // value: lists some entries only, such as Contexts
	OpenTab         Action = "tab"          // value: tab ID
	GoObject        Action = "object"       // value: RESOURCE KEY
	GoFound         Action = "found-object" // the same
	GoListing       Action = "listing"      // value: resource, namespace, labels and filter, one per line
	TravelTo        Action = "past-to"      // value: milliseconds since 1970
	CopyText        Action = "copy-text"    // value: text
	Commands        Action = "commands"     // shows the kubectl commands
	Compare         Action = "compare"      // marks an object, or compares one with it
	Unmark          Action = "unmark"
	PanGraph        Action = "related-pan" // value: an edge
	OpenView        Action = "view"        // value: name, like the next two
	RenameView      Action = "rename"      // no value: the current view
	RemoveView      Action = "remove"
	ExportViews     Action = "export-views"
	SaveRecording   Action = "recording"
)
