import { collections, newest, query } from '../api.js';
import { count, h, table, telling } from '../dom.js';
import { JsonNumber, metadataOf } from '../json.js';

const pageSize = 50;
const link = id => h('a', { href: `#/document/${encodeURIComponent(id)}` }, id);
const isShown = value => typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber;

/** The names that most of the documents have with simple values: a few columns say what a document is. */
function columnsOf(documents) {
  const seen = new Map();
  for (const d of documents) for (const [name, value] of d) if (isShown(value)) seen.set(name, (seen.get(name) ?? 0) + 1);
  return [...seen].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([name]) => ({ title: name, number: documents.every(d => (d.get(name) ?? null) === null || d.get(name) instanceof JsonNumber), cell: d => shorten(d.get(name)) }));
}

const shorten = value => isShown(value) ? String(value).length > 120 ? `${String(value).slice(0, 117)}…` : String(value) : '';

/** Collections at the side; the documents of one, or the newest of all, page by page. */
export async function documents(main, [collection], signal) {
  const all = await collections(signal);
  const total = Object.values(all).reduce((sum, n) => sum + n, 0);
  const sheet = h('div');
  const where = h('span', { class: 'dim grow' });
  const before = h('button', { type: 'button' }, '‹ Before');
  const next = h('button', { type: 'button' }, 'Next ›');
  let start = 0;

  const load = telling(async () => {
    const found = collection
      ? (await query(`from '${collection.replaceAll("'", "\\'")}'`, start, pageSize, signal)).Results
      : await newest(start, pageSize, signal);
    const most = collection ? all[collection] ?? 0 : total;
    where.textContent = found.length ? `${count(start + 1)}–${count(start + found.length)} of ${count(most)}` : '';
    before.disabled = start === 0;
    next.disabled = start + found.length >= most;
    sheet.replaceChildren(table([
      { title: 'Id', cell: d => link(metadataOf(d, '@id')) },
      ...(collection ? [] : [{ title: 'Collection', cell: d => metadataOf(d, '@collection') }]),
      ...columnsOf(found),
      { title: 'Changed', cell: d => h('span', { class: 'dim', title: metadataOf(d, '@last-modified') }, new Date(metadataOf(d, '@last-modified')).toLocaleString()) },
    ], found, 'No documents yet.'));
  });
  before.onclick = () => { start = Math.max(0, start - pageSize); load(); };
  next.onclick = () => { start += pageSize; load(); };

  const entry = (name, text, n) => h('li', null, h('a', { href: `#/documents${name ? `/${encodeURIComponent(name)}` : ''}`, 'aria-current': name === collection ? 'true' : null }, text, h('span', { class: 'dim' }, count(n))));
  main.replaceChildren(h('div', { class: 'split' },
    h('ul', { class: 'list' }, entry(undefined, 'All documents', total), Object.entries(all).filter(([, n]) => n > 0).sort().map(([name, n]) => entry(name, name, n))),
    h('section', null, h('div', { class: 'bar' }, where, before, next, h('a', { href: '#/document/' }, h('button', { type: 'button', class: 'main', tabindex: '-1' }, 'New document'))), sheet)));
  await load();
}
