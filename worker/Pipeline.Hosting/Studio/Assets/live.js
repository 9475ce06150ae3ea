// Draws again every second while the page is shown and seen.
export async function live(signal, draw) {
  while (!signal.aborted) {
    if (!document.hidden) await draw();
    await new Promise(done => {
      const timer = setTimeout(done, 1000);
      signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
    });
  }
}
