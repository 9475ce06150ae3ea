import { isOwn, ofWorker, path, post, postExact, request } from '../api.js';
import { codeEditor } from '../code.js';
import { count, figures, h, rate, refresh, say, seconds, table, telling } from '../dom.js';
import { metadataOf } from '../json.js';
import { live } from '../live.js';
import { namesOf } from '../names.js';
import { fieldsOf, cellText } from '../results.js';
import { notOwn } from './own.js';

const classes = { connected: 'good', waiting: 'dim', paused: 'warn', resyncing: 'warn', 'awaits resync': 'warn', failed: 'bad' };
const word = state => h('span', { class: classes[state] ?? '' }, state);
const link = id => h('a', { href: `#/document/${encodeURIComponent(id)}` }, id);
const act = (name, action, to) => post(`subscriptions/${action}?${new URLSearchParams({ name, ...(to === undefined ? {} : { to }) })}`, {});

/** All subscriptions; one of them with its workers, leases, events and next documents. */
export async function subscriptions(main, rest, signal) {
  if (!isOwn()) return notOwn(main, 'Subscriptions');
  const name = rest.join('/');
  if (name) return one(main, name, signal);
  const sheet = h('div');
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, 'Subscriptions'), h('a', { class: 'button main', href: '#/subscription/' }, 'New subscription')), sheet);
  await live(signal, telling(async () => {
    const all = await ofWorker('subscriptions', signal);
    refresh(sheet, table([
      { title: 'Subscription', cell: s => h('a', { href: `#/subscriptions/${encodeURIComponent(s.name)}` }, s.name) },
      { title: 'Takes', cell: s => h('code', { class: 'dim' }, s.query ?? (s.collections ?? ['all documents']).join(', ')) },
      { title: 'State', cell: s => word(s.state) },
      { title: 'Workers', number: true, cell: s => count(s.workers.length) },
      { title: 'Backlog', number: true, cell: s => count(s.consumer?.pending.changes ?? s.lag) },
      { title: 'Lag', number: true, cell: s => seconds(s.consumer?.ageSeconds ?? s.lagSeconds) },
      { title: 'Rate', number: true, cell: s => rate(s.perSecond) },
      { title: 'Parked', number: true, cell: s => s.parked ? h('a', { class: 'bad', href: `#/subscriptions/${encodeURIComponent(s.name)}` }, count(s.parked)) : '0' },
      { title: 'Problem', wide: true, cell: s => s.error ?? s.lagReason ?? s.lastError ?? '' },
    ], all ?? [], 'No subscriptions yet. A subscription hands each changed document to a program, one after another.', s => s.name));
  }));
}

async function one(main, name, signal) {
  const head = h('div'), workers = h('div'), parked = h('div'), events = h('div', { class: 'sheet log', tabindex: '0', role: 'log', 'aria-label': 'Events' }), items = h('div');
  const doing = (text, question, run, properties) => h('button', { type: 'button', ...properties, onclick: telling(async () => {
    if (question && !confirm(question)) return;
    await run();
  }) }, text);
  const to = h('input', { 'aria-label': 'Position', placeholder: 'beginning, end, or a position', list: 'starts', size: '26' });
  const toggle = h('span');
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { class: 'grow' }, name), toggle,
      doing('Delete', `Delete the subscription '${name}' with its position?`, async () => { await request(`subscriptions?${new URLSearchParams({ name })}`, { method: 'DELETE' }); say(`Deleted ${name}.`); location.hash = '#/subscriptions'; }, { class: 'danger' })),
    head,
    h('form', { class: 'bar', onsubmit: telling(async event => {
      event.preventDefault();
      if (!to.value || !confirm(`Move '${name}' to ${to.value}? Its workers get every document after it again, or skip those before it.`)) return;
      await act(name, 'move', to.value);
      say(`${name} is moved.`);
    }) }, h('label', null, 'Continue after ', to), h('datalist', { id: 'starts' }, h('option', { value: 'beginning' }), h('option', { value: 'end' })), h('button', null, 'Move')),
    h('h2', null, 'Workers'), workers, parked, h('h2', null, 'Events'), events, h('h2', null, 'Newest changes that it takes'), items);
  events.append(h('p', { class: 'dim pane' }, 'Waiting for events…'));
  follow(name, events, signal);
  let position = null;
  await live(signal, telling(async () => {
    const s = (await ofWorker('subscriptions', signal))?.find(x => x.name === name);
    if (!s) throw new Error(`There is no subscription '${name}'.`);
    refresh(toggle, s.state === 'paused'
      ? h('button', { type: 'button', 'data-key': 'resume', onclick: telling(() => act(name, 'resume')) }, 'Resume')
      : h('button', { type: 'button', 'data-key': 'pause', onclick: telling(() => act(name, 'pause')) }, 'Pause'));
    refresh(head,
      s.error ?? s.lagReason ? h('div', { class: 'alert bad-edge', role: 'alert' }, s.error ?? s.lagReason) : '',
      h('p', null, h('code', null, s.query ?? (s.collections ?? ['all documents']).join(', '))),
      figures([['state', word(s.state)], ['backlog', count(s.consumer?.pending.changes ?? s.lag)], ['lag', seconds(s.consumer?.ageSeconds ?? s.lagSeconds)], ['position', count(s.position)], ['rate', rate(s.perSecond)], ['acknowledged', count(s.acknowledged)], ['with workers', count(s.inFlight)], ['retrying', count(s.retrying)], ['parked', count(s.parked)]]));
    refresh(workers, table([
      { title: 'Worker', cell: w => w.name },
      { title: 'Partitions', number: true, cell: w => count(w.partitions) },
      { title: 'With it', number: true, cell: w => count(w.inFlight) },
      { title: 'Delivered', number: true, cell: w => count(w.delivered) },
      { title: 'Acknowledged', number: true, cell: w => count(w.acknowledged) },
      { title: 'Lease', cell: w => w.leaseUntil ? `until ${new Date(w.leaseUntil).toLocaleTimeString()}` : '' },
    ], s.workers, 'No worker is connected: the backlog waits.', w => w.name));
    const letters = s.parked > 0 ? (await ofWorker(`deadletters?task=${encodeURIComponent(`@${name}`)}`, signal))?.letters ?? [] : [];
    refresh(parked, letters.length === 0 ? '' : h('section', null, h('h2', null, 'Parked changes'), table([
      { title: 'Document', cell: l => link(l.documentId) },
      { title: 'Position', number: true, cell: l => count(l.position) },
      { title: 'Error', wide: true, cell: l => l.error },
      { title: '', cell: l => h('button', { type: 'button', onclick: telling(async () => { await act(name, 'retry', l.position); say(`${l.documentId} is delivered again.`); }) }, 'Retry') },
    ], letters, '', l => l.id)));
    const [last] = [(await ofWorker('stats', signal))?.lastPosition];
    if (last === position) return;
    position = last;
    refresh(items, await trial({ name }, signal));
  }));
}

/** Shows events as they come, the newest first. */
async function follow(name, list, signal) {
  try {
    const response = await request(`subscriptions/events?${new URLSearchParams({ name })}`, { signal });
    let rest = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + part).split('\n');
      rest = lines.pop();
      for (const line of lines.filter(Boolean)) {
        const event = JSON.parse(line);
        list.querySelector('p.dim.pane')?.remove();
        list.prepend(h('p', null, h('time', { class: 'dim' }, new Date(event.time).toLocaleTimeString()), ' ', h('b', null, event.kind.replace(/(?<=.)[A-Z]/g, c => ` ${c.toLowerCase()}`)), ' ', [event.worker, event.count ? `${count(event.count)} changes` : '', event.position ? `to ${count(event.position)}` : '', event.detail].filter(Boolean).join(' · ')));
        while (list.children.length > 200) list.lastChild.remove();
      }
    }
  } catch (error) {
    if (!signal.aborted && error.name !== 'AbortError') list.prepend(h('p', { class: 'bad' }, error.message));
  }
}

/** What a subscription would deliver of the last changes, the newest first. */
async function trial(asked, signal) {
  const result = await postExact('subscriptions/try', { last: 1000, ...asked }, signal);
  const given = result.get('given').reverse();
  const documents = given.slice(0, 10).map(g => g.has?.('Current') ? g.get('Current') ?? g.get('Previous') : g);
  const fields = fieldsOf(documents, 5);
  return h('div', null, h('p', { class: 'dim', role: 'status' }, `${count(given.length)} of the last ${count(Number(result.get('tried').toString()))} changes would be delivered.`),
    ...result.get('failed').slice(0, 5).map(f => h('p', { class: 'bad' }, link(f.get('id')), `: ${f.get('error')}`)),
    table([
      { title: 'Id', cell: d => metadataOf(d, '@id') ? link(metadataOf(d, '@id')) : '' },
      ...fields.map(name => ({ title: name, cell: d => cellText(d.get(name)) })),
      { title: 'Changed', cell: d => metadataOf(d, '@last-modified') ? new Date(metadataOf(d, '@last-modified')).toLocaleTimeString() : '' },
    ], documents, 'It takes none of the last changes.'));
}

/** A new subscription: its query is tried while it is written. */
export async function newSubscription(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'New subscription');
  const name = h('input', { 'aria-label': 'Name', placeholder: 'invoices', class: 'grow' });
  const start = h('select', { 'aria-label': 'Start' }, h('option', { value: 'BeginningOfTime' }, 'with all stored documents'), h('option', { value: 'LastDocument' }, 'with changes from now on'));
  const result = h('div'), fault = h('p', { class: 'bad', role: 'alert' });
  const make = h('button', { type: 'button', class: 'main' }, 'Make');
  let timer = 0;
  const run = telling(async () => {
    fault.textContent = '';
    try {
      result.replaceChildren(await trial({ query: code.text.trim() }, signal));
    } catch (error) {
      if (error.name === 'AbortError') return;
      fault.textContent = error.message;
      result.replaceChildren();
    }
  });
  const code = await codeEditor({ signal, label: 'Query', text: 'from Orders', language: 'query', known: namesOf(signal), keys: { 'Mod-Enter': run }, onChange: () => { clearTimeout(timer); timer = setTimeout(run, 500); } });
  if (signal.aborted) return;
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  make.onclick = telling(async () => {
    const made = await (await request(path('subscriptions'), { method: 'PUT', body: JSON.stringify({ Name: name.value.trim() || null, Query: code.text.trim(), ChangeVector: start.value }), headers: { 'Content-Type': 'application/json' } })).json();
    say(`Made ${made.Name}.`);
    location.hash = `#/subscriptions/${encodeURIComponent(made.Name)}`;
  });
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', null, 'New subscription'), name, h('label', null, 'Start ', start), make),
    code.element, fault, h('h2', null, 'It would take'), result);
  name.focus();
  await run();
}
