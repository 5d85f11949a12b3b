package query

import "fmt"

// Error reports what is wrong in a filter, where, and what was expected there.
type Error struct {
	From, To int    // bytes of the filter
	Message  string // what is there
	Want     string // what was expected; "" if the message says what to do
	// Incomplete means that the filter is valid so far but unfinished. It need not be reported
	// while the user is still typing.
	Incomplete bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("at character %d: %s", e.From+1, Expected(e.Message, ", ", e.Want))
}

// Expected returns a message with what was expected instead, if that is known.
func Expected(message, separator, want string) string {
	if want == "" {
		return message
	}
	return message + separator + "expected " + want
}

// span is a position in a filter, in bytes.
type span struct{ from, to int }

func (s span) wrong(message, want string) *Error {
	return &Error{From: s.from, To: s.to, Message: message, Want: want}
}
