// Runs before any Go: starts the session and the worker, which opens the socket at once, and
// compiles the program for the page (and for a dedicated worker).
"use strict";
(() => {
  const names = document.currentScript.dataset, root = document.documentElement;
  const files = new URL(names.worker, location.href);
  const base = files.pathname.replace(/\/-\/files\/.*$/, "");
  root.dataset.base = base;
  try { root.dataset.theme = localStorage.getItem("watchglass:theme") || ""; } catch {
    for (const [of, name, value] of [[globalThis, "localStorage", {}], [navigator, "locks"]]) Object.defineProperty(of, name, { value }); // storage is blocked: using either would end the program
  }
  globalThis.goappGetenv = () => ""; // the only function of its own loader that go-app needs

  // panel shows a message and buttons while no program runs. It resolves to the label that
  // was clicked; the last button has the focus.
  const panel = (title, words, ...ways) => new Promise((chosen) => {
    const add = (to, tag, className, textContent) => to.appendChild(Object.assign(document.createElement(tag), { className, textContent }));
    document.querySelector(".crash")?.remove();
    glimpse.end();
    const panel = add(document.body, "div", "crash", "");
    panel.setAttribute("role", "alert");
    add(panel, "h1", "", title);
    add(panel, "p", "", words);
    const row = add(panel, "div", "ways", "");
    for (const way of ways) add(row, "button", "way", way).onclick = () => { panel.remove(); chosen(way); };
    if (!frame || document.hasFocus()) row.lastChild.focus(); // never takes the focus from the page around
  });
  // reloadSoon loads the page again, since a file of another build was served instead of one of this. During a rollout, a
  // request may reach a proxy of either. After twenty times it says so.
  const reloads = "watchglass:reloads";
  const reloadSoon = () => {
    let times = 0;
    try { sessionStorage.setItem(reloads, (times = Number(sessionStorage.getItem(reloads) ?? 0) + 1)); } catch {}
    if (times > 20) return stop("Files are missing", "The proxy and this page are of different versions. Reload the page in a minute.");
    globalThis.watchglassAgain ||= setTimeout(() => { globalThis.watchglassAgain = 0; location.reload(); }, 500 + 1500 * Math.random());
  };
  const checkStyle = () => { if (!document.styleSheets.length) reloadSoon(); };
  if (document.readyState === "complete") checkStyle();
  else addEventListener("load", checkStyle);
  let session, signed, leave = () => {}; // the worker
  const stop = (title, words) => {
    if (globalThis.watchglassAgain) return;
    leave();
    delete root.dataset.unsaved; // it is lost
    root.dataset.state = "offline";
    const badge = document.querySelector(".badge");
    if (badge) badge.dataset.tone = "gone", badge.textContent = "stopped";
    frame?.send({ type: "error", detail: { code: "stopped", message: `${title}. ${words}` } });
    panel(title, words, "Reload").then(() => location.reload());
  };
  const crashed = (who, e) => stop("Watchglass has stopped", `The ${who} stopped: ${String(e?.message || e || "no reason given").replace(/\.$/, "")}. The data on screen is no longer updated. Reload the page to continue.`);

  const alone = root.dataset.recording !== undefined; // there is no cluster: the page shows a recording
  const context = alone ? "" : new URLSearchParams(location.search).get("c") ?? "";
  const frame = watchglassFrame(), glimpse = (globalThis.watchglassGlimpse = watchglassGlimpse(base));

  const policy = globalThis.trustedTypes?.createPolicy("watchglass", { createScriptURL: ours }) ?? { createScriptURL: ours };
  function ours(name) {
    const url = new URL(name, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${base}/-/files/`)) throw new TypeError("not one of our files");
    return url.href;
  }

  // One SharedWorker runs the hub for all tabs of this browser; without SharedWorker, a
  // worker of this tab does. A worker that ends is replaced, but not twice within a minute.
  // All tabs agree on its number.
  const shared = !alone && "SharedWorker" in globalThis && !!navigator.locks, health = `watchglass:worker:${base}`;
  const early = location.pathname.slice(base.length).replace(/^\/|\/.*$/g, "").replace(/^(overview|problems)?$/, "pods"); // what the overview reads most of
  let own = { number: 0, at: 0, before: 0 }, handler, current, tell, compiled, recording, recorded, join, joined = false, as;
  const recall = () => { try { return (shared && JSON.parse(localStorage.getItem(health))) || own; } catch { return own; } };
  const next = (number) => {
    const last = recall();
    if (last.number > number) return; // another tab has already replaced it
    own = { number: number + 1, at: Date.now(), before: last.at };
    try { localStorage.setItem(health, JSON.stringify(own)); } catch {}
  };
  const port = { // stays the same when the worker is replaced
    postMessage: (...args) => current.postMessage(...args),
    set onmessage(f) { handler = f; current.onmessage = f; },
  };
  const locked = (name, ...how) => (shared ? navigator.locks.request(name, ...how) : how.at(-1)());
  // startWorker starts a worker, and sets join, which connects the page to it.
  const startWorker = (again) => {
    own = recall();
    const { number } = own, name = JSON.stringify({ base, number, alone, published: !!root.dataset.recording, frame: frame?.gives && [frame.origin, session.user], program: names.wasm, scripts: [names.session, names.disk, names.visits, names.exec] });
    const url = policy.createScriptURL(names.worker), worker = shared ? new SharedWorker(url, { name }) : new Worker(url, { name });
    const control = shared ? worker.port : worker, { port1, port2 } = new MessageChannel();
    // The hub waits for this lock, which is released with the page or when the page leaves
    // this worker.
    const alive = `watchglass:page:${Math.random()}`;
    let over = false, release = () => {};
    const held = new Promise((done) => locked(alive, () => (done(), shared && new Promise((end) => (release = end)))));
    const detach = () => {
      over = true;
      worker.terminate?.();
      control.onmessage = port1.onmessage = null;
      port1.close();
      release();
    };
    const ended = async (why = "no reason given") => {
      if (over) return;
      detach();
      console.error("the worker ended:", why);
      await locked(health, () => next(number));
      const { at, before } = recall();
      if (before && at >= before && at - before < 60_000) return crashed("background worker", why.split("\n")[0]);
      startWorker(true);
      if (joined) join();
    };
    const late = shared && setTimeout(() => ended("it did not start within 30 seconds"), 30_000);
    worker.onerror = (e) => ended(e.message);
    control.onmessage = ({ data }) => {
      if (data.again) return reloadSoon(); // one of its scripts is of another build
      if (data.why) return ended(data.why);
      if (data.file) return recorded.file(data.file);
      if (data.missing) return recorded.missing(new Error(data.missing));
      if (data.glimpse) return void signed.then(() => data.of === (session.user ?? "") && glimpse.show(data.glimpse)).catch(() => {}); // the stored user may be another one
      if (data.saved) return void (data.saved[0] === context && glimpse.capture(data.saved[1]).then((bytes) => bytes && control.postMessage({ context, of: session.user ?? "", keep: [data.saved[1], bytes] })).catch(() => {}));
      clearTimeout(late);
      locked(data.alive, { mode: "shared" }, () => void ended());
    };
    leave = detach;
    join = async () => {
      joined = true;
      alone || control.postMessage({ context, early, glimpse: glimpse.wanted(early), of: session.user ?? "" }); // it connects to the proxy at once
      tell = () => [[context, session], ...session.reached].forEach(([context, { name, key, skew, proof, sealed }]) => control.postMessage({ context, session: { name, key, skew, proof, sealed } }));
      current = port1;
      session.ready.then(tell);
      recording?.then((recording) => control.postMessage({ recording }), recorded.missing);
      await held;
      if (over) return;
      control.postMessage({ port: port2, context, early, identity: (as = session.user ?? ""), alive: shared ? alive : "" }, [port2]);
      if (!shared) control.postMessage({ module: await compiled });
      if (again) tell(), (port1.onmessage = handler), port.onreset?.();
    };
  };
  addEventListener("beforeunload", (e) => "unsaved" in root.dataset && e.preventDefault());
  addEventListener("pageshow", (e) => e.persisted && location.reload()); // restored by Back: the hub has disconnected it

  const fetched = async (tries = 20) => {
    const answer = await fetch(names.wasm);
    return answer.status === 404 && tries ? (await new Promise((later) => setTimeout(later, 500)), fetched(tries - 1)) : answer;
  };
  const start = async () => {
    compiled = WebAssembly.compileStreaming(globalThis.watchglassFetch?.(names.wasm) ?? fetched());
    compiled.catch(() => {}); // reported below
    await frame?.ready;
    session = globalThis.watchglassSession = watchglassSession(base, context, frame?.gives ? frame : null);
    if (frame) session.leave = () => (leave(), (root.dataset.left = ""), frame.leave(panel)); // nothing stays on screen
    if (!session.trusts()) {
      const yes = `Open ${context}`;
      const way = await panel(`Open context ${context}?`, "This browser has not opened it before. Opening it may run its credential plugin on the machine that runs Watchglass.", yes, "Open default context");
      if (way !== yes) return location.replace(`${base}/`);
      session.trust(context);
    }
    if (!frame?.gives) startWorker(); // with a token, the worker belongs to its user
    signed = session.login().then((why) => { if (why) throw stop(...why); });
    signed.catch(() => {}); // awaited later
    const name = root.dataset.recording;
    if (name) recording = signed.then(() => session.recording(name)), (globalThis.watchglassFile = new Promise((file, missing) => (recorded = { file, missing })));
    if (frame?.gives) await signed, startWorker();
    if (location.hash || !session.name || session.user === undefined) await signed; // otherwise a session very likely exists
    await join();
    globalThis.watchglassPort = port;
    const go = new Go(), module = await compiled;
    await signed;
    if (as !== (session.user ?? "")) leave(), startWorker(), await join(); // the stored user was another one
    session.changed = () => tell();
    tell();
    globalThis.watchglassHost = frame;
    glimpse.began();
    try { sessionStorage.removeItem(reloads); } catch {}
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    crashed("page", "the program has exited");
  };
  start().catch((e) => e && !frame?.left && crashed("page", e));
})();
