// Package message is a noun: what a component of the cluster says of an object, for one line.
//
// In: the message of a condition or an event. Out: the same with its decisive words first, as a list shows only the
// beginning. The grammars are those of the components' own source, each read in one place; a message that does not
// follow them is returned as it is.
package message

// Lead returns a message with its decisive words first.
func Lead(text string) string {
	if u, ok := parseUnfit(text); ok {
		return u.String()
	}
	return refusal(text)
}
