package pane

import "watchglass/internal/wire"

// message returns what a status says, or nothing if there is none.
func message(s *wire.Status) string {
	if s == nil {
		return ""
	}
	return s.Error()
}
