// A question that may take long: it shows how far the indexes are that may hold it up, and can be cancelled.
import { indexes } from './api.js';
import { h, progress } from './dom.js';
import { wait } from './live.js';

/** Milliseconds until a question counts as long, and between two looks at the indexes. */
const long = 500, pause = 1000;

const percent = index => Math.floor(100 * Math.min(1, index.Position / Math.max(1, index.DatabasePosition)));

const bar = index => progress(index.Position, index.DatabasePosition, `index ${index.Name}: ${percent(index)} %`);

/** The indexes that are behind and being built, also only the one of a name. */
async function behind(signal, name = null) {
  const all = await indexes(signal).catch(() => []);
  return all.filter(i => i.IsStale && i.State === 'Normal' && (name === null || i.Name === name));
}

/** Asks with a signal. `target` shows what holds a long question up, with a button that cancels it. Gives the answer, or null if it was cancelled. */
export async function asking(ask, target, signal) {
  const stop = new AbortController(), both = AbortSignal.any([signal, stop.signal]), ended = new AbortController();
  const watching = AbortSignal.any([both, ended.signal]);
  const watch = async () => {
    await wait(watching, long);
    const cancel = h('button', { type: 'button', onclick: () => stop.abort() }, 'Cancel');
    while (!watching.aborted) {
      const bars = (await behind(watching)).map(bar);
      if (watching.aborted) return;
      target.replaceChildren(...(bars.length > 0 ? bars : [h('span', { class: 'dim' }, 'The server is asked.')]), cancel);
      await wait(watching, pause);
    }
  };
  watch();
  try {
    return await ask(both);
  } catch (error) {
    if (stop.signal.aborted && !signal.aborted) return null;
    throw error;
  } finally {
    ended.abort();
    target.replaceChildren();
  }
}

/** Changes that an index may be behind without a word: it always is where many are written. An answer counts up to some hundreds. */
export const fewChanges = 100;

/**
 * Shows how far an index is until it has almost caught up, or the page is left; `looks` is the most looks at it. Tells whether it had to wait.
 */
export async function untilIndexed(name, target, signal, looks = Infinity) {
  for (let hasWaited = false; ; hasWaited = true) {
    if (hasWaited && --looks <= 0) return true;
    const [index] = await behind(signal, name);
    if (signal.aborted || !index || index.DatabasePosition - index.Position <= fewChanges) {
      target.replaceChildren();
      return hasWaited;
    }
    target.replaceChildren(h('span', { class: 'warn' }, 'Results so far: the index is being built.'), bar(index));
    await wait(signal, pause);
  }
}
