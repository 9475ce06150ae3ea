// Ctrl+K: documents by the start of their id, indexes, tasks, subscriptions, pages, commands and settings.
import { indexes, ofWorker, startingWith, state } from './api.js';
import { h } from './dom.js';
import { pages, setTheme } from './app.js';

const go = hash => () => { location.hash = hash; };

async function entries(signal) {
  const fixed = [
    ...pages.map(page => ({ text: page.title, kind: 'page', run: go(`#/${page.path}`) })),
    { text: 'New document', kind: 'command', run: go('#/document/') },
    { text: 'Theme: light', kind: 'setting', run: () => setTheme('light') },
    { text: 'Theme: dark', kind: 'setting', run: () => setTheme('dark') },
    { text: 'Theme: system', kind: 'setting', run: () => setTheme(null) },
  ];
  const [all, tasks, subscriptions] = await Promise.all([
    indexes(signal).catch(() => []), ofWorker('etl/tasks', signal).catch(() => null), ofWorker('subscriptions', signal).catch(() => null)]);
  return [
    ...fixed,
    ...all.map(index => ({ text: index.Name, kind: 'index', run: go(`#/indexes/${encodeURIComponent(index.Name)}`) })),
    ...(tasks ?? []).map(task => ({ text: task.name, kind: 'task', run: go(`#/tasks/${encodeURIComponent(task.name)}`) })),
    ...(tasks ?? []).map(task => ({ text: `Try the transform of ${task.name}`, kind: 'command', run: go(`#/bench/${encodeURIComponent(task.name)}`) })),
    ...(tasks ?? []).filter(task => task.deadLetters > 0).map(task => ({ text: `Dead letters of ${task.name}`, kind: 'command', run: go(`#/deadletters/${encodeURIComponent(task.name)}`) })),
    ...(subscriptions ?? []).map(s => ({ text: s.name, kind: 'subscription', run: go('#/tasks') })),
    ...[...document.getElementById('database').options].filter(o => o.value !== state.database)
      .map(o => ({ text: o.value, kind: 'database', run: () => { const s = document.getElementById('database'); s.value = o.value; s.onchange(); } })),
  ];
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

export async function openFinder() {
  if (document.querySelector('dialog[open]')) return;
  const input = h('input', { type: 'search', placeholder: 'Documents by id, indexes, tasks, commands, settings', 'aria-label': 'Find', autofocus: true });
  const list = h('ul', { role: 'listbox' });
  const dialog = h('dialog', { 'aria-label': 'Find' }, input, list);
  document.body.append(dialog);
  dialog.addEventListener('close', () => { stop.abort(); dialog.remove(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); });
  const stop = new AbortController();
  let known = [], found = [], chosen = 0, asked = 0;

  const draw = () => {
    chosen = Math.max(0, Math.min(chosen, found.length - 1));
    list.replaceChildren(...found.map((entry, i) => h('li', { role: 'option', 'aria-selected': String(i === chosen), onclick: () => run(entry) }, entry.text, h('span', null, entry.kind))));
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const run = entry => { dialog.close(); entry?.run(); };
  const search = async () => {
    const wanted = input.value.trim().toLowerCase();
    const turn = ++asked;
    found = known.map(entry => ({ entry, rank: score(entry.text, wanted) })).filter(f => f.rank >= 0).sort((a, b) => a.rank - b.rank).map(f => f.entry).slice(0, 30);
    draw();
    if (wanted === '' || !state.database) return;
    const documents = await startingWith(input.value.trim(), 10, stop.signal).catch(() => []);
    if (turn !== asked) return;
    found = [...documents.map(d => ({ text: d['@metadata']['@id'], kind: d['@metadata']['@collection'], run: go(`#/document/${encodeURIComponent(d['@metadata']['@id'])}`) })), ...found];
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
