package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Freeze hides the page and stops its timers and tasks, as the browser does to tabs that nobody looks at.
func (t *Tab) Freeze() error {
	return errors.Join(t.focused(false), t.lifecycle(page.SetWebLifecycleStateStateFrozen))
}

// Thaw lets a frozen page run again, and shows it. Chromium leaves it hidden unless it has the focus.
func (t *Tab) Thaw() error {
	return errors.Join(t.lifecycle(page.SetWebLifecycleStateStateActive), t.focused(true), t.do(call(page.BringToFront, cdp.Empty{})))
}

// focused makes the page believe that it has the focus, or takes that back.
func (t *Tab) focused(yes bool) error {
	return t.do(call(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: yes}))
}

func (t *Tab) lifecycle(state page.SetWebLifecycleStateState) error {
	return t.do(call(page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state}))
}

// SetOnline sets what the browser tells the page of its network. Connections are not touched.
func (t *Tab) SetOnline(online bool) error {
	return t.do(call(network.OverrideNetworkState, network.OverrideNetworkStateParams{
		Offline: !online, DownloadThroughput: -1, UploadThroughput: -1,
	}))
}

// SetAhead sets the clock that the page reads ahead of the machine's. performance.now() is not changed.
func (t *Tab) SetAhead(millis int64) error {
	_, err := Eval[float64](t, aheadOf+strconv.FormatInt(millis, 10)+`; })()`)
	return err
}

// EvalWorker evaluates an expression in the worker whose clock it is.
func EvalWorker[T any](c *Clock, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(c.worker, answerWithin)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Stall stops all processes of the browser, as a laptop that sleeps does, or lets them go on.
func (b *Browser) Stall(yes bool) error {
	root := chromedp.FromContext(b.ctx).Browser.Process()
	if root == nil {
		return errors.New("the browser has no process of ours")
	}
	send := syscall.SIGCONT
	if yes {
		send = syscall.SIGSTOP
	}
	all, err := descendants(root.Pid)
	for _, pid := range all {
		if failed := syscall.Kill(pid, send); failed != nil && !errors.Is(failed, syscall.ESRCH) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// descendants returns a process and all that it and they started.
func descendants(pid int) ([]int, error) {
	children := make(map[int][]int)
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(strings.Split(file, "/")[2])
		_, rest, _ := strings.Cut(string(doc[strings.LastIndexByte(string(doc), ')')+1:]), " ") // the name may have spaces
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], id)
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all, nil
}
