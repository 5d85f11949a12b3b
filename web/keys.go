package web

import (
	"slices"
)

// Key is a key press, as far as it matters.
type Key struct {
	Name    string // as the browser names it: "j", "ArrowDown", "Enter"
	Command bool   // with control, alt or meta: the browser's own
	Typing  bool   // in a field
	Field   string // which
	InGrid  bool   // the list has the focus
	Kind    string // the kind in the rail that has the focus
	Drawer  string // the tab of the drawer, if that has the focus
	OnTab   bool   // the focus is on the tabs themselves
}

// enters reports that what stands in a field is meant.
func (k Key) enters(field string) bool { return k.Name == "Enter" && k.Field == field && !k.Command }

// Action is something a person can do.
type Action string

// The actions. Those with a value take it from the element that was clicked.
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
	ToggleTheme    Action = "theme"
	ClearFilters   Action = "clear"
	ToTop          Action = "top"
	SortBy         Action = "sort"   // value: column
	Choose         Action = "choose" // value: namespace
	ChooseOnly     Action = "only"   // value: namespace
	Accept         Action = "accept" // value: the place of a suggestion
	Pick           Action = "pick"   // value: a facet's name, a colon, its value
	GoTo           Action = "go"     // value: resource
	ToggleSheet    Action = "sheet"  // value: kinds or facets
	ToggleGroup    Action = "group"  // value: a group of the rail
	GoIn           Action = "in"     // value: resource, a space, namespaces with commas between
	Within         Action = "within" // value: namespaces with commas between
	Add            Action = "add"    // value: namespace
	Forget         Action = "forget" // value: namespace
	TogglePause    Action = "pause"
	OpenPalette    Action = "palette" // value: "context", for those alone
	SwitchContext  Action = "context" // value: its name
	ChooseColumns  Action = "columns"
	ToggleColumn   Action = "column"        // value: its name
	MoveColumn     Action = "move-column"   // value: up or down, a space, its name
	SizeColumn     Action = "size-column"   // value: narrower or wider, a space, its name
	AddColumn      Action = "add-column"    // what was typed
	ResetColumns   Action = "reset-columns" // as kubectl has them
	Reload         Action = "reload"
	KeepView       Action = "keep"
	SaveView       Action = "save"
	OpenView       Action = "view"   // value: its name, as of the next two
	RenameView     Action = "rename" // without one the view on screen
	RemoveView     Action = "remove"
	Undo           Action = "undo"
	Star           Action = "star" // value: resource; without one the kind on screen
	Share          Action = "share"
	CopyLink       Action = "copy-link"
	CopyCommand    Action = "copy-command"
	Export         Action = "export" // value: csv or json
	StopExport     Action = "stop"
	ExportViews    Action = "export-views"
	ImportViews    Action = "import-views"
	WhoAmI         Action = "whoami"
	SignOut        Action = "sign-out"
	OpenTab        Action = "tab" // value: its id
	NextTab        Action = "next-tab"
	PreviousTab    Action = "previous-tab"
	ToggleFull     Action = "full"
	CloseDrawer    Action = "close"
	GoObject       Action = "object" // value: resource, a space, its key
	Commands       Action = "commands"
	TakeCommand    Action = "take-command" // value: its place
	PickShell      Action = "shell"        // value: its name
	CopyText       Action = "copy-text"    // value: the text
	FindInYAML     Action = "yaml-find"
	LeaveYAMLField Action = "yaml-leave"
	NextInYAML     Action = "yaml-next"
	BeforeInYAML   Action = "yaml-before"
	FoldYAML       Action = "yaml-fold" // value: the line; without one the uppermost in sight
	FoldAllYAML    Action = "yaml-fold-all"
	UnfoldAllYAML  Action = "yaml-unfold-all"
	WrapYAML       Action = "yaml-wrap"
	ManagedYAML    Action = "yaml-managed"
	CopyYAML       Action = "yaml-copy"
	PickVersion    Action = "pick-version" // value: the version
)

// binding is a key and what it does, with the words of the help.
type binding struct {
	keys   []string
	action Action
	value  string
	help   string
	grid   bool   // only while the list has the focus, for the browser uses it elsewhere
	drawer bool   // of a tab of the drawer: while that has the focus, all keys are its
	field  string // only while one types there
}

// bindings are all keys, in the order in which help lists them. They follow k9s
// and vi, and never take a key that the browser needs.
var bindings = []binding{
	{keys: []string{"/"}, action: FocusFilter, help: "filter"},
	{keys: []string{"n"}, action: FocusNamespace, help: "choose namespaces"},
	{keys: []string{":"}, action: OpenPalette, help: "go to a kind, a namespace or a view, by name"},
	{keys: []string{"Escape"}, action: Leave, help: "leave a field, unselect, clear the filter"},
	{keys: []string{"j", "ArrowDown"}, action: Down, help: "next row"},
	{keys: []string{"k", "ArrowUp"}, action: Up, help: "row before"},
	{keys: []string{"PageDown"}, action: PageDown, help: "a page down", grid: true},
	{keys: []string{"PageUp"}, action: PageUp, help: "a page up", grid: true},
	{keys: []string{"g", "Home"}, action: First, help: "first row"},
	{keys: []string{"G", "End"}, action: Last, help: "last row"},
	{keys: []string{"Enter"}, action: Open, help: "open the row, or close it", grid: true},
	{keys: []string{"d", "1"}, action: OpenTab, value: "summary", help: "describe: the summary of the row"},
	{keys: []string{"y", "2"}, action: OpenTab, value: "yaml", help: "its YAML"},
	{keys: []string{"3"}, action: OpenTab, value: "events", help: "its events"},
	{keys: []string{"4"}, action: OpenTab, value: "related", help: "what it belongs to, and what to it"},
	{keys: []string{"l", "5"}, action: OpenTab, value: "logs", help: "its logs"},
	{keys: []string{"6"}, action: OpenTab, value: "changes", help: "what changed in it"},
	{keys: []string{"]"}, action: NextTab, help: "next tab"},
	{keys: []string{"["}, action: PreviousTab, help: "tab before"},
	{keys: []string{"F"}, action: ToggleFull, help: "the object over the whole width"},
	{keys: []string{"x"}, action: Commands, help: "kubectl commands for the object"},
	{keys: []string{"w"}, action: ToggleWide, help: "more columns, as -o wide"},
	{keys: []string{"c"}, action: ChooseColumns, help: "choose columns: order, width, labels, paths"},
	{keys: []string{"N"}, action: SortBy, value: "Name", help: "sort by name"},
	{keys: []string{"S"}, action: SortBy, value: "Status", help: "sort by status"},
	{keys: []string{"A"}, action: SortBy, value: "Age", help: "sort by age"},
	{keys: []string{"p"}, action: TogglePause, help: "pause: what changes waits, and is counted"},
	{keys: []string{"v"}, action: KeepView, help: "keep this view, by a name"},
	{keys: []string{"u"}, action: Undo, help: "bring back a view that was removed"},
	{keys: []string{"f"}, action: Star, help: "make this kind a favourite, or no more"},
	{keys: []string{"Y"}, action: CopyLink, help: "copy the link to this view"},
	{keys: []string{"e"}, action: Share, help: "share and export: link, kubectl, CSV, JSON"},
	{keys: []string{"t"}, action: ToggleTheme, help: "light or dark"},
	{keys: []string{"?"}, action: Help, help: "these keys"},
}

// onlyGrid are keys that scroll the page where the list does not have the focus.
var onlyGrid = map[string]bool{"ArrowDown": true, "ArrowUp": true, "Home": true, "End": true}

// ActionOf is what a key does, if it is ours.
func ActionOf(k Key) (Action, string) {
	if k.Command {
		return NoAction, ""
	}
	for _, b := range slices.Concat(drawerKeys(k), bindings) {
		if b.field != "" && b.field != k.Field || b.field == "" && k.Typing && k.Name != "Escape" {
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

// drawerKeys are those that are before all others where the drawer has the focus: on the
// tabs as in what is under them, since a tab that was opened by key has the focus itself.
func drawerKeys(k Key) []binding {
	if k.Drawer == "" {
		return nil
	}
	own := tabOf(k.Drawer).bindings
	if k.OnTab {
		return append([]binding{{keys: []string{"ArrowRight"}, action: NextTab, drawer: true}, {keys: []string{"ArrowLeft"}, action: PreviousTab, drawer: true}}, own...)
	}
	return own
}
