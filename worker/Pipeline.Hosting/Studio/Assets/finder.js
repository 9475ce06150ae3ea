// Ctrl+K: documents by the start of their id, a text that an index has, or a text of the newest ones; indexes, tasks, subscriptions, pages, commands, settings and help.
import { indexes, newest, ofWorker, startingWith, state } from './api.js';
import { h } from './dom.js';
import { help, showHelp } from './help.js';
import { indexSearch } from './indexsearch.js';
import { format, metadataOf } from './json.js';
import { wait } from './live.js';
import { pages, setTheme } from './app.js';

const go = hash => () => { location.hash = hash; };

async function entries(signal) {
  const fixed = [
    ...pages.filter(page => !page.isHidden).map(page => ({ text: page.title, kind: 'page', run: go(`#/${page.path}`) })),
    { text: 'New document', kind: 'command', run: go('#/document/') },
    { text: 'New index', kind: 'command', run: go('#/index/') },
    { text: 'New subscription', kind: 'command', run: go('#/subscription/') },
    ...Object.entries(help).map(([page, [title, lines]]) => ({ text: `Help: ${title}`, more: lines.join(' '), kind: 'help', run: () => showHelp(page) })),
    { text: 'Theme: light', kind: 'setting', run: () => setTheme('light') },
    { text: 'Theme: dark', kind: 'setting', run: () => setTheme('dark') },
    { text: 'Theme: system', kind: 'setting', run: () => setTheme(null) },
  ];
  const [all, tasks, subscriptions, settings, backups] = await Promise.all([
    indexes(signal).catch(() => []), ofWorker('etl/tasks', signal).catch(() => null), ofWorker('subscriptions', signal).catch(() => null),
    ofWorker('settings', signal).catch(() => null), ofWorker('backups', signal).catch(() => null)]);
  return [
    ...fixed,
    ...all.map(index => ({ text: index.Name, kind: 'index', run: go(`#/indexes/${encodeURIComponent(index.Name)}`) })),
    ...(tasks ?? []).map(task => ({ text: task.name, kind: 'task', run: go(`#/tasks/${encodeURIComponent(task.name)}`) })),
    ...(tasks ?? []).map(task => ({ text: `Try the transform of ${task.name}`, kind: 'command', run: go(`#/bench/${encodeURIComponent(task.name)}`) })),
    ...(tasks ?? []).filter(task => task.deadLetters > 0).map(task => ({ text: `Dead letters of ${task.name}`, kind: 'command', run: go(`#/deadletters/${encodeURIComponent(task.name)}`) })),
    ...(subscriptions ?? []).map(s => ({ text: s.name, kind: 'subscription', run: go(`#/subscriptions/${encodeURIComponent(s.name)}`) })),
    ...(backups?.status ?? []).map(b => ({ text: b.name, kind: 'backup', run: go(`#/backups/${encodeURIComponent(b.name)}`) })),
    ...(settings ?? []).map(s => ({ text: s.path, note: s.value, kind: 'setting', run: go(`#/settings/${encodeURIComponent(s.path)}`) })),
    ...[...document.getElementById('database').options].filter(o => o.value !== state.database)
      .map(o => ({ text: o.value, kind: 'database', run: () => { const s = document.getElementById('database'); s.value = o.value; s.onchange(); } })),
  ];
}

/** The part of a text around a word. */
function excerpt(text, wanted) {
  const lower = text.toLowerCase(), at = Math.max(lower.indexOf(wanted), wanted.split(' ').reduce((first, word) => first >= 0 ? first : lower.indexOf(word), -1));
  return `…${text.slice(Math.max(0, at - 20), at + wanted.length + 20)}…`;
}

/** Letters in order, not necessarily together; what begins with them comes first. */
function score(text, wanted) {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at >= 0) return at;
  let from = 0;
  for (const letter of wanted) {
    from = lower.indexOf(letter, from) + 1;
    if (from === 0) return -1;
  }
  return 1000;
}

/** As `score`; what has the words only in its other text comes last. */
function rankOf(entry, wanted) {
  const rank = score(entry.text, wanted);
  if (rank >= 0 || wanted.length < 3) return rank;
  return `${entry.more ?? ''} ${entry.note ?? ''}`.toLowerCase().includes(wanted) ? 2000 : -1;
}

const mostRead = 200, fewest = 3;
/** Milliseconds without a key until indexes are asked. */
const pause = 250;

export async function openFinder() {
  if (document.querySelector('dialog[open]')) return;
  const input = h('input', { type: 'search', placeholder: 'Documents by id or text, indexes, tasks, settings, help', 'aria-label': 'Find', autofocus: true });
  const list = h('ul', { role: 'listbox' });
  const dialog = h('dialog', { 'aria-label': 'Find' }, input, list);
  document.body.append(dialog);
  dialog.addEventListener('close', () => { stop.abort(); dialog.remove(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); });
  const stop = new AbortController();
  const inIndexes = indexSearch(stop.signal);
  let known = [], found = [], chosen = 0, asked = 0, texts = null, typing = new AbortController();

  const draw = () => {
    chosen = Math.max(0, Math.min(chosen, found.length - 1));
    list.replaceChildren(...found.map((entry, i) => h('li', { role: 'option', 'aria-selected': String(i === chosen), onclick: () => run(entry) }, h('b', null, entry.text), h('span', { class: 'note' }, entry.note ?? ''), h('span', null, entry.kind))));
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const run = entry => { dialog.close(); entry?.run(); };
  const search = async () => {
    const wanted = input.value.trim().toLowerCase();
    const turn = ++asked;
    typing.abort();
    typing = new AbortController();
    found = known.map(entry => ({ entry, rank: rankOf(entry, wanted) })).filter(f => f.rank >= 0).sort((a, b) => a.rank - b.rank).map(f => f.entry).slice(0, 30);
    draw();
    if (wanted === '' || !state.database) return;
    if (wanted.length >= fewest) texts ??= newest(0, mostRead, stop.signal).then(all => all.map(d => ({ id: metadataOf(d, '@id'), kind: metadataOf(d, '@collection'), text: format(d) })), () => []);
    const stopped = AbortSignal.any([stop.signal, typing.signal]);
    const [documents, read] = await Promise.all([startingWith(input.value.trim(), 10, stop.signal).catch(() => []), texts ?? []]);
    if (turn !== asked) return;
    const ids = new Set(documents.map(d => d['@metadata']['@id']));
    const show = (id, kind, text, where) => { ids.add(id); return { text: id, note: `${excerpt(text, wanted)} (${where})`, kind, run: go(`#/document/${encodeURIComponent(id)}`) }; };
    const inText = wanted.length < fewest ? [] : read.filter(d => !ids.has(d.id) && d.text.toLowerCase().includes(wanted)).slice(0, 10).map(d => show(d.id, d.kind, d.text, `newest ${mostRead}`));
    found = [...documents.map(d => ({ text: d['@metadata']['@id'], kind: d['@metadata']['@collection'], run: go(`#/document/${encodeURIComponent(d['@metadata']['@id'])}`) })), ...found, ...inText];
    draw();
    if (wanted.length < fewest) return;
    await wait(stopped, pause);
    if (stopped.aborted) return;
    const inIndex = await inIndexes(wanted, stopped);
    if (turn !== asked) return;
    for (const { index, document } of inIndex) {
      const id = metadataOf(document, '@id');
      if (id && !ids.has(id)) found.push(show(id, metadataOf(document, '@collection'), format(document), `index ${index}`));
    }
    draw();
  };
  input.addEventListener('input', () => { chosen = 0; search(); });
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') chosen++;
    else if (event.key === 'ArrowUp') chosen--;
    else if (event.key === 'Enter') return run(found[chosen]);
    else return;
    event.preventDefault();
    draw();
  });
  dialog.showModal();
  search();
  known = await entries(stop.signal);
  search();
}
