package logs

import "watchglass/internal/wire"

// quoted returns the message of a status and who sent it; "" for nil.
func quoted(s *wire.Status) string {
	if s == nil {
		return ""
	}
	return speaker(s.Origin) + " said: " + s.Message
}

// speaker returns the words for an origin.
func speaker(o wire.Origin) string {
	switch o {
	case wire.FromAPIServer:
		return "the apiserver"
	case wire.FromNetwork:
		return "the network between the proxy and the apiserver"
	case wire.FromSocket:
		return "the connection to the proxy"
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
