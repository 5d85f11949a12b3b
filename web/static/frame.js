"use strict";
// What differs when this page is in a frame of another page. If that page uses <watch-glass>, both
// speak through a port: the first message names the other origin, and nobody else has the port. The
// proxy's policy decides which pages may be around this one.
globalThis.watchglassFrame = () => {
  const query = new URLSearchParams(location.search);
  if (parent === window || !query.has("embed")) return null;
  const frame = { origin: "", gives: false, send: () => {}, run: () => {} }, asked = new Map(), style = document.documentElement;
  // leave shows how to sign in, since the sign-in page is not shown in frames, and throws.
  frame.leave = async (panel) => {
    if (!frame.left) show(panel);
    frame.left = true;
    throw new Error("You are signed out.");
  };
  const show = async (panel) => {
    frame.send({ type: "error", detail: { code: "signed-out", message: "Not signed in" } });
    if (frame.gives) return panel("Signed out", "You have signed out, or the session is over.", "Sign in").then(() => location.reload());
    query.delete("embed"), query.delete("hosted");
    addEventListener("focus", () => location.reload()); // the user is back
    for (;;) {
      await panel("Not signed in", "Sign in to Watchglass in its own window. If this page does not load afterwards, the browser keeps that session from frames: use the window.", "Open Watchglass");
      open(`${location.pathname}?${query}`, "_blank", "noopener");
    }
  };
  let port, last = 0, receive, early = [];
  if (!query.has("hosted")) return frame;
  const dress = ({ theme, density, accent }) => { // density is the page's, once it runs
    if (theme !== undefined) style.dataset.theme = theme;
    if (accent !== undefined) CSS.supports("color", accent) ? style.style.setProperty("--accent", accent) : style.style.removeProperty("--accent");
    if (density !== undefined) (receive ?? early.push.bind(early))({ type: "density", density });
  };
  const onmessage = ({ data }) => {
    if (data.type === "token") {
      const { done, fail } = asked.get(data.id) ?? {};
      asked.delete(data.id);
      return typeof data.token === "string" && data.token ? done?.(data.token) : fail?.(new Error(data.error || "The page around this one gave no token."));
    }
    if (data.type === "dress") return dress(data);
    receive ? receive(data) : early.push(data);
  };
  frame.ready = new Promise((ready) => addEventListener("message", (e) => {
    if (e.source !== parent || port || e.data?.watchglass !== "host" || !e.ports[0]) return;
    [port] = e.ports;
    Object.assign(frame, { origin: e.origin, gives: e.data.gives === true });
    dress(e.data);
    port.onmessage = onmessage;
    frame.send = (message) => port.postMessage(message);
    ready();
  }));
  // token asks the page around this one for a token.
  frame.token = () => new Promise((done, fail) => {
    const id = ++last; // later requests have others when the time is up
    asked.set(id, { done, fail }), frame.send({ type: "token", id });
    setTimeout(() => asked.delete(id) && fail(new Error("The page around this one did not answer with a token within 30 seconds.")), 30_000);
  });
  // run connects the page, once its program runs.
  frame.run = (api, go) => {
    receive = go;
    for (const data of early.splice(0)) go(data);
    // The host chooses the filter, and the height counts the rows: only the token's giver may know it.
    for (const event of ["state", "select", "navigate", ...(frame.gives ? ["size"] : [])]) api.on(event, (detail) => frame.send({ type: event, detail }));
    frame.send({ type: "ready", detail: { version: api.version } });
  };
  parent.postMessage({ watchglass: "frame" }, "*"); // says nothing but that this page listens
  return frame;
};
