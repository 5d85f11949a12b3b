package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// traced is an event of a trace, as far as it is read here.
type traced struct {
	Name     string  `json:"name"`
	PID      int     `json:"pid"`
	TID      int     `json:"tid"`
	Duration float64 `json:"tdur"` // processor time, in µs
	Args     struct{ Name string }
}

// Tasks returns the processor time, in milliseconds, of each task of the page's thread while f runs.
// Other than long tasks, it does not count the time that other programs take.
func (t *Tab) Tasks(f func() error) (tasks []float64, err error) {
	type thread struct{ pid, tid int }
	all, pages := make(map[thread][]float64), make(map[thread]bool)
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventTracingComplete:
			close(ended)
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var one traced
				if json.Unmarshal([]byte(v), &one) != nil {
					continue
				}
				switch at := (thread{one.PID, one.TID}); {
				case one.Name == "thread_name" && one.Args.Name == "CrRendererMain":
					pages[at] = true
				case one.Duration > 0 && (one.Name == "RunTask" || one.Name == "ThreadControllerImpl::RunTask"):
					all[at] = append(all[at], one.Duration/1000)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	config := &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"}}
	if err := t.do(call(tracing.Start, tracing.StartParams{TraceConfig: config})); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if err := f(); err != nil {
		return nil, err
	}
	if err := t.do(call(tracing.End, cdp.Empty{})); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	select {
	case <-ended:
	case <-time.After(answerWithin):
		return nil, fmt.Errorf("the trace does not end")
	}
	for at := range pages {
		if len(all[at]) > len(tasks) {
			tasks = all[at]
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("the trace has no task of the page: %d threads, %d of them of pages", len(all), len(pages))
	}
	return tasks, nil
}
