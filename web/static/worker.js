// The worker's first moments: open the socket and ask for the resource of the
// address, while the program is still being compiled.
"use strict";
(() => {
  const { early, context, proof, exec } = JSON.parse(self.name);
  const url = new URL("../socket", self.location.href);
  if (context) url.searchParams.set("c", context);
  url.protocol = url.protocol.replace("http", "ws");
  const nothing = () => {};

  // A link is one WebSocket. What comes before the program takes it waits here.
  const open = (hello) => {
    const socket = new WebSocket(url), waiting = [];
    const link = { socket, greeted: hello !== "", open: nothing, end: nothing, take: nothing };
    let opened = false, ended = null, started = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { opened = true; if (hello) socket.send(hello); if (started) link.open(); };
    socket.onmessage = (e) => (started ? link.take(e.data) : waiting.push(e.data));
    socket.onclose = ({ code, reason }) => { ended = [code, reason]; if (started) link.end(code, reason); };
    link.start = () => {
      started = true;
      if (opened) link.open();
      for (const data of waiting.splice(0)) link.take(data);
      if (ended) link.end(...ended);
    };
    link.close = () => {
      socket.onopen = socket.onmessage = socket.onclose = nothing;
      socket.close();
      link.end(1000, "");
      link.open = link.end = link.take = nothing;
    };
    return link;
  };

  let first = open(JSON.stringify({ v: 1, early, proof }));
  self.watchglassEarly = early;
  self.watchglassDial = () => { const link = first ?? open(""); first = null; return link; };

  const ours = (name) => {
    const file = new URL(name.replace(/^.*\//, ""), self.location.href);
    if (file.origin !== self.location.origin) throw new TypeError("not a file of ours");
    return file.href;
  };
  const policy = self.trustedTypes?.createPolicy("watchglass", { createScriptURL: ours }) ?? { createScriptURL: ours };
  importScripts(policy.createScriptURL(exec));

  self.onmessage = async ({ data: { module, port, proof } }) => {
    self.onmessage = null;
    self.watchglassPort = port;
    self.watchglassProof = proof;
    const go = new Go();
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    self.postMessage("the program has exited");
  };
})();
