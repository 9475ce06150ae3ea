import { isOwn, ofWorker } from '../api.js';
import { count, h, rate, refresh, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { notOwn } from './own.js';
import { task } from './task.js';

const classes = { running: 'good', idle: 'good', done: 'good', connected: 'good', waiting: 'dim', disabled: 'dim', starting: 'dim', paused: 'warn', retrying: 'warn', resyncing: 'warn', 'awaits resync': 'warn', failed: 'bad', blocked: 'bad', stopped: 'bad' };
/** The problems below their table, where they have the whole width. */
const problems = all => all.filter(one => one.text).map(one => h('p', { class: 'alert bad-edge', style: 'margin-top:.6rem', 'data-key': one.name }, h('b', null, one.name), ` ${one.text}`));
const word = state => h('span', { class: classes[state] ?? '' }, state);

/** ETL tasks and subscriptions, live. */
export async function tasks(main, rest, signal) {
  if (!isOwn()) return notOwn(main, 'ETL tasks and subscriptions');
  const name = rest.join('/');
  if (name) return task(main, name, signal);
  const sending = h('div'), subscribed = h('div');
  main.replaceChildren(h('h1', null, 'ETL tasks'), sending, h('h2', null, 'Subscriptions'), subscribed);
  await live(signal, telling(async () => {
    const [all, subscriptions] = await Promise.all([ofWorker('etl/tasks', signal), ofWorker('subscriptions', signal)]);
    refresh(sending, table([
      { title: 'Task', cell: t => h('a', { href: `#/tasks/${encodeURIComponent(t.name)}` }, t.name) },
      { title: 'To', cell: t => `${t.connection} (${t.kind})` },
      { title: 'State', cell: t => word(t.state) },
      { title: 'Backlog', number: true, cell: t => count(t.waiting) },
      { title: 'Lag', number: true, cell: t => seconds(t.lagSeconds) },
      { title: 'Documents', number: true, cell: t => rate(t.documentsPerSecond) },
      { title: 'Messages', number: true, cell: t => rate(t.messagesPerSecond) },
      { title: 'Sent', number: true, cell: t => count(t.messages) },
      { title: 'Dead letters', number: true, cell: t => t.deadLetters ? h('a', { href: `#/deadletters/${encodeURIComponent(t.name)}`, class: 'bad' }, count(t.deadLetters)) : '0' },
    ], all ?? [], 'This worker has no ETL tasks.', t => t.name), ...problems((all ?? []).map(t => ({ name: t.name, text: t.problem }))));
    refresh(subscribed, table([
      { title: 'Subscription', cell: s => h('a', { href: `#/subscriptions/${encodeURIComponent(s.name)}` }, s.name) },
      { title: 'Query', cell: s => h('code', { class: 'dim' }, s.query ?? (s.collections ?? ['all documents']).join(', ')) },
      { title: 'State', cell: s => word(s.state) },
      { title: 'Workers', number: true, cell: s => count(s.workers.length) },
      { title: 'Backlog', number: true, cell: s => count(s.consumer?.pending.changes ?? s.lag) },
      { title: 'Lag', number: true, cell: s => seconds(s.consumer?.ageSeconds ?? s.lagSeconds) },
      { title: 'Rate', number: true, cell: s => rate(s.perSecond) },
      { title: 'Acknowledged', number: true, cell: s => count(s.acknowledged) },
      { title: 'Parked', number: true, cell: s => count(s.parked) },
    ], subscriptions ?? [], 'No subscriptions.', s => s.name), ...problems((subscriptions ?? []).map(s => ({ name: s.name, text: s.error ?? s.lagReason ?? s.lastError }))));
  }));
}
