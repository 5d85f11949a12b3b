// The glimpse of a list is what it looked like when it was last saved for the next visit. It is shown while the
// program is still compiling, marked with its time, and removed when the program has something to show. It lies
// above the page in a shadow tree and is inert: nothing in the page finds it, and clicks on it do nothing.
"use strict";
globalThis.watchglassGlimpse = (base) => {
  const tags = /^(div|span|strong|b|i|em|code|kbd|header|nav|main|aside|section|h1|h2|h3|p|ul|ol|li|a|button|label|input|select|option|svg|path|rect|line|circle)$/;
  const attributes = /^(class|id|role|type|placeholder|value|d|x|y|r|cx|cy|width|height|viewBox|points|(aria|data)-[a-z-]+)$/;
  const svg = "http://www.w3.org/2000/svg", longest = 24 * 60 * 60 * 1000, atMost = 3000; // milliseconds
  const here = () => location.pathname + location.search;
  const listed = () => location.pathname.slice(base.length).replace(/^\/|\/.*$/g, ""); // the list in the address
  const overlays = ".banner, .popover, [aria-modal=true], .panes[data-drawer=true], .list:is([aria-busy=true], [data-held=true], [data-polled=true], [data-rest]:not([data-rest=\"\"])), .grid[aria-busy=true]";
  let host = null, over = false;

  // read returns a visible element as data, from which build makes it again.
  const read = (el) => {
    const named = [...el.attributes].filter(({ name }) => attributes.test(name) && name !== "data-lit").map(({ name, value }) => [name, value]);
    if (el.localName === "input") named.push(["value", el.value]);
    const nodes = el.localName === "select" ? el.selectedOptions : [...el.childNodes].filter((node) => node instanceof Text || node.checkVisibility?.());
    return [el.localName, named, el.style.cssText, Array.from(nodes).flatMap((node) => (node instanceof Text ? node.data : tags.test(node.localName) ? [read(node)] : []))];
  };
  const build = ([tag, named, style, within]) => {
    if (!tags.test(tag)) throw new TypeError(`a glimpse has no ${tag}`);
    const el = /^(svg|path|rect|line|circle)$/.test(tag) ? document.createElementNS(svg, tag) : document.createElement(tag);
    for (const [name, value] of named) if (attributes.test(name)) el.setAttribute(name, value);
    el.style.cssText = style;
    el.append(...within.map((node) => (typeof node === "string" ? node : build(node))));
    return el;
  };

  // asOf returns the time of a glimpse in the words of the page, with its day unless that is today.
  const asOf = (at) => {
    const two = (n) => String(n).padStart(2, "0"), day = (t) => [t.getFullYear(), two(t.getMonth() + 1), two(t.getDate())].join("-");
    const t = new Date(at), time = [t.getHours(), t.getMinutes()].map(two).join(":");
    return "As of " + (day(t) === day(new Date()) ? `${time}:${two(t.getSeconds())}` : `${day(t)} ${time}`);
  };
  const markOld = (shell, at) => { // says that it is not live
    const badge = shell.querySelector(".badge"), list = shell.querySelector(".list");
    if (!badge || !list) throw new TypeError("a glimpse has a badge and a list");
    badge.dataset.tone = "stale";
    badge.textContent = asOf(at);
    list.dataset.rest = "stale";
  };

  const glimpse = {
    // wanted returns the list whose glimpse may be shown, or "".
    wanted: (early) => (!over && listed() === early ? early : ""),
    // capture returns the page as bytes once it has a moment, or null unless it shows a list from its top that is live
    // to the last row, and nothing over it.
    capture: async (resource) => {
      await new Promise((idle) => (globalThis.requestIdleCallback ?? setTimeout)(idle));
      const shell = document.querySelector(".shell:has(.badge[data-tone=live]):has(.grid .row)");
      if (document.hidden || listed() !== resource || !shell || shell.querySelector(".grid").scrollTop || [...shell.querySelectorAll(overlays)].some((el) => el.checkVisibility())) return null;
      return new TextEncoder().encode(JSON.stringify({ at: Date.now(), address: here(), width: innerWidth, shell: read(shell) }));
    },
    // show shows a glimpse of this address and width, unless the program was faster.
    show: (bytes) => {
      const { at, address, width, shell } = JSON.parse(new TextDecoder().decode(bytes)), old = Date.now() - at;
      if (over || host || address !== here() || width !== innerWidth || !(old >= 0 && old <= longest)) return;
      const sheet = new CSSStyleSheet(), made = build(shell);
      markOld(made, at);
      sheet.replaceSync([...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map((rule) => rule.cssText)).join("\n"));
      made.inert = true;
      host = Object.assign(document.createElement("div"), { className: "glimpse" }); // it takes the clicks
      host.setAttribute("aria-hidden", "true");
      const root = host.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      root.append(made);
      document.body.append(host);
      performance.mark("watchglass:glimpse");
    },
    // end removes it: the program has painted rows, or there is something to say.
    end: () => { over = true; host?.remove(); },
    // began says that the program runs. It may have something else to show than rows, at once or soon.
    began: () => {
      const seen = new MutationObserver(() => document.querySelector(".list[data-panel=true], [aria-modal=true]") && glimpse.end());
      seen.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-panel"] });
      setTimeout(() => { seen.disconnect(); glimpse.end(); }, atMost);
    },
  };
  return glimpse;
};
