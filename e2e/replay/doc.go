// Package replay opens recordings in the page, without a cluster, and compares what it shows with what is
// written beside them: NAME.txt has, for NAME.watchglass, addresses and what is on screen there. Go test
// -update writes down what is on screen, to be corrected by hand to what is right.
package replay

import (
	"fmt"
	"os"
	"strings"
)

// Case is what the page has to show of a recording.
type Case struct {
	About string // what was recorded
	Views []View
}

// View is an address, and what is on screen there.
type View struct{ Address, Shown string }

// The lines of a view: its address follows the first, what is on screen the second.
const (
	addressMark = "> "
	shownMark   = "  "
)

// Read reads a case.
func Read(path string) (*Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := new(Case)
	for n, line := range strings.Split(string(text), "\n") {
		address, begins := strings.CutPrefix(line, addressMark)
		shown, goesOn := strings.CutPrefix(line, shownMark)
		switch last := len(c.Views) - 1; {
		case begins:
			c.Views = append(c.Views, View{Address: address})
		case last < 0:
			c.About += line + "\n"
		case goesOn:
			c.Views[last].Shown += shown + "\n"
		case line != "":
			return nil, fmt.Errorf("%s:%d: neither an address after %q nor what is on screen after %q", path, n+1, addressMark, shownMark)
		}
	}
	c.About = strings.TrimSpace(c.About)
	return c, nil
}

// Write writes a case.
func (c *Case) Write(path string) error {
	var b strings.Builder
	b.WriteString(c.About + "\n")
	for _, v := range c.Views {
		b.WriteString("\n" + addressMark + v.Address + "\n")
		for line := range strings.Lines(v.Shown) {
			b.WriteString(shownMark + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
