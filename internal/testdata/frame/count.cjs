"use strict";
// Runs a program of Go under Node, and counts the calls that it makes of package syscall/js:
//   node count.cjs GOROOT PROGRAM
// Go's finalizers are not counted, since they run when the garbage collector does.
globalThis.require = require;
globalThis.fs = require("fs");
globalThis.path = require("path");
const [goroot, program] = process.argv.slice(2);
require(path.join(goroot, "lib", "wasm", "wasm_exec.js"));

const go = new Go();
let calls = 0;
const imports = go.importObject.gojs;
for (const [name, f] of Object.entries(imports)) {
  if (!name.startsWith("syscall/js.") || name === "syscall/js.finalizeRef") continue;
  imports[name] = (sp) => { calls++; return f(sp); };
}
globalThis.countedCalls = () => calls;

// The page: elements that nobody sees, painters that paint nothing, and a port that keeps the last
// message and delivers it in a later task.
const element = () => ({ setAttribute() {}, append() {}, addEventListener() {} });
globalThis.element = element();
globalThis.document = { createElement: element };
globalThis.watchglassPaint = () => {};
globalThis.peer = { postMessage(data) { this.last = data; } };
globalThis.deliver = () => { setTimeout(() => peer.onmessage({ data: peer.last })); };

WebAssembly.instantiate(fs.readFileSync(program), go.importObject).then((result) => go.run(result.instance));
