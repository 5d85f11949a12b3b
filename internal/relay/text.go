//go:build !js

package relay

import "watchglass/internal/wire"

// text reads a log. It emits whatever has come, so a line leaves as soon as it arrives, complete
// or not.
func (u *unframer) text() error {
	for {
		if _, err := u.body.Peek(1); err != nil {
			return ended(err)
		}
		chunk, err := u.body.Peek(u.body.Buffered())
		if err != nil {
			return err
		}
		if err := u.emit(wire.Text, chunk); err != nil {
			return err
		}
		if _, err := u.body.Discard(len(chunk)); err != nil {
			return err
		}
	}
}
