/** Waits, at the longest until the page is left. Leaves no listener behind: a page may wait for hours. */
export const wait = (signal, milliseconds) => new Promise(done => {
  if (signal.aborted) return done();
  const end = () => { clearTimeout(timer); signal.removeEventListener('abort', end); done(); };
  const timer = setTimeout(end, milliseconds);
  signal.addEventListener('abort', end);
});

/** Draws again every second, or after so many milliseconds, while the page is shown and seen. */
export async function live(signal, draw, pause = 1000) {
  while (!signal.aborted) {
    if (!document.hidden) await draw();
    await wait(signal, pause);
  }
}
