// Files that the browser saves by itself, straight to its disk: the page's memory does not grow with them. The server tells how far they are.
import { get, path, request } from './api.js';
import { count, h, progress, seconds } from './dom.js';
import { wait } from './live.js';

const pause = 300;
/** Milliseconds until a download must have begun. A query that must read its index first may take long. */
const slowest = 60_000;
/** Servers refuse longer addresses. */
const longestAddress = 7500;

/** Tells how much is done, how fast, and how long the rest takes. */
export function meter(target, form, total) {
  const begun = performance.now();
  let told = -Infinity;
  return done => {
    const now = performance.now(), passed = (now - begun) / 1000;
    if (now - told < 200 && done < total) return;
    told = now;
    const left = done > 0 && passed > 1 ? ` · ${seconds((total - done) / done * passed)} left` : '';
    target.replaceChildren(progress(done, total, `${form(done)} of ${form(total)} · ${form(Math.round(done / Math.max(passed, 0.1)))}/s${left}`));
  };
}

/** Not `crypto.randomUUID`, which pages without a secure connection lack. */
const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');

/**
 * Has the browser save what an address answers. `line` shows how far it is, with a button that cancels it; leaving the page does not. Gives how many documents
 * the file has, or null if it was cancelled.
 */
async function saveFile(address, parameters, state, line, signal) {
  const download = newToken(), begun = performance.now();
  const href = `${address}?${new URLSearchParams([...parameters, ['download', download]])}`;
  if (href.length > longestAddress) throw new Error(`The query is too long for a download: its address has ${count(href.length)} characters, and ${count(longestAddress)} are possible. Send it to POST streams/queries.`);
  const told = `${state}?${new URLSearchParams({ download })}`;
  const shown = h('span', { class: 'grow' }, 'begins');
  let tell = null;
  line.replaceChildren(shown, h('button', { type: 'button', onclick: () => request(told, { method: 'DELETE' }) }, 'Cancel'));
  h('a', { href, download: '' }).click();
  for (;;) {
    const now = Object.fromEntries(Object.entries(await get(told, signal)).map(([name, value]) => [name.toLowerCase(), value]));
    if (now.status === 'Completed') return now.written;
    if (now.status === 'Canceled') return null;
    if (now.status === 'Faulted') throw new Error(now.error);
    if (now.status === 'Running') {
      tell ??= meter(shown, count, now.total);
      tell(now.written);
    } else if (performance.now() - begun > slowest) {
      throw new Error('The download has not begun. The browser’s list of downloads says why.');
    }
    await wait(signal, pause);
  }
}

/** Saves all results of a query; the end of the name says the form: `.csv` with these columns, `.json` or `.jsonl`. As `saveFile`. */
export const saveResults = (text, file, columns, line, signal) =>
  saveFile(path('streams/queries'), [['query', text], ['file', file], ...columns.map(name => ['columns', name])], path('streams/downloads'), line, signal);

/** Saves all documents of the worker's database, or those of a collection, packed if the name ends with `.gz`. As `saveFile`. */
export const saveExport = (file, collection, line, signal) =>
  saveFile('export', [['file', file], ...(collection ? [['collection', collection]] : [])], 'export/download', line, signal);
