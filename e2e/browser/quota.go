package browser

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// Quota has the tab's worker believe that it may store so many bytes. Chromium tells everybody ten gigabytes.
func (t *Tab) Quota(bytes int) error {
	worker, err := t.worker()
	if err != nil {
		return err
	}
	_, err = chromedp.Run(worker, chromedp.Evaluate[bool](fmt.Sprintf(`(navigator.storage.estimate = async () => ({ quota: %d }), true)`, bytes)))
	return err
}
