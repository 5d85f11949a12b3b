// Notes every change of a row on screen: {key, status, restarts, changed, painted},
// with times of the wall clock in milliseconds. An observer hears of a change when
// the task that made it ends; the frame that shows it is painted when a message
// that was sent in its requestAnimationFrame arrives. A cell that changes keeps its
// text node.
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const frame = new MessageChannel(), frames = [];
  const changes = (globalThis.benchChanges = []);
  let open = null;
  frame.port1.onmessage = () => {
    const painted = now();
    for (const change of frames.shift()) changes.push({ ...change, painted });
  };
  new MutationObserver((records) => {
    const changed = now();
    if (!open) {
      open = [];
      requestAnimationFrame(() => { frames.push(open); open = null; frame.port2.postMessage(0); });
    }
    for (const row of new Set(records.map(({ target }) => (target.closest ? target : target.parentElement)?.closest("[data-key]")))) {
      if (!row) continue;
      const cell = (column) => row.querySelector(`[data-column=${column}]`).textContent;
      open.push({ key: row.dataset.key, status: cell("Status"), restarts: cell("Restarts"), changed });
    }
  }).observe(document.querySelector("[role=grid]"), { subtree: true, childList: true, characterData: true });
  return true;
})()
