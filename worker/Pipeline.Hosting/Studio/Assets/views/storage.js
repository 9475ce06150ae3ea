import { isOwn, ofWorker, state } from '../api.js';
import { bytes, count, figures, h, refresh, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { notOwn } from './own.js';

/** What the storage of the worker's database does. */
export async function storage(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Storage');
  const sheet = h('div');
  main.replaceChildren(h('h1', null, state.own ? `Storage of ${state.own}` : 'Storage'), sheet);
  await live(signal, telling(async () => {
    const s = await ofWorker('storage', signal);
    if (!s) {
      refresh(sheet, h('div', { class: 'sheet empty' }, 'This server shows no storage figures.'));
      return;
    }
    refresh(
      sheet,
      s.failure ? h('p', { class: 'bad' }, s.failure) : '',
      figures([['transactions', count(s.transaction)], ['data file', bytes(s.dataFileBytes)], ['on disk', bytes(s.allocatedBytes)], ['free in the file', bytes(s.freeBytes)], ['unflushed journal', bytes(s.unflushedJournalBytes)], ['versions in memory', bytes(s.scratchBytes)]]),
      h('h2', null, 'Input and output'),
      table([
        { title: 'Kind', cell: io => io.kind },
        { title: 'Count', number: true, cell: io => count(io.count) },
        { title: 'Bytes', number: true, cell: io => bytes(io.bytes) },
        { title: 'Throughput', number: true, cell: io => `${bytes(io.bytesPerSecond)}/s` },
        { title: 'p50', number: true, cell: io => seconds(io.p50Seconds) },
        { title: 'p99', number: true, cell: io => seconds(io.p99Seconds) },
        { title: 'Longest', number: true, cell: io => seconds(io.longestSeconds) },
      ], s.io, 'None yet.', io => io.kind),
      h('h2', null, 'Open snapshots'),
      table([
        { title: 'Owner', cell: r => r.owner },
        { title: 'Age', number: true, cell: r => seconds(r.ageSeconds) },
        { title: 'Transaction', number: true, cell: r => count(r.transaction) },
        { title: 'Holds back', number: true, cell: r => bytes(r.heldBytes) },
      ], s.readers, 'None.', r => `${r.owner} ${r.transaction}`));
  }));
}
