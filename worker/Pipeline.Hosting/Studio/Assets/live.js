// Draws again every second, or after so many milliseconds, while the page is shown and seen.
export async function live(signal, draw, pause = 1000) {
  let wake = () => {};
  // One listener for the whole time: one for each pause would stay until the page is left.
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    if (!document.hidden) await draw();
    if (signal.aborted) return;
    await new Promise(done => {
      const timer = setTimeout(done, pause);
      wake = () => { clearTimeout(timer); done(); };
    });
  }
}
