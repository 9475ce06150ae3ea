import { get, getExact, path } from '../api.js';
import { bytes, count, h, refresh, table, telling } from '../dom.js';
import { format } from '../json.js';
import { live } from '../live.js';

const pageSize = 200;

/** Event streams of actors; one of them with its events, snapshot and state. */
export async function events(main, rest, signal) {
  const id = rest.join('/');
  if (id) return one(main, id, signal);
  const open = h('input', { type: 'search', placeholder: 'id of a stream, such as order-17', 'aria-label': 'Stream', class: 'grow' });
  const sheet = h('div');
  let after = 0, shown = [];
  const draw = () => refresh(sheet, table([
    { title: 'Stream', cell: s => h('a', { href: `#/events/${encodeURIComponent(s.Id)}` }, s.Id) },
    { title: 'Last number', number: true, cell: s => count(s.Highest) },
    { title: 'Made as', number: true, cell: s => count(s.Number) },
  ], shown.filter(s => s.Id.toLowerCase().includes(open.value.toLowerCase())), shown.length === 0 ? 'No actor has persisted events in this database.' : 'No stream has this in its id. Press Enter to open it as an id.', s => s.Id),
  more ? h('p', null, h('button', { type: 'button', onclick: load }, 'More streams')) : '');
  let more = false;
  const load = telling(async () => {
    const page = await get(path('events/streams', { after, pageSize }), signal);
    shown = [...shown, ...page.Streams];
    after = shown.at(-1)?.Number ?? 0;
    more = page.HasMore;
    draw();
  });
  open.oninput = draw;
  main.replaceChildren(h('h1', null, 'Event streams'), h('form', { class: 'bar', onsubmit: event => { event.preventDefault(); if (open.value) location.hash = `#/events/${encodeURIComponent(open.value)}`; } }, open, h('button', null, 'Open')), sheet);
  await load();
}

const payload = event => event.get('IsKeyDestroyed') ? h('span', { class: 'dim' }, 'cannot be read: the key of the stream was destroyed')
  : event.get('Json') !== undefined ? h('pre', null, format(event.get('Json'), '  '))
    : h('pre', { class: 'dim' }, event.get('Base64') || '(empty)');

async function one(main, id, signal) {
  const head = h('p', { class: 'dim' }), list = h('div', { class: 'sheet' }), side = h('div');
  const at = h('input', { type: 'range', min: '1', 'aria-label': 'Number', class: 'grow' }), atText = h('output');
  const known = new Map();
  let highest = 0, snapshot = null, follows = true;
  const drawState = () => {
    const number = Number(at.value);
    atText.textContent = `event ${count(number)} of ${count(highest)}`;
    const fields = new Map();
    let used = 0, unread = 0;
    for (const [n, event] of [...known].sort(([a], [b]) => a - b)) {
      if (n > number) break;
      const value = event.get('Json');
      if (value instanceof Map) {
        used++;
        for (const [name, member] of value) fields.set(name, member);
      } else {
        unread++;
      }
    }
    const first = Math.min(...known.keys());
    side.replaceChildren(
      h('p', { class: 'dim' }, used === 0 ? 'The events are not JSON objects, so that their fields are unknown.' : `Each field as the last of ${count(used)} events up to this number set it.${first > 1 ? ` Events before ${count(first)} are not loaded.` : ''}${unread ? ` ${count(unread)} events are not JSON objects.` : ''}`),
      used > 0 ? h('div', { class: 'sheet' }, h('pre', { class: 'pane' }, format(fields, '  '))) : '',
      snapshot ? h('section', null, h('h2', null, 'Newest snapshot'), h('div', { class: 'sheet pane' }, h('p', { class: 'dim', style: 'margin-top:0' }, `of event ${snapshot.get('SequenceNumber')} · ${snapshot.get('Manifest') || 'no manifest'}`), payload(snapshot))) : '');
  };
  at.oninput = () => { follows = Number(at.value) === highest; drawState(); };
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, id), h('a', { href: '#/events' }, 'All streams')), head,
    h('div', { class: 'two' }, h('section', null, h('h2', null, 'Events'), list), h('section', null, h('h2', null, 'State'), h('div', { class: 'bar' }, at, atText), side)));
  await live(signal, telling(async () => {
    const newest = known.size === 0;
    const page = await getExact(path('events/stream', newest ? { id, newest: true, pageSize } : { id, from: highest + 1, pageSize }), signal);
    const last = Number(page.get('Highest').toString());
    if (last === highest && !newest) return;
    for (const event of page.get('Events')) known.set(Number(event.get('SequenceNumber').toString()), event);
    highest = newest ? last : Math.max(highest, ...known.keys());
    snapshot = page.get('Snapshot');
    if (known.size === 0) {
      list.replaceChildren(h('p', { class: 'empty' }, last > 0 ? 'The events of this stream were deleted; its snapshot may have their state.' : 'There is no such stream.'));
      if (last > 0) drawState();
      return;
    }
    head.textContent = `${count(last)} events · the last ${new Date(known.get(Math.max(...known.keys())).get('Timestamp')).toLocaleString()}`;
    at.min = String(Math.min(...known.keys()));
    at.max = String(highest);
    if (follows) at.value = String(highest);
    refresh(list, [...known].sort(([a], [b]) => b - a).map(([n, event]) => h('details', { 'data-key': String(n) },
      h('summary', null, h('b', null, String(n)), ' ', event.get('Manifest') || h('span', { class: 'dim' }, 'no manifest'), ' ', h('span', { class: 'dim' }, `${new Date(event.get('Timestamp')).toLocaleString()} · ${bytes(Number(event.get('Bytes').toString()))}`), ' ', event.get('Tags').map(tag => h('span', { class: 'chip' }, tag))),
      h('p', { class: 'dim', style: 'margin:.2rem 1rem' }, `position ${event.get('Position')} · writer ${event.get('Writer') || 'unknown'} · serializer ${event.get('SerializerId')}`), payload(event))));
    drawState();
  }));
}
