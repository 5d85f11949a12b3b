"use strict";
// The page's session: the proof of it, which goes with the cookie that scripts cannot
// see; its renewal, by one tab for all of this browser; and its end, in all of them.
globalThis.watchglassSession = (base, context) => {
  const key = `watchglass:session:${base}:${context}`, others = new BroadcastChannel(key);
  const read = () => { try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; } };
  const session = { proof: read().proof ?? "", renewed: () => {} };
  const keep = (proof) => {
    session.proof = proof;
    try { localStorage.setItem(key, JSON.stringify({ proof, at: Date.now() })); } catch {} // it lasts as long as this page
  };
  const post = (path, body = "", more) => fetch(`${base}/-/${path}?${new URLSearchParams({ c: context, ...more })}`, {
    method: "POST", body, headers: { "Watchglass-Proof": session.proof },
  });

  // What the page holds is let go: a page that holds a lock is not kept for Back.
  const leave = (why, to) => {
    try { localStorage.removeItem(key); } catch {}
    navigator.locks?.request(`${key}:${Math.random()}`, () => new Promise(() => {}));
    const view = location.pathname + location.search;
    location.replace(to || `${base}/-/signin?${new URLSearchParams({ why, c: context, to: view })}`);
    return new Promise(() => {}); // nothing more happens here
  };

  const here = (answer) => answer.headers.get("Watchglass-Auth") === "local"; // nobody signs in there

  // login answers with why not, if a sign-in would not help: a title, and words.
  session.login = async () => {
    const [, kind, given] = /^#(token|proof)=([\w-]+)$/.exec(location.hash) ?? [];
    if (kind) history.replaceState(null, "", location.pathname + location.search);
    if (kind === "proof") keep(given);
    const answer = await post("login", kind === "token" ? given : "");
    if (answer.ok) return keep((await answer.json()).proof);
    if (answer.status === 401 && !here(answer)) return leave(session.proof ? "over" : "");
    if (answer.status >= 500 && session.proof) return; // it is good still, and cannot be renewed just now
    return [here(answer) ? "This page needs the address that was printed" : "This page is not let in", await answer.text()];
  };

  // renew renews it, if no other tab has just done so.
  const locked = (f) => (navigator.locks ? navigator.locks.request(key, f) : f());
  session.renew = (doubt) => locked(async () => {
    const { proof, at = 0 } = read();
    if (proof && Date.now() - at < 3000) return void (session.proof = proof);
    const answer = await post("login", "", doubt && { doubt: 1 });
    if (answer.status === 401 && !here(answer)) return leave("over");
    if (!answer.ok) throw new Error(await answer.text());
    keep((await answer.json()).proof);
    others.postMessage("renewed");
  }).then(() => session.renewed(session.proof));

  session.signOut = async () => {
    const answer = await post("logout");
    if (!answer.ok) throw new Error(await answer.text());
    others.postMessage("out");
    return leave("out", (await answer.json()).to);
  };
  others.onmessage = ({ data }) => {
    if (data === "out") return leave("out");
    session.proof = read().proof ?? session.proof;
    session.renewed(session.proof);
  };
  return session;
};
