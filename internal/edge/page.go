//go:build !js

package edge

import "net/http"

// policy allows the page to run our own files, WebAssembly among them, and to connect to us.
// The only Trusted Types policy is for the worker's address.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types watchglass"

// hsts makes browsers use only https for the host, for half a year.
const hsts = "max-age=15768000"

// Strict sets the headers of every answer; with https also Strict-Transport-Security.
//
// Origin-Agent-Cluster keeps other ports of this host, which are the same site, out of the
// process of the page and its shared worker. Cross-Origin-Embedder-Policy would isolate the
// page alone: Chromium then runs the worker, which holds all data, in another process, together
// with other ports. The page loads nothing from other origins in either case.
func Strict(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Origin-Agent-Cluster", "?1")
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
