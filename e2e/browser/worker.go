package browser

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// aheadOf sets the clock that Go reads in a worker ahead of the machine's.
const aheadOf = `(() => {
	globalThis.watchglassAhead ??= (() => {
		const Real = Date;
		globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(Real.now() + globalThis.watchglassAhead); } };
		return 0;
	})();
	return globalThis.watchglassAhead = `

// Clock is the clock of the worker that a tab shares with others.
type Clock struct{ worker context.Context }

// Clock returns the clock of the tab's shared worker, which must have started. It ends with the
// tab.
func (t *Tab) Clock() (*Clock, error) {
	all, err := chromedp.Targets(t.ctx)
	if err != nil {
		return nil, err
	}
	mine := chromedp.FromContext(t.ctx).BrowserContextID
	for _, one := range all {
		if one.Type != "shared_worker" || one.BrowserContextID != mine {
			continue
		}
		ctx, _ := chromedp.NewContext(t.ctx, chromedp.WithTargetID(target.ID(one.TargetID))) // ends with the tab
		if err := chromedp.Do(ctx); err != nil {
			return nil, err // it ended
		}
		return &Clock{ctx}, nil
	}
	return nil, errors.New("the tab has no shared worker")
}

// SetAhead sets the clock ahead of the machine's. To the program, its timers take as long as
// before, and everything in the cluster is that much older.
func (c *Clock) SetAhead(by time.Duration) error {
	_, err := chromedp.Run(c.worker, chromedp.Evaluate[float64](aheadOf+formatMillis(by)+`; })()`))
	return err
}

func formatMillis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
