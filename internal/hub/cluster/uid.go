package cluster

import (
	"context"
	"fmt"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

// clusterUID identifies the cluster by the UID of its kube-system namespace. It is safe for
// concurrent use.
type clusterUID struct {
	asking chan struct{} // holds one: whoever fills it asks, the others wait for the answer
	uid    string
	at     time.Time
}

// uidFor is how long an answer is reused: after an outage all sources ask at once.
const uidFor = time.Second

func newClusterUID() *clusterUID { return &clusterUID{asking: make(chan struct{}, 1)} }

// read returns the UID. It fails if the namespace may not be read.
func (u *clusterUID) read(ctx context.Context, get kinds.Getter) (string, error) {
	select {
	case u.asking <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-u.asking }()
	if time.Since(u.at) < uidFor {
		return u.uid, nil
	}
	doc, err := get(ctx, wire.Request{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "kube-system"})
	if err != nil {
		return "", err
	}
	id, err := object.ReadIdentity(doc)
	if err == nil && id.UID == "" {
		err = fmt.Errorf("%w: kube-system without a UID", encoded.ErrMalformed)
	}
	if err != nil {
		return "", err
	}
	u.uid, u.at = id.UID, time.Now()
	return u.uid, nil
}
