import { isOwn, ofWorker } from '../api.js';
import { h, telling } from '../dom.js';
import { live } from '../live.js';
import { download } from '../textdialog.js';
import { notOwn } from './own.js';

const most = 1000;
const classes = { info: 'dim', warn: 'warn', error: 'bad', fatal: 'bad' };

/** The log as it comes, by level and words. */
export async function logs(main, [filter = ''], signal) {
  if (!isOwn()) return notOwn(main, 'Log');
  const level = h('select', { 'aria-label': 'Level' }, [['info', 'all levels'], ['warn', 'warnings and errors'], ['error', 'errors']].map(([value, text]) => h('option', { value }, text)));
  const words = h('input', { type: 'search', value: filter, placeholder: 'words of the message, the category, or an event id', 'aria-label': 'Filter', class: 'grow' });
  const follow = h('input', { type: 'checkbox', checked: true });
  const list = h('div', { class: 'sheet log', tabindex: '0', role: 'log', 'aria-label': 'Log' });
  let last = 0, lines = [];
  const view = l => h('p', null, h('time', { class: 'dim', title: l.time }, new Date(l.time).toLocaleTimeString()), ' ', h('b', { class: classes[l.level] }, l.level), ' ', h('span', { class: 'dim' }, l.category), ' ', l.message, l.error ? h('span', { class: 'bad' }, ` (${l.error})`) : '', l.eventId ? h('span', { class: 'dim', title: 'Event id' }, ` #${l.eventId}`) : '');
  const load = telling(async () => {
    const asked = `${level.value} ${words.value}`;
    const page = await ofWorker(`logs?${new URLSearchParams({ after: String(last), level: level.value, text: words.value, most: String(most) })}`, signal);
    if (asked !== `${level.value} ${words.value}`) return;
    // A restarted worker counts from 1 again.
    if (page.last < last) return begin();
    last = page.last;
    if (page.lines.length > 0) {
      if (lines.length === 0) list.replaceChildren();
      lines = [...lines, ...page.lines].slice(-most);
      list.append(...page.lines.map(view));
      while (list.children.length > most) list.firstChild.remove();
      if (follow.checked) list.scrollTop = list.scrollHeight;
    } else if (lines.length === 0) {
      list.replaceChildren(h('p', { class: 'empty' }, 'No event meets this.'));
    }
  });
  const begin = () => {
    [last, lines] = [0, []];
    list.replaceChildren();
    return load();
  };
  level.onchange = words.oninput = begin;
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, 'Log'), h('button', { type: 'button', onclick: () => download('pipeline.log', lines.map(l => `${l.time} ${l.level.padEnd(5)} ${l.category}: ${l.message}${l.error ? ` (${l.error})` : ''}\n`).join('')) }, 'Download')),
    h('div', { class: 'bar' }, level, words, h('label', null, follow, ' follow')), list,
    h('p', { class: 'dim' }, 'The last 2,000 events since the start of the worker. Its standard error has all of them.'));
  await live(signal, load);
}
