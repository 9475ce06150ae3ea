import { batches, definition, deleteIndex, groups, indexErrors, indexes as read, resetIndex, setIndexes, termFields, terms } from '../api.js';
import { count, figures, h, progress, refresh, say, seconds, table, tabs, telling, when } from '../dom.js';
import { format } from '../json.js';
import { live } from '../live.js';
import { addressOf } from '../results.js';

const stateOf = index => index.IsInvalidIndex ? h('span', { class: 'bad' }, 'in error') : index.State !== 'Normal' ? h('span', { class: 'warn' }, index.State.toLowerCase()) : index.Status === 'Paused' ? h('span', { class: 'warn' }, 'paused') : index.IsStale ? h('span', { class: 'warn' }, 'indexing') : h('span', { class: 'good' }, 'up to date');
const percent = (done, total) => `${total > 0 ? Math.floor(100 * Math.min(1, done / total)) : 100} %`;
const link = id => h('a', { href: `#/document/${encodeURIComponent(id)}` }, id);

/** How far an index, or the version that will replace it, has come. */
function progressOf(index) {
  const total = index.DatabasePosition;
  if (index.ReplacementPosition !== undefined) return progress(index.ReplacementPosition, total, `new version: ${percent(index.ReplacementPosition, total)}`);
  return index.IsStale ? progress(index.Position, total, `${percent(index.Position, total)}, ${count(index.Lag || total - index.Position)} changes behind`) : '';
}

/** All indexes with their progress; one of them with its figures, terms, groups, batches and errors. */
export async function indexes(main, rest, signal) {
  const name = rest.join('/');
  if (name) return one(main, name, signal);
  const sheet = h('div');
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, 'Indexes'), h('a', { href: '#/index/', class: 'button main' }, 'New index')), sheet);
  await live(signal, telling(async () => {
    const all = await read(signal);
    refresh(sheet, table([
      { title: 'Name', cell: i => h('a', { href: `#/indexes/${encodeURIComponent(i.Name)}` }, i.Name) },
      { title: 'Type', cell: i => ({ Map: 'map', MapReduce: 'map-reduce', AutoMap: 'automatic', AutoMapReduce: 'automatic, grouped' })[i.Type] ?? i.Type },
      { title: 'State', cell: i => [stateOf(i), ' ', progressOf(i)] },
      { title: 'Entries', number: true, cell: i => count(i.EntriesCount) },
      { title: 'Errors', number: true, cell: i => i.ErrorsCount ? h('a', { class: 'bad', href: `#/indexes/${encodeURIComponent(i.Name)}` }, count(i.ErrorsCount)) : '0' },
      { title: 'Last indexed', cell: i => i.LastIndexingTime ? when(i.LastIndexingTime) : '' },
    ], all, 'No indexes yet. A query that needs an index creates it; “New index” defines one yourself.', i => i.Name));
  }));
}

async function one(main, name, signal) {
  const [shape, errors] = await Promise.all([definition(name, signal), indexErrors(name, signal)]);
  if (!shape) throw new Error(`There is no index '${name}' in this database.`);
  const isAutomatic = shape.Type.startsWith('Auto'), isGrouped = shape.Type.endsWith('MapReduce');
  const head = h('div');
  const act = (text, question, run, done, properties) => h('button', { type: 'button', ...properties, onclick: telling(async () => {
    if (question && !confirm(question)) return;
    await run();
    say(done);
  }) }, text);
  const parts = {
    ...(isAutomatic ? {} : { Definition: () => definitionView(shape) }),
    Terms: () => termsView(name, signal),
    ...(isGrouped ? { Groups: () => groupsView(name, signal) } : {}),
    Batches: async () => batchesView(await batches(name, signal)),
    [`Errors (${errors.length})`]: () => errorsView(errors),
  };
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { class: 'grow' }, name), h('a', { href: addressOf(`from index '${name}'`) }, 'Query'),
      isAutomatic ? '' : h('a', { class: 'button', href: `#/index/${encodeURIComponent(name)}` }, 'Edit'),
      act('Reset', `Rebuild '${name}' from all documents?`, () => resetIndex(name), `${name} is being built again.`),
      act('Delete', `Delete the index '${name}'?`, async () => { await deleteIndex(name); location.hash = '#/indexes'; }, `Deleted ${name}.`, { class: 'danger' })),
    head, tabs(`Index ${name}`, parts, errors.length > 0 ? `Errors (${errors.length})` : undefined));
  await live(signal, telling(async () => {
    const now = (await read(signal)).find(i => i.Name === name);
    if (!now) return;
    const isOff = now.State !== 'Normal' || now.Status === 'Paused';
    refresh(head,
      now.Failure ? h('div', { class: 'alert bad-edge', role: 'alert' }, h('b', null, 'The index is in error and does not answer queries.'), h('span', null, now.Failure), h('span', { class: 'dim' }, 'Correct the definition, or the documents below “Errors”, then choose Reset.')) : '',
      now.ReplacementPosition === undefined ? '' : h('div', { class: 'alert accent-edge', role: 'status' }, h('b', null, 'A new version is being built beside this one.'), progressOf(now), h('span', { class: 'dim' }, 'Queries use the present version until the new one has caught up.')),
      figures([['state', stateOf(now)], ['entries', count(now.EntriesCount)], ['documents read', count(now.MapAttempts)], ['errors', count(now.ErrorsCount)], ['changes behind', count(now.Lag)], ['last indexed', now.LastIndexingTime ? new Date(now.LastIndexingTime).toLocaleTimeString() : 'never'], ['last queried', now.LastQueryingTime ? new Date(now.LastQueryingTime).toLocaleTimeString() : 'never']]),
      now.IsStale && now.ReplacementPosition === undefined ? h('p', null, progressOf(now)) : '',
      now.IsInvalidIndex ? '' : h('p', null, h('button', { type: 'button', 'data-key': String(isOff), onclick: telling(() => setIndexes(isOff ? 'enable' : 'disable', name)) }, isOff ? 'Enable' : 'Disable'), ' ', h('span', { class: 'dim' }, isOff ? 'It is not updated.' : 'A disabled index keeps its entries and is not updated.')));
  }));
}

function definitionView(shape) {
  const part = (title, text) => h('section', null, h('h2', null, title), h('div', { class: 'sheet', tabindex: '0' }, h('pre', { class: 'pane' }, text)));
  const fields = Object.entries(shape.Fields ?? {});
  return h('div', null, shape.Maps.map((map, i) => part(shape.Maps.length > 1 ? `Map ${i + 1}` : 'Map', map)), shape.Reduce ? part('Reduce', shape.Reduce) : '',
    fields.length === 0 ? '' : h('section', null, h('h2', null, 'Fields'), table([
      { title: 'Field', cell: f => f[0] }, { title: 'Indexed as', cell: f => f[1].Indexing ?? 'whole value' }, { title: 'Analyzer', cell: f => f[1].Analyzer ?? '' }, { title: 'Stored', cell: f => f[1].Storage === 'Yes' ? 'yes' : '' },
    ], fields, '')));
}

/** The terms of a field, page by page; each leads to its documents. */
async function termsView(name, signal) {
  const fields = await termFields(name, signal);
  if (fields.length === 0) return h('div', { class: 'sheet empty' }, 'The index has no terms yet.');
  const field = h('select', { 'aria-label': 'Field' }, fields.map(f => h('option', null, f))), from = h('input', { type: 'search', placeholder: 'from this term on', 'aria-label': 'From term' });
  const list = h('div');
  const draw = telling(async () => {
    const found = await terms(name, field.value, from.value || undefined, signal);
    list.replaceChildren(found.length === 0 ? h('div', { class: 'sheet empty' }, 'No terms.') : h('div', { class: 'chips' }, found.slice(0, 100).map(term =>
      h('a', { class: 'chip', href: addressOf(`from index '${name}' where ${field.value} = ${/^-?\d+(\.\d+)?$/.test(term) ? term : `'${term.replaceAll("'", "\\'")}'`}`) }, term))),
    found.length > 100 ? h('p', null, h('button', { type: 'button', onclick: () => { from.value = found[99]; draw(); } }, 'Next 100')) : '');
  });
  field.onchange = draw;
  from.onchange = draw;
  await draw();
  return h('div', null, h('div', { class: 'bar' }, field, from, h('span', { class: 'dim' }, 'A term leads to its documents.')), list);
}

/** The groups of a map-reduce index; one opens down to the documents behind it. */
async function groupsView(name, signal) {
  const found = await groups(name, { pageSize: 200 }, signal);
  const total = Number(found.get('TotalResults').toString());
  if (total === 0) return h('div', { class: 'sheet empty' }, 'The index has no groups yet.');
  return h('div', null, h('p', { class: 'dim' }, total > 200 ? `The first 200 of ${count(total)} groups. A query finds the others.` : `${count(total)} groups. Open one to see the documents behind its result.`),
    h('div', { class: 'sheet' }, found.get('Results').map(g => {
      const body = h('div', { class: 'pane' }, h('span', { class: 'dim' }, 'Reading documents…'));
      return h('details', { ontoggle: telling(async event => {
        if (!event.target.open || body.dataset.drawn) return;
        body.dataset.drawn = 'yes';
        body.replaceChildren(groupTree(g.get('Result'), await groups(name, { group: g.get('Key') }, signal)));
      }) }, h('summary', null, h('code', null, format(g.get('Result')))), body);
    })));
}

function groupTree(result, tree) {
  const documents = tree.get('Documents'), parts = tree.get('Parts').filter(p => p.get('Results').length > 0);
  const leaves = documents.map(d => h('li', null, link(d.get('Id')), ' ', d.get('Entries').map(e => h('code', { class: 'dim' }, format(e), ' '))));
  return h('div', null,
    h('ul', { class: 'tree' }, h('li', null, h('b', null, 'Result'), ' ', h('code', null, format(result)),
      parts.length > 0 ? h('details', null, h('summary', null, `${count(parts.length)} stored partial results`), h('ul', null, parts.map(p =>
        h('li', { style: `margin-left:${p.get('Depth')}rem` }, h('span', { class: 'chip' }, `${p.get('Path')}… · ${p.get('Outputs')} outputs`), ' ', p.get('Results').map(r => h('code', { class: 'dim' }, format(r))))))) : '',
      h('ul', null, leaves))),
    h('p', { class: 'dim' }, tree.get('IsComplete') ? `${count(documents.length)} documents.` : `The newest ${count(documents.length)} documents of it, of ${tree.get('Scanned')} that were read.`));
}

/** Each batch as a bar of its time, the newest at the right. */
function batchesView(all) {
  if (all.length === 0) return h('div', { class: 'sheet empty' }, 'No batches since the start of the server.');
  const longest = Math.max(...all.map(b => b.DurationInMs), 1);
  const kinds = [['Map', 'MapInMs', 'var(--accent)'], ['Reduce', 'ReduceInMs', 'var(--warn)'], ['Commit', 'CommitInMs', 'var(--good)'], ['Throttled', 'ThrottledInMs', 'var(--dim)']];
  return h('div', null,
    h('div', { class: 'batches', role: 'img', 'aria-label': `${all.length} batches; the longest took ${seconds(longest / 1000)}` }, all.map(b =>
      h('span', { title: `${new Date(b.Started).toLocaleTimeString()}: ${count(b.InputCount)} documents in ${seconds(b.DurationInMs / 1000)}`, style: `height:${Math.max(3, 100 * b.DurationInMs / longest)}%` }, kinds.map(([, key, color]) => h('i', { style: `flex:${b[key]} 0 0;background:${color}` }))))),
    h('div', { class: 'bar' }, kinds.map(([title, , color]) => h('span', { class: 'dim' }, h('i', { class: 'dot', style: `background:${color}` }), ` ${title.toLowerCase()}`))),
    table([
      { title: 'Started', cell: b => new Date(b.Started).toLocaleTimeString() },
      { title: 'Documents', number: true, cell: b => count(b.InputCount) },
      { title: 'Entries', number: true, cell: b => count(b.OutputCount) },
      { title: 'Groups', number: true, cell: b => count(b.GroupCount) },
      { title: 'Errors', number: true, cell: b => count(b.FailedCount) },
      ...kinds.map(([title, key]) => ({ title, number: true, cell: b => seconds(b[key] / 1000) })),
      { title: 'Through position', number: true, cell: b => count(b.Through) },
    ], [...all].reverse().slice(0, 20), ''));
}

const errorsView = errors => table([
  { title: 'Time', cell: e => new Date(e.Timestamp).toLocaleString() },
  { title: 'Document', cell: e => e.Document ? link(e.Document) : '' },
  { title: 'Step', cell: e => e.Action },
  { title: 'Error', wide: true, cell: e => e.Error },
], errors, 'No document failed.');
