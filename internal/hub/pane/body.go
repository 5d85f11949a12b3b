package pane

import (
	"watchglass/internal/document"
	"watchglass/internal/object"
)

// ParseBody parses the JSON of an object. It fails if the object has lost its bytes.
func ParseBody(kind object.Kind, o *object.Object) (document.Value, error) {
	doc, err := kind.Document(o)
	if err != nil {
		return document.Value{}, err
	}
	return document.Parse(doc)
}
