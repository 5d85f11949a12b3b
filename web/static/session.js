"use strict";
// The page's session: the proof of it, which goes with the cookie that scripts cannot
// see; its renewal, by one tab for all of this browser; and its end, in all of them.
globalThis.watchglassSession = (base, context) => {
  const key = `watchglass:session:${base}:${context}`, others = new BroadcastChannel(key);
  const read = () => { try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; } };
  const session = { proof: read().proof ?? "", renewed: () => {} };
  let told = 0; // of which renewal the page was
  const keep = (proof) => {
    session.proof = proof;
    try { localStorage.setItem(key, JSON.stringify({ proof, at: Date.now() })); } catch {} // it lasts as long as this page
  };
  const tell = () => {
    const { proof = session.proof, at = Date.now() } = read();
    if (at === told) return;
    told = at;
    session.renewed((session.proof = proof));
  };
  const post = (path, body = "", more, headers) => fetch(`${base}/-/${path}?${new URLSearchParams({ c: context, ...more })}`, {
    method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(15_000), headers: { "Watchglass-Proof": session.proof, ...headers },
  });
  const here = (answer) => answer.headers.get("Watchglass-Auth") === "local"; // nobody signs in there
  // What stands before us may send whom it does not know elsewhere.
  const out = (answer) => answer.type === "opaqueredirect" || (answer.status === 401 && !here(answer));

  // What the page holds is let go: a page that holds a lock is not kept for Back.
  const leave = (why, to) => {
    try { if (read().proof === session.proof) localStorage.removeItem(key); } catch {}
    navigator.locks?.request(`${key}:${Math.random()}`, () => new Promise(() => {}));
    const view = location.pathname + location.search;
    location.replace(to || `${base}/-/signin?${new URLSearchParams({ why, c: context, to: view })}`);
    return new Promise(() => {}); // nothing more happens here
  };

  // Tabs take turns.
  const locked = (f) => (navigator.locks ? navigator.locks.request(key, f) : f());

  // login answers with why not, if a sign-in would not help: a title, and words.
  session.login = () => locked(async () => {
    const [, kind, given] = /^#(token|proof)=([\w-]+)$/.exec(location.hash) ?? [];
    if (kind) history.replaceState(null, "", location.pathname + location.search);
    const kept = (session.proof = read().proof ?? session.proof);
    if (kind === "proof") session.proof = given;
    let answer = await post("login", kind === "token" ? given : "", {}, kind === "token" && { "Watchglass-Launch": "1" });
    if (out(answer) && kept && kept !== session.proof) { // what stood in the address was anybody's
      session.proof = kept;
      answer = await post("login");
    }
    if (answer.ok) {
      keep((await answer.json()).proof);
      told = read().at ?? 0;
      if (session.proof !== kept) others.postMessage("renewed");
      return;
    }
    if (out(answer)) return leave(session.proof ? "over" : "");
    if (answer.status >= 500 && session.proof) return; // it is good still, and cannot be renewed just now
    return [here(answer) ? "This page needs the address that was printed" : "This page is not let in", await answer.text()];
  });

  // renew renews it, if no other tab has just done so.
  session.renew = (doubt) => locked(async () => {
    const { proof = session.proof, at = 0 } = read();
    session.proof = proof; // another tab may have signed in
    if (Date.now() - at < 3000) return tell();
    const answer = await post("login", "", doubt && { doubt: 1 });
    if (out(answer)) return leave("over");
    if (!answer.ok) throw new Error(await answer.text());
    keep((await answer.json()).proof);
    others.postMessage("renewed");
    tell();
  });

  session.signOut = () => locked(async () => {
    const answer = await post("logout");
    if (!answer.ok) throw new Error(await answer.text());
    others.postMessage("out");
    return leave("out", (await answer.json()).to);
  });
  others.onmessage = ({ data }) => (data === "out" ? leave("out") : tell());
  return session;
};
