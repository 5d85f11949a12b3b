// Asks the list something, and answers with how long it took until the rows that
// were asked for were painted, in milliseconds. The list is busy while it shows
// what was asked for before; a frame is painted when a message that was sent in its
// requestAnimationFrame arrives.
(() => {
  const grid = document.querySelector("[role=grid]"), field = document.querySelector("#filter");
  const ask = (what, act) => new Promise((done, failed) => {
    const frame = new MessageChannel(), patience = setTimeout(() => end(failed, new Error(`${what} was not answered`)), 10_000);
    const end = (tell, value) => { clearTimeout(patience); observer.disconnect(); frame.port1.close(); tell(value); };
    let begin = 0;
    frame.port1.onmessage = () => end(done, { took: performance.now() - begin, rows: grid.getAttribute("aria-rowcount") - 1 });
    const observer = new MutationObserver(() => {
      if (grid.getAttribute("aria-busy") === "false") requestAnimationFrame(() => frame.port2.postMessage(0));
    });
    observer.observe(grid, { attributes: true, attributeFilter: ["aria-busy"] });
    begin = performance.now();
    act();
  });
  globalThis.benchFilter = (text) => ask(`filter ${JSON.stringify(text)}`, () => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  globalThis.benchSort = (column) => ask(`sort by ${column}`, () => grid.querySelector(`[role=columnheader][data-column="${column}"]`).click());
  globalThis.benchFacet = (value) => ask(`facet ${value}`, () => document.querySelector(`.facets [data-value="${CSS.escape(value)}"]`).click());
  globalThis.benchGroup = (facet) => ask(`group by ${facet}`, () => document.querySelector(`.facets [data-action=group-by][data-value="${facet}"]`).click());
  // Selects an object, as an address does, and answers when its summary is painted.
  globalThis.benchDetail = (key, uid) => new Promise((done, failed) => {
    const drawer = document.querySelector(".drawer"), frame = new MessageChannel(), patience = setTimeout(() => end(failed, new Error(`${key} was not shown`)), 10_000);
    const end = (tell, value) => { clearTimeout(patience); observer.disconnect(); frame.port1.close(); tell(value); };
    let begin = 0;
    frame.port1.onmessage = () => end(done, performance.now() - begin);
    const observer = new MutationObserver(() => {
      if (!drawer.querySelector("#pane").textContent.includes(uid)) return;
      observer.disconnect();
      requestAnimationFrame(() => frame.port2.postMessage(0));
    });
    observer.observe(drawer, { childList: true, characterData: true, subtree: true });
    begin = performance.now();
    history.pushState(null, "", `${location.pathname}?sel=${key}`);
    dispatchEvent(new PopStateEvent("popstate"));
  });
  // Types a name into the command palette, and answers when an object of that name is painted.
  globalThis.benchFind = (text) => new Promise((done, failed) => {
    const frame = new MessageChannel(), patience = setTimeout(() => end(failed, new Error(`${text} was not found`)), 10_000);
    const end = (tell, value) => { clearTimeout(patience); observer.disconnect(); frame.port1.close(); tell(value); };
    let begin = 0;
    frame.port1.onmessage = () => end(done, performance.now() - begin);
    const observer = new MutationObserver(() => {
      const field = document.querySelector("#palette-text");
      if (field && !begin) {
        begin = performance.now();
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      } else if (document.querySelector(".offer[data-action=found-object]")) requestAnimationFrame(() => frame.port2.postMessage(0));
    });
    observer.observe(document.body, { childList: true, characterData: true, attributes: true, subtree: true });
    document.querySelector("[data-action=palette]").click();
  });
  // The first values of every facet.
  globalThis.benchValues = (most) => [...document.querySelectorAll(".facets .values")].flatMap((f) => [...f.querySelectorAll("[role=checkbox]")].slice(0, most).map((v) => v.dataset.value));
  // Scrolls at a pace, in pixels a second, and answers with the milliseconds between
  // frames, and with how many of them showed nothing in the middle of the list.
  globalThis.benchScroll = (pace, milliseconds) => new Promise((done) => {
    const frames = [], box = grid.getBoundingClientRect();
    let begin = 0, last = 0, empty = 0;
    const step = (now) => {
      if (!begin) begin = now;
      else {
        frames.push(now - last);
        if (!document.elementFromPoint(box.x + 50, box.y + box.height / 2)?.closest("[data-key]")) empty++;
      }
      last = now;
      grid.scrollTop = pace * (now - begin) / 1000;
      if (now - begin < milliseconds) requestAnimationFrame(step);
      else done({ frames, empty, scrolled: grid.scrollTop });
    };
    requestAnimationFrame(step);
  });
  return true;
})()
