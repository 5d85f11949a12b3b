package logs

import "watchglass/internal/wire"

// quoted returns what was said, and by whom, in words; nothing if nothing was.
func quoted(s *wire.Status) string {
	if s == nil {
		return ""
	}
	return speaker(s.Origin) + " said: " + s.Message
}

// speaker names an origin in words.
func speaker(o wire.Origin) string {
	switch o {
	case wire.FromAPIServer:
		return "the apiserver"
	case wire.FromNetwork:
		return "the network between the proxy and the apiserver"
	case wire.FromSocket:
		return "the connection between this page and the proxy"
	case wire.FromPlugin:
		return "the credential plugin"
	case wire.FromTab:
		return "this page"
	}
	return "the Watchglass proxy"
}

// statusOf returns the Status in an error. An error without one is the page's own.
func statusOf(err error) *wire.Status {
	if s := wire.StatusOf(err); s != nil {
		return s
	}
	return &wire.Status{Origin: wire.FromTab, Message: err.Error()}
}
