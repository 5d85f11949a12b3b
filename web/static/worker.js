// The hub's worker: a Worker of one tab or a SharedWorker of all tabs. It connects to the proxy
// for each context as soon as a page asks, while the program is still compiling.
"use strict";
(() => {
  const { base, program, scripts, frame, alone, published } = JSON.parse(self.name), shared = "onconnect" in self;
  const nothing = () => {}, pages = new Set(), early = Object.create(null), sessions = Object.create(null); // a context may be named __proto__
  const sessionOf = (context) => (sessions[context] ??= ((s) => Object.assign(s, {
    known: new Promise((done) => (s.tell = (now) => { s.now = now; done(); })), // pages tell
    greeted: new Promise((done) => (s.onWelcome = (welcome) => { s.welcome = welcome; done(); })), // so does the proxy
  }))({}));
  // welcomeIn returns the proxy's welcome if a message is one: glimpses are shown before the program can read it.
  const welcomeIn = (message) => {
    const bytes = new Uint8Array(message);
    return bytes[0] === 5 ? JSON.parse(new TextDecoder().decode(bytes.subarray(2))) : null;
  };

  // A link is one WebSocket, which opens once it has sent the hello. Messages wait here until
  // the program takes it over. In frames, the session goes with the upgrade, since there are no
  // cookies.
  const open = (context, resource) => {
    const url = new URL("../socket", self.location.href.replace(/^http/, "ws"));
    if (context) url.searchParams.set("c", context);
    const waiting = [], session = sessionOf(context), link = { socket: null, open: nothing, end: nothing, take: nothing };
    let opened = false, ended = null, started = false, welcome;
    const forget = () => { if (session.welcome === welcome) session.welcome = null; }; // it has the key of what is on disk
    const seen = session.known.then(() => resource && Promise.race([watchglassVisits.has(context, session.now.name, resource), new Promise((late) => setTimeout(late, 500))])).catch(nothing); // a saved list replaces the early one
    const connect = (protocols) => {
      if (ended) return;
      const socket = (link.socket = new WebSocket(url, protocols));
      socket.binaryType = "arraybuffer";
      socket.onopen = async () => {
        await session.known;
        socket.send(JSON.stringify({ v: 1, large: true, queue: true, pause: true, early: (await seen) ? "" : resource, proof: await watchglassProve(session.now, "socket", base, context) }));
        opened = true;
        if (started) link.open();
      };
      socket.onmessage = ({ data }) => {
        if (!welcome && (welcome = welcomeIn(data))) session.onWelcome(welcome);
        started ? link.take(data) : waiting.push(data);
      };
      socket.onclose = ({ code, reason }) => { forget(); ended = [code, reason]; if (started) link.end(code, reason); };
    };
    if (frame) session.known.then(() => connect(["watchglass.v1", `watchglass.session.${session.now.sealed}`]));
    else connect([]);
    link.start = () => {
      started = true;
      if (opened) link.open();
      for (const data of waiting.splice(0)) link.take(data);
      if (ended) link.end(...ended);
    };
    link.close = () => {
      forget();
      ended = [1000, ""];
      if (link.socket) link.socket.onopen = link.socket.onmessage = link.socket.onclose = nothing, link.socket.close();
      link.end(1000, "");
      link.open = link.end = link.take = nothing;
    };
    return link;
  };
  self.watchglassDial = (context) => { const link = early[context] ?? open(context); delete early[context]; return link; };
  Object.assign(self, { watchglassShared: shared, watchglassAlone: alone });
  self.watchglassPages = []; // pages that connected before the program ran
  self.watchglassConnect = (page) => self.watchglassPages.push(page);

  // The recording that was published with the page is fetched and decompressed here while the program is compiling
  // and the page is busy. The program gets one that is damaged or too large from the page, and tells what is wrong.
  const largest = 256 << 20;
  const unpack = async ([bytes]) => {
    const chunks = [], reader = new Response(bytes).body.pipeThrough(new DecompressionStream("gzip")).getReader();
    let size = 0, at = 0;
    for (let part; !(part = await reader.read()).done; chunks.push(part.value))
      if ((size += part.value.length) > largest) throw (reader.cancel(), new Error("too large"));
    const all = new Uint8Array(size);
    for (const chunk of chunks) all.set(chunk, at), at += chunk.length;
    return all;
  };
  let publish, unpacked = published && new Promise((done) => (publish = done));
  if (published) self.watchglassPublished = () => { const all = unpacked; unpacked = null; return all; };
  const take = (from, page) => {
    const fetched = watchglassRecording(from), plain = fetched.then(unpack);
    publish(plain);
    const give = () => fetched.then(([bytes, name]) => page.postMessage({ file: new File([bytes], name) }), (e) => page.postMessage({ missing: e.message }));
    plain.then(give, give);
  };

  let last = ""; // panic or fatal error that Go printed, and where
  const log = console.log;
  console.log = (...words) => { if (last || /^(panic|fatal error): /.test(words[0])) last = `${last}${words[0]}\n`.slice(0, 4000); log(...words); };
  const end = (why) => { for (const page of pages) page.postMessage({ why }); self.close(); };
  const run = async (module) => {
    try {
      const go = new Go();
      await go.run(await WebAssembly.instantiate(await module, go.importObject));
    } catch (e) { return end(e.message); }
    end(last || "its program has exited");
  };
  const join = (page) => {
    pages.add(page);
    page.onmessage = ({ data }) => {
      if (data.module) run(data.module);
      if (data.recording) take(data.recording, page);
      if (data.session) sessionOf(data.context).tell(data.session);
      if (data.port) self.watchglassConnect(Object.assign(data, { leave: () => pages.delete(page) }));
      else if (data.early && !(data.context in sessions)) {
        const link = (early[data.context] = open(data.context, data.early));
        setTimeout(() => { if (early[data.context] === link) delete early[data.context], link.close(); }, 30_000); // not taken over
      }
      if (data.glimpse) show(data, page).catch(nothing);
      if (data.keep) keep(data).catch(nothing); // the session may be over
    };
  };
  // isOf reports whether a session is that of the user whom a page names; in local mode it need not name any.
  const isOf = ({ welcome }, user) => !!welcome && (!user || !welcome.user || user === welcome.user);
  const keep = async ({ context, keep, of }) => {
    const session = sessionOf(context);
    if (isOf(session, of)) await watchglassVisits.saveGlimpse(context, session.welcome, ...keep);
  };
  const show = async ({ context, glimpse, of }, page) => {
    const session = sessionOf(context);
    await session.greeted;
    if (!isOf(session, of)) return;
    const bytes = await watchglassVisits.glimpse(context, session.now.name, session.welcome, glimpse);
    if (bytes) page.postMessage({ glimpse: bytes, of });
  };
  if (shared) {
    // Pages wait for this lock. They get it when the worker ends, for whatever reason.
    const alive = `watchglass:hub:${Math.random()}`;
    const held = new Promise((done) => navigator.locks.request(alive, () => (done(), new Promise(nothing))));
    self.onconnect = ({ ports: [page] }) => { join(page); held.then(() => page.postMessage({ alive })); };
    self.onerror = (why) => end(String(why));
  } else join(self);

  const ours = (name) => {
    const file = new URL(name.replace(/^.*\//, ""), self.location.href);
    if (file.origin !== self.location.origin) throw new TypeError("not one of our files");
    return file.href;
  };
  const policy = self.trustedTypes?.createPolicy("watchglass", { createScriptURL: ours }) ?? { createScriptURL: ours };
  // A proxy of another build does not have the program. While it is replacing this one, the next request may go to either.
  const fetched = async (tries = 20) => {
    const answer = await fetch(ours(program));
    return answer.status === 404 && tries ? (await new Promise((later) => setTimeout(later, 500)), fetched(tries - 1)) : answer;
  };
  const compiled = shared && WebAssembly.compileStreaming(fetched()); // no page can post it to a SharedWorker
  try {
    importScripts(...scripts.map((name) => policy.createScriptURL(name)));
  } catch (e) { return end(e.message); }
  if (self.watchglassAgain) return; // a script was of another build, and pages will hear of it
  watchglassVisits.onSaved = (...saved) => { for (const page of pages) page.postMessage({ saved }); };
  if (shared) run(compiled);
})();
