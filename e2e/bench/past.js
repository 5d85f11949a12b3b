// Moves the slider of the past, and answers how long it took until the rows on screen were those of that
// moment, as painted, and until all of its list was there, in milliseconds. The page says that it is there
// once its lists are; rows that change afterwards would be wrong before, so they count as long.
(() => {
  const slider = document.querySelector("#past-slider"), grid = document.querySelector("[role=grid]");
  const painted = (then) => {
    const frame = new MessageChannel();
    frame.port1.onmessage = () => { frame.port1.close(); then(performance.now()); };
    requestAnimationFrame(() => frame.port2.postMessage(0));
  };
  globalThis.benchPast = (share) => new Promise((done, failed) => {
    let begin = 0, rows = 0, all = 0;
    const seen = new MutationObserver(() => painted((now) => { rows = now; }));
    const patience = setTimeout(() => end(() => failed(new Error("the moment was not shown"))), 10_000);
    const end = (tell) => { clearTimeout(patience); seen.disconnect(); off(); tell(); };
    const off = watchglass.on("state", () => painted((now) => {
      all ||= now;
      setTimeout(() => end(() => done({ rows: (rows || all) - begin, all: all - begin })), 100);
    }));
    seen.observe(grid, { subtree: true, childList: true, characterData: true });
    begin = performance.now();
    slider.value = Math.round(share * slider.max);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  // benchSave saves the recording that is on screen, and answers how long that took until the page said so.
  globalThis.benchSave = () => new Promise((done) => {
    const begin = performance.now();
    const seen = new MutationObserver(() => {
      if (!document.querySelector("#notice")?.textContent.includes("Saved ")) return;
      seen.disconnect();
      done(performance.now() - begin);
    });
    seen.observe(document.body, { subtree: true, childList: true, characterData: true });
    document.querySelector("#recording-write").click();
  });
  return true;
})()
