//go:build !js

package relay

import "watchglass/internal/wire"

// text reads a log. A piece is what has come by now, so that a line goes as soon as it
// is there, and none waits for the end of one.
func (u *unframer) text() error {
	for {
		if _, err := u.body.Peek(1); err != nil {
			return ended(err)
		}
		piece, err := u.body.Peek(u.body.Buffered())
		if err != nil {
			return err
		}
		if err := u.emit(wire.Text, piece); err != nil {
			return err
		}
		if _, err := u.body.Discard(len(piece)); err != nil {
			return err
		}
	}
}
