package browser

import (
	"fmt"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Allow lets the pages of the tab's profile do what a person is asked for else, like
// "clipboard-read".
func (t *Tab) Allow(permissions ...string) error {
	for _, name := range permissions {
		_, err := chromedp.CallBrowser(t.ctx, protocol.SetPermission, protocol.SetPermissionParams{
			Permission: &protocol.PermissionDescriptor{Name: name}, Setting: protocol.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
		})
		if err != nil {
			return fmt.Errorf("allow %s: %w", name, err)
		}
	}
	return nil
}

// First has every page run a script before its own.
func (t *Tab) First(script string) error {
	_, err := chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return err
}
