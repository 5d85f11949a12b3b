package detail

import (
	"bytes"
	"encoding/json"
	"errors"

	"watchglass/internal/wire"
)

// YAMLOptions are the options of the YAML tab.
type YAMLOptions struct {
	Managed bool `json:"managed,omitempty"` // include managedFields
}

// YAMLHead describes an object's YAML. It precedes the text, on a line of its own.
type YAMLHead struct {
	At      int64        `json:"at,omitempty"` // when the text came, in unix milliseconds
	Managed bool         `json:"managed,omitempty"`
	Gone    bool         `json:"gone,omitempty"` // the object is deleted: the text is the last version seen
	Said    *wire.Status `json:"said,omitempty"` // why there is no newer text
}

// ParseYAML parses the head and returns the text that follows it.
func ParseYAML(doc []byte) (YAMLHead, string, error) {
	var h YAMLHead
	head, text, ok := bytes.Cut(doc, []byte("\n"))
	if !ok {
		return h, "", errors.New("no text after the header")
	}
	err := json.Unmarshal(head, &h)
	return h, string(text), err
}
