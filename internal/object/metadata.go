package object

import "watchglass/internal/object/schema"

// NewMetadataDecoder returns a decoder for objects of any kind that were requested as metadata
// only. It prints names and ages, and keeps no packed bytes.
func NewMetadataDecoder() *Decoder {
	d := NewDecoder(Kind{Group: "meta.k8s.io", Version: "v1", Name: "PartialObjectMetadata"}, false)
	m, _ := schema.Of("v1", "Pod") // the metadata is field 1 of every kind
	d.plan = mustPlan(m, metadataPaths[:]...)
	return d
}

// Owned reports whether the object has an owner.
func (o *Object) Owned() bool {
	for range o.imagesAndOwners.owners() {
		return true
	}
	return false
}
