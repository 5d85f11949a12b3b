"use strict";
// A proof shows the proxy that a request comes from the browser that signed in: the time, signed
// with a key that cannot leave the browser. Browsers without such keys send the proof from the
// login's answer instead. The worker uses this too.
globalThis.watchglassProve = async ({ key, skew, proof }, purpose, base, context) => {
  if (!key) return proof;
  const at = String(Math.round(Date.now() + skew)), text = ["watchglass", purpose, at, location.origin, base, context].join("\n");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, new TextEncoder().encode(text));
  return `${at}.${watchglassBase64(signature)}`;
};
globalThis.watchglassBase64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

// watchglassAsked returns an answer of the proxy, or throws its text if it is an error.
globalThis.watchglassAsked = async (answer) => {
  if (answer.ok) return answer;
  const words = (await answer.text()).trim();
  throw new Error(words.charAt(0).toUpperCase() + words.slice(1));
};

// watchglassRecording fetches the file that the proxy replays, in the worker.
globalThis.watchglassRecording = async (from) => {
  const answer = await watchglassAsked(await fetch(...from));
  return [await answer.arrayBuffer(), decodeURIComponent(answer.headers.get("Watchglass-Name") ?? "recording")];
};

// The page's session. One tab renews it for all tabs of this browser, and it ends in all of
// them. Scripts cannot read its cookie.
//
// A page in a frame whose host gives tokens has a session without a cookie. Nothing of it is stored:
// frames that have it send it to those of the same host that were given the same token. A frame with
// another token may belong to another user.
globalThis.watchglassSession = function begin(base, context, frame) {
  // A context may be any text, and must not make the name of a page that of a frame.
  const name = frame ? `watchglass:frame:${JSON.stringify([base, context, frame.origin])}` : `watchglass:session:${base}:${context}`, others = new BroadcastChannel(name);
  const stored = (item) => { try { return frame ? null : JSON.parse(localStorage.getItem(item)); } catch { return null; } };
  const store = (item, value) => { try { if (!frame) localStorage.setItem(item, JSON.stringify(value)); } catch {} }; // otherwise it lasts as long as this page
  const read = () => stored(name) ?? {};
  const session = { name: read().session ?? "", user: read().user, proof: stored(`watchglass:proof:${base}`) ?? "", skew: read().skew ?? 0, key: null, public: "", sealed: "", changed: () => {}, renewed: () => {}, leave: null };
  let told = 0, newest; // the last renewal that this page has seen, and its time
  let token = ""; // in a frame: a hash of the token that the session began with

  // One key for each base path: made here, kept in IndexedDB, not exportable. If it cannot be
  // kept, it lasts as long as this page.
  const result = (request) => new Promise((done, fail) => { request.onsuccess = () => done(request.result); request.onerror = () => fail(request.error); });
  const keys = async (mode, f) => {
    const opening = indexedDB.open("watchglass", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    const database = await Promise.race([result(opening), new Promise((_, fail) => setTimeout(fail, 2000))]); // some browsers never answer
    try { return await result(f(database.transaction("keys", mode).objectStore("keys"))); } finally { database.close(); }
  };
  const use = async (pair) => {
    session.public = watchglassBase64(await crypto.subtle.exportKey("raw", pair.publicKey));
    session.key = pair.privateKey;
  };
  const kept = async () => { try { return frame ? null : await keys("readonly", (all) => all.get(base)); } catch { return null; } };
  session.ready = (async () => {
    const pair = crypto.subtle && (await kept());
    if (pair) await use(pair);
  })();
  const makeKey = async () => { // under the lock: tabs that open at once make one key
    await session.ready;
    if (!crypto.subtle || session.key) return;
    let pair = await kept();
    if (!pair) {
      pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
      if (!frame) try { await keys("readwrite", (all) => all.put(pair, base)); } catch {}
    }
    await use(pair);
  };

  const keep = async (answer) => {
    const { session: began, user, proof, sealed = "" } = await answer.json();
    if (frame && user !== (session.user ?? user)) return unasked(), location.reload(), new Promise(() => {}); // nothing of the previous user stays
    if (proof) store(`watchglass:proof:${base}`, (session.proof = proof));
    const renewal = { at: Date.now(), skew: session.skew, session: (session.name = began), user: (session.user = user) };
    store(name, renewal);
    session.sealed = sealed;
    return (newest = { ...renewal, proof, ...(frame && { token, framed: { sealed, key: session.key, public: session.public } }) });
  };
  // tell takes over a renewal, unless this page has seen it or a later one.
  const tell = (renewal) => {
    const { at, skew, session: began, user, proof = session.proof, framed } = renewal;
    if (left || at === told || (at < told && told <= Date.now())) return; // told is in the future if the clock was set back
    told = at;
    newest = renewal;
    if (framed && token !== renewal.token) token = renewal.token, holds();
    Object.assign(session, { skew, name: began, user, proof }, framed);
    session.changed();
    session.renewed(String(at));
  };
  const clockOff = 20_000; // milliseconds of clock difference that are tolerated
  const framed = () => frame && { "Watchglass-Session": session.sealed || "none", "Watchglass-Embedder": frame.origin };
  const request = async (path, body = "", more, headers) => {
    const proof = await watchglassProve(session, path, base, context);
    return [`${base}/-/${path}?${new URLSearchParams({ c: context, ...more })}`, { method: "POST", body, redirect: "manual", headers: { "Watchglass-Key": session.public, "Watchglass-Proof": proof, ...framed(), ...headers } }];
  };
  const post = async (...what) => {
    for (let again = true; ; again = false) {
      const [address, how] = await request(...what), answer = await fetch(address, { ...how, signal: AbortSignal.timeout(15_000) });
      const skew = Number(answer.headers.get("Watchglass-Time") ?? Date.now() + session.skew) - Date.now();
      if (Math.abs(skew - session.skew) < clockOff) return answer;
      session.skew = skew; // the proxy's clock differs
      if (answer.status !== 401 || !again) return answer;
    }
  };
  const here = (answer) => answer.headers.get("Watchglass-Auth") === "local"; // there is no sign-in in local mode
  // A proxy in front of Watchglass may redirect users it does not know.
  const out = (answer) => answer.type === "opaqueredirect" || (answer.status === 401 && !here(answer) && session.public !== "");

  // unasked lets the page be left without the question whether to lose what is not saved.
  const unasked = () => delete document.documentElement.dataset.unsaved;

  // forget removes the lists that a session has saved on disk. It waits a second at most, since the page has to be left.
  const forget = async (name) => {
    const remove = async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(`watchglass-visit-${encodeURIComponent(base)}`);
      for await (const file of folder.keys()) if (file.split(",")[1] === name) await folder.removeEntry(file).catch(() => {}); // one that is being written stays
    };
    await Promise.race([remove().catch(() => {}), new Promise((done) => setTimeout(done, 1000))]);
  };

  // leave goes to the sign-in page. It holds a lock so that browsers do not cache this page for
  // Back. If it is called again before the page is left, the first reason counts.
  let destination, left = false, drop = () => {};
  const leave = async (why, to) => {
    const forgotten = why === "over" && forget(session.name);
    unasked();
    try { if (read().session === session.name) localStorage.removeItem(name); } catch {} // else another tab has signed in
    navigator.locks?.request(`${name}:${Math.random()}`, () => new Promise(() => {}));
    if (session.leave) { // in a frame, which stays open: it gives the session to no other
      left = true;
      newest = undefined;
      drop();
      Object.assign(session, { sealed: "", key: null, public: "" });
      return session.leave();
    }
    destination ??= to || `${base}/-/signin?${new URLSearchParams({ why, c: context, to: location.pathname + location.search })}`;
    await forgotten;
    return go(destination);
  };
  const go = (to) => {
    location.replace(to);
    return new Promise(() => {}); // never resolves: the page is being left
  };
  // Only one tab at a time runs f.
  const locked = (f) => (navigator.locks ? navigator.locks.request(name, f) : f());
  // withCookie runs f while no other page uses this session's cookie. The default context has two names, with one cookie,
  // and a provider may accept its refresh token only once.
  const withCookie = (f) => (navigator.locks && !frame && session.name ? navigator.locks.request(`watchglass:turn:${base}:${session.name}`, f) : f());

  // shared asks the other frames for their session, if one has a session of the same token.
  const has = () => `${name}:has:${token}`;
  const shared = async () => {
    if (!navigator.locks || !(await navigator.locks.query()).held.some((lock) => lock.name === has())) return;
    const answered = new Promise((done) => (session.changed = done));
    others.postMessage({ ask: token });
    await Promise.race([answered, new Promise((done) => setTimeout(done, 1000))]);
    session.changed = () => {};
  };
  const holds = () => {
    drop();
    const held = new Promise((done) => (drop = done));
    navigator.locks?.request(has(), { mode: "shared" }, () => held);
  };
  // hash returns a hash of a token. Without WebCrypto it returns a random text, so that no session is
  // shared.
  const hash = async (text) => (crypto.subtle ? watchglassBase64(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))) : String(Math.random()));
  // enterFrame signs in with the host's token. It resolves like login. It asks for the token even if
  // another frame has a session: that one may be of another user.
  const enterFrame = async () => {
    let given;
    try { given = await frame.token(); } catch (e) { return ["Not signed in", e.message]; }
    token = await hash(given);
    return locked(async () => {
      await shared();
      if (session.sealed) return void holds();
      await makeKey();
      const answer = await post("login", given);
      if (!answer.ok) return [answer.status === 401 ? "Not signed in" : "Access denied", await answer.text()];
      const renewal = await keep(answer);
      told = renewal.at;
      others.postMessage(renewal);
      holds();
    });
  };

  // login resolves to a title and a text if there is no session and signing in would not
  // help.
  session.login = frame ? enterFrame : () => locked(async () => {
    const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1] ?? "";
    if (token) history.replaceState(null, "", location.pathname + location.search);
    await makeKey();
    const before = (session.name = read().session ?? session.name);
    const answer = await withCookie(() => post("login", token, {}, token && { "Watchglass-Launch": "1" }));
    if (answer.ok) {
      const renewal = await keep(answer);
      told = renewal.at;
      if (session.name !== before) others.postMessage(renewal);
      return;
    }
    if (out(answer)) return leave(before ? "over" : "");
    if (answer.status >= 500 && before) return; // the session is still valid; it just cannot be renewed now
    return [here(answer) ? "Not signed in" : "Access denied", await answer.text()];
  });

  // renew renews the session, unless another tab has just done so. If that tab's message and
  // storage both arrive late, the session is renewed twice.
  session.renew = (doubt) => locked(async () => {
    await makeKey();
    const recent = (at) => at <= Date.now() && Date.now() - at < 3000; // one in the future is from before the clock was set back
    if (recent(told)) return;
    if (recent(read().at)) return tell({ proof: stored(`watchglass:proof:${base}`) ?? session.proof, ...read() });
    const given = frame && !left ? await frame.token() : "", before = token;
    if (left) return; // while it waited
    const answer = await withCookie(() => post("login", given, doubt && { doubt: 1 }));
    if (out(answer)) return leave("over");
    const renewal = await keep(await watchglassAsked(answer));
    if (frame) renewal.token = await hash(given);
    others.postMessage({ ...renewal, before });
    tell(renewal);
  });

  // wipe removes what is on disk. History's key ends with the worker, that of the last visit with the
  // session, so what can't be removed can't be read.
  const wipe = async () => {
    for (const what of ["history", "visit"])
      try {
        const all = await navigator.storage.getDirectory(), name = `watchglass-${what}-${encodeURIComponent(base)}`, folder = await all.getDirectoryHandle(name);
        for await (const file of folder.keys()) await folder.removeEntry(file, { recursive: true }).catch(() => {}); // one that is being written is never committed
        await all.removeEntry(name, { recursive: true });
      } catch {}
  };
  session.signOut = () => locked(async () => {
    const answer = await withCookie(async () => { // no page finds out before it is told
      const answer = await watchglassAsked(await post("logout"));
      await wipe();
      others.postMessage(frame ? { out: session.user } : "out");
      signedOut?.postMessage(session.name);
      return answer;
    });
    return leave("out", (await answer.json()).to);
  });
  // recording returns what the worker needs to fetch the file that the proxy replays.
  session.recording = () => request("recording");
  // For the sign-in page: enter signs in with a token, begin redirects to the provider, and
  // back takes the query with which the provider sends the browser back.
  session.enter = (token, to) => locked(async () => {
    await makeKey();
    others.postMessage(await keep(await watchglassAsked(await post("login", token))));
    return go(to);
  });
  session.begin = (to) => locked(async () => {
    await makeKey();
    return go((await (await watchglassAsked(await post("signin", "", { to }))).json()).to);
  });
  session.back = (query) => locked(async () => {
    await makeKey();
    return go((await (await watchglassAsked(await post("callback", "", Object.fromEntries(new URLSearchParams(query))))).json()).to);
  });

  // A frame takes over only what became of its own token, and leaves with its user.
  const heard = (message) => {
    if (message === "out" || message.out !== undefined) return frame && message.out !== session.user ? undefined : leave("out").catch(() => {});
    if (message.ask) return newest && message.ask === token && others.postMessage(newest);
    if (frame && (message.before ?? message.token) !== token) return;
    tell(message);
  };
  others.onmessage = ({ data }) => heard(data);
  // A sign-out reaches each page of the session, also one that names the default context differently, or that reached it
  // from another. Frames have sessions of their own.
  const signedOut = frame ? null : new BroadcastChannel(`watchglass:out:${base}`);
  if (signedOut) signedOut.onmessage = ({ data }) => data && data === session.name && leave("out").catch(() => {});

  // end lets nothing more be heard: the context was lost.
  session.end = () => { others.close(); signedOut?.close(); };

  // A link may name any context, and opening one may run a program on the machine that runs
  // Watchglass. The user decides the first time.
  const contexts = `watchglass:contexts:${base}`;
  session.trusts = (other = context) => !!frame || other === "" || (stored(contexts) ?? []).includes(other);
  session.trust = (other) => store(contexts, [...new Set([...(stored(contexts) ?? []), other])]);

  // reach signs in to another context, so that the worker can connect to it for this page. Unlike
  // for the page's own context, a session that is missing or over is an error: the page stays, and lost is called if
  // it was reached before.
  session.reached = [];
  session.lost = () => {};
  session.reach = async (other) => {
    const known = session.reached.find(([name]) => name === other);
    if (known) return known[1].renew();
    const its = begin(base, other, null);
    its.leave = async () => {
      const why = `Not signed in to ${other}. Open it from the menu of contexts.`, before = session.reached;
      its.end();
      session.reached = before.filter(([, known]) => known !== its);
      if (session.reached.length < before.length) session.lost(other, why);
      throw new Error(why);
    };
    const why = await its.login();
    if (why) throw new Error(why[1]);
    session.reached.push([other, its]);
    (its.changed = () => session.changed())();
  };
  return session;
};
