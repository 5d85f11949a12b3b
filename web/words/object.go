package words

import "watchglass/internal/detail"

// ObjectStates describe an object that is not live.
var ObjectStates = map[detail.State]struct{ Tone, Title, Means string }{
	detail.Stale:   {"warning", "Stale", "Data may be out of date."},
	detail.Polled:  {"warning", "Not watched", "Polled: changes appear late."},
	detail.Deleted: {"failed", "Deleted", "Showing its last known state."},
	detail.Missing: {"pending", "Not found", "It will appear here if it is created."},
	detail.Unread:  {"warning", "Can't be read", "It exists, but can't be decoded."},
	detail.Denied:  {"failed", "No permission", "You can't view this object."},
}
