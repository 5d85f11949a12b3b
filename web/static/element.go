//go:build !js

package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
)

//go:embed embed
var element embed.FS

// Element serves the files of the custom element, which other pages load by a name that never
// changes. Browsers ask each time whether the content has.
func Element(w http.ResponseWriter, r *http.Request, name string) {
	body, err := element.ReadFile("embed/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", elementTypes(name))
	write(w, r, body)
}

// elementTypes returns the media type of one of the element's files. TypeScript has none, and .ts
// is a video to some systems.
func elementTypes(name string) string {
	if name == "watch-glass.js" {
		return "text/javascript; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}
