//go:build !js

package edge

import "net/http"

// policy is what the page may do: run our own files, WebAssembly among them,
// and talk to us. One Trusted Types policy exists, for the worker's address.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types watchglass"

// hsts has browsers ask for nothing of the host but by https, for half a year.
const hsts = "max-age=15768000"

// Strict sets the headers that every answer has. Where browsers come by https, they are
// held to it. There is no Cross-Origin-Embedder-Policy: the policy lets the page load nothing
// of other origins anyway, and a page that is isolated has its shared worker in another
// process, which starts later and compiles the program again.
func Strict(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Origin-Agent-Cluster", "?1") // no process with other ports of this host, which are the same site
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if https {
			h.Set("Strict-Transport-Security", hsts)
		}
		next.ServeHTTP(w, r)
	})
}
