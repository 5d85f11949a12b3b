package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// aheadOf sets the clock that scripts and Go read ahead of the machine's.
const aheadOf = `(() => {
	globalThis.watchglassAhead ??= (() => {
		const Real = Date;
		globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(Real.now() + globalThis.watchglassAhead); } static now() { return Real.now() + globalThis.watchglassAhead; } };
		return 0;
	})();
	return globalThis.watchglassAhead = `

// Clock is the clock of the worker that a tab shares with others.
type Clock struct{ worker context.Context }

// Clock returns the clock of the tab's shared worker, which must have started. It ends with the
// tab.
func (t *Tab) Clock() (*Clock, error) {
	worker, err := t.worker()
	return &Clock{worker}, err
}

// worker returns the worker of the tab, its own or one that it shares, which must have started.
func (t *Tab) worker() (context.Context, error) {
	all, err := chromedp.Targets(t.ctx)
	if err != nil {
		return nil, err
	}
	mine := chromedp.FromContext(t.ctx).BrowserContextID
	for _, one := range all {
		if (one.Type == "shared_worker" || one.Type == "worker") && one.BrowserContextID == mine {
			return t.attached.to(t.ctx, target.ID(one.TargetID))
		}
	}
	return nil, errors.New("the tab has no worker")
}

// attached is the worker that a tab has attached to.
type attached struct {
	mu  sync.Mutex
	id  target.ID
	ctx context.Context
}

// to attaches to a worker, once: the browser would copy everything that the worker does to each session. That includes
// each message of its WebSocket unless the session says otherwise. The session ends with the tab.
func (a *attached) to(tab context.Context, id target.ID) (context.Context, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == id {
		return a.ctx, nil
	}
	ctx, _ := chromedp.NewContext(tab, chromedp.WithTargetID(id))
	if err := chromedp.Do(ctx, call(network.Disable, cdp.Empty{})); err != nil { // also if the worker has ended
		return nil, err
	}
	a.id, a.ctx = id, ctx
	return ctx, nil
}

// ProfileWorker returns where the tab's worker spends its processor time while f runs, as the browser's
// developer tools load it.
func (t *Tab) ProfileWorker(f func() error) ([]byte, error) {
	worker, err := t.worker()
	if err != nil {
		return nil, err
	}
	var taken json.RawMessage
	begin := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, profiler.Enable, cdp.Empty{})
		if err == nil {
			_, err = cdp.Call(ctx, target, profiler.Start, cdp.Empty{})
		}
		return err
	})
	end := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		result, err := cdp.Call(ctx, target, profiler.Stop, cdp.Empty{})
		if err == nil {
			taken, err = json.Marshal(result.Profile)
		}
		return err
	})
	if err := chromedp.Do(worker, begin); err != nil {
		return nil, err
	}
	return taken, errors.Join(f(), chromedp.Do(worker, end))
}

// SetAhead sets the clock ahead of the machine's. To the program, its timers take as long as
// before, and everything in the cluster is that much older.
func (c *Clock) SetAhead(by time.Duration) error {
	_, err := chromedp.Run(c.worker, chromedp.Evaluate[float64](aheadOf+formatMillis(by)+`; })()`))
	return err
}

func formatMillis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
