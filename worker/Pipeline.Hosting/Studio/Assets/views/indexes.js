import { definition, deleteIndex, indexErrors, indexes as read, resetIndex } from '../api.js';
import { count, h, refresh, say, table, telling } from '../dom.js';
import { live } from '../live.js';

const stateOf = index => index.IsInvalidIndex ? h('span', { class: 'bad' }, 'in error') : index.State !== 'Normal' ? h('span', { class: 'warn' }, index.State) : index.IsStale ? h('span', { class: 'warn' }, 'indexing') : h('span', { class: 'good' }, 'up to date');

/** All indexes with their progress; one of them with its definition and errors. */
export async function indexes(main, rest, signal) {
  const name = rest.join('/');
  if (name) return one(main, name, signal);
  const sheet = h('div');
  main.replaceChildren(h('h1', null, 'Indexes'), sheet);
  await live(signal, telling(async () => {
    const all = await read(signal);
    refresh(sheet, table([
      { title: 'Name', cell: i => h('a', { href: `#/indexes/${encodeURIComponent(i.Name)}` }, i.Name) },
      { title: 'Type', cell: i => i.Type },
      { title: 'State', cell: stateOf },
      { title: 'Lag', number: true, cell: i => i.Lag ? count(i.Lag) : '' },
      { title: 'Entries', number: true, cell: i => count(i.EntriesCount) },
      { title: 'Errors', number: true, cell: i => i.ErrorsCount ? h('span', { class: 'bad' }, count(i.ErrorsCount)) : '0' },
      { title: 'Last indexed', cell: i => i.LastIndexingTime ? new Date(i.LastIndexingTime).toLocaleString() : '' },
    ], all, 'No indexes yet. A query that needs an index creates it.', i => i.Name));
  }));
}

async function one(main, name, signal) {
  const [shape, errors] = await Promise.all([definition(name, signal), indexErrors(name, signal)]);
  const reset = h('button', { type: 'button' }, 'Reset');
  const erase = h('button', { type: 'button', class: 'danger' }, 'Delete');
  reset.onclick = telling(async () => {
    if (!confirm(`Rebuild '${name}' from all documents?`)) return;
    await resetIndex(name);
    say(`${name} is being built again.`);
  });
  erase.onclick = telling(async () => {
    if (!confirm(`Delete the index '${name}'?`)) return;
    await deleteIndex(name);
    say(`Deleted ${name}.`);
    location.hash = '#/indexes';
  });
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { class: 'grow' }, name), h('a', { href: `#/query/${encodeURIComponent(`from index '${name}'`)}` }, 'Query'), reset, erase),
    ...(shape?.Maps ?? []).map(map => h('div', { class: 'sheet', style: 'margin-bottom:.5rem' }, h('pre', { style: 'padding:.7rem' }, map))),
    shape?.Reduce ? h('section', null, h('h2', null, 'Reduce'), h('div', { class: 'sheet' }, h('pre', { style: 'padding:.7rem' }, shape.Reduce))) : '',
    h('h2', null, 'Errors'),
    table([
      { title: 'Time', cell: e => new Date(e.Timestamp).toLocaleString() },
      { title: 'Document', cell: e => e.Document ? h('a', { href: `#/document/${encodeURIComponent(e.Document)}` }, e.Document) : '' },
      { title: 'Step', cell: e => e.Action },
      { title: 'Error', wrap: true, cell: e => e.Error },
    ], errors, 'None.'));
}
