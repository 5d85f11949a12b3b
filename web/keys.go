package web

import (
	"slices"

	"watchglass/web/route"
)

// Key is a key press and where it happened.
type Key struct {
	Name    string // as the browser names it: "j", "ArrowDown", "Enter"
	Command bool   // with Ctrl, Alt or Meta: left to the browser
	Typing  bool   // the focus is in a field
	Field   string // name of that field
	InGrid  bool   // the focus is in the list
	Kind    string // focused kind in the sidebar
	Drawer  string // tab of the drawer, if the focus is in it
	OnTab   bool   // the focus is on the tab bar
	OnText  bool   // the focus is on a long text
	// OnCanvas is set if the focus is on the canvas of a graph, but on none of its objects.
	OnCanvas bool
}

// enters reports whether the key is Enter in a field.
func (k Key) enters(field string) bool { return k.Name == "Enter" && k.Field == field && !k.Command }

// Action is something the user can do.
type Action string

// The actions. A value comes from the clicked element or the binding.
const (
	NoAction       Action = ""
	FocusFilter    Action = "filter"
	FocusNamespace Action = "namespaces"
	Leave          Action = "leave"
	Help           Action = "help"
	Down           Action = "down"
	Up             Action = "up"
	PageDown       Action = "page-down"
	PageUp         Action = "page-up"
	First          Action = "first"
	Last           Action = "last"
	Open           Action = "open"
	ToggleWide     Action = "wide"
	SetDensity     Action = "density" // value: its name
	ToggleTheme    Action = "theme"
	ClearFilters   Action = "clear"
	ClearLabels    Action = "clear-labels"
	RemoveTerm     Action = "remove-term" // value: its text
	ToTop          Action = "top"
	SortBy         Action = "sort" // value: column
	ReverseSort    Action = "reverse"
	GroupBy        Action = "group-by"     // value: facet; the same again or none: ungroup
	ChooseGroup    Action = "choose-group" // in the palette
	BackToGroups   Action = "groups"       // in a frame
	Choose         Action = "choose"       // value: namespace
	ChooseOnly     Action = "only"         // value: namespace
	Accept         Action = "accept"       // value: index of a suggestion
	Pick           Action = "pick"         // value: FACET:VALUE
	GoTo           Action = "go"           // value: resource, or overview
	TogglePopover  Action = "popover"      // value: its name
	ToggleKinds    Action = "kinds"        // on a narrow screen
	ToggleFacets   Action = "facets"       // where they are folded
	ToggleGroup    Action = "group"        // value: a group of the sidebar
	ToggleRollouts Action = "rollouts"
	SetStart       Action = "start"  // value: last, or none for the overview
	GoIn           Action = "in"     // value: RESOURCE NAMESPACE,…
	Within         Action = "within" // value: NAMESPACE,…
	Add            Action = "add"    // value: namespace
	Forget         Action = "forget" // value: namespace
	TogglePause    Action = "pause"
	OpenPalette    Action = "palette"    // value: "context" lists contexts only
	SearchAll      Action = "search-all" // value: the text to find
	SwitchContext  Action = "context"    // value: name
	ChooseColumns  Action = "columns"
	ToggleColumn   Action = "column"        // value: name
	MoveColumn     Action = "move-column"   // value: up NAME or down NAME
	SizeColumn     Action = "size-column"   // value: narrower NAME or wider NAME
	AddColumn      Action = "add-column"    // the one in the field
	ResetColumns   Action = "reset-columns" // to kubectl's
	Reload         Action = "reload"
	OpenInspector  Action = "inspector"
	CopyInspector  Action = "copy-inspector"
	KeepView       Action = "keep"
	SaveView       Action = "save"
	OpenView       Action = "view"   // value: name, like the next two
	RenameView     Action = "rename" // no value: the current view
	RemoveView     Action = "remove"
	Undo           Action = "undo"
	Star           Action = "star" // value: resource; none: the current kind
	Share          Action = "share"
	CopyLink       Action = "copy-link"
	CopyCommand    Action = "copy-command"
	Export         Action = "export" // value: csv or json
	StopExport     Action = "stop"
	ExportViews    Action = "export-views"
	ImportViews    Action = "import-views"
	WhoAmI         Action = "whoami"
	SignOut        Action = "sign-out"
	OpenTab        Action = "tab" // value: tab ID
	NextTab        Action = "next-tab"
	PreviousTab    Action = "previous-tab"
	ToggleFull     Action = "full"
	CloseDrawer    Action = "close"
	GoObject       Action = "object"       // value: RESOURCE KEY
	GoFound        Action = "found-object" // the same
	Commands       Action = "commands"
	TakeCommand    Action = "take-command" // value: index
	PickShell      Action = "shell"        // value: name
	CopyText       Action = "copy-text"    // value: text
	FindInYAML     Action = "yaml-find"
	LeaveYAMLField Action = "yaml-leave"
	NextInYAML     Action = "yaml-next"
	BeforeInYAML   Action = "yaml-before"
	FoldYAML       Action = "yaml-fold" // value: line; none: the first visible one
	FoldAllYAML    Action = "yaml-fold-all"
	UnfoldAllYAML  Action = "yaml-unfold-all"
	WrapYAML       Action = "yaml-wrap"
	ManagedYAML    Action = "yaml-managed"
	CopyYAML       Action = "yaml-copy"
	PickVersion    Action = "pick-version" // value: version
	Compare        Action = "compare"
	Unmark         Action = "unmark"
)

// binding maps keys to an action. Without a help text, help does not list it.
type binding struct {
	keys   []string
	action Action
	value  string
	help   string
	grid   bool   // only while the list has the focus: the browser uses the key elsewhere
	drawer bool   // of a drawer tab; applies while the drawer has the focus
	text   bool   // only while a long text has the focus
	field  string // only while the focus is in this field
}

// bindings are the page's shortcuts, in the order of the help. They follow k9s and vi, and
// leave the browser's own shortcuts alone.
var bindings = []binding{
	{keys: []string{"/"}, action: FocusFilter, help: "Filter"},
	{keys: []string{"n"}, action: FocusNamespace, help: "Find namespace"},
	{keys: []string{":"}, action: OpenPalette, help: "Search objects, kinds, namespaces, views and commands"},
	{keys: []string{"H"}, action: GoTo, value: route.OverviewID, help: "Go to overview"},
	{keys: []string{"T"}, action: GoTo, value: route.TimelineID, help: "Go to timeline"},
	{keys: []string{"Escape"}, action: Leave, help: "Close, deselect or clear the filter"},
	{keys: []string{"j", "ArrowDown"}, action: Down, help: "Next row"},
	{keys: []string{"k", "ArrowUp"}, action: Up, help: "Previous row"},
	{keys: []string{"PageDown"}, action: PageDown, help: "Page down", grid: true},
	{keys: []string{"PageUp"}, action: PageUp, help: "Page up", grid: true},
	{keys: []string{"g", "Home"}, action: First, help: "First row"},
	{keys: []string{"G", "End"}, action: Last, help: "Last row"},
	{keys: []string{"Enter"}, action: Open, help: "Open or close object", grid: true},
	{keys: []string{"d", "1"}, action: OpenTab, value: "summary", help: "View summary"},
	{keys: []string{"y", "2"}, action: OpenTab, value: "yaml", help: "View YAML"},
	{keys: []string{"3"}, action: OpenTab, value: "events", help: "View events"},
	{keys: []string{"4"}, action: OpenTab, value: "related", help: "View related objects"},
	{keys: []string{"l", "5"}, action: OpenTab, value: "logs", help: "View logs"},
	{keys: []string{"6"}, action: OpenTab, value: "changes", help: "View changes"},
	{keys: []string{"7"}, action: OpenTab, value: route.CompareID, help: "Compare objects"},
	{keys: []string{"="}, action: Compare, help: "Mark object, or compare with the marked one"},
	{keys: []string{"8"}, action: OpenTab, value: route.AccessID, help: "View access"},
	{keys: []string{"9"}, action: OpenTab, value: route.TimelineID, help: "View timeline"},
	{keys: []string{"]"}, action: NextTab, help: "Next tab"},
	{keys: []string{"["}, action: PreviousTab, help: "Previous tab"},
	{keys: []string{"F"}, action: ToggleFull, help: "Toggle full width"},
	{keys: []string{"x"}, action: Commands, help: "Show kubectl commands"},
	{keys: []string{"W"}, action: ToggleWide, help: "Toggle wide columns (-o wide)"},
	{keys: []string{"c"}, action: ChooseColumns, help: "Choose columns"},
	{keys: []string{"N"}, action: SortBy, value: "Name", help: "Sort by name"},
	{keys: []string{"S"}, action: SortBy, value: "Status", help: "Sort by status"},
	{keys: []string{"A"}, action: SortBy, value: "Age", help: "Sort by age"},
	{keys: []string{"R"}, action: SortBy, value: "Ready", help: "Sort by ready"},
	{keys: []string{"E"}, action: SortBy, value: "Restarts", help: "Sort by restarts"},
	{keys: []string{"M"}, action: SortBy, value: "Namespace", help: "Sort by namespace"},
	{keys: []string{"O"}, action: SortBy, value: "Node", help: "Sort by node"},
	{keys: []string{"I"}, action: SortBy, value: "IP", help: "Sort by IP"},
	{keys: []string{"b"}, action: ChooseGroup, help: "Group rows by facet"},
	{keys: []string{"B"}, action: ToggleBars, help: "Toggle histogram of changes"},
	{keys: []string{"p"}, action: TogglePause, help: "Pause updates; in the past: play or stop"},
	{keys: []string{"h"}, action: GoBack, help: "Go back in time"},
	{keys: []string{","}, action: StepPast, value: "-1", help: "Previous change"},
	{keys: []string{"."}, action: StepPast, value: "1", help: "Next change"},
	{keys: []string{"r"}, action: Record, help: "Start or save a recording"},
	{keys: []string{"L"}, action: ToLive, help: "Back to live"},
	{keys: []string{"v"}, action: KeepView, help: "Save view"},
	{keys: []string{"u"}, action: Undo, help: "Restore removed view"},
	{keys: []string{"f"}, action: Star, help: "Toggle favourite"},
	{keys: []string{"Y"}, action: CopyLink, help: "Copy link"},
	{keys: []string{"e"}, action: Share, help: "Share and export"},
	{keys: []string{"D"}, action: ToggleTheme, help: "Toggle light/dark theme"},
	{keys: []string{"?"}, action: Help, help: "Show shortcuts"},
}

// onlyGrid are keys that apply only in the list; elsewhere they scroll the page.
var onlyGrid = map[string]bool{"ArrowDown": true, "ArrowUp": true, "Home": true, "End": true}

// ActionOf returns the action of a key, and its value.
func ActionOf(k Key) (Action, string) {
	if k.Command {
		return NoAction, ""
	}
	for _, b := range keysIn(k.Field) {
		if slices.Contains(b.keys, k.Name) {
			return b.action, b.value
		}
	}
	for _, b := range slices.Concat(pastKeys(k), drawerKeys(k), bindings) {
		if b.text && !k.OnText || b.field != "" && b.field != k.Field || b.field == "" && k.Typing && k.Name != "Escape" {
			continue
		}
		for _, name := range b.keys {
			if name == k.Name && (k.InGrid || b.drawer || !b.grid && !onlyGrid[name]) {
				if b.action == Star {
					return Star, k.Kind
				}
				return b.action, b.value
			}
		}
	}
	return NoAction, ""
}

// drawerKeys returns the bindings that take precedence while the drawer has the focus. They
// also apply on the tab bar, because opening a tab by key focuses its tab.
func drawerKeys(k Key) []binding {
	if k.Drawer == "" {
		return nil
	}
	own := tabOf(k.Drawer).bindings
	if k.OnCanvas { // the browser scrolls
		own = slices.DeleteFunc(slices.Clone(own), func(b binding) bool { return b.action == MoveInGraph })
	}
	if k.OnTab {
		return append([]binding{{keys: []string{"ArrowRight"}, action: NextTab, drawer: true}, {keys: []string{"ArrowLeft"}, action: PreviousTab, drawer: true}}, own...)
	}
	return own
}
