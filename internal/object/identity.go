package object

import (
	"bytes"
	"sync"
)

// Identity is what makes an object that very object, at that very version.
type Identity struct{ Namespace, Name, UID, Version string }

// Key is the key that the object itself has.
func (i Identity) Key() string {
	if i.Namespace == "" {
		return i.Name
	}
	return i.Namespace + "/" + i.Name
}

// Stamp tells versions of objects of one key apart.
func (i Identity) Stamp() string { return i.UID + " " + i.Version }

// Stamp tells versions of objects of one key apart, as that of its Identity does.
func (o *Object) Stamp() string { return o.UID() + " " + o.Version() }

// ReadIdentity reads who an object is, of whatever kind and with however much of
// its body. It is no error if it has no UID or version: some have none.
func ReadIdentity(payload []byte) (Identity, error) {
	var i Identity
	if raw, ok := bytes.CutPrefix(payload, magic); ok {
		if _, _, raw, ok = envelope(raw); !ok {
			return i, ErrMalformed
		}
		var v Values
		if err := identityPlan().Scan(raw, &v); err != nil {
			return i, err
		}
		i = Identity{string(v.Bytes(0)), string(v.Bytes(1)), string(v.Bytes(2)), string(v.Bytes(3))}
	} else {
		_, obj, err := splitRow(payload)
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

// identityPlan serves every kind, as bookmarkPlan does.
var identityPlan = sync.OnceValue(func() *Plan {
	m, _ := MessageOf("v1", "Pod")
	return mustPlan(m, "metadata.namespace", "metadata.name", "metadata.uid", "metadata.resourceVersion")
})

// Renew has the objects that are decoded from now on be others than those that
// were, of whatever version: they are of another history.
func (d *Decoder) Renew() { d.layout++ }
