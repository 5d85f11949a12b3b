package detail

import (
	"bytes"
	"encoding/json"
	"errors"

	"watchglass/internal/wire"
)

// YAMLOptions are those of the tab with the YAML.
type YAMLOptions struct {
	Managed bool `json:"managed,omitempty"` // with managedFields
}

// YAMLHead is what is told of an object's YAML, before a line's end and the text.
type YAMLHead struct {
	At      int64        `json:"at,omitempty"` // when the text came, in unix milliseconds
	Managed bool         `json:"managed,omitempty"`
	Gone    bool         `json:"gone,omitempty"` // the object is: the text is the last that was seen
	Said    *wire.Status `json:"said,omitempty"` // why there is no newer text
}

// ParseYAML reads the head, and returns the text behind it.
func ParseYAML(doc []byte) (YAMLHead, string, error) {
	var h YAMLHead
	head, text, ok := bytes.Cut(doc, []byte("\n"))
	if !ok {
		return h, "", errors.New("there is no text behind the head")
	}
	err := json.Unmarshal(head, &h)
	return h, string(text), err
}
