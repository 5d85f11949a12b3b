package object

import (
	"sync"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// Identity identifies one version of one object.
type Identity struct{ Namespace, Name, UID, Version string }

// Key returns the object's key.
func (i Identity) Key() string {
	if i.Namespace == "" {
		return i.Name
	}
	return i.Namespace + "/" + i.Name
}

// Stamp distinguishes versions of objects that have the same key.
func (i Identity) Stamp() string { return i.UID + " " + i.Version }

// Stamp distinguishes versions of objects that have the same key, as that of Identity does.
func (o *Object) Stamp() string { return o.UID() + " " + o.Version() }

// ReadIdentity parses the identity of an object of any kind, with or without its body. A
// missing UID or version is no error: some objects have none.
func ReadIdentity(payload []byte) (Identity, error) {
	var i Identity
	if encoded.IsProtobuf(payload) {
		_, _, raw, err := encoded.Open(payload)
		if err != nil {
			return i, encoded.ErrMalformed
		}
		var v Values
		if err := identityPlan().Scan(raw, &v); err != nil {
			return i, err
		}
		i = Identity{string(v.Bytes(0)), string(v.Bytes(1)), string(v.Bytes(2)), string(v.Bytes(3))}
	} else {
		_, obj, err := encoded.Row(payload)
		if err != nil {
			return i, err
		}
		var m metadata
		if err := m.read(obj); err != nil {
			return i, err
		}
		i = Identity{m.namespace, m.name, m.uid, m.version}
	}
	if i.Name == "" {
		return i, ErrNoName
	}
	return i, nil
}

// identityPlan works for every kind, as bookmarkPlan does.
var identityPlan = sync.OnceValue(func() *Plan {
	m, _ := schema.Of("v1", "Pod")
	return mustPlan(m, "metadata.namespace", "metadata.name", "metadata.uid", "metadata.resourceVersion")
})

// Renew makes all objects decoded from now on differ from earlier ones, even at the same
// version: they belong to another history.
func (d *Decoder) Renew() { d.layout++ }

// Identify decodes no more of an object than its key, UID and version. It is for those that Decode cannot read: the
// Object has no cells, so it is good for a deletion only.
func (d *Decoder) Identify(payload []byte) (*Object, error) {
	i, err := ReadIdentity(payload)
	if err != nil {
		return nil, err
	}
	o := &Object{layout: d.layout}
	d.row.begin(o, []byte(i.Namespace), []byte(i.Name))
	d.row.finish(o, []byte(i.UID), []byte(i.Version))
	return o, nil
}
