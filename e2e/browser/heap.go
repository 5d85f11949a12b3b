package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
)

// errHeap says that a snapshot did not come whole.
var errHeap = errors.New("the heap snapshot is not whole")

// HeapSnapshot is all that JavaScript holds in the page, as the browser writes it.
func (t *Tab) HeapSnapshot() (string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	chunks := chromedp.Events(ctx, heapprofiler.AddHeapSnapshotChunk)
	whole := make(chan string, 1)
	go func() { // until it is whole, or the time is over
		var text strings.Builder
		for chunk, err := range chunks {
			if err != nil {
				return
			}
			text.WriteString(chunk.Chunk)
			if strings.HasSuffix(chunk.Chunk, "}") && json.Valid([]byte(text.String())) {
				whole <- text.String()
				return
			}
		}
	}()
	if err := t.do(call(heapprofiler.Enable, cdp.Empty{}), call(heapprofiler.TakeHeapSnapshot, heapprofiler.TakeHeapSnapshotParams{})); err != nil {
		return "", err
	}
	select {
	case text := <-whole:
		return text, nil
	case <-time.After(answerWithin):
		return "", errHeap
	}
}
