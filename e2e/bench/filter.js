// Types a text into the filter, and answers with how long it took until the rows
// that it leaves were painted, in milliseconds. A frame is painted when a message
// that was sent in its requestAnimationFrame arrives.
globalThis.benchFilter = (text) => new Promise((done, failed) => {
  const quiet = 250, patience = 10_000;
  const field = document.querySelector("#filter"), grid = document.querySelector("[role=grid]");
  const frame = new MessageChannel();
  let painted = 0;
  frame.port1.onmessage = () => { painted = performance.now(); };
  const observer = new MutationObserver(() => requestAnimationFrame(() => frame.port2.postMessage(0)));
  observer.observe(grid, { attributes: true, attributeFilter: ["aria-rowcount"] });
  const begin = performance.now();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const look = setInterval(() => {
    const now = performance.now();
    if (painted ? now - painted < quiet : now - begin < patience) return;
    clearInterval(look);
    observer.disconnect();
    frame.port1.close();
    if (painted) done({ took: painted - begin, rows: grid.getAttribute("aria-rowcount") - 1 });
    else failed(new Error(`the filter ${JSON.stringify(text)} changed nothing`));
  }, 50);
});
true;
