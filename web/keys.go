package web

import (
	"slices"

	"watchglass/web/chart"
	"watchglass/web/columns"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/route"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
	"watchglass/web/views"
)

// The actions. A value comes from the clicked element or the binding.
const (
	Help           ui.Action = "help"
	ToggleTheme    ui.Action = "theme"
	ClearFilters   ui.Action = "clear"
	ChooseGroup    ui.Action = "choose-group" // in the palette
	BackToGroups   ui.Action = "groups"       // in a frame
	ToggleKinds    ui.Action = "kinds"        // on a narrow screen
	ToggleRollouts ui.Action = "rollouts"
	SetStart       ui.Action = "start"  // value: last, or none for the overview
	Within         ui.Action = "within" // value: NAMESPACE,…
	TogglePause    ui.Action = "pause"
	SwitchContext  ui.Action = "context" // value: name
	Reload         ui.Action = "reload"
	Star           ui.Action = "star" // value: resource; none: the current kind
	Share          ui.Action = "share"
	CopyLink       ui.Action = "copy-link"
	CopyCommand    ui.Action = "copy-command"
	Export         ui.Action = "export" // value: csv or json
	StopExport     ui.Action = "stop"
	WhoAmI         ui.Action = "whoami"
	SignOut        ui.Action = "sign-out"
	NextTab        ui.Action = "next-tab"
	PreviousTab    ui.Action = "previous-tab"
	ToggleFull     ui.Action = "full"
	CloseDrawer    ui.Action = "close"
)

// bindings are the page's shortcuts, in the order of the help. They follow k9s and vi, and
// leave the browser's own shortcuts alone.
var bindings = slices.Concat([]ui.Binding{
	{Keys: []string{"/"}, Action: ui.FocusFilter, Help: "Filter"},
	{Keys: []string{"n"}, Action: ui.FocusNamespace, Help: "Find namespace"},
	{Keys: []string{":"}, Action: ui.OpenPalette, Help: "Search objects, kinds, namespaces, views and commands"},
	{Keys: []string{"H"}, Action: ui.GoTo, Value: route.OverviewID, Help: "Go to overview"},
	{Keys: []string{"T"}, Action: ui.GoTo, Value: route.TimelineID, Help: "Go to timeline"},
	{Keys: []string{"Escape"}, Action: ui.Leave, Help: "Close, deselect or clear the filter"},
	{Keys: []string{"j", "ArrowDown"}, Action: list.Down, Help: "Next row"},
	{Keys: []string{"k", "ArrowUp"}, Action: list.Up, Help: "Previous row"},
	{Keys: []string{"PageDown"}, Action: list.PageDown, Help: "Page down", Grid: true},
	{Keys: []string{"PageUp"}, Action: list.PageUp, Help: "Page up", Grid: true},
	{Keys: []string{"g", "Home"}, Action: list.First, Help: "First row"},
	{Keys: []string{"G", "End"}, Action: list.Last, Help: "Last row"},
	{Keys: []string{"Enter"}, Action: list.Open, Help: "Open or close object", Grid: true},
}, tabShortcuts(), []ui.Binding{
	{Keys: []string{"]"}, Action: NextTab, Help: "Next tab"},
	{Keys: []string{"["}, Action: PreviousTab, Help: "Previous tab"},
	{Keys: []string{"F"}, Action: ToggleFull, Help: "Toggle full width"},
	{Keys: []string{"x"}, Action: ui.Commands, Help: "Show kubectl commands"},
}, columns.Keys, list.SortKeys, []ui.Binding{
	{Keys: []string{"b"}, Action: ChooseGroup, Help: "Group rows by facet"},
	{Keys: []string{"B"}, Action: chart.ToggleBars, Help: "Toggle histogram of changes"},
	{Keys: []string{"p"}, Action: TogglePause, Help: "Pause updates; in the past: play or stop"},
	{Keys: []string{"h"}, Action: past.GoBack, Help: "Go back in time"},
	{Keys: []string{","}, Action: past.StepPast, Value: "-1", Help: "Previous change"},
	{Keys: []string{"."}, Action: past.StepPast, Value: "1", Help: "Next change"},
	{Keys: []string{"r"}, Action: recording.Record, Help: "Start or save a recording"},
	{Keys: []string{"L"}, Action: past.ToLive, Help: "Back to live"},
	{Keys: []string{"v"}, Action: views.SaveAs, Help: "Save view"},
	{Keys: []string{"u"}, Action: views.Undo, Help: "Restore removed view"},
	{Keys: []string{"f"}, Action: Star, Help: "Toggle favourite"},
	{Keys: []string{"Y"}, Action: CopyLink, Help: "Copy link"},
	{Keys: []string{"e"}, Action: Share, Help: "Share and export"},
	{Keys: []string{"D"}, Action: ToggleTheme, Help: "Toggle light/dark theme"},
	{Keys: []string{"?"}, Action: Help, Help: "Show shortcuts"},
})

// onlyGrid are keys that apply only in the list; elsewhere they scroll the page.
var onlyGrid = map[string]bool{"ArrowDown": true, "ArrowUp": true, "Home": true, "End": true}

// ActionOf returns the action of a key, and its value.
func ActionOf(k ui.Key) (ui.Action, string) {
	if k.Command {
		return ui.NoAction, ""
	}
	for _, b := range chart.KeysIn(k.Field) {
		if slices.Contains(b.Keys, k.Name) {
			return b.Action, b.Value
		}
	}
	for _, b := range slices.Concat(past.Keys, drawerKeys(k), bindings) {
		if b.Text && !k.OnText || b.Field != "" && b.Field != k.Field || b.Field == "" && k.Typing && k.Name != "Escape" {
			continue
		}
		for _, name := range b.Keys {
			if name == k.Name && (k.InGrid || b.Drawer || !b.Grid && !onlyGrid[name]) {
				if b.Action == Star {
					return Star, k.Kind
				}
				return b.Action, b.Value
			}
		}
	}
	return ui.NoAction, ""
}

// drawerKeys returns the bindings that take precedence while the drawer has the focus. They
// also apply on the tab bar, because opening a tab by key focuses its tab.
func drawerKeys(k ui.Key) []ui.Binding {
	if k.Drawer == "" {
		return nil
	}
	own := tabOf(k.Drawer).bindings
	if k.OnCanvas { // the browser scrolls
		own = slices.DeleteFunc(slices.Clone(own), func(b ui.Binding) bool { return b.Action == relations.Move })
	}
	if k.OnTab {
		return append([]ui.Binding{{Keys: []string{"ArrowRight"}, Action: NextTab, Drawer: true}, {Keys: []string{"ArrowLeft"}, Action: PreviousTab, Drawer: true}}, own...)
	}
	return own
}
