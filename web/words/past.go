package words

import (
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
)

// NotInHistory marks a list of which nothing is known at the moment on screen, whatever the hub's
// reason.
const NotInHistory = "not in history"

// NotInRecording is said of what a recording lacks because it was left out.
const NotInRecording = "Not in this recording"

// LeftOut names the namespaces that were left out of a recording, and counts those whose names are not in it.
func LeftOut(r *port.RecordingInfo) string {
	out := yaml.Visible(Listed(r.LeftOut))
	switch {
	case r.Unnamed == 0:
		return out
	case out == "":
		return Count(r.Unnamed)
	}
	return out + " and " + Count(r.Unnamed) + " more"
}
