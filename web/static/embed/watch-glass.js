// <watch-glass> shows a live, read-only view of a Kubernetes cluster in your page:
//
//   <script type="module" src="https://watchglass.example.com/-/embed/watch-glass.js"></script>
//   <watch-glass src="https://watchglass.example.com" resource="pods" namespace="shop"></watch-glass>
//
// The view is a frame. Watchglass must allow your origin with --embed-origin. Apache-2.0.
const places = { src: "", context: "c", namespace: "n", selector: "l", query: "q", sort: "sort", group: "group", columns: "cols", object: "sel", tab: "tab" };
const looks = ["theme", "density", "accent"];
const others = ["resource", "label", "height"];
const patience = 20_000; // ms until a frame that does not answer counts as refused,
const after = 4_000; // and after it has loaded

const style = `:host { display: block; height: 420px; min-height: 96px; position: relative; overflow: hidden }
:host([hidden]) { display: none }
iframe { display: block; width: 100%; height: 100%; border: 0 }
:host([resource="overview"]) { height: auto; min-height: 64px; container-type: inline-size }
:host([resource="overview"]) iframe { height: 64px; min-height: 100% }
@container (max-width: 639px) { :host([resource="overview"]) iframe { height: 128px } }
p { position: absolute; inset: 0; margin: 0; padding: 16px; font: 13px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; overflow: auto }
p[hidden] { display: none }
a { color: LinkText }`;

export class WatchGlass extends HTMLElement {
  static observedAttributes = [...Object.keys(places), ...looks, ...others];
  #frame; #notice; #port; #late; #queued = false; #paused = false; #size = 0; #token = null; #origin = ""; #listen = (e) => this.#greet(e);

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    this.#notice = root.appendChild(document.createElement("p"));
    this.#notice.setAttribute("role", "status");
  }

  // token is a function that returns a token to sign in with, or a promise of one.
  get token() { return this.#token; }
  set token(give) {
    if (give !== null && typeof give !== "function") throw new TypeError("token must be a function that returns a token");
    const changed = !!give !== !!this.#token;
    this.#token = give;
    if (changed && this.#frame) this.#load();
  }

  // state is the freshness last reported, { state, since }, or null while nothing is shown.
  state = null;

  // pause holds updates back, also those of a view that loads later.
  pause(on = true) {
    this.#paused = !!on;
    this.#send({ type: "pause", on: this.#paused });
  }

  // filter narrows the view to a filter, as in its filter field.
  filter(text = "") { this.query = text; }

  focus(options) { this.#frame?.focus(options); }

  connectedCallback() {
    for (const name of [...WatchGlass.observedAttributes, "token"]) { // set before this file was loaded
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    addEventListener("message", this.#listen);
    this.#load();
  }

  disconnectedCallback() {
    removeEventListener("message", this.#listen);
    this.#leave();
    this.#origin = "";
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.#origin) return;
    if (name === "src" || name === "context") return this.#load();
    if (name === "label") return this.#name();
    if (name === "height") {
      this.style.height = "";
      return this.#fit();
    }
    if (looks.includes(name)) return this.#send({ type: "dress", [name]: now ?? "" });
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => { // several attributes change at once
      this.#queued = false;
      this.#name();
      this.#go();
    });
  }

  #go() {
    if (!this.#port) return; // when it has one, it goes
    const { pathname, search } = this.#address(true);
    this.#send({ type: "go", path: pathname, query: search });
  }

  // #address is the address of the view: in the frame, or in a window of its own.
  #address(framed) {
    const base = new URL(this.src, document.baseURI), to = new URL(base.origin);
    to.pathname = `${base.pathname.replace(/\/+$/, "")}/${encodeURIComponent(this.resource || "pods")}`;
    for (const [name, parameter] of Object.entries(places)) if (parameter && this[name]) to.searchParams.set(parameter, this[name]);
    if (framed) to.searchParams.set("embed", this.object ? "object" : "list"), to.searchParams.set("hosted", "1");
    return to;
  }

  #name() { if (this.#frame) this.#frame.title = this.label || `Kubernetes ${this.object || this.resource || "pods"}`; }

  // #fit sets the height that the view last reported, if height is "content".
  #fit() {
    if (this.height === "content" && this.#size) this.style.height = `${Math.min(Math.max(this.#size, 64), 4000)}px`;
  }

  #leave() {
    clearTimeout(this.#late);
    this.#port?.close();
    this.#frame?.remove();
    this.#port = this.#frame = undefined;
    this.state = null;
    this.#size = 0;
  }

  #load() {
    this.#leave();
    let to;
    this.#origin = "none";
    try {
      if (!this.src) throw new TypeError("The src attribute must be the address of Watchglass.");
      to = this.#address(true);
      if (to.protocol !== "https:" && to.protocol !== "http:") throw new TypeError(`${this.src} is not a web address.`);
    } catch (e) { return this.#fail("address", e.message); }
    this.#origin = to.origin;
    this.#say("Loading…");
    const frame = (this.#frame = document.createElement("iframe"));
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads");
    frame.allow = "clipboard-write";
    this.#name();
    frame.src = to.href;
    this.#notice.after(frame);
    const refused = () => this.#fail("refused", `${this.#origin} did not load here. It may be unreachable, or it does not allow ${location.origin} to embed it (--embed-origin).`);
    this.#late = setTimeout(refused, patience);
    frame.onload = () => {
      if (this.#port) return;
      clearTimeout(this.#late);
      this.#late = setTimeout(refused, after);
    };
  }

  #say(text, to) {
    this.#notice.hidden = !text;
    this.#notice.textContent = text;
    if (!to) return;
    const link = document.createElement("a");
    Object.assign(link, { href: to, target: "_blank", rel: "noopener", textContent: "Open Watchglass in a new tab" });
    this.#notice.append(" ", link);
  }

  #fail(code, message) {
    let to;
    try { to = this.#address(false).href; } catch {}
    this.#say(message, code === "address" ? undefined : to);
    this.state = null;
    this.#tell("error", { code, message });
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  #send(message) { this.#port?.postMessage(message); }

  // #greet gives the frame its end of a port. Only our frame, on exactly our origin, gets one.
  #greet(e) {
    if (!this.#frame || e.source !== this.#frame.contentWindow || e.origin !== this.#origin || e.data?.watchglass !== "frame") return;
    clearTimeout(this.#late);
    const { port1, port2 } = new MessageChannel(), hello = { watchglass: "host", gives: !!this.#token };
    for (const look of looks) if (this[look]) hello[look] = this[look];
    this.#port?.close();
    this.#port = port1;
    this.state = null; // the frame may have loaded itself anew
    port1.onmessage = ({ data }) => this.#receive(data);
    this.#frame.contentWindow.postMessage(hello, this.#origin, [port2]);
    if (this.#frame.src !== this.#address(true).href) this.#go(); // changed while it loaded
    if (this.#paused) this.#send({ type: "pause", on: true });
  }

  async #receive({ type, id, detail }) {
    if (type === "token") return this.#give(id);
    if (type === "ready" || type === "error") this.#say("");
    if (type === "state") this.state = detail;
    if (type === "error") this.state = null;
    if (type === "size") {
      this.#size = detail.height;
      this.#fit();
    } else if (["ready", "state", "select", "navigate", "error"].includes(type)) this.#tell(type, detail);
  }

  async #give(id) {
    const port = this.#port;
    try {
      port.postMessage({ type: "token", id, token: await this.#token({ src: this.src, context: this.context }) });
    } catch (e) { port.postMessage({ type: "token", id, error: String(e?.message || e) }); }
  }
}

for (const name of WatchGlass.observedAttributes) {
  Object.defineProperty(WatchGlass.prototype, name, {
    configurable: true, enumerable: true,
    get() { return this.getAttribute(name) ?? ""; },
    set(value) { value === null || value === undefined || value === "" ? this.removeAttribute(name) : this.setAttribute(name, value); },
  });
}
if (!customElements.get("watch-glass")) customElements.define("watch-glass", WatchGlass);
