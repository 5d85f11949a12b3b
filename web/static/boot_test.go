//go:build !js

package static

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// bootPage is a page of which only as much exists as boot.js uses. It prints whether the program runs, in which kind
// of worker, or what the page says instead.
const bootPage = `
const [script, blocked, failure] = process.argv.slice(1), denied = new Error(failure), say = (words) => (console.log(words), process.exit());
const use = (what) => { if (blocked === what) throw denied; };
let kind = "no worker";
const element = () => ({ said: [], setAttribute() {}, remove() {}, focus() {}, appendChild(el) { this.said.push(el); return this.lastChild = el; } });
const body = element(), port = { postMessage() {} };
const worker = (name, add) => class { constructor() { use("worker"), kind = name; Object.assign(this, add); } postMessage() {} };
const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
define("document", { currentScript: { dataset: { worker: "/-/files/worker.js", wasm: "/-/files/app.wasm" } }, documentElement: { dataset: {} }, styleSheets: [1], body, querySelector: () => null, createElement: element, hasFocus: () => true });
define("location", Object.assign(new URL("https://w.example/pods"), { reload() {} }));
define("navigator", { locks: { request: async (_, ...how) => (use("storage"), how.at(-1)()) } });
Object.defineProperty(globalThis, "localStorage", { configurable: true, get() { use("storage"); return { getItem: () => null, setItem() {} }; } });
Object.defineProperty(globalThis, "sessionStorage", { get() { use("storage"); return { removeItem() {} }; } });
define("addEventListener", () => {});
define("fetch", async () => ({}));
define("Worker", worker("its own worker", {})), define("SharedWorker", worker("a shared worker", { port }));
define("watchglassFrame", () => null), define("watchglassGlimpse", () => ({ began() {}, end() {}, wanted: () => "" }));
define("watchglassSession", () => ({ trusts: () => true, login: async () => {}, ready: new Promise(() => {}), reached: [] }));
define("WebAssembly", { compileStreaming: async () => ({}), instantiate: async () => ({}) });
define("Go", class { run() { say("runs, with " + kind); } });
console.error = () => {};
const append = body.appendChild;
body.appendChild = function (el) { setTimeout(() => say(el.said.map((e) => e.textContent).filter(Boolean).join(" | "))); return append.call(this, el); };
(0, eval)(require("fs").readFileSync(script, "utf8"));
`

// TestBootBlocked checks the page in a browser or a frame that may not store anything, where any use of the storage or
// of locks throws: it runs, in a worker of its own. If it may not even have that, it says why, in whole sentences.
func TestBootBlocked(t *testing.T) {
	const stopped = "Watchglass has stopped | The page stopped: The request was denied. The data on screen is no longer updated. Reload the page to continue."
	for name, c := range map[string]struct{ blocked, failure, want string }{
		"nothing":              {"", "", "runs, with a shared worker"},
		"storage":              {"storage", "The request was denied.", "runs, with its own worker"},
		"workers":              {"worker", "The request was denied.", stopped},
		"without a full stop":  {"worker", "The request was denied", stopped},
		"without any reason":   {"worker", "", strings.ReplaceAll(stopped, "The request was denied", "Error")},
		"with a dot in a name": {"worker", "no a.b", strings.ReplaceAll(stopped, "The request was denied", "no a.b")},
	} {
		t.Run(name, func(t *testing.T) {
			run := exec.Command("node", "-e", bootPage, "boot.js", c.blocked, c.failure)
			run.Stderr = os.Stderr
			out, err := run.Output()
			if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}
