// Package browser drives the system's Chromium for the end-to-end tests and the
// benchmark. A Tab has what a person has, a keyboard, a pointer and eyes, and what
// a script has: window.watchglass. Its methods return errors; a test wraps them.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrNone says that there is no Chromium.
var ErrNone = errors.New("there is no Chromium on the PATH: make deps installs it")

// startWithin bounds the start of the browser, on machines with much to do.
const startWithin = time.Minute

// Browser is a running Chromium. Every tab of it that NewTab makes has cookies of
// its own, as if each was another person's.
type Browser struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// find returns the path of a Chromium. It prefers the one without a user interface:
// opening a window takes a third of the time of a short test.
func find() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNone
}

// Start starts a browser, with further flags, name or name=value. It runs until Stop,
// or until ctx ends.
func Start(ctx context.Context, flags ...string) (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1400, 900),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	for _, flag := range flags {
		var value any = true
		name, text, valued := strings.Cut(flag, "=")
		if valued {
			value = text
		}
		options = append(options, chromedp.Flag(name, value))
	}
	ctx, endAllocator := chromedp.NewExecAllocator(ctx, options...)
	ctx, end := chromedp.NewContext(ctx)
	b := &Browser{ctx: ctx, cancel: func() { end(); endAllocator() }}
	started := make(chan error, 1)
	go func() { started <- chromedp.Do(ctx) }()
	select {
	case err = <-started:
	case <-time.After(startWithin):
		err = fmt.Errorf("no answer within %s", startWithin)
	}
	if err != nil {
		b.cancel()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Stop ends the browser.
func (b *Browser) Stop() error {
	err := chromedp.Cancel(b.ctx)
	b.cancel()
	return err
}
