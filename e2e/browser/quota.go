package browser

import "github.com/chromedp/cdproto/storage"

// Quota limits how many bytes an origin may store.
func (t *Tab) Quota(origin string, bytes float64) error {
	return t.do(call(storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: origin, QuotaSize: &bytes}))
}
