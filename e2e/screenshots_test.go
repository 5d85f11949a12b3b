package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestScreenshots opens the demo as a newcomer does, and keeps the pictures that
// the README shows: under screenshots/ if SCREENSHOTS is set, as make screenshots
// does, and else with the others.
func TestScreenshots(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Kubeconfig: filepath.Join(t.TempDir(), "none"), Args: []string{"--demo", "--demo-objects", "4000"}})
	e := synced(t, p.At("/"))
	e.Must(e.Resize(1440, 810))
	e.Await(`document.querySelector(".rail .fold[data-value=Custom]")`)
	e.Await(`[...document.querySelectorAll(".total")].every(t => /\d/.test(t.innerText))`)
	for _, theme := range []string{"light", "dark"} {
		e.Must(e.Prefer("prefers-color-scheme", theme))
		e.Await(`document.getAnimations().every(a => a.timeline !== document.timeline)`)
		picture, err := e.Shot()
		e.Must(err)
		dir := "screenshots"
		if !stage.Pictures() {
			dir = filepath.Join("out", t.Name())
		}
		e.Must(os.MkdirAll(dir, 0o755))
		e.Must(os.WriteFile(filepath.Join(dir, theme+".png"), picture, 0o644))
	}
}
