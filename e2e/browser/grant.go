package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

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

// Downloads has the tab's profile save files into a folder.
func (t *Tab) Downloads(dir string) error {
	_, err := chromedp.CallBrowser(t.ctx, protocol.SetDownloadBehavior, protocol.SetDownloadBehaviorParams{
		Behavior: protocol.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
	})
	return err
}

// Downloaded waits until there is a file of a pattern, whole, and returns its path. Chromium reserves
// the name with an empty file, and replaces that by the whole one.
func (t *Tab) Downloaded(pattern string, within time.Duration) (string, error) {
	for deadline := time.Now().Add(within); ; {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Size() > 0 {
				return file, nil
			}
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("no %s within %s", pattern, within)
		}
		select {
		case <-t.ctx.Done():
			return "", t.ctx.Err()
		case <-time.After(look):
		}
	}
}
