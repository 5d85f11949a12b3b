package pane

import (
	"watchglass/internal/detail"
	"watchglass/internal/object"
)

// ParseBody parses the JSON of an object. It fails if the object has lost its bytes.
func ParseBody(kind object.Kind, o *object.Object) (detail.Value, error) {
	doc, err := kind.Document(o)
	if err != nil {
		return detail.Value{}, err
	}
	return detail.ParseValue(doc)
}
