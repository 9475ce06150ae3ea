import { isOwn, ofWorker } from '../api.js';
import { h, table } from '../dom.js';
import { notOwn } from './own.js';

/** The settings as they are in effect, and where each comes from. */
export async function settings(main, [filter = ''], signal) {
  if (!isOwn()) return notOwn(main, 'Settings');
  const all = await ofWorker('settings', signal) ?? [];
  const wanted = h('input', { type: 'search', value: filter, placeholder: 'Filter by name or value', 'aria-label': 'Filter', class: 'grow' });
  const onlyFile = h('input', { type: 'checkbox' });
  const sheet = h('div');
  const draw = () => {
    const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter(s => (!onlyFile.checked || s.source === 'file') && words.every(word => `${s.path} ${s.value}`.toLowerCase().includes(word)));
    sheet.replaceChildren(table([
      { title: 'Setting', wrap: true, cell: s => h('code', { class: 'path' }, s.path) },
      { title: 'Value', wrap: true, cell: s => h('code', { class: s.source === 'file' ? null : 'dim' }, s.value) },
      { title: 'From', cell: s => s.source === 'file' ? h('span', { title: s.written ?? '' }, `line ${s.line}${s.written ? ` · ${s.written}` : ''}`) : h('span', { class: 'dim' }, 'default') },
    ], found, 'No setting has this.'));
  };
  wanted.oninput = onlyFile.onchange = draw;
  main.replaceChildren(h('h1', null, 'Settings in effect'), h('div', { class: 'bar' }, wanted, h('label', null, onlyFile, ' only those of the file')), sheet);
  draw();
}
