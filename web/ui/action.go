package ui

// Action is something the user can do.
type Action string

// NoAction is the action of a key that has none.
const NoAction Action = ""

// The actions that lead from one part to another.
const (
	OpenTab   Action = "tab"     // value: tab ID
	GoObject  Action = "object"  // value: RESOURCE KEY
	GoListing Action = "listing" // value: resource, namespace, labels and filter, one per line
)

// Actor is a part that handles actions. Each handler is given the action's value.
type Actor interface {
	Actions() map[Action]func(value string)
}

// IgnoreValue returns a handler that ignores its value.
func IgnoreValue(f func()) func(string) { return func(string) { f() } }
