package reflector

import (
	"errors"
	"fmt"

	"watchglass/internal/wire"
)

// The errors of an event, apart from the Decoder's.
var (
	errNoVersion       = errors.New("an object without a version")
	errBookmarkVersion = errors.New("a bookmark without a version")
	errColumns         = errors.New("its columns changed")
)

// decode decodes and transforms an object.
func (r *Reflector[T]) decode(payload []byte) (T, error) {
	obj, err := r.options.Decoder.Decode(payload)
	if err != nil {
		return obj, err
	}
	return r.options.Transform(obj)
}

// readBookmark reads a bookmark.
func (r *Reflector[T]) readBookmark(payload []byte) (version string, end bool, err error) {
	version, end, err = r.options.Decoder.Bookmark(payload)
	if err == nil && version == "" {
		err = errBookmarkVersion
	}
	return version, end, err
}

// bookmark reads a bookmark of a list. One that cannot be read is counted.
func (r *Reflector[T]) bookmark(payload []byte) (version string, end bool, err error) {
	if version, end, err = r.readBookmark(payload); err != nil {
		err = r.reject(err)
	}
	return version, end, err
}

// reject counts an event that cannot be read, and returns its error. Where the list is fetched again, no version after it
// is reached; client-go would skip the event.
func (r *Reflector[T]) reject(err error) error {
	r.change(func(s *State) { s.Rejected++; s.LastBad = err })
	return fmt.Errorf("unreadable event: %w", err)
}

// columns sets the columns of the rows that follow. It returns errRelist if rows of other columns came
// before, which have to be fetched again.
func (r *Reflector[T]) columns(payload []byte) error {
	changed, err := r.options.Decoder.SetColumns(payload)
	if changed {
		r.change(func(s *State) { s.Encoding = wire.EncodingTable })
	}
	if changed && r.delivery.printed {
		return listAgain(errColumns)
	}
	return err
}
