"use strict";
// Replaces session.js, frame.js and glimpse.js in a copy of the page, which any web server can serve. There is
// no sign-in and no cluster, so nothing is sent anywhere. The worker loads it, too.
globalThis.watchglassFrame = () => null;
globalThis.watchglassGlimpse = () => ({ began() {}, end() {} });
globalThis.watchglassSession = () => {
  const no = async () => { throw new Error("This copy of Watchglass has no proxy. It only opens recordings."); };
  const recording = async (name) => [new URL(encodeURIComponent(name), location.href).href, name];
  return { name: "copy", user: "", ready: Promise.resolve(), reached: [], login: async () => {}, renew: async () => {}, signOut: no, reach: no, recording, trusts: () => true, trust: () => {} };
};
// watchglassRecording fetches the recording that was published with the copy, in the worker.
globalThis.watchglassRecording = async ([address, name]) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the web server returned ${answer.status} for ${name}`);
  return [await answer.arrayBuffer(), name];
};
// The program is compressed, since many web servers neither compress it nor know its type. Some servers
// have the browser decompress it.
globalThis.watchglassFetch = async (name) => {
  if (location.protocol === "file:") throw new Error("Browsers run WebAssembly only from a web server. Serve this folder, for example with: python3 -m http.server");
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`the web server returned ${answer.status} for ${name}`);
  const bytes = await answer.arrayBuffer(), [first, second] = new Uint8Array(bytes), { body } = new Response(bytes);
  const program = first === 0x1f && second === 0x8b ? body.pipeThrough(new DecompressionStream("gzip")) : body;
  return new Response(program, { headers: { "Content-Type": "application/wasm" } });
};
