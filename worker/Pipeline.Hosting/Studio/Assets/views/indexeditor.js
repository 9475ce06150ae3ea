import { definition, putIndex, tryIndex } from '../api.js';
import { guard } from '../app.js';
import { codeEditor } from '../code.js';
import { count, h, say, table, telling } from '../dom.js';
import { format } from '../json.js';
import { collectionOfMap, namesOf } from '../names.js';

const pause = 500;
const first = 'from o in docs.Orders\nselect new { o.Company, o.Total }';
const firstReduce = 'from r in results\ngroup r by r.Company into g\nselect new { Company = g.Key, Total = g.Sum(x => x.Total) }';
const ways = [['', 'whole value'], ['Search', 'words (search)'], ['Exact', 'exact, with case'], ['No', 'not indexed']];

/** An index definition: written with completion, tried on real documents while it is written, then saved. */
export async function indexEditor(main, rest, signal) {
  const name = rest.join('/');
  const stored = name ? await definition(name, signal) : null;
  if (name && !stored) throw new Error(`There is no index '${name}' in this database.`);
  const known = namesOf(signal, collectionOfMap);
  const title = h('input', { value: name, placeholder: 'Orders/ByCompany', 'aria-label': 'Name of the index', class: 'grow', readonly: Boolean(name) });
  const ids = h('input', { placeholder: 'the newest 20, or ids: orders/1, orders/2', 'aria-label': 'Documents to try', class: 'grow' });
  const maps = h('div'), reduces = h('div'), fieldSheet = h('div'), output = h('div', { class: 'sheet', role: 'region', 'aria-label': 'Result', tabindex: '0' });
  const told = h('span', { class: 'dim', role: 'status' });
  const faults = h('ul', { class: 'bad faults' });
  const save = h('button', { type: 'button', class: 'main', title: 'Save (Ctrl+S)' }, 'Save');
  const editors = [];
  const options = structuredClone(stored?.Fields ?? {});
  let reduce = null, timer = 0, running = new AbortController(), saved = '', seen = [];

  const asked = () => ({ Name: title.value.trim() || 'New/Index', Maps: editors.map(e => e.text), Reduce: reduce?.text || null, Fields: Object.fromEntries(Object.entries(options).filter(([, f]) => f.Indexing || f.Analyzer || f.Storage === 'Yes')), LockMode: stored?.LockMode, Priority: stored?.Priority });
  const editorOf = source => source === 'reduce' ? reduce : editors[source === 'map' || !source ? 0 : Number(/\d+/.exec(source)?.[0] ?? 1) - 1];

  const run = telling(async () => {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    told.textContent = 'Trying…';
    const result = await tryIndex(asked(), ids.value.split(/[\s,]+/).filter(Boolean), 20, AbortSignal.any([signal, running.signal]));
    for (const editor of [...editors, reduce].filter(Boolean)) editor.markAll([]);
    const wrong = result.get('Faults').map(f => ({ source: f.get('Source'), line: Number(f.get('Line').toString()), column: Number(f.get('Column').toString()), message: f.get('Message') }));
    for (const editor of new Set(wrong.map(f => editorOf(f.source)))) editor?.markAll(wrong.filter(f => editorOf(f.source) === editor && f.line > 0));
    faults.replaceChildren(...wrong.map(f => h('li', null, `${f.source ?? 'definition'} ${f.line}:${f.column}: ${f.message}`)));
    save.disabled = wrong.length > 0;
    if (wrong.length > 0) {
      told.textContent = 'It does not compile.';
      return;
    }
    seen = result.get('Fields');
    drawFields();
    drawResult(result);
  });
  const soon = () => { clearTimeout(timer); timer = setTimeout(run, pause); };
  signal.addEventListener('abort', () => { clearTimeout(timer); running.abort(); }, { once: true });

  const drawResult = result => {
    const documents = result.get('Documents'), groups = result.get('Groups');
    const failed = documents.filter(d => d.get('Error')).length;
    told.textContent = `${count(documents.length)} documents · ${count(documents.reduce((sum, d) => sum + d.get('Entries').length, 0))} ${result.get('IsMapReduce') ? `outputs · ${count(groups.length)} groups` : 'entries'}${failed ? ` · ${count(failed)} fail` : ''}`;
    const error = e => h('span', { class: 'bad' }, e.get('Line').toString() > '0' ? `${e.get('Source')} ${e.get('Line')}:${e.get('Column')}: ` : '', e.get('Message'));
    output.replaceChildren(
      documents.length === 0 ? h('p', { class: 'empty' }, 'The maps take no stored document.') : '',
      ...groups.map(g => h('details', { open: groups.length < 4 }, h('summary', null, h('span', { class: 'chip' }, 'group'), ' ', g.get('Error') ? error(g.get('Error')) : g.get('Results').map(r => h('code', null, format(r), ' '))), h('p', { class: 'dim', style: 'margin:.2rem 0 .2rem 1rem' }, g.get('Documents').join(', ')))),
      ...documents.map(d => h('details', { open: !result.get('IsMapReduce') || Boolean(d.get('Error')) },
        h('summary', null, d.get('Id'), h('span', { class: 'dim' }, d.get('Error') ? ' fails' : d.get('Entries').length === 1 ? '' : ` ${d.get('Entries').length} entries`)),
        h('a', { class: 'open', href: `#/document/${encodeURIComponent(d.get('Id'))}` }, 'Open'),
        d.get('Error') ? error(d.get('Error')) : d.get('Entries').length === 0 ? h('span', { class: 'dim' }, 'no entry') : d.get('Entries').map(e => h('pre', null, format(e))))));
  };
  const drawFields = () => fieldSheet.replaceChildren(table([
    { title: 'Field', cell: f => f },
    { title: 'Indexed as', cell: f => h('select', { 'aria-label': `How ${f} is indexed`, onchange: event => { options[f] = { ...options[f], Indexing: event.target.value || null }; soon(); } }, ways.map(([value, text]) => h('option', { value, selected: value === (options[f]?.Indexing ?? '') }, text))) },
    { title: 'Stored', cell: f => h('input', { type: 'checkbox', 'aria-label': `Whether ${f} is stored`, checked: options[f]?.Storage === 'Yes', onchange: event => { options[f] = { ...options[f], Storage: event.target.checked ? 'Yes' : 'No' }; soon(); } }) },
  ], seen, 'The maps name no fields.'));

  const part = (editor, label, remove) => h('section', { class: 'part' }, h('div', { class: 'bar', style: 'margin:0 0 .25rem' }, h('h2', { class: 'grow', style: 'margin:0' }, label), remove ? h('button', { type: 'button', onclick: remove }, `Remove ${label.toLowerCase()}`) : ''), editor.element);
  const draw = () => {
    maps.replaceChildren(...editors.map((editor, i) => part(editor, editors.length > 1 ? `Map ${i + 1}` : 'Map', editors.length > 1 ? () => { editors.splice(i, 1); draw(); soon(); } : null)));
    reduces.replaceChildren(reduce ? part(reduce, 'Reduce', () => { reduce = null; draw(); soon(); }) : '', h('div', { class: 'bar', style: 'margin-top:.5rem' },
      h('button', { type: 'button', onclick: async () => { await addMap(first); draw(); soon(); } }, 'Add map'), reduce ? '' : h('button', { type: 'button', onclick: async () => { await addReduce(firstReduce); draw(); soon(); } }, 'Add reduce')));
  };
  const write = telling(async () => {
    if (save.disabled) return;
    const index = asked();
    if (!title.value.trim()) {
      title.focus();
      throw new Error('The index needs a name, such as Orders/ByCompany.');
    }
    await putIndex(index);
    saved = JSON.stringify(asked());
    say(stored ? `Saved ${index.Name}. If its entries differ, a new version is built beside this one.` : `Made ${index.Name}.`);
    location.hash = `#/indexes/${encodeURIComponent(index.Name)}`;
  });
  const keys = { 'Mod-s': write };
  const addMap = async text => editors.push(await codeEditor({ signal, label: `Map ${editors.length + 1}`, text, language: 'script', known, keys, onChange: soon }));
  const addReduce = async text => { reduce = await codeEditor({ signal, label: 'Reduce', text, language: 'script', known, keys, onChange: soon }); };

  for (const map of stored?.Maps ?? [first]) await addMap(map);
  if (stored?.Reduce) await addReduce(stored.Reduce);
  if (signal.aborted) return;
  save.onclick = write;
  ids.onchange = run;
  saved = JSON.stringify(asked());
  guard(signal, () => JSON.stringify(asked()) !== saved);
  draw();
  drawFields();
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', null, stored ? 'Edit index' : 'New index'), title, save, h('a', { href: name ? `#/indexes/${encodeURIComponent(name)}` : '#/indexes' }, 'Back')),
    stored && stored.LockMode !== 'Unlock' ? h('p', { class: 'warn' }, `The index is locked (${stored.LockMode}): a save is refused or ignored.`) : '',
    h('div', { class: 'two' },
      h('div', null, maps, reduces, h('div', { role: 'alert' }, faults), h('h2', null, 'Fields'), fieldSheet),
      h('div', null, h('div', { class: 'bar' }, h('h2', { style: 'margin:0' }, 'Tried on'), ids), h('p', { style: 'margin:0 0 .5rem' }, told), output)));
  editors[0].focus();
  await run();
}
