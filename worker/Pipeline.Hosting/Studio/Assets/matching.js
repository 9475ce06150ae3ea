// What is done with all documents of a query: a file of them, or their end.
import { operation, query, queryLines, startDelete, stopOperation } from './api.js';
import { count, h, progress } from './dom.js';
import { parse } from './json.js';
import { wait } from './live.js';

const partLines = 1000, pause = 300;

/** How many documents a query finds now. */
export const countOf = async (text, signal) => (await query(text, 0, 1, signal)).TotalResults;

/** The documents of a query as the parts of a file. `write` makes a line of one; without it, a line is the document as it is stored. */
export async function fileOf(text, total, write, told, signal) {
  const parts = [];
  let number = 0, waiting = [];
  for await (const line of queryLines(text, signal)) {
    if (!line.startsWith('{"Item":')) continue;
    const item = line.slice('{"Item":'.length, -1);
    waiting.push(write ? write(parse(item)) : `${item}\n`);
    if (++number % partLines !== 0) continue;
    // A blob instead of strings: the browser may keep it on disk.
    parts.push(new Blob(waiting));
    waiting = [];
    told.replaceChildren(progress(number, total, `exported ${count(number)} of ${count(total)}`));
  }
  return { number, parts: [...parts, ...waiting] };
}

/** Deletes the documents of a query, with a button that stops it. Gives how many are deleted. */
export async function removeOf(text, told, signal) {
  const id = await startDelete(text);
  const stop = h('button', { type: 'button', onclick: () => stopOperation(id) }, 'Cancel');
  for (;;) {
    const state = await operation(id, signal);
    const { Total: total, Processed: done } = state.Progress;
    if (state.Status === 'Completed') return state.Result.Total;
    if (state.Status !== 'InProgress') throw new Error(`Stopped after ${count(done)} of ${count(total)} documents.${state.Result?.Message ? ` ${state.Result.Message}` : ''}`);
    told.replaceChildren(progress(done, total, `deleted ${count(done)} of ${count(total)}`), stop);
    await wait(signal, pause);
  }
}
