// Before any Go runs: begin a session, start the worker, which opens the socket at
// once, and compile the program once for both.
"use strict";
(() => {
  const names = document.currentScript.dataset, root = document.documentElement;
  const files = new URL(names.worker, location.href);
  const base = files.pathname.replace(/\/-\/files\/.*$/, "");
  root.dataset.base = base;
  try { root.dataset.theme = localStorage.getItem("watchglass:theme") || ""; } catch {
    Object.defineProperty(globalThis, "localStorage", { value: {} }); // it is forbidden: to look at it would end the program
  }
  globalThis.goappGetenv = () => ""; // all that go-app asks of its own loader

  // The words for when there is no program to say them, with a way on.
  const stop = (title, words) => {
    const panel = document.createElement("div");
    panel.className = "crash";
    panel.setAttribute("role", "alert");
    for (const [tag, text] of [["h1", title], ["p", words], ["button", "Reload"]]) {
      const el = document.createElement(tag);
      el.textContent = text;
      if (tag === "button") el.onclick = () => location.reload();
      panel.append(el);
    }
    root.dataset.state = "offline";
    const badge = document.querySelector(".badge");
    if (badge) badge.dataset.tone = "gone", badge.textContent = "stopped";
    document.querySelector(".crash")?.remove();
    document.body.append(panel);
  };
  const crashed = (who, e) => stop("Watchglass has stopped", `The ${who} ended: ${e?.message || e || "it gave no reason"}. What is shown is no longer live.`);

  const context = new URLSearchParams(location.search).get("c") ?? "";
  const session = (globalThis.watchglassSession = watchglassSession(base, context));

  const policy = globalThis.trustedTypes?.createPolicy("watchglass", { createScriptURL: ours }) ?? { createScriptURL: ours };
  function ours(name) {
    const url = new URL(name, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${base}/-/files/`)) throw new TypeError("not a file of ours");
    return url.href;
  }

  const work = () => {
    const early = location.pathname.slice(base.length).replace(/^\/|\/.*$/g, "") || "pods";
    const worker = new Worker(policy.createScriptURL(names.worker), { name: JSON.stringify({ early, context, proof: session.proof, exec: names.exec }) });
    worker.onerror = (e) => crashed("worker", e);
    worker.onmessage = (e) => crashed("worker", e.data);
    return worker;
  };

  const start = async () => {
    const compiled = WebAssembly.compileStreaming(fetch(names.wasm));
    compiled.catch(() => {}); // said below
    const signed = session.login().then((why) => { if (why) throw stop(...why); });
    signed.catch(() => {});
    if (location.hash || !session.proof) await signed; // else there is a session, most likely
    const worker = work(), channel = new MessageChannel();
    globalThis.watchglassPort = channel.port1;
    const go = new Go(), module = await compiled;
    await signed;
    worker.postMessage({ module, proof: session.proof, port: channel.port2 }, [channel.port2]);
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    crashed("page", "the program has exited");
  };
  start().catch((e) => e && crashed("page", e));
})();
