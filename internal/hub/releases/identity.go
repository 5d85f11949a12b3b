package releases

import (
	"bytes"

	"watchglass/internal/object"
)

// Same reports whether two rows of a release are equal. Its version alone does not say that: a row has
// the version of the newest revision, and an older one may have gone since.
func Same(a, b *object.Object) bool {
	return a.Version() == b.Version() && a.Layout() == b.Layout() && Stamp(a) == Stamp(b) && bytes.Equal(a.Packed(), b.Packed())
}

// Stamp returns what a row prints, by which an audit compares it.
func Stamp(o *object.Object) string { return o.Text(true) }

// NewReadStamp returns the function with which an audit reads the key and the stamp of a row.
func NewReadStamp() func(payload []byte) (key, stamp string, err error) {
	d := object.NewDecoder(Kind, false)
	_, _ = d.SetColumns([]byte(columns)) // ours
	return func(payload []byte) (key, stamp string, err error) {
		o, err := d.Decode(payload)
		if err != nil {
			return "", "", err
		}
		return o.Key(), Stamp(o), nil
	}
}
