package replay

import "watchglass/internal/wire"

// refusal returns a Status of this relay, in the words of an apiserver.
func refusal(code int, reason, message string) *wire.Status {
	return &wire.Status{Origin: wire.FromTab, Code: code, Reason: reason, Message: message}
}
