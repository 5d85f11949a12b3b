package query

import "fmt"

// Error says what is wrong in a filter, where, and what was expected there.
type Error struct {
	From, To int    // bytes of the filter
	Message  string // what is there
	Want     string // what was expected
	// Incomplete says that the filter is right as far as it goes: who still types
	// need not be told.
	Incomplete bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("at character %d: %s, expected %s", e.From+1, e.Message, e.Want)
}

// span is where something stands in a filter.
type span struct{ from, to int }

func (s span) wrong(message, want string) *Error {
	return &Error{From: s.from, To: s.to, Message: message, Want: want}
}
