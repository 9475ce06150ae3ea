// Two people changed a document: both sides, and a merge of them.
import { diffView } from './diff.js';
import { h } from './dom.js';
import { members, pretty } from './json.js';

const partsOf = text => new Map(members(text).map(m => [m.name, text.slice(m.start, m.end)]));
const same = (one, other) => one === other || one !== undefined && other !== undefined && pretty(one) === pretty(other);

/**
 * Merges member by member: what only one side changed is taken from it. Where both changed a member differently, mine is kept and its name is
 * told. Values stay as their text.
 */
export function merge(base, mine, theirs) {
  const [before, left, right] = [base, mine, theirs].map(partsOf);
  const both = [], merged = [];
  for (const name of new Set([...right.keys(), ...left.keys()])) {
    const [b, l, r] = [before.get(name), left.get(name), right.get(name)];
    let value = same(l, b) ? r : l;
    if (!same(l, b) && !same(r, b) && !same(l, r)) {
      const deep = [b, l, r].every(v => v?.trimStart().startsWith('{')) ? merge(b, l, r) : null;
      if (deep) value = deep.text;
      both.push(...(deep ? deep.both.map(inner => `${name}.${inner}`) : [name]));
    }
    if (value !== undefined) merged.push(`${JSON.stringify(name)}:${value}`);
  }
  return { text: pretty(`{${merged}}`), both };
}

/** Shows both sides. Resolves to the text to go on with and whether it is to be saved at once; null where the person goes back. */
export function showConflict(base, mine, theirs) {
  const merged = merge(base, mine, theirs);
  return new Promise(done => {
    let answer = null;
    const choose = (text, value, title) => h('button', { type: 'button', title, class: value.isMain ? 'main' : null, onclick: () => { answer = value; dialog.close(); } }, text);
    const side = (title, text) => h('section', null, h('h2', null, title), h('div', { class: 'sheet', tabindex: '0' }, h('div', { class: 'pane' }, diffView(base, text))));
    const dialog = h('dialog', { class: 'text wide', 'aria-label': 'Conflict' },
      h('h2', { style: 'margin-top:0' }, 'Somebody changed this document meanwhile'),
      h('p', { class: 'dim' }, merged.both.length === 0 ? 'The changes are in different fields and can be merged.' : `Both sides changed ${merged.both.join(', ')}. A merge keeps yours there.`),
      h('div', { class: 'two' }, side('Your changes', pretty(mine)), side('Theirs', theirs)),
      h('div', { class: 'bar', style: 'margin:.75rem 0 0' },
        choose('Merge', { text: merged.text, isMain: true }, 'Puts the merge into the editor; it is not saved yet'),
        choose('Take theirs', { text: theirs }, 'Gives your changes up'),
        choose('Keep mine', { text: mine }, 'Leaves your text in the editor; the next save replaces theirs'),
        h('button', { type: 'button', onclick: () => dialog.close() }, 'Back')));
    dialog.addEventListener('close', () => { dialog.remove(); done(answer); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
