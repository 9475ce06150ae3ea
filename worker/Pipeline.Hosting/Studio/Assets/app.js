// Selects the page, and draws the parts that all pages share: the database, health, the finder, the theme.
import { databases, ofWorker, state } from './api.js';
import { clearErrors, h, say, showUnreachable, telling } from './dom.js';

/** A module, loaded when it is first needed. */
async function load(file) {
  try {
    return await import(`./${file}.js`);
  } catch (error) {
    if (error instanceof TypeError) throw Object.assign(new Error('The server does not answer.'), { unreachable: true });
    throw error;
  }
}

function view(file, name) {
  const show = async (...given) => (await load(`views/${file}`))[name](...given);
  return Object.assign(show, { file });
}

const openFinder = async () => (await load('finder')).openFinder();

export const pages = [
  { path: 'documents', title: 'Documents', group: 'Data', show: view('documents', 'documents') },
  { path: 'query', title: 'Query', group: 'Data', show: view('query', 'query') },
  { path: 'patch', title: 'Patch', group: 'Data', show: view('patch', 'patch') },
  { path: 'revisions', title: 'Revisions', group: 'Data', show: view('revisions', 'revisions') },
  { path: 'indexes', title: 'Indexes', group: 'Data', show: view('indexes', 'indexes') },
  { path: 'events', title: 'Events', group: 'Data', show: view('events', 'events') },
  { path: 'flow', title: 'Flow', group: 'Flow', show: view('flow', 'flow') },
  { path: 'tasks', title: 'Tasks', group: 'Flow', show: view('tasks', 'tasks') },
  { path: 'subscriptions', title: 'Subscriptions', group: 'Flow', show: view('subscriptions', 'subscriptions') },
  { path: 'bench', title: 'Transform bench', group: 'Flow', show: view('bench', 'bench') },
  { path: 'journey', title: 'Journey', group: 'Flow', show: view('journey', 'journey') },
  { path: 'deadletters', title: 'Dead letters', group: 'Flow', show: view('deadletters', 'deadLetters') },
  { path: 'dashboard', title: 'Dashboard', group: 'Operate', show: view('dashboard', 'dashboard') },
  { path: 'logs', title: 'Log', group: 'Operate', show: view('logs', 'logs') },
  { path: 'backups', title: 'Backups', group: 'Operate', show: view('backups', 'backups') },
  { path: 'storage', title: 'Storage', group: 'Operate', show: view('storage', 'storage') },
  { path: 'cluster', title: 'Cluster', group: 'Operate', show: view('cluster', 'cluster'), isHidden: true },
  { path: 'transfer', title: 'Import and export', group: 'Operate', show: view('transfer', 'transfer') },
  { path: 'databases', title: 'Databases', group: 'Operate', show: view('access', 'allDatabases') },
  { path: 'access', title: 'Access', group: 'Operate', show: view('access', 'access') },
  { path: 'settings', title: 'Settings', group: 'Operate', show: view('settings', 'settings') },
];
const others = { document: view('editor', 'editor'), index: view('indexeditor', 'indexEditor'), subscription: view('subscriptions', 'newSubscription') };
// The page in the rail that another one belongs to.
const parents = { document: 'documents', index: 'indexes', subscription: 'subscriptions' };

export function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem('theme', theme ?? '');
}

/** Milliseconds after the first page until the others are loaded. */
const prefetchDelay = 1000;
let leaving = new AbortController();
let isUnsaved = () => false;
let shown = '';

/** Asks before a page with unsaved changes is left. */
export function guard(signal, changed) {
  isUnsaved = changed;
  signal.addEventListener('abort', () => { isUnsaved = () => false; }, { once: true });
}

addEventListener('beforeunload', event => { if (isUnsaved()) event.preventDefault(); });

/** Marks the page in the rail. */
function markPage(name) {
  for (const link of document.querySelectorAll('#pages a')) {
    if (link.hash === `#/${parents[name] ?? name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  // In a narrow window the rail is a row that scrolls.
  document.querySelector('#pages a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

const linkTo = page => h('a', { href: `#/${page.path}` }, page.title);

/** Adds the page of the cluster to the rail, once this worker turns out to be a node of one. */
function showCluster() {
  const page = pages.find(p => p.path === 'cluster');
  if (!page.isHidden) return;
  page.isHidden = false;
  const before = pages[pages.indexOf(page) - 1];
  document.querySelector(`#pages a[href="#/${before.path}"]`).after(linkTo(page));
  markPage(location.hash.slice(2).split('/')[0]);
}

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
  markPage(name);
  const main = document.getElementById('main');
  const draw = page?.show ?? others[name];
  if (!draw) {
    location.replace('#/documents');
    return;
  }
  document.title = `${page?.title ?? rest.join('/')} – ${state.database} – Pipeline Studio`;
  try {
    await draw(main, rest, signal);
    // Every page has one first heading, for those who hear it.
    if (!signal.aborted && !main.querySelector('h1')) main.prepend(h('h1', { class: 'unseen' }, page?.title ?? (rest.join('/') || 'New document')));
  } catch (error) {
    if (error.unreachable) showUnreachable(true);
    if (!signal.aborted) main.replaceChildren(error.status === 403
      ? h('div', { class: 'sheet empty', role: 'alert' }, h('h1', null, 'Not allowed'), h('p', null, error.message), h('p', { class: 'dim' }, 'The rights of this browser’s certificate are in server.clients of the configuration.'))
      : h('div', { class: 'sheet empty bad', role: 'alert' }, error.message));
  }
}

async function loadDatabases() {
  const select = document.getElementById('database');
  const [names, own] = await Promise.all([databases(), ofWorker('stats').catch(error => { state.isRefused = error.status === 403; return null; })]);
  state.own = own?.name ?? null;
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
    if (report.checks?.some(check => check.name === 'cluster')) showCluster();
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
  h('div', { role: 'group', 'aria-label': group }, h('span', { 'aria-hidden': 'true' }, group), pages.filter(page => page.group === group && !page.isHidden).map(linkTo))));
document.getElementById('help').addEventListener('click', () => { const name = location.hash.slice(2).split('/')[0]; telling(async () => (await load('help')).showHelp(parents[name] ?? name))(); });
document.getElementById('find').addEventListener('click', telling(openFinder));
addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  telling(openFinder)();
});
addEventListener('hashchange', telling(show));
watchHealth();

// Not awaited here: the pages import this module, and a module that waits for what imports it never ends.
async function start() {
  try {
    await loadDatabases();
  } catch (error) {
    say(error.message, true);
  }
  await show();
  // The other pages come a while after the first one, so that they are there if the server is in trouble later.
  setTimeout(telling(() => Promise.all([...pages.map(p => p.show.file), 'editor', 'indexeditor'].map(file => load(`views/${file}`)).concat(load('finder')))), prefetchDelay);
}
telling(start)();
