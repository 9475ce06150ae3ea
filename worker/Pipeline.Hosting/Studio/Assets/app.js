// Selects the page, and draws the parts that all pages share: the database, health, the finder, the theme.
import { databases, ofWorker, state } from './api.js';
import { clearErrors, h, say, showUnreachable, telling } from './dom.js';
import { openFinder } from './finder.js';
import { documents } from './views/documents.js';
import { editor } from './views/editor.js';
import { query } from './views/query.js';
import { indexes } from './views/indexes.js';
import { journey } from './views/journey.js';
import { tasks } from './views/tasks.js';
import { bench } from './views/bench.js';
import { dashboard } from './views/dashboard.js';
import { flow } from './views/flow.js';
import { deadLetters } from './views/deadletters.js';
import { settings } from './views/settings.js';
import { storage } from './views/storage.js';

export const pages = [
  { path: 'documents', title: 'Documents', group: 'Data', show: documents },
  { path: 'query', title: 'Query', group: 'Data', show: query },
  { path: 'indexes', title: 'Indexes', group: 'Data', show: indexes },
  { path: 'flow', title: 'Flow', group: 'Flow', show: flow },
  { path: 'tasks', title: 'Tasks', group: 'Flow', show: tasks },
  { path: 'bench', title: 'Transform bench', group: 'Flow', show: bench },
  { path: 'journey', title: 'Journey', group: 'Flow', show: journey },
  { path: 'deadletters', title: 'Dead letters', group: 'Flow', show: deadLetters },
  { path: 'dashboard', title: 'Dashboard', group: 'Operate', show: dashboard },
  { path: 'storage', title: 'Storage', group: 'Operate', show: storage },
  { path: 'settings', title: 'Settings', group: 'Operate', show: settings },
];
const others = { document: editor };

export function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem('theme', theme ?? '');
}

let leaving = new AbortController();
let isUnsaved = () => false;
let shown = '';

/** Asks before a page with unsaved changes is left. */
export function guard(signal, changed) {
  isUnsaved = changed;
  signal.addEventListener('abort', () => { isUnsaved = () => false; }, { once: true });
}

addEventListener('beforeunload', event => { if (isUnsaved()) event.preventDefault(); });

/** Shows the page that the address names. A page gets where to draw, what is behind its name, and a signal for when it is left. */
async function show() {
  if (location.hash === shown && isUnsaved()) return;
  if (isUnsaved() && !confirm('Leave without saving your changes?')) {
    history.replaceState(null, '', shown);
    return;
  }
  shown = location.hash;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  clearErrors();
  const [name, ...rest] = location.hash.replace(/^#\//, '').split('/').map(decodeURIComponent);
  const page = pages.find(p => p.path === name);
  for (const link of document.querySelectorAll('#pages a')) {
    if (link.hash === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const main = document.getElementById('main');
  const draw = page?.show ?? others[name];
  if (!draw) {
    location.replace('#/documents');
    return;
  }
  document.title = `${page?.title ?? rest.join('/')} – ${state.database} – Pipeline Studio`;
  try {
    await draw(main, rest, signal);
  } catch (error) {
    if (error.unreachable) showUnreachable(true);
    if (!signal.aborted) main.replaceChildren(h('div', { class: 'sheet empty bad', role: 'alert' }, error.message));
  }
}

async function loadDatabases() {
  const select = document.getElementById('database');
  const names = await databases();
  state.own = (await ofWorker('stats').catch(() => null))?.name ?? null;
  const wanted = localStorage.getItem('database');
  state.database = names.includes(wanted) ? wanted : names.includes(state.own) ? state.own : names[0];
  select.replaceChildren(...names.map(name => h('option', { value: name, selected: name === state.database }, name)));
  select.onchange = () => {
    if (isUnsaved() && !confirm('Leave without saving your changes?')) {
      select.value = state.database;
      return;
    }
    isUnsaved = () => false;
    state.database = select.value;
    localStorage.setItem('database', select.value);
    if (location.hash === '#/documents') show();
    else location.hash = '#/documents';
  };
}

async function watchHealth() {
  const target = document.getElementById('health');
  try {
    const response = await fetch('health/ready');
    const report = await response.json();
    const wrong = report.checks?.filter(check => !check.ok) ?? [];
    target.textContent = report.status;
    target.className = report.status === 'ready' ? 'good' : report.status === 'degraded' ? 'warn' : 'bad';
    target.title = wrong.map(check => `${check.name}: ${check.detail}`).join('\n') || 'All is well.';
    const wasAway = !document.getElementById('unreachable').hidden;
    showUnreachable(false);
    if (wasAway && document.getElementById('main').querySelector(':scope > [role=alert]')) await show();
  } catch {
    target.textContent = 'no answer';
    target.className = 'bad';
    showUnreachable(true);
  }
  setTimeout(watchHealth, 3000);
}

setTheme(localStorage.getItem('theme') || null);
document.getElementById('pages').append(...[...new Set(pages.map(page => page.group))].map(group =>
  h('div', { role: 'group', 'aria-label': group }, h('span', { 'aria-hidden': 'true' }, group), pages.filter(page => page.group === group).map(page => h('a', { href: `#/${page.path}` }, page.title)))));
document.getElementById('find').addEventListener('click', () => openFinder());
addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  openFinder();
});
addEventListener('hashchange', telling(show));
watchHealth();
try {
  await loadDatabases();
} catch (error) {
  say(error.message, true);
}
await show();
