import { getExact, isOwn, ofWorker } from '../api.js';
import { diffView } from '../diff.js';
import { count, h, table, telling } from '../dom.js';
import { format } from '../json.js';
import { outcomeView, wordOf } from '../outcome.js';
import { sourcesOf } from './flow.js';
import { notOwn } from './own.js';

const words = { sent: ['good', 'sent'], nothing: ['', 'sends nothing'], deadLetter: ['bad', 'dead letter'], waiting: ['warn', 'not read yet'], passed: ['', 'passed'], disabled: ['', 'disabled'] };
const indexWords = { indexed: ['good', 'has an entry'], behind: ['warn', 'not indexed yet'], error: ['bad', 'failed'], none: ['', 'gives no entry'] };
const mark = (color, text) => h('span', { class: color || 'dim' }, h('i', { class: `dot ${color}` }), ` ${text}`);
const textOf = version => version.get('document') ? format(version.get('document'), '  ') : '';
const link = id => h('a', { href: `#/document/${encodeURIComponent(id)}` }, id);

function taskView(task) {
  const [color, text] = words[task.get('status')] ?? ['', task.get('status')];
  const outcome = task.get('outcome');
  const opens = h('a', { href: `#/tasks/${encodeURIComponent(task.get('name'))}` }, task.get('name'));
  const letters = task.get('letters').map(id => h('span', null, ' ', link(id)));
  const rest = [h('span', { class: 'dim' }, ` → ${task.get('connection')} `), mark(color, text)];
  if (!outcome || outcome.get('messages').length === 0 && !outcome.get('error')) return h('div', { class: 'step' }, h('b', null, opens), rest, letters);
  return h('details', { class: 'step' }, h('summary', null, h('b', null, task.get('name')), rest, letters.length ? h('span', { class: 'bad' }, ' dead letter') : '', h('span', { class: 'dim' }, ` ${wordOf(outcome)}`)),
    h('p', { style: 'margin:.35rem 0' }, 'Task ', opens, letters), outcomeView(outcome));
}

function versionView(version, previous, subscriptions) {
  const change = version.get('isDeleted') ? 'deleted' : !previous || previous.get('isDeleted') ? 'stored' : 'changed';
  const body = version.get('isDeleted') ? '' : h('details', { class: 'step' }, h('summary', null, previous && !previous.get('isDeleted') ? 'What changed' : 'The document'),
    h('div', { class: 'pane' }, previous && !previous.get('isDeleted') ? diffView(textOf(previous), textOf(version)) : h('pre', null, textOf(version))));
  return h('li', { class: version.get('isCurrent') ? 'current' : null },
    h('div', { class: 'bar', style: 'margin:0' }, h('b', null, new Date(version.get('time')).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })), h('span', { class: version.get('isDeleted') ? 'bad' : '' }, change),
      h('span', { class: 'chip' }, `position ${version.get('position')}`), version.get('isCurrent') ? h('span', { class: 'chip' }, 'stored now') : ''),
    h('div', { class: 'dim', style: 'font-size:12px;overflow-wrap:anywhere' }, version.get('changeVector')),
    body, version.get('tasks').map(taskView),
    subscriptions.map(s => h('div', { class: 'step' }, h('b', null, s.name), h('span', { class: 'dim' }, ' subscription '), Number(version.get('position').text) <= s.position ? mark('good', 'acknowledged, or filtered') : mark('warn', 'not acknowledged yet'))));
}

/** One document's way: its versions, the messages of each task, its dead letters, subscriptions and index entries, on one time line. */
export async function journey(main, rest, signal) {
  if (!isOwn()) return notOwn(main, 'Document journey');
  const id = rest.join('/');
  const input = h('input', { value: id, placeholder: 'orders/1', 'aria-label': 'Id', class: 'grow' });
  const form = h('form', { class: 'bar', onsubmit: event => { event.preventDefault(); location.hash = `#/journey/${encodeURIComponent(input.value.trim())}`; } },
    h('h1', { style: 'margin:0' }, 'Document journey'), input, h('button', { type: 'submit', class: 'main' }, 'Show'));
  const body = h('div');
  main.replaceChildren(form, body);
  if (!id) {
    body.replaceChildren(h('div', { class: 'sheet empty' }, 'Name a document to see its versions, every message that it made, its dead letters and its index entries.'));
    return;
  }
  const show = telling(async () => {
    const [found, all] = await Promise.all([getExact(`journey?id=${encodeURIComponent(id)}`, signal), ofWorker('subscriptions', signal)]);
    const collection = found.get('collection');
    const subscriptions = (all ?? []).filter(s => sourcesOf(s, [collection]).some(name => name.toLowerCase() === collection.toLowerCase()));
    const versions = found.get('versions');
    const isShort = Number(found.get('total').text) > versions.length;
    body.replaceChildren(
      h('p', { class: 'dim' }, link(found.get('id')), ` · ${collection} · ${versions.length === 1 ? 'one version' : `${count(versions.length)} versions`}${isShort ? ` of ${count(Number(found.get('total').text))}` : ''} · the database is at position ${found.get('lastPosition')}`),
      h('div', { class: 'journey' },
        h('ol', { class: 'timeline', 'aria-label': 'Versions, newest first' }, versions.map((version, i) => versionView(version, versions[i + 1], subscriptions))),
        h('aside', null,
          h('h2', { style: 'margin-top:0' }, 'Indexes'),
          table([
            { title: 'Index', cell: i => h('a', { href: `#/indexes/${encodeURIComponent(i.get('name'))}` }, i.get('name')) },
            { title: 'This version', wrap: true, cell: i => [mark(...(i.get('isReduced') && i.get('status') === 'indexed' ? ['good', 'in its groups'] : indexWords[i.get('status')])), i.get('error') ? h('div', { class: 'dim' }, i.get('error')) : ''] },
          ], found.get('indexes'), 'No index reads its collection.'),
          h('h2', null, 'Dead letters'),
          table([
            { title: 'Letter', wrap: true, cell: l => [link(l.get('id')), h('div', { class: 'dim' }, l.get('error'))] },
            { title: 'Position', number: true, cell: l => l.get('position').text },
          ], found.get('deadLetters'), 'None.'))));
  });
  await show();
}
