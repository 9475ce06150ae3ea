import { ofWorker, postExact } from '../api.js';
import { chart } from '../chart.js';
import { bytes, count, figures, h, rate, refresh, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { outcomeView, wordOf } from '../outcome.js';

const historyEvery = 2000;

/** Where a task's time goes, as a bar. */
function timesView({ extract, transform, send }) {
  const all = extract + transform + send;
  const parts = [['reading', extract, 'var(--dim)'], ['transform', transform, 'var(--accent)'], ['sending', send, 'var(--good)']];
  return h('div', null,
    h('div', { class: 'parts', role: 'img', 'aria-label': parts.map(([name, value]) => `${name} ${seconds(value)}`).join(', ') }, parts.map(([, value, color]) => h('span', { style: `width:${all ? 100 * value / all : 0}%;background:${color}` }))),
    h('div', { class: 'bar', style: 'margin-top:.35rem' }, parts.map(([name, value, color]) => h('span', { class: 'dim' }, h('i', { class: 'dot', style: `background:${color}` }), ` ${name} ${all ? Math.round(100 * value / all) : 0} % (${seconds(value)})`))));
}

/** One task: throughput and lag over the last hour, where its time goes, its last messages, its faults. */
export async function task(main, name, signal) {
  const head = h('div'), body = h('div'), messages = h('div');
  const sent = chart('Messages', rate, [{ name: 'messages', color: 'var(--accent)' }]);
  const lag = chart('Changes waiting', count, [{ name: 'lag', color: 'var(--warn)' }]);
  main.replaceChildren(head, h('div', { class: 'charts' }, sent.element, lag.element), body, h('h2', null, 'What it sends for the last documents'), messages);
  let drawn = 0, position = null;

  await live(signal, telling(async () => {
    const all = await ofWorker('etl/tasks', signal);
    const t = all?.find(one => one.name === name);
    if (!t) throw new Error(`There is no task '${name}'.`);
    refresh(head,
      h('div', { class: 'bar' }, h('h1', { class: 'grow', style: 'margin:0' }, t.name), h('a', { href: '#/flow' }, 'Flow'), h('a', { href: `#/bench/${encodeURIComponent(name)}` }, 'Transform bench'), h('a', { href: `#/deadletters/${encodeURIComponent(name)}` }, 'Dead letters')),
      h('p', { class: 'dim' }, `${t.from.join(', ')} → ${t.connection} (${t.kind})`),
      t.problem ? h('p', { class: 'bad', role: 'alert' }, t.problem, t.nextTry ? h('span', { class: 'dim' }, ` · next try ${new Date(t.nextTry).toLocaleTimeString()}`) : '') : '',
      figures([['state', t.state], ['waiting', count(t.waiting)], ['lag', seconds(t.lagSeconds)], ['documents', rate(t.documentsPerSecond)], ['messages', rate(t.messagesPerSecond)], ['sent', count(t.messages)], ['bytes sent', bytes(t.bytes)], ['dead letters', count(t.deadLetters)]]));
    refresh(body,
      h('h2', null, 'Where its time goes'), timesView(t.times),
      h('h2', null, 'Batches and faults'),
      table([{ title: 'What', cell: r => r[0] }, { title: 'Since the start', number: true, cell: r => r[1] }], [
        ['Batches', count(t.batches)], ['Messages in a batch, on average', t.batches ? count(Math.round(t.messages / t.batches)) : '0'], ['Documents read', count(t.documents)], ['Documents that sent nothing', count(t.filtered)],
        ['Retries', count(t.retries)], ...Object.entries(t.errors).map(([kind, n]) => [`Errors: ${kind}`, count(n)]), ...Object.entries(t.retriesByClass).map(([kind, n]) => [`Retries after: ${kind}`, count(n)]),
      ], '', r => r[0]));
    if (performance.now() - drawn >= historyEvery) {
      drawn = performance.now();
      const history = await ofWorker('history', signal);
      sent.update([history.series[`task/${name}/messages`] ?? []], history.last, history.secondsPerPoint);
      lag.update([history.series[`task/${name}/lag`] ?? []], history.last, history.secondsPerPoint);
    }
    if (position !== t.position) {
      position = t.position;
      const result = await postExact('etl/bench', { task: name, sample: 10 }, signal);
      refresh(messages, h('div', { class: 'sheet' }, result.get('documents').map(d => h('details', { 'data-key': `${d.get('id')} ${d.get('position')}` },
        h('summary', null, d.get('id'), h('span', { class: 'dim' }, ` · position ${d.get('position')} · ${wordOf(d.get('after'))}`)), h('a', { class: 'open', href: `#/document/${encodeURIComponent(d.get('id'))}` }, 'Open'), outcomeView(d.get('after'))))));
    }
  }));
}
