package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// downloads are the files that the browser has said are whole. A file that is there may still be empty.
type downloads struct {
	mu   sync.Mutex
	done []string
}

// Downloads has the tab's profile save files into a folder.
func (t *Tab) Downloads(dir string) error {
	ctx, cancel := context.WithCancel(t.ctx)
	progress := chromedp.BrowserEvents(ctx, protocol.DownloadProgress)
	_, err := chromedp.CallBrowser(t.ctx, protocol.SetDownloadBehavior, protocol.SetDownloadBehaviorParams{
		Behavior: protocol.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, EventsEnabled: new(true),
		BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
	})
	if err != nil {
		cancel()
		return err
	}
	go func() { // it ends with the tab
		defer cancel()
		for p, err := range progress {
			if err != nil {
				return
			}
			if p.State == protocol.DownloadProgressStateCompleted {
				t.downloads.add(p.FilePath)
			}
		}
	}()
	return nil
}

func (d *downloads) add(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, path)
}

// find returns the first file of a pattern, or "".
func (d *downloads) find(pattern string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, path := range d.done {
		if is, err := filepath.Match(pattern, path); is || err != nil {
			return path, err
		}
	}
	return "", nil
}

// Downloaded waits until the browser says that a file of a pattern is whole, and returns its path.
func (t *Tab) Downloaded(pattern string, within time.Duration) (string, error) {
	for deadline := time.Now().Add(within); ; {
		if path, err := t.downloads.find(pattern); path != "" || err != nil {
			return path, err
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("no %s within %s", pattern, within)
		}
		if err := t.pause(); err != nil {
			return "", err
		}
	}
}
