import { collections, documentsOf, newest, query, removeAll, state } from '../api.js';
import { asking, fewChanges, untilIndexed } from '../asking.js';
import { count, h, say, table, telling } from '../dom.js';
import { format, JsonNumber, metadataOf } from '../json.js';
import { countOf, removeOf } from '../matching.js';
import { cellText, csvHead, csvLine } from '../results.js';
import { saveResults } from '../saving.js';
import { download } from '../textdialog.js';

const pageSize = 50, exportSize = 200;
/** How long a filter waits for its index before it shows the results so far. */
const firstWait = '00:00:00.3';
const link = id => h('a', { href: `#/document/${encodeURIComponent(id)}` }, id);
const isShown = value => typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber;
const addressOf = (collection, filter) => `#/documents${collection || filter ? `/${encodeURIComponent(collection ?? '')}` : ''}${filter ? `/${encodeURIComponent(filter)}` : ''}`;

/** The value at a path such as Address.City. A name that has a dot itself is found first. */
function valueAt(value, path) {
  if (!(value instanceof Map)) return undefined;
  if (value.has(path)) return value.get(path);
  for (let at = path.indexOf('.'); at > 0; at = path.indexOf('.', at + 1)) {
    const found = valueAt(value.get(path.slice(0, at)), path.slice(at + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths of the values of documents, to a depth of three, with how many documents have each. */
function pathsOf(documents) {
  const seen = new Map();
  const add = (value, prefix, depth) => {
    for (const [name, member] of value) {
      if (prefix === '' && name === '@metadata') continue;
      if (member instanceof Map && depth < 3) add(member, `${prefix}${name}.`, depth + 1);
      else seen.set(prefix + name, (seen.get(prefix + name) ?? 0) + 1);
    }
  };
  for (const d of documents) add(d, '', 1);
  return seen;
}

/** The names that most of the documents have with simple values: a few columns say what a document is. */
function usualColumns(documents) {
  const seen = new Map();
  for (const d of documents) for (const [name, value] of d) if (isShown(value)) seen.set(name, (seen.get(name) ?? 0) + 1);
  return [...seen].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([name]) => name);
}

const columnOf = (path, documents) => ({ title: path, number: documents.every(d => (valueAt(d, path) ?? null) === null || valueAt(d, path) instanceof JsonNumber), cell: d => cellText(valueAt(d, path)) });

/** Lets a person choose columns. `done` gets the paths, or null for the usual ones. */
function chooseColumns(chosen, known, done) {
  const all = [...new Set([...chosen, ...known])];
  const other = h('input', { 'aria-label': 'Another path', placeholder: 'Address.City' });
  const boxes = all.map(path => h('input', { type: 'checkbox', value: path, checked: chosen.includes(path) }));
  const close = columns => { dialog.close(); done(columns); };
  const dialog = h('dialog', { class: 'text', 'aria-label': 'Columns', style: 'width:min(28rem,94vw)' }, h('form', {
    onsubmit: event => {
      event.preventDefault();
      close([...boxes.filter(b => b.checked).map(b => b.value), ...(other.value.trim() ? [other.value.trim()] : [])]);
    },
  }, h('h2', { style: 'margin-top:0' }, 'Columns'),
  h('div', { class: 'choices' }, boxes.map(b => h('label', null, b, ` ${b.value}`))), other,
  h('div', { class: 'bar', style: 'margin:.75rem 0 0' }, h('button', { type: 'submit', class: 'main' }, 'Show'), h('button', { type: 'button', onclick: () => close(null) }, 'Usual columns'), h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Collections at the side; the documents of one, or of all, page by page: filtered, with columns of choice, and marked to be deleted or exported. */
export async function documents(main, [collection = '', ...rest], signal) {
  const wanted = rest.join('/');
  const all = await collections(signal);
  const total = Object.values(all).reduce((sum, n) => sum + n, 0);
  const key = `columns/${state.database}/${collection}`;
  const marked = new Map();
  const sheet = h('div');
  const where = h('span', { class: 'dim where' });
  const before = h('button', { type: 'button' }, '‹ Before');
  const next = h('button', { type: 'button' }, 'Next ›');
  const filter = h('input', { value: wanted, placeholder: 'Total > 100 and City = "Rome"', 'aria-label': 'Filter', class: 'grow' });
  const selection = h('div', { class: 'bar', role: 'status', hidden: true }), waiting = h('div', { class: 'bar', role: 'status' });
  const source = collection ? `from '${collection.replaceAll("'", "\\'")}'` : 'from @all_docs';
  const text = wanted ? `${source} where ${wanted}` : source;
  const named = wanted ? `that match ${wanted}` : collection ? `of ${collection}` : 'of this database';
  let start = 0, found = [], matching = 0, isAll = false, isStale = false;
  let columns = JSON.parse(localStorage.getItem(key) ?? 'null');

  const drawSelection = () => {
    selection.hidden = marked.size === 0 && !isAll;
    const isPageMarked = found.length > 0 && found.every(d => marked.has(metadataOf(d, '@id')));
    selection.replaceChildren(h('span', { class: 'grow' }, isAll ? `all ${count(matching)} documents ${named}` : marked.size === 1 ? 'one document marked' : `${count(marked.size)} documents marked`),
      !isAll && isPageMarked && matching > marked.size ? h('button', { type: 'button', onclick: () => { isAll = true; drawSelection(); } }, `Select all ${count(matching)}`) : '',
      h('button', { type: 'button', onclick: telling(() => isAll ? exportMatching('jsonl') : exportMarked('jsonl')) }, 'Export JSON lines'), h('button', { type: 'button', onclick: telling(() => isAll ? exportMatching('csv') : exportMarked('csv')) }, 'Export CSV'),
      h('button', { type: 'button', class: 'danger', onclick: telling(isAll ? removeMatching : removeMarked) }, 'Delete'), h('button', { type: 'button', onclick: () => { marked.clear(); isAll = false; draw(); } }, 'Unmark all'));
  };
  const mark = (document, isMarked) => {
    isAll = false;
    const id = metadataOf(document, '@id');
    if (isMarked) marked.set(id, metadataOf(document, '@change-vector'));
    else marked.delete(id);
  };
  const draw = () => {
    const shown = columns ?? usualColumns(found);
    const each = found.map(d => h('input', { type: 'checkbox', 'aria-label': `Mark ${metadataOf(d, '@id')}`, checked: marked.has(metadataOf(d, '@id')), onchange: event => { mark(d, event.target.checked); drawHead(); drawSelection(); } }));
    const head = h('input', { type: 'checkbox', 'aria-label': 'Mark all of this page', onchange: () => { found.forEach((d, i) => { mark(d, head.checked); each[i].checked = head.checked; }); drawSelection(); } });
    const drawHead = () => {
      const n = found.filter(d => marked.has(metadataOf(d, '@id'))).length;
      head.checked = n > 0 && n === found.length;
      head.indeterminate = n > 0 && n < found.length;
    };
    sheet.replaceChildren(table([
      { title: 'Mark', cell: d => each[found.indexOf(d)] },
      { title: 'Id', cell: d => link(metadataOf(d, '@id')) },
      ...(collection ? [] : [{ title: 'Collection', cell: d => metadataOf(d, '@collection') ?? '@empty' }]),
      ...shown.map(path => columnOf(path, found)),
      { title: 'Changed', cell: d => h('span', { class: 'dim', title: metadataOf(d, '@last-modified') }, new Date(metadataOf(d, '@last-modified')).toLocaleString()) },
    ], found, isStale ? 'No document so far: the index is behind.' : wanted ? 'No document has this.' : 'No documents yet.'));
    sheet.querySelector('th')?.replaceChildren(head);
    drawHead();
    drawSelection();
  };
  const ask = async signal => {
    if (!wanted && !collection) return { Results: await newest(start, pageSize, signal), TotalResults: total };
    const answer = await query(text, start, pageSize, signal, firstWait);
    return wanted ? answer : { ...answer, TotalResults: all[collection] ?? 0 };
  };
  let loading = new AbortController();
  const load = telling(async () => {
    loading.abort();
    loading = new AbortController();
    const current = AbortSignal.any([signal, loading.signal]);
    try {
      const answer = await asking(ask, waiting, current);
      if (!answer) {
        sheet.replaceChildren(h('div', { class: 'sheet empty' }, 'Cancelled. An index that is being built goes on.'));
        return;
      }
      [found, matching, isStale] = [answer.Results, answer.TotalResults, answer.IsStale ?? false];
      where.textContent = found.length ? `${count(start + 1)}–${count(start + found.length)} of ${count(answer.TotalResults)}${isStale && wanted ? ' so far' : ''}` : '';
      before.disabled = start === 0;
      next.disabled = start + found.length >= answer.TotalResults;
      draw();
      if (answer.IsStale) reloadWhenIndexed(answer, current);
    } catch (error) {
      if (error.name === 'AbortError' || error.unreachable || !wanted) throw error;
      before.disabled = next.disabled = true;
      sheet.replaceChildren(h('div', { class: 'sheet empty bad', role: 'alert' }, error.message));
    }
  });
  const reloadWhenIndexed = telling(async (answer, current) => {
    // A page that is not full is read again soon; a full one waits for all results, so that its rows do not move.
    const hasWaited = await untilIndexed(answer.IndexName, waiting, current, found.length < pageSize ? 1 : Infinity);
    if (!current.aborted && (hasWaited || answer.Lag > fewChanges)) await load();
  });
  const exportMarked = async kind => {
    const ids = [...marked.keys()], shown = columns ?? usualColumns(found);
    const parts = kind === 'csv' ? [csvHead(shown)] : [];
    let number = 0;
    for (let from = 0; from < ids.length; from += exportSize) {
      const read = (await documentsOf(ids.slice(from, from + exportSize), signal)).filter(d => d !== null);
      number += read.length;
      parts.push(...read.map(d => kind === 'csv' ? csvLine(d, shown, path => valueAt(d, path)) : `${format(d)}\n`));
    }
    download(`${collection || 'documents'}.${kind}`, ...parts);
    say(number === ids.length ? `Exported ${count(number)} documents.` : `Exported ${count(number)} of ${count(ids.length)} documents; the others are deleted.`);
  };
  const exportMatching = async kind => {
    try {
      const number = await saveResults(text, `${collection || 'documents'}.${kind}`, kind === 'csv' ? columns ?? usualColumns(found) : [], selection, signal);
      say(number === null ? 'Cancelled.' : `Exported ${count(number)} documents.`);
    } finally {
      drawSelection();
    }
  };
  const removeMatching = async () => {
    const n = await countOf(text, signal);
    if (!confirm(`Delete all ${count(n)} documents ${named}? A document that changes until then is deleted too.`)) return;
    try {
      say(`Deleted ${count(await removeOf(text, selection, signal))} documents.`);
    } finally {
      if (!signal.aborted) await documents(main, [collection, ...rest], signal);
    }
  };
  const removeMarked = async () => {
    const n = marked.size;
    if (!confirm(n === 1 ? `Delete '${[...marked.keys()][0]}'?` : `Delete ${count(n)} documents?`)) return;
    try {
      await removeAll([...marked].map(([id, changeVector]) => ({ id, changeVector })));
    } catch (error) {
      if (error.status !== 409) throw error;
      throw new Error(`Nothing was deleted, because a document changed since the list was loaded. Load it again. ${error.message}`);
    }
    say(n === 1 ? 'Deleted one document.' : `Deleted ${count(n)} documents.`);
    await documents(main, [collection, ...rest], signal);
  };

  before.onclick = () => { start = Math.max(0, start - pageSize); load(); };
  next.onclick = () => { start += pageSize; load(); };
  const choose = () => chooseColumns(columns ?? usualColumns(found), [...pathsOf(found)].sort((a, b) => b[1] - a[1]).slice(0, 100).map(([path]) => path), chosen => {
    columns = chosen;
    if (chosen) localStorage.setItem(key, JSON.stringify(chosen));
    else localStorage.removeItem(key);
    draw();
  });
  const search = event => {
    event.preventDefault();
    const address = addressOf(collection, filter.value.trim());
    if (location.hash === address) load();
    else location.hash = address;
  };
  const entry = (name, text, n) => h('li', null, h('a', { href: addressOf(name), 'aria-current': (name ?? '') === collection ? 'true' : null, title: text }, h('span', { class: 'name' }, text), h('span', { class: 'dim' }, count(n))));
  main.replaceChildren(h('div', { class: 'split' },
    h('ul', { class: 'list' }, entry(undefined, 'All documents', total), Object.entries(all).filter(([, n]) => n > 0).sort().map(([name, n]) => entry(name, name, n))),
    h('section', null,
      h('form', { class: 'bar', onsubmit: search }, filter, h('button', null, 'Filter'), wanted ? h('a', { href: addressOf(collection), class: 'button' }, 'All') : ''),
      h('div', { class: 'bar' }, where, h('span', { class: 'group' }, before, next), h('span', { class: 'group' }, h('button', { type: 'button', onclick: choose }, 'Columns'), h('a', { href: '#/document/', class: 'button main' }, 'New document'))), waiting, selection, sheet)));
  await load();
}
