// Draws again every second, or after so many milliseconds, while the page is shown and seen.
export async function live(signal, draw, pause = 1000) {
  while (!signal.aborted) {
    if (!document.hidden) await draw();
    await new Promise(done => {
      const timer = setTimeout(done, pause);
      signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
    });
  }
}
