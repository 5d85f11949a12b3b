package listcache

import (
	"context"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/savedlist"
	"watchglass/internal/wire"
)

// Earlier returns a function that reads the saved list of a source. It has nothing if the source ran
// before in this worker, or runs with other columns. of returns its informer.
func (c *Cache) Earlier(r wire.Request, name string, decoder *object.Decoder, of func() *informer.Informer[*object.Object]) func(context.Context) (reflector.Earlier[*object.Object], bool) {
	c.mu.Lock()
	ran, held := c.ran[r], c.held
	c.ran[r] = true
	c.mu.Unlock()
	if ran {
		return nil
	}
	return func(ctx context.Context) (out reflector.Earlier[*object.Object], ok bool) {
		last := c.last(ctx, name, decoder)
		if last == nil {
			return out, false
		}
		c.setReading(of(), true)
		out.Version, out.At, out.Cluster = last.Version, last.At, last.About.Cluster
		out.Tally = reflector.Tally{Since: last.Since, Changes: last.Changes}
		out.Objects = func(yield func(*object.Object, error) bool) {
			shown := 0
			for o, err := range last.All(ctx) {
				if !yield(o, err) || err != nil {
					last.Close()
					c.setReading(of(), false)
					return
				}
				if shown++; shown == screenful && held != nil {
					select {
					case <-held:
					case <-ctx.Done():
					}
				}
			}
			c.Loop.Start(func() { c.restoreBodies(ctx, last, of()) })
		}
		return out, true
	}
}

// last returns the last visit of a source, or nil if there is none, or the disk does not answer.
func (c *Cache) last(ctx context.Context, name string, decoder *object.Decoder) *savedlist.List {
	ctx, cancel := context.WithTimeout(ctx, visitWithin)
	defer cancel()
	folder := c.open(ctx)
	if folder == nil {
		return nil
	}
	reader, err := folder.Read(ctx, name)
	if err != nil || reader == nil {
		return nil
	}
	last, err := savedlist.Read(ctx, reader, decoder)
	if err != nil {
		reader.Close()
		return nil
	}
	if age := time.Since(last.At); age < 0 || age > MaxAge {
		last.Close()
		return nil
	}
	return last
}

// restoreBodies restores the bodies of saved objects that are still in the store. An object without its
// body is like one whose body a full memory has dropped.
func (c *Cache) restoreBodies(ctx context.Context, last *savedlist.List, i *informer.Informer[*object.Object]) {
	defer last.Close()
	defer c.setReading(i, false)
	if i.WaitForSync(ctx) != nil {
		return
	}
	for batch, err := range last.Bodies(ctx) {
		if err != nil {
			return
		}
		Restore(ctx, c.Budget, i, batch)
		c.Loop.Rest()
	}
}

// Restore gives objects back their bodies, if they are still in the store of a source.
func Restore(ctx context.Context, budget *object.Budget, i *informer.Informer[*object.Object], bodies []savedlist.Body) {
	i.Reported(func() {
		if ctx.Err() != nil { // the objects were released
			return
		}
		for _, b := range bodies {
			if held, ok := i.Store().Get(b.Object.Key()); ok && held == b.Object {
				held.Restore(b.Raw)
				budget.Keep(held)
			}
		}
	})
}

// setReading notes whether the bodies of a list are being read from disk, or will be once its rows are there.
func (c *Cache) setReading(i *informer.Informer[*object.Object], is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads[i] = is; !is {
		delete(c.reads, i)
	}
}

// Restores reports whether the bodies of a list come from disk.
func (c *Cache) Restores(i *informer.Informer[*object.Object]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads[i]
}
