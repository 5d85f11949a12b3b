package query

import "fmt"

// Error reports what is wrong in a filter, where, and what was expected there.
type Error struct {
	From, To int    // bytes of the filter
	Message  string // what is there
	Want     string // what was expected
	// Incomplete means that the filter is valid so far but unfinished. It need not be reported
	// while the user is still typing.
	Incomplete bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("at character %d: %s, expected %s", e.From+1, e.Message, e.Want)
}

// span is a position in a filter, in bytes.
type span struct{ from, to int }

func (s span) wrong(message, want string) *Error {
	return &Error{From: s.from, To: s.to, Message: message, Want: want}
}
