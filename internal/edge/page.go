//go:build !js

package edge

import "net/http"

// policy allows the page to run our own files, including WebAssembly, and to connect to us. The
// only Trusted Types policy is for the worker's address.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; " + framedByNone + " " +
	"require-trusted-types-for 'script'; trusted-types watchglass"

const framedByNone = "frame-ancestors 'none';"

// hsts makes browsers use https only for the host, for half a year.
const hsts = "max-age=15768000"

// Strict sets the security headers of every response, and Strict-Transport-Security with https.
//
// Origin-Agent-Cluster keeps pages of other ports of this host, which are the same site, out of the
// process of the page and its shared worker. Cross-Origin-Embedder-Policy would isolate only the
// page: Chromium would run the worker, which has all data, in another process, together with
// pages of other ports. The page loads nothing from other origins in either case.
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
