import { isOwn, ofWorker, post, state } from '../api.js';
import { bytes, count, figures, h, refresh, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { notOwn } from './own.js';

const scrubView = r => h('div', { class: `alert ${r.damaged?.length ? 'bad-edge' : 'good-edge'}` }, h('b', null, r.damaged?.length ? `${count(r.damaged.length)} pages are damaged.` : 'Every page is good.'), h('span', null, `${count(r.pages)} pages read.`), r.repaired?.length ? h('span', null, `${count(r.repaired.length)} damaged pages were repaired from node ${[...new Set(r.repaired.map(p => p.source))].join(', ')}. Check the disk of this node.`) : '', r.documents?.length ? h('span', null, `Restore these documents from a backup: ${r.documents.map(d => d.id ?? d).join(', ')}`) : '');
const compactView = r => h('div', { class: 'alert good-edge' }, h('b', null, 'The data file is compact.'), h('span', null, `${bytes(r.fileBytesBefore)} before, ${bytes(r.fileBytesAfter)} now.`));

/** What the storage of the worker's database does. */
export async function storage(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Storage');
  const sheet = h('div'), told = h('div', { role: 'status' });
  const job = (text, question, path, done) => h('button', { type: 'button', onclick: telling(async event => {
    const button = event.currentTarget;
    if (question && !confirm(question)) return;
    button.disabled = true;
    told.replaceChildren(h('p', { class: 'dim' }, `${text} runs. It ends if you leave this page.`));
    try {
      told.replaceChildren(done(await post(path, {}, signal)));
    } catch (error) {
      told.replaceChildren();
      throw error;
    } finally {
      button.disabled = false;
    }
  }) }, text);
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, state.own ? `Storage of ${state.own}` : 'Storage'),
    job('Check', null, 'storage/scrub', scrubView), job('Compact', 'Move data into gaps and shrink the data file? Writes go on, but are slower.', 'storage/compact', compactView)), told, sheet);
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
