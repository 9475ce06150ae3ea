// What is done with all documents of a query: they are counted, or deleted.
import { operation, query, startDelete, stopOperation } from './api.js';
import { count, h, progress } from './dom.js';
import { wait } from './live.js';

const pause = 300;

/** How many documents a query finds now. */
export const countOf = async (text, signal) => (await query(text, 0, 1, signal)).TotalResults;

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
