package pane

import (
	"errors"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// errNoBody says that an object has lost its bytes.
var errNoBody = errors.New("the object has lost its bytes")

// ParseBody returns the document of an object. Its parts are read when they are asked for, so that an object as large
// as anybody may write it does not stop the hub. It fails if the object has lost its bytes.
func ParseBody(kind object.Kind, o *object.Object) (document.Value, error) {
	if object.OnlyMetadata(o) {
		doc, err := kind.Document(o)
		if err != nil {
			return document.Value{}, err
		}
		return document.Parse(doc)
	}
	is, err := kind.Parts(o)
	if is == nil && err == nil {
		err = errNoBody
	}
	return document.Of(is), err
}
