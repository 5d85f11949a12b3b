package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	// answerWithin bounds each single thing that a tab is asked.
	answerWithin = 60 * time.Second

	// look is how often a condition is looked at.
	look = 25 * time.Millisecond
)

// Tab is one page.
type Tab struct {
	ctx    context.Context
	cancel context.CancelFunc

	attached  attached
	downloads downloads

	mu      sync.Mutex
	console []string
}

// NewTab opens an empty tab in a profile of its own.
func (b *Browser) NewTab() (*Tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	return newTab(ctx, cancel)
}

// FirstTab opens an empty tab in the browser's own profile, which is in its user-data-dir. That of NewTab is
// in memory.
func (b *Browser) FirstTab() (*Tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx)
	return newTab(ctx, cancel)
}

// Beside opens an empty tab that shares this one's cookies.
func (t *Tab) Beside() (*Tab, error) {
	ctx, cancel := chromedp.NewContext(t.ctx)
	return newTab(ctx, cancel)
}

// Window opens an empty window that shares this tab's cookies.
func (t *Tab) Window() (*Tab, error) {
	id, err := chromedp.CallBrowser(t.ctx, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", NewWindow: new(true), BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
	})
	if err != nil {
		return nil, fmt.Errorf("open a window: %w", err)
	}
	ctx, cancel := chromedp.NewContext(t.ctx, chromedp.WithTargetID(id.TargetID))
	return newTab(ctx, cancel)
}

// Crash ends the process of the tab, as a bug of the browser would, and returns when it has ended.
func (t *Tab) Crash() error {
	crashed := make(chan struct{})
	over := sync.OnceFunc(func() { close(crashed) })
	err := chromedp.Listen(t.ctx, func(event any) {
		if _, ok := event.(*inspector.EventTargetCrashed); ok {
			over()
		}
	})
	if err != nil {
		return fmt.Errorf("crash the tab: %w", err)
	}
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	go func() { _ = chromedp.Do(ctx, call(page.Crash, cdp.Empty{})) }() // it does not answer
	select {
	case <-crashed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("crash the tab: %w", ctx.Err())
	}
}

func newTab(ctx context.Context, cancel context.CancelFunc) (*Tab, error) {
	t := &Tab{ctx: ctx, cancel: cancel}
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	return t, nil
}

// Close closes the tab.
func (t *Tab) Close() { t.cancel() }

// Quiet has the browser report nothing to us but what it is asked. What it reports
// else costs more than the page does: a benchmark starts with this.
func (t *Tab) Quiet() error {
	return t.do(
		call(network.Disable, cdp.Empty{}), call(css.Disable, cdp.Empty{}), call(dom.Disable, cdp.Empty{}),
		call(page.Disable, cdp.Empty{}),
	)
}

// Listen gathers what the page writes to the console from now on, and what the
// browser complains of: exceptions, refused loads, broken policies.
func (t *Tab) Listen() error {
	messages := chromedp.Console(t.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			t.mu.Lock()
			t.console = append(t.console, fmt.Sprintf("%s %s %s", m, m.Source, m.URL))
			t.mu.Unlock()
		}
	}()
	return t.do(call(runtime.Enable, cdp.Empty{}))
}

// Console is what Listen has gathered.
func (t *Tab) Console() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.console)
}

func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

func (t *Tab) do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// Open goes to an address and returns as soon as the browser goes there.
func (t *Tab) Open(address string) error {
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		r, err := cdp.Call(ctx, target, page.Navigate, page.NavigateParams{URL: address})
		if err == nil && r.ErrorText != "" {
			err = errors.New(r.ErrorText)
		}
		return chromedp.Void{}, err
	})
	if err != nil {
		return fmt.Errorf("open %s: %w", withoutToken(address), err)
	}
	return nil
}

func withoutToken(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}

// Eval evaluates an expression in the page; if it is a promise, what that comes to.
func Eval[T any](t *Tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("%s: %w", expression, err)
	}
	return v, nil
}

// shows is what a page shows, and where what is typed goes.
const shows = `JSON.stringify({at: location.pathname + location.search, focus: document.activeElement?.id, typed: document.activeElement?.value, text: document.body?.innerText.slice(0, 500)})`

// Await waits until an expression, or the promise that it returns, is true in the page. If it does not become true, the
// error says what the page shows.
func (t *Tab) Await(expression string, within time.Duration) error {
	deadline := time.Now().Add(within)
	for {
		ok, err := t.comesTrue(expression)
		if ok {
			return nil
		}
		if time.Now().After(deadline) {
			return t.unmet(expression, within, err)
		}
		if err := t.pause(); err != nil {
			return err
		}
	}
}

// comesTrue polls an expression in the page for a second at most, since the tab may have gone to another page.
func (t *Tab) comesTrue(expression string) (bool, error) {
	return Eval[bool](t, "("+comesTrue+")(async () => !!(await ("+expression+")))")
}

// unmet is the error of a wait for an expression.
func (t *Tab) unmet(expression string, after time.Duration, err error) error {
	if err != nil {
		return fmt.Errorf("not within %s: %w", after, err)
	}
	seen, _ := Eval[string](t, shows)
	return fmt.Errorf("not true within %s: %s\nthe page: %s", after, expression, seen)
}

// pause waits until a condition is looked at again.
func (t *Tab) pause() error {
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-time.After(look):
		return nil
	}
}

// comesTrue polls a condition for a second, and returns whether it came true.
const comesTrue = `async is => {
	for (const until = performance.now() + 1000; ; await new Promise(next => setTimeout(next, 25))) {
		if (await is()) return true;
		if (performance.now() > until) return false;
	}
}`

// Type empties a field and types into it.
func (t *Tab) Type(selector, text string) error {
	if _, err := Eval[bool](t, `(() => { const el = document.querySelector(`+quote(selector)+`); el.focus(); el.select(); return true })()`); err != nil {
		return err
	}
	if text == "" {
		text = "\b"
	}
	return t.PressIn(selector, text)
}

// TextOf is the expression for the text of the first element that a CSS selector selects, or "".
func TextOf(selector string) string {
	return `document.querySelector(` + quote(selector) + `)?.innerText ?? ""`
}

// Text is the text of the first element that a CSS selector selects, or "".
func (t *Tab) Text(selector string) (string, error) {
	return Eval[string](t, TextOf(selector))
}

// Resize makes the page this large.
func (t *Tab) Resize(width, height int64) error {
	return t.do(chromedp.EmulateViewport(width, height))
}

// Touch makes the page as large as a screen that is touched, for the pages opened next.
func (t *Tab) Touch(width, height int64) error {
	return t.do(
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: true}),
		call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}),
	)
}

// Prefer sets a media feature, like prefers-color-scheme.
func (t *Tab) Prefer(feature, value string) error {
	return t.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	}))
}

// Shot takes a picture of the page, as PNG.
func (t *Tab) Shot() ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.ctx, answerWithin)
	defer cancel()
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

func quote(s string) string {
	doc, _ := json.Marshal(s) // of a string it does not fail
	return string(doc)
}

// Frame returns a frame of the tab whose process is another than the tab's, once its address has
// the prefix. It closes with the tab. A frame that is going while we look is not it.
func (t *Tab) Frame(prefix string, within time.Duration) (*Tab, error) {
	err := fmt.Errorf("no frame of %s", prefix)
	for until := time.Now().Add(within); time.Now().Before(until); time.Sleep(look) {
		all, asked := chromedp.Targets(t.ctx)
		if asked != nil {
			return nil, asked
		}
		for _, one := range all {
			if one.Type != "iframe" || !strings.HasPrefix(one.URL, prefix) {
				continue
			}
			ctx, cancel := chromedp.NewContext(t.ctx, chromedp.WithTargetID(one.TargetID))
			var f *Tab
			if f, err = newTab(ctx, cancel); err == nil {
				if _, err = Eval[string](f, `new Promise(next => setTimeout(() => next(""), 100))`); err == nil {
					return f, nil
				}
				cancel()
			}
		}
	}
	return nil, err
}
