package main

import (
	"context"
	"fmt"
	"time"
)

// contest has the tab and the native informers sync, each once a round. Who
// begins changes from round to round.
func (b *bench) contest(ctx context.Context, r *report) error {
	r.natives = map[nativeKind]*nativeSamples{}
	for _, kind := range b.native {
		r.natives[kind] = &nativeSamples{}
	}
	contenders := 1 + len(b.native)
	for round := range b.rounds {
		for i := range contenders {
			if err := b.turn(ctx, r, (round+i)%contenders); err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
			if err := b.pause(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// pause lets everything come to rest, and sees what the machine does all the same:
// that is what others do on it.
func (b *bench) pause(ctx context.Context, r *report) error {
	usedBefore, wholeBefore, err := machine()
	if err != nil {
		return err
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	used, whole, err := machine()
	r.others = append(r.others, 100*float64(used-usedBefore)/float64(whole-wholeBefore))
	return err
}

// turn is one contender's: 0 is the tab.
func (b *bench) turn(ctx context.Context, r *report, who int) error {
	if who > 0 {
		kind := b.native[who-1]
		return b.sample(ctx, r.natives[kind], kind)
	}
	v, err := b.sync(ctx, 0)
	if err != nil {
		return err
	}
	if v.objects != b.pods {
		return fmt.Errorf("the tab has %d pods of %d", v.objects, b.pods)
	}
	b.logf("tab: first row %.0f ms, synced %.0f ms", v.firstRow, v.synced)
	r.visits = append(r.visits, v)
	return nil
}

// nativeSamples are the syncs of one native informer.
type nativeSamples struct {
	took, heap, rss sample
	served          []usage
}

func (b *bench) sample(ctx context.Context, n *nativeSamples, kind nativeKind) error {
	var result nativeResult
	served, err := b.spent(func() (err error) {
		result, err = runNative(ctx, b.kubeconfig, kind)
		return err
	})
	if err != nil {
		return err
	}
	if result.Objects != b.pods {
		return fmt.Errorf("%s has %d pods of %d", nativeNames[kind], result.Objects, b.pods)
	}
	took := float64(result.Took) / float64(time.Millisecond)
	b.logf("%s: synced %.0f ms", nativeNames[kind], took)
	n.took = append(n.took, took)
	if kind.informs() {
		n.heap = append(n.heap, float64(result.Heap))
	}
	n.rss = append(n.rss, float64(result.MaxRSS))
	n.served = append(n.served, served)
	return nil
}
