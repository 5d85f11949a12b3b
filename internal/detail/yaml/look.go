package yaml

// role is what a piece of a line is.
type role uint8

const (
	plainRole  role = iota // a plain string, or indentation
	keyRole                // a key
	quotedRole             // a string in quotes
	blockRole              // the text of a block
	numberRole
	wordRole // true, false, null
	markRole // dashes, colons, and what begins a block
)

// looks are the roles as the style sheet names them. A plain string has no look.
var looks = [...]string{
	keyRole: "y-key", quotedRole: "y-quoted", blockRole: "y-block", numberRole: "y-number", wordRole: "y-word", markRole: "y-mark",
}

// The looks of what is not in the text.
const (
	controlLook = "y-control" // the replacement of an invisible character
	moreLook    = "y-more"    // how much is not shown
)

// token is a piece of a line. It extends to the next token.
type token struct {
	at   uint32 // in the text
	role role
}

// put begins a token at the end of the text.
func (w *writer) put(as role) {
	at := uint32(len(w.out))
	if n := len(w.tokens); n > 0 && w.tokens[n-1].at == at {
		w.tokens = w.tokens[:n-1]
	}
	w.tokens = append(w.tokens, token{at, as})
}
