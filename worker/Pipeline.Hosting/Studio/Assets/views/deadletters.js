import { isOwn, ofWorker, post } from '../api.js';
import { count, h, refresh, say, table, telling, when } from '../dom.js';
import { live, wait } from '../live.js';
import { letters } from './letters.js';
import { notOwn } from './own.js';

const time = text => text ? new Date(text).toLocaleString() : '';
const ownerOf = group => group.task ?? group.subscription ?? '';
const linkTo = group => `#/deadletters/${encodeURIComponent(ownerOf(group))}/${group.key}`;
export const several = n => n === 1 ? 'one dead letter' : `${count(n)} dead letters`;

/** Follows a retry until no letter of it waits, and says how it went. */
export async function retry(selection, signal, progress) {
  const first = await post('deadletters/retry', { ...selection, waitSeconds: 0 }, signal);
  let outcome = first;
  const groups = async () => (await ofWorker('deadletters/groups', signal)).filter(g => !selection.group || g.key === selection.group);
  for (let turn = 0; outcome.pending > 0 && turn < 300; turn++) {
    progress?.(first.marked - outcome.pending, first.marked);
    await wait(signal, 1000);
    if (signal.aborted) return;
    const waiting = (await groups()).reduce((sum, g) => sum + g.retrying, 0);
    if (waiting >= outcome.pending && turn > 20) break;
    outcome = { ...outcome, pending: Math.min(outcome.pending, waiting) };
  }
  const left = (await groups()).reduce((sum, g) => sum + g.count, 0);
  say(outcome.pending > 0 ? `${several(outcome.pending)} wait for the task or its target.` : left ? `Retried ${several(first.marked)}; ${several(left)} remain.` : `Retried ${several(first.marked)}; none remains.`);
}

/** What could not be sent, grouped by task, class, error and line; one group with its letters. */
export async function deadLetters(main, [owner, key], signal) {
  if (!isOwn()) return notOwn(main, 'Dead letters');
  if (key) return letters(main, owner, key, signal);
  const sheet = h('div'), told = h('span', { class: 'dim grow' }), progress = h('progress', { hidden: true, max: 1, 'aria-label': 'Retry' });
  const retryAll = h('button', { type: 'button' }, 'Retry all'), dropAll = h('button', { type: 'button', class: 'danger' }, 'Drop all');
  let shown = [];

  const show = (done, all) => {
    progress.hidden = all === undefined;
    if (all) progress.value = done / all;
  };
  const act = (what, selection, n) => telling(async () => {
    const known = typeof n === 'function' ? n() : n;
    if (what === 'drop' && !confirm(`Drop ${several(known)}? Their messages will not be sent.`)) return;
    if (what === 'drop') {
      const { dropped } = await post('deadletters/drop', selection, signal);
      say(`Dropped ${several(dropped)}.`);
    } else {
      try {
        await retry(selection, signal, show);
      } finally {
        show();
      }
    }
    await load();
  });
  // The buttons of a row are found by its key: a live table keeps its rows while their figures change.
  const actOn = what => event => {
    const group = shown.find(g => g.key === event.target.closest('tr').dataset.key);
    if (group) act(what, { group: group.key }, group.count)();
  };
  const load = telling(async () => {
    const groups = await ofWorker(`deadletters/groups${owner ? `?task=${encodeURIComponent(owner)}` : ''}`, signal);
    shown = groups ?? [];
    const total = shown.reduce((sum, g) => sum + g.count, 0);
    told.textContent = total ? `${total === 1 ? 'One dead letter' : several(total)}${owner ? ` of ${owner}` : ''} in ${shown.length === 1 ? 'one group' : `${shown.length} groups`}` : '';
    retryAll.disabled = !shown.some(g => g.task);
    dropAll.disabled = total === 0;
    refresh(sheet, table([
      { title: 'Letters', number: true, cell: g => h('a', { href: linkTo(g) }, count(g.count)) },
      { title: 'Task', cell: ownerOf },
      { title: 'Class', cell: g => g.class },
      { title: 'Error', wrap: true, cell: g => h('a', { href: linkTo(g) }, g.error) },
      { title: 'Line', cell: g => g.place ? h('code', null, g.place) : '' },
      { title: 'Last', cell: g => h('span', { class: 'dim', title: `since ${time(g.first)}` }, g.last ? when(g.last) : '') },
      { title: '', cell: g => h('span', { class: 'bar', style: 'margin:0;flex-wrap:nowrap' },
        g.retrying ? h('span', { class: 'warn' }, `${count(g.retrying)} retrying`) : '',
        h('button', { type: 'button', onclick: actOn('retry'), disabled: !g.task }, 'Retry'),
        h('button', { type: 'button', class: 'danger', onclick: actOn('drop') }, 'Drop')) },
    ], shown, groups ? 'No dead letters: everything was sent.' : 'This server has no dead letters.', g => g.key));
  });
  const total = () => shown.reduce((sum, g) => sum + g.count, 0);
  retryAll.onclick = act('retry', owner ? { task: owner } : { all: true }, total);
  dropAll.onclick = act('drop', owner ? { task: owner } : { all: true }, total);
  main.replaceChildren(h('h1', null, owner ? `Dead letters of ${owner}` : 'Dead letters'), h('div', { class: 'bar' }, told, progress, retryAll, dropAll), sheet);
  // Each time reads all letters.
  await live(signal, load, 5000);
}
