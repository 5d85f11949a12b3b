package cluster

import (
	"watchglass/internal/detail"
	"watchglass/internal/history"
	"watchglass/internal/object"
)

// ReadVersion decodes a version that is remembered.
func ReadVersion(kind object.Kind, v history.Version) (detail.Observation, bool) {
	decoder := object.NewDecoder(kind, true)
	if v.Columns != nil {
		_, _ = decoder.SetColumns(v.Columns) // they were read before
	}
	o, err := decoder.Decode(v.Payload)
	return detail.Observation{Object: o, Columns: decoder.Columns(), At: v.At}, err == nil
}
