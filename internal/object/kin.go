package object

import (
	"bytes"
	"iter"
	"strings"
)

// kin is what objects of one owner mostly share, packed: the images that they run,
// nothing, and their owners. Each part ends in NUL; of an owner there are five,
// "Kind/name", the kind, its group, its UID, and "c" if it is the controller.
type kin string

// Owner is one owner reference.
type Owner struct {
	Group, Kind, Name, UID string
	Controller             bool
}

// cut takes the first part.
func (k *kin) cut() (part string) {
	part, rest, _ := strings.Cut(string(*k), "\x00")
	*k = kin(rest)
	return part
}

// images yields them, and passes them.
func (k kin) images() iter.Seq[string] {
	return func(yield func(string) bool) {
		for image := k.cut(); image != ""; image = k.cut() {
			if !yield(image) {
				return
			}
		}
	}
}

// owners yields them, each as "Kind/name".
func (k kin) owners() iter.Seq2[string, Owner] {
	return func(yield func(string, Owner) bool) {
		for k.cut() != "" { // images
		}
		for k != "" {
			var o Owner
			called := k.cut()
			o.Kind = k.cut()
			o.Name, o.Group, o.UID = strings.TrimPrefix(strings.TrimPrefix(called, o.Kind), "/"), k.cut(), k.cut()
			if o.Controller = k.cut() == "c"; !yield(called, o) {
				return
			}
		}
	}
}

// Kin is a text that only objects with the same images and owners have.
func (o *Object) Kin() string { return string(o.kin) }

// Owners are the objects that own it.
func (o *Object) Owners() []Owner {
	var out []Owner
	for _, owner := range o.kin.owners() {
		out = append(out, owner)
	}
	return out
}

// Controller is the owner that controls the object, as kubectl names it,
// "ReplicaSet/web-5d9c"; or nothing.
func (o *Object) Controller() string {
	for called, owner := range o.kin.owners() {
		if owner.Controller {
			return called
		}
	}
	return ""
}

// Images yields the different images of the object's containers, in the order of
// its spec, and then of those that run before; of kinds that have containers.
func (o *Object) Images() iter.Seq[string] { return o.kin.images() }

// imageSlots are the slots of the images of a pod's spec.
func imageSlots(p *paths, spec string) []int {
	return []int{p.add(spec + ".containers[].image"), p.add(spec + ".initContainers[].image")}
}

// packKin packs what a message has of both.
func (d *Decoder) packKin(v *Values) kin {
	d.pack = d.pack[:0]
	for _, slot := range d.images {
		for _, image := range v.All(slot) {
			d.packImage(image.Bytes)
		}
	}
	for i := range v.Len(metaOwner) {
		version, _ := v.At(metaOwnerVersion, i)
		kind, _ := v.At(metaOwnerKind, i)
		name, _ := v.At(metaOwnerName, i)
		uid, _ := v.At(metaOwnerUID, i)
		controller, _ := v.At(metaOwnerController, i)
		d.packOwner(i, version.Bytes, kind.Bytes, name.Bytes, uid.Bytes, controller.Num != 0)
	}
	return kin(d.intern.get(d.pack))
}

// packImage packs an image, unless it is among those that are, or none that a
// registry could have.
func (d *Decoder) packImage(image []byte) {
	if len(image) == 0 || bytes.IndexByte(image, 0) >= 0 {
		return
	}
	for all := d.pack; len(all) > 0; {
		var one []byte
		if one, all, _ = bytes.Cut(all, []byte{0}); bytes.Equal(one, image) {
			return
		}
	}
	d.pack = append(append(d.pack, image...), 0)
}

// packOwner packs the i-th owner.
func (d *Decoder) packOwner(i int, apiVersion, kind, name, uid []byte, controller bool) {
	group, _, grouped := bytes.Cut(apiVersion, []byte{'/'})
	if !grouped {
		group = nil
	}
	pack := d.pack
	if i == 0 {
		pack = append(pack, 0) // no more images
	}
	pack = append(append(pack, kind...), '/')
	for _, part := range [...][]byte{name, kind, group, uid} {
		pack = append(append(pack, part...), 0)
	}
	if controller {
		pack = append(pack, 'c')
	}
	d.pack = append(pack, 0)
}

// packKinJSON packs the owners of an object in JSON: kinds that come in it have no
// containers that are known.
func (d *Decoder) packKinJSON(doc []byte) (kin, error) {
	d.pack = d.pack[:0]
	if doc == nil || string(doc) == "null" {
		return "", nil
	}
	n := 0
	err := Elements(doc, func(ref []byte) error {
		var version, kind, name, uid []byte
		controller := false
		err := Members(ref, func(key string, value []byte) error {
			switch key {
			case "apiVersion":
				version = []byte(unquote(value))
			case "kind":
				kind = []byte(unquote(value))
			case "name":
				name = []byte(unquote(value))
			case "uid":
				uid = []byte(unquote(value))
			case "controller":
				controller = string(value) == "true"
			}
			return nil
		})
		d.packOwner(n, version, kind, name, uid, controller)
		n++
		return err
	})
	return kin(d.intern.get(d.pack)), err
}
