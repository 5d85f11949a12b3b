package stage

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"watchglass/e2e/browser"
)

// OwnProfile starts a browser of the test's own, and returns its first tab and the folder of its profile.
func OwnProfile(t *testing.T) (tab *browser.Tab, profile string) {
	t.Helper()
	profile = t.TempDir()
	chrome, err := browser.Start(context.WithoutCancel(t.Context()), "js-flags=--liftoff-only", "user-data-dir="+profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chrome.Stop(); err != nil {
			t.Error(err)
		}
	})
	if tab, err = chrome.FirstTab(); err != nil {
		t.Fatal(err)
	}
	return tab, profile
}

// Containing returns a file of a folder that contains a text, or "". A file may go meanwhile.
func Containing(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		doc, err := os.ReadFile(path)
		if bytes.Contains(doc, []byte(text)) {
			found = path
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

// diskFiles lists what the browser has of the page's history: folders, and files as "folder/file".
const diskFiles = `(async () => {
	const found = [];
	for await (const [name, all] of (await navigator.storage.getDirectory()).entries()) {
		if (!name.startsWith("watchglass-history-")) continue;
		try {
			for await (const [folder, files] of all.entries()) {
				found.push(folder);
				for await (const file of files.keys()) found.push(folder + "/" + file);
			}
		} catch (e) {
			if (e.name !== "NotFoundError") throw e; // it was removed meanwhile
		}
	}
	return found;
})()`

// DiskFiles returns what the browser has of the page's history: folders, and files as "folder/file".
func (e Eyes) DiskFiles() []string {
	e.T.Helper()
	return Eval[[]string](e, diskFiles)
}

// visitFiles lists what the browser has of the last visit, without what is still being written: Chromium
// writes that beside the others, and it may be empty.
const visitFiles = `(async () => {
	const found = [];
	for await (const [folder, all] of (await navigator.storage.getDirectory()).entries()) {
		if (!folder.startsWith("watchglass-visit-")) continue;
		for await (const [name, file] of all.entries()) if (!name.endsWith(".crswap") && (await file.getFile().catch(() => ({}))).size) found.push(name);
	}
	return found.sort();
})()`

// VisitFiles returns the names of the files that the browser has of the last visit.
func (e Eyes) VisitFiles() []string {
	e.T.Helper()
	return Eval[[]string](e, visitFiles)
}

// ChooseDisk clicks the choice to keep history on disk, and waits until it is on or off.
func (e Eyes) ChooseDisk(on string) {
	e.T.Helper()
	const choice = `#view-popover [data-action=disk]`
	e.Must(e.Click("#view-menu"))
	e.Await(`document.querySelector("` + choice + `").checkVisibility()`)
	e.Must(e.Click(choice))
	e.Await(`document.querySelector("` + choice + `").ariaPressed === "` + on + `"`)
	e.Await(`watchglass.inspect().then((i) => i.history.disk.on === ` + on + `)`)
}
