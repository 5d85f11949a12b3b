package reflector

import (
	"errors"
	"fmt"

	"watchglass/internal/wire"
)

// What can be wrong with an event, apart from what the Decoder says.
var (
	errNoVersion       = errors.New("an object without a version")
	errBookmarkVersion = errors.New("a bookmark without a version")
)

// decode makes the object that is kept of a payload.
func (r *Reflector[T]) decode(payload []byte) (T, error) {
	obj, err := r.options.Decoder.Decode(payload)
	if err != nil {
		return obj, err
	}
	return r.options.Transform(obj)
}

// bookmark reads a bookmark.
func (r *Reflector[T]) bookmark(payload []byte) (version string, end bool, err error) {
	version, end, err = r.options.Decoder.Bookmark(payload)
	if err == nil && version == "" {
		err = errBookmarkVersion
	}
	if err != nil {
		err = r.reject(err)
	}
	return version, end, err
}

// reject counts an object that cannot be kept. The version never goes on past
// one: the list is fetched anew, where client-go would skip it.
func (r *Reflector[T]) reject(err error) error {
	r.change(func(s *State) { s.Rejected++; s.LastBad = err })
	return fmt.Errorf("an event cannot be read: %w", err)
}

// columns takes the columns of the rows that follow. Those that came before print
// others, and are fetched anew.
func (r *Reflector[T]) columns(payload []byte) error {
	changed, err := r.options.Decoder.SetColumns(payload)
	if changed {
		r.change(func(s *State) { s.Encoding = wire.EncodingTable })
	}
	if changed && r.printed {
		return fmt.Errorf("%w: its columns changed", errRelist)
	}
	return err
}
