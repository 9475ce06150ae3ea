import { databases, get, isOwn, ofWorker, request, state } from '../api.js';
import { bytes, count, h, say, seconds, table, telling } from '../dom.js';
import { notOwn } from './own.js';

const rights = { admin: ['good', 'admin: also defines indexes and revisions'], readWrite: ['', 'reads and writes'], read: ['dim', 'reads'] };

/** The databases of this server, made and dropped. */
export async function allDatabases(main, _, signal) {
  const names = await databases();
  const name = h('input', { 'aria-label': 'Name of the new database', placeholder: 'name', class: 'grow', required: true, pattern: '[\\w.\\-]+' });
  const sizes = await Promise.all(names.map(async n => [n, await get(`databases/${encodeURIComponent(n)}/stats`, signal).catch(error => ({ error }))]));
  signal.throwIfAborted();
  const send = (method, path, body) => request(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  main.replaceChildren(h('h1', null, 'Databases'),
    table([
      { title: 'Name', cell: ([n]) => h('button', { type: 'button', class: 'link', onclick: () => { const s = document.getElementById('database'); s.value = n; s.onchange(); } }, n) },
      { title: 'Documents', number: true, cell: ([, s]) => s.error ? h('span', { class: 'bad' }, s.error.message) : count(s.CountOfDocuments) },
      { title: 'Indexes', number: true, cell: ([, s]) => count(s.CountOfIndexes) },
      { title: 'On disk', number: true, cell: ([, s]) => s.SizeOnDisk ? bytes(s.SizeOnDisk.SizeInBytes) : '' },
      { title: '', cell: ([n]) => n === state.own ? h('span', { class: 'dim' }, 'the worker’s own') : h('button', { type: 'button', class: 'danger', onclick: telling(async () => {
        if (prompt(`Drop the database and delete its files? Type its name, ${n}, to confirm.`) !== n) return;
        await send('DELETE', 'admin/databases', { DatabaseNames: [n], HardDelete: true });
        say(`Dropped ${n}.`);
        location.reload();
      }) }, 'Drop') },
    ], sizes, 'This certificate may read no database.'),
    h('h2', null, 'New database'),
    h('form', { class: 'bar', onsubmit: telling(async event => {
      event.preventDefault();
      await send('PUT', `admin/databases?${new URLSearchParams({ name: name.value })}`, { DatabaseName: name.value });
      localStorage.setItem('database', name.value);
      location.hash = '#/documents';
      location.reload();
    }) }, name, h('button', { class: 'main' }, 'Make')),
    h('p', { class: 'dim' }, 'Tasks, backups and subscriptions of the configuration belong to the worker’s own database.'));
}

/** The server's certificate, and who may what. */
export async function access(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Access');
  const known = await ofWorker('clients', signal);
  const c = known.certificate;
  const left = c ? (Date.parse(c.notAfter) - Date.now()) / 86_400_000 : 0;
  const names = [...new Set(known.clients.flatMap(k => Object.keys(k.databases)))].sort();
  main.replaceChildren(h('h1', null, 'Access'),
    c ? h('div', { class: `alert ${left < 7 ? 'bad-edge' : left < 30 ? 'warn-edge' : 'good-edge'}` }, h('b', null, c.subject),
      h('span', null, left < 0 ? `The server’s certificate ended ${seconds(-left * 86400)} ago: clients refuse it. Renew it now.` : `The server’s certificate is good until ${new Date(c.notAfter).toLocaleString()}, ${count(Math.floor(left))} days.${left < 30 ? ' Renew it; the server reads the new file by itself.' : ''}`),
      h('span', { class: 'dim' }, c.file ?? ''), c.isFileReadable ? '' : h('span', { class: 'bad' }, 'The file cannot be read now; the server goes on with the certificate that it has.'))
      : h('div', { class: 'alert warn-edge' }, h('b', null, 'Clients are not authenticated.'), h('span', null, `Everybody who reaches ${location.host} may do everything. This is for this machine only; set server.certificate and server.clients before others reach it.`)),
    h('h2', null, 'Clients'),
    table([
      { title: 'Name', cell: k => k.name },
      { title: 'Server', cell: k => k.isAdmin ? h('b', null, 'everything') : k.seesMetrics ? 'metrics' : '' },
      ...names.map(n => ({ title: n, cell: k => { const [style, text] = rights[k.databases[n]] ?? []; return k.isAdmin ? h('span', { class: 'dim' }, 'everything') : text ? h('span', { class: style }, text) : ''; } })),
      { title: 'Thumbprint (SHA-256)', cell: k => h('code', { class: 'dim', title: k.thumbprint }, `${k.thumbprint.slice(0, 16)}…`) },
    ], known.clients, known.authenticates ? 'No client has a right.' : 'No client certificates: server.clients is empty.'));
}
