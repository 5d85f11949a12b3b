// Moves the slider of the past, and answers with how long it took until the rows of that moment were
// painted, in milliseconds. The page says that it is there once its lists are.
(() => {
  const slider = document.querySelector("#past-slider");
  globalThis.benchPast = (share) => new Promise((done, failed) => {
    const frame = new MessageChannel(), patience = setTimeout(() => end(failed, new Error("the moment was not shown")), 10_000);
    const end = (tell, value) => { clearTimeout(patience); off(); frame.port1.close(); tell(value); };
    let begin = 0;
    frame.port1.onmessage = () => end(done, performance.now() - begin);
    const off = watchglass.on("state", () => requestAnimationFrame(() => frame.port2.postMessage(0)));
    begin = performance.now();
    slider.value = Math.round(share * slider.max);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return true;
})()
