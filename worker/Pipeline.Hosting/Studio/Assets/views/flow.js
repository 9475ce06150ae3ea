import { collections, isOwn, ofWorker } from '../api.js';
import { s } from '../chart.js';
import { count, h, rate, refresh, seconds, telling } from '../dom.js';
import { live } from '../live.js';
import { notOwn } from './own.js';

const colors = { running: 'good', idle: 'good', connected: 'good', retrying: 'warn', starting: 'warn', paused: 'warn', resyncing: 'warn', 'awaits resync': 'warn', waiting: 'dim', disabled: 'dim', failed: 'bad', blocked: 'bad', stopped: 'bad' };
const legend = [['good', 'works'], ['warn', 'retries or waits'], ['bad', 'needs you'], ['dim', 'off or without workers']];

/** How wide an edge is for messages a second: it grows with the order of magnitude. */
export const widthOf = perSecond => 1.5 + 2.5 * Math.log10(1 + Math.max(0, perSecond));

const until = time => {
  const left = Math.max(0, (Date.parse(time) - Date.now()) / 1000);
  return left < 1 ? 'tries now' : `next try in ${Math.ceil(left)} s`;
};

/** The collections that a subscription reads: those it names, or the one of its query. */
export function sourcesOf(subscription, all) {
  if (subscription.collections?.length) return subscription.collections;
  const named = /\bfrom\s+(?:'([^']+)'|"([^"]+)"|([\w-]+))/i.exec(subscription.query ?? '');
  const name = named && (named[1] ?? named[2] ?? named[3]);
  return name && name !== '@all_docs' ? [name] : all;
}

/** The picture: nodes in three columns, and the edges between them. */
function pictureOf(tasks, subscriptions, known) {
  const names = Object.keys(known).filter(name => !name.startsWith('@') && name !== 'DeadLetters');
  const from = t => t.from.includes('@all_docs') ? names : t.from;
  const readers = [
    ...tasks.map(t => ({
      key: `task/${t.name}`, name: t.name, kind: 'task', state: t.state, href: `#/tasks/${encodeURIComponent(t.name)}`, sources: from(t), depth: t.state === 'disabled' ? t.waiting : t.waiting,
      in: t.documentsPerSecond, out: t.messagesPerSecond, target: `to/${t.connection}`, problem: t.problem, nextTry: t.nextTry, letters: t.deadLetters, lag: t.lagSeconds,
    })),
    ...subscriptions.map(one => ({
      key: `subscription/${one.name}`, name: one.name, kind: 'subscription', state: one.state, href: '#/tasks', sources: sourcesOf(one, names), depth: one.consumer?.pending.changes ?? one.lag,
      in: one.perSecond, out: one.perSecond, target: one.workers.length ? 'workers' : null, problem: one.error, letters: one.parked, lag: one.consumer?.ageSeconds ?? one.lagSeconds,
    })),
  ];
  const sources = [...new Set([...readers.flatMap(r => r.sources)])].sort().map(name => ({ key: `from/${name}`, name, kind: 'collection', detail: `${count(known[name] ?? 0)} documents`, href: `#/documents/${encodeURIComponent(name)}` }));
  const workers = subscriptions.reduce((sum, one) => sum + one.workers.length, 0);
  const targets = [
    ...[...new Map(tasks.map(t => [t.connection, t.kind]))].map(([name, kind]) => ({ key: `to/${name}`, name, kind: 'connection', detail: `${kind} · ${rate(tasks.filter(t => t.connection === name).reduce((sum, t) => sum + t.messagesPerSecond, 0))}` })),
    ...(workers ? [{ key: 'workers', name: 'subscription workers', kind: 'connection', detail: workers === 1 ? 'one connected' : `${count(workers)} connected` }] : []),
  ];
  const edges = readers.flatMap(r => [
    ...r.sources.map(name => ({ key: `${name}>${r.key}`, from: `from/${name}`, to: r.key, color: colors[r.state] ?? 'dim', width: widthOf(r.in / r.sources.length), moves: r.in > 0 })),
    ...(r.target ? [{ key: `${r.key}>${r.target}`, from: r.key, to: r.target, color: colors[r.state] ?? 'dim', width: widthOf(r.out), moves: r.out > 0 }] : []),
  ]);
  return { sources, readers, targets, edges };
}

const simpleNode = node => h(node.href ? 'a' : 'div', { class: `node ${node.kind}`, 'data-key': node.key, href: node.href }, h('b', null, node.name), h('span', { class: 'dim' }, node.detail));

function readerNode(r) {
  return h('a', { class: `node ${r.kind} ${colors[r.state] ?? 'dim'}-edge`, 'data-key': r.key, href: r.href, title: r.problem ?? '' },
    h('span', { class: 'bar', style: 'margin:0;gap:.4rem;flex-wrap:nowrap' }, h('i', { class: `dot ${colors[r.state] ?? ''}` }), h('b', { class: 'grow' }, r.name), h('span', { class: `state ${colors[r.state] ?? 'dim'}` }, r.state)),
    h('span', { class: 'dim' }, `${rate(r.out)} · ${r.depth ? `${count(r.depth)} waiting${r.lag >= 1 ? `, ${seconds(r.lag)}` : ''}` : 'nothing waits'}`),
    r.letters ? h('span', { class: 'bad' }, `${count(r.letters)} ${r.kind !== 'task' ? 'parked' : r.letters === 1 ? 'dead letter' : 'dead letters'}`) : '',
    r.nextTry && r.problem ? h('span', { class: 'warn' }, until(r.nextTry)) : '',
    r.problem ? h('span', { class: 'problem' }, r.problem) : '');
}

/** Draws an edge from the side of one node to the side of the other; downwards where the columns stand below one another. */
function edgePath(from, to, isDown) {
  if (isDown) {
    const middle = (from.bottom + to.top) / 2;
    return `M${from.x} ${from.bottom}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.top}`;
  }
  const middle = (from.right + to.left) / 2;
  return `M${from.right} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.left} ${to.y}`;
}

/** Collections, the tasks and subscriptions that read them, and where their messages go, live. */
export async function flow(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Flow');
  const edges = s('svg', { class: 'edges', 'aria-hidden': 'true' });
  const columns = [h('div'), h('div'), h('div')];
  const picture = h('div', { class: 'flow' }, edges, columns);
  let shown = [];

  const place = () => {
    const frame = picture.getBoundingClientRect();
    const boxes = new Map([...picture.querySelectorAll('[data-key]')].map(node => {
      const box = node.getBoundingClientRect();
      const [left, top] = [box.left - frame.left, box.top - frame.top];
      return [node.dataset.key, { left, top, right: left + box.width, bottom: top + box.height, x: left + box.width / 2, y: top + box.height / 2 }];
    }));
    const isDown = getComputedStyle(picture).gridTemplateColumns.split(' ').length === 1;
    edges.setAttribute('viewBox', `0 0 ${Math.max(1, frame.width)} ${Math.max(1, frame.height)}`);
    const drawn = shown.filter(e => boxes.has(e.from) && boxes.has(e.to)).map(e =>
      s('path', { d: edgePath(boxes.get(e.from), boxes.get(e.to), isDown), 'data-key': e.key, class: e.moves ? 'moves' : '', stroke: `var(--${e.color})`, 'stroke-width': e.width.toFixed(2) }));
    refreshSvg(edges, drawn);
  };
  const observer = new ResizeObserver(place);
  observer.observe(picture);
  signal.addEventListener('abort', () => observer.disconnect(), { once: true });
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { class: 'grow', style: 'margin:0' }, 'Flow'), h('span', { class: 'group end' }, legend.map(([color, text]) => h('span', { class: 'dim' }, h('i', { class: `dot ${color}` }), ` ${text}`)), h('span', { class: 'dim' }, 'wider: more per second'))),
    picture);
  await live(signal, telling(async () => {
    const [tasks, subscriptions, known] = await Promise.all([ofWorker('etl/tasks', signal), ofWorker('subscriptions', signal), collections(signal)]);
    const { sources, readers, targets, edges: next } = pictureOf(tasks ?? [], subscriptions ?? [], known);
    shown = next;
    refresh(columns[0], h('h2', null, 'Collections'), ...sources.map(simpleNode));
    refresh(columns[1], h('h2', null, 'Tasks and subscriptions'), ...readers.map(readerNode), readers.length === 0 ? h('p', { class: 'dim' }, 'This worker has none.') : '');
    refresh(columns[2], h('h2', null, 'Destinations'), ...targets.map(simpleNode));
    place();
  }));
}

/** Keeps the paths that stay, so that their movement does not begin again. */
function refreshSvg(svg, paths) {
  const kept = new Map([...svg.children].map(path => [path.dataset.key, path]));
  for (const path of paths) {
    const current = kept.get(path.dataset.key);
    kept.delete(path.dataset.key);
    if (!current) svg.append(path);
    else for (const { name, value } of path.attributes) if (current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
  for (const path of kept.values()) path.remove();
}
