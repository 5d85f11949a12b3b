package object

import (
	"bytes"
	"iter"
	"strings"

	"watchglass/internal/object/encoded"
)

// imagesAndOwners is what the objects of one owner usually share, packed: their images, an empty
// part, and their owners. Each part ends in NUL. An owner has five parts: "Kind/name", the kind,
// its group, its UID, and "c" if it is the controller.
type imagesAndOwners string

// Owner is one owner reference.
type Owner struct {
	Group, Kind, Name, UID string
	Controller             bool
}

// cut removes and returns the first part.
func (k *imagesAndOwners) cut() (part string) {
	part, rest, _ := strings.Cut(string(*k), "\x00")
	*k = imagesAndOwners(rest)
	return part
}

// images yields the images.
func (k imagesAndOwners) images() iter.Seq[string] {
	return func(yield func(string) bool) {
		for image := k.cut(); image != ""; image = k.cut() {
			if !yield(image) {
				return
			}
		}
	}
}

// owners yields the owners, each with its "Kind/name".
func (k imagesAndOwners) owners() iter.Seq2[string, Owner] {
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

// ImagesAndOwners returns a text that is equal only for objects with the same images and owners.
func (o *Object) ImagesAndOwners() string { return string(o.imagesAndOwners) }

// Owners returns the object's owner references.
func (o *Object) Owners() []Owner {
	var out []Owner
	for _, owner := range o.imagesAndOwners.owners() {
		out = append(out, owner)
	}
	return out
}

// Controller returns the owner that controls the object, as kubectl names it:
// "ReplicaSet/web-5d9c"; empty if there is none.
func (o *Object) Controller() string { return ControllerIn(string(o.imagesAndOwners)) }

// ControllerIn returns the controller of the objects with certain images and owners.
func ControllerIn(of string) string {
	for called, owner := range imagesAndOwners(of).owners() {
		if owner.Controller {
			return called
		}
	}
	return ""
}

// ControllingOwner returns the owner that controls the object, if there is one.
func (o *Object) ControllingOwner() (owner Owner, ok bool) {
	for _, owner = range o.imagesAndOwners.owners() {
		if owner.Controller {
			return owner, true
		}
	}
	return Owner{}, false
}

// Images yields the distinct images of the object's containers in the order of its spec, then
// those of its init containers. Kinds without containers have none.
func (o *Object) Images() iter.Seq[string] { return o.imagesAndOwners.images() }

// ImagesIn yields the images of the objects with certain images and owners.
func ImagesIn(of string) iter.Seq[string] { return imagesAndOwners(of).images() }

// imageSlots are the slots of the images of a pod's spec.
func imageSlots(p *paths, spec string) []int {
	return []int{p.add(spec + ".containers[].image"), p.add(spec + ".initContainers[].image")}
}

// packImagesAndOwners packs the images and owners of a message.
func (d *Decoder) packImagesAndOwners(v *Values) imagesAndOwners {
	d.pack = d.pack[:0]
	for _, slot := range d.images {
		d.packImages(v.All(slot))
	}
	for i := range v.Len(metaOwner) {
		version, _ := v.At(metaOwnerVersion, i)
		kind, _ := v.At(metaOwnerKind, i)
		name, _ := v.At(metaOwnerName, i)
		uid, _ := v.At(metaOwnerUID, i)
		controller, _ := v.At(metaOwnerController, i)
		d.packOwner(i, version.Bytes, kind.Bytes, name.Bytes, uid.Bytes, controller.Num != 0)
	}
	return imagesAndOwners(d.intern.get(d.pack))
}

// packImages packs the images of a list of containers.
func (d *Decoder) packImages(all []Value) {
	var packed map[string]bool
	if len(all) > fewNames {
		packed = make(map[string]bool, len(all))
		for one := range imagesAndOwners(d.pack).images() {
			packed[one] = true
		}
	}
	for _, image := range all {
		d.packImage(image.Bytes, packed)
	}
}

// fewNames is how many names are compared with each other. Of more, a map is made.
const fewNames = 16

// packImage packs an image, unless it is packed already or is invalid: empty or with a NUL. Of many, a map has those
// that are packed, so that a pod with thousands of containers takes no longer for each of them.
func (d *Decoder) packImage(image []byte, packed map[string]bool) {
	switch {
	case len(image) == 0 || bytes.IndexByte(image, 0) >= 0:
		return
	case packed != nil:
		if packed[string(image)] {
			return
		}
		packed[string(image)] = true
	case d.packs(image):
		return
	}
	d.pack = append(append(d.pack, image...), 0)
}

// packs reports whether an image is packed.
func (d *Decoder) packs(image []byte) bool {
	for all := d.pack; len(all) > 0; {
		var one []byte
		if one, all, _ = bytes.Cut(all, []byte{0}); bytes.Equal(one, image) {
			return true
		}
	}
	return false
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

// packOwnersJSON packs the owners of an object in JSON. It packs no images: no kind that comes as
// JSON has known containers.
func (d *Decoder) packOwnersJSON(doc []byte) (imagesAndOwners, error) {
	d.pack = d.pack[:0]
	if doc == nil || string(doc) == "null" {
		return "", nil
	}
	n := 0
	err := encoded.Elements(doc, func(ref []byte) error {
		var version, kind, name, uid []byte
		controller := false
		err := encoded.Members(ref, func(key string, value []byte) error {
			switch key {
			case "apiVersion":
				version = []byte(encoded.Unquote(value))
			case "kind":
				kind = []byte(encoded.Unquote(value))
			case "name":
				name = []byte(encoded.Unquote(value))
			case "uid":
				uid = []byte(encoded.Unquote(value))
			case "controller":
				controller = string(value) == "true"
			}
			return nil
		})
		d.packOwner(n, version, kind, name, uid, controller)
		n++
		return err
	})
	return imagesAndOwners(d.intern.get(d.pack)), err
}
