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

// YAMLHead describes what is shown as YAML. It precedes the object in JSON, on a line of its own.
type YAMLHead struct {
	At      int64        `json:"at,omitempty"` // when the object came, in unix milliseconds
	Managed bool         `json:"managed,omitempty"`
	Gone    bool         `json:"gone,omitempty"` // the object is deleted: this is the last version seen
	Said    *wire.Status `json:"said,omitempty"` // why there is no newer version
}

// ParseYAML parses the head and returns the object that follows it.
func ParseYAML(doc []byte) (YAMLHead, []byte, error) {
	var h YAMLHead
	head, object, ok := bytes.Cut(doc, []byte("\n"))
	if !ok {
		return h, nil, errors.New("no object after the header")
	}
	err := json.Unmarshal(head, &h)
	return h, object, err
}
