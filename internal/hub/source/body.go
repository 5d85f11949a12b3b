package source

import (
	"context"

	"watchglass/internal/detail/related"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

const (
	// bodiesByName is how many bodies of a namespace are read one by one; more are read with its list.
	bodiesByName = 8
	// bodiesAtOnce is how many objects a page of a list has. Not from version 0: of that, the apiserver
	// sends all, whatever the limit.
	bodiesAtOnce = 500
	// bodyTries is how often a list is tried again because the server asks to wait.
	bodyTries = 5
)

// ReadBodies reads the bodies of objects of a source from the server, and calls restore with each that
// is of the same version as the object. Of the others, a watch brings the newer version. It waits.
func ReadBodies(ctx context.Context, server reflector.Source, of wire.Request, kind object.Kind, objects []*object.Object, restore func(o *object.Object, raw []byte)) error {
	byNamespace := make(map[string]map[string]*object.Object)
	for _, o := range objects {
		all := byNamespace[o.Namespace()]
		if all == nil {
			all = make(map[string]*object.Object)
			byNamespace[o.Namespace()] = all
		}
		all[o.Name()] = o
	}
	for namespace, wanted := range byNamespace {
		b := bodyReader{server: server, kind: kind, wanted: wanted, restore: restore, request: wire.Request{
			Group: of.Group, Version: of.Version, Resource: of.Resource, Encoding: of.Encoding, Namespace: namespace,
		}}
		if err := b.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bodyReader reads bodies of objects of one namespace, by name.
type bodyReader struct {
	server  reflector.Source
	request wire.Request
	kind    object.Kind
	wanted  map[string]*object.Object
	restore func(o *object.Object, raw []byte)
}

func (b *bodyReader) read(ctx context.Context) error {
	if len(b.wanted) > bodiesByName {
		b.request.Limit = bodiesAtOnce
		return b.list(ctx)
	}
	for name := range b.wanted {
		b.request.FieldSelector = related.ByName + name
		if err := b.list(ctx); err != nil {
			return err
		}
	}
	return nil
}

// list reads all pages of a list.
func (b *bodyReader) list(ctx context.Context) error {
	for b.request.Continue = ""; ; {
		decoder := object.NewDecoder(b.kind, true)
		var meta wire.ListMeta
		err := Retry(ctx, bodyTries, func() (err error) {
			meta, err = ReadList(ctx, b.server, b.request, func(payload []byte) { b.take(decoder, payload) })
			return err
		})
		if err != nil || meta.Continue == "" {
			return err
		}
		b.request.Continue = meta.Continue
	}
}

func (b *bodyReader) take(decoder *object.Decoder, payload []byte) {
	read, err := decoder.Decode(payload)
	if err != nil {
		return // an object that cannot be read has none that could be restored
	}
	if o := b.wanted[read.Name()]; o != nil && o.UID() == read.UID() && o.Version() == read.Version() {
		b.restore(o, read.Packed())
	}
}
