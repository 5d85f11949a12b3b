package kinds

import (
	"context"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Getter reads one document from the server.
type Getter func(ctx context.Context, r wire.Request) ([]byte, error)

// Discover asks the server which kinds it has: the core group, then all others.
func Discover(ctx context.Context, get Getter) (all object.Discovery, err error) {
	for _, group := range []string{"", "*"} {
		doc, err := get(ctx, wire.Request{Verb: wire.Discover, Group: group})
		if err != nil {
			return all, err
		}
		some, err := object.Discovered(doc)
		if err != nil {
			return all, &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonMalformed, Message: err.Error()}
		}
		all.Kinds, all.Stale = append(all.Kinds, some.Kinds...), append(all.Stale, some.Stale...)
	}
	return all, nil
}
