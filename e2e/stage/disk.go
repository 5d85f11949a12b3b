package stage

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"watchglass/e2e/browser"
)

// OwnProfile starts a browser of the test's own, with further flags, and returns its first tab and the folder of
// its profile.
func OwnProfile(t *testing.T, flags ...string) (tab *browser.Tab, profile string) {
	t.Helper()
	profile = t.TempDir()
	chrome, err := browser.Start(context.WithoutCancel(t.Context()), append(flags, baseline, "user-data-dir="+profile)...)
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

// Containing returns a file of a folder that contains a text, plainly or compressed with gzip, or "". A file may go
// meanwhile.
func Containing(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var doc []byte
			if doc, err = os.ReadFile(path); contains(doc, []byte(text)) {
				found = path
				return fs.SkipAll
			}
		}
		if errors.Is(err, fs.ErrNotExist) && path != dir {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// gzipMagic begins every gzip stream: deflate is its only method.
var gzipMagic = []byte{0x1f, 0x8b, 8}

// contains reports whether a document contains a text, plainly or in a gzip stream. The stream may begin anywhere in the
// document, and may break off: a page that forgot to encrypt would leave such files.
func contains(doc, text []byte) bool {
	if bytes.Contains(doc, text) {
		return true
	}
	for at := bytes.Index(doc, gzipMagic); at >= 0; at = bytes.Index(doc, gzipMagic) {
		if bytes.Contains(unzipped(doc[at:]), text) {
			return true
		}
		doc = doc[at+1:]
	}
	return false
}

// unzipped returns as much of a gzip stream as can be read, and nothing if it is none. Anything may follow the stream.
func unzipped(doc []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(doc))
	if err != nil {
		return nil
	}
	z.Multistream(false)
	out, _ := io.ReadAll(z) // with what came before an error
	return out
}

// control is a text that no page and no test writes.
const control = "control-of-the-search-for-canaries"

// leaveControl writes a text into the browser's private files as the page would if it did not encrypt: in a gzip
// stream, behind a head of 16 bytes.
const leaveControl = `(async (text) => {
	const zipped = await new Response(new Response(text).body.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
	const file = await (await navigator.storage.getDirectory()).getFileHandle("control", { create: true });
	const stream = await file.createWritable();
	await stream.write(new Uint8Array(16));
	await stream.write(zipped);
	await stream.close();
})(%q)`

// CheckSearch fails the test unless Containing finds in the profile what the page would leave there if it did not
// encrypt. Otherwise a canary that is not found shows nothing. The page has to be Watchglass's.
func (e Eyes) CheckSearch(profile string) {
	e.T.Helper()
	Eval[any](e, fmt.Sprintf(leaveControl, control))
	WaitFor(e.T, "the search finds a compressed text", func() bool { return Containing(e.T, profile, control) != "" })
	Eval[any](e, `navigator.storage.getDirectory().then((all) => all.removeEntry("control"))`)
	WaitFor(e.T, "the compressed text is gone", func() bool { return Containing(e.T, profile, control) == "" })
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
