// The lines that differ between two texts.
import { h } from './dom.js';

const mostCells = 4_000_000;

/** Each line of both texts as `{ sign, text }`, where sign is ' ' for a line of both, '-' for one of the first, '+' for one of the second. */
export function diffLines(one, other) {
  const a = one.split('\n'), b = other.split('\n');
  let from = 0, endA = a.length, endB = b.length;
  while (from < endA && from < endB && a[from] === b[from]) from++;
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  return [
    ...a.slice(0, from).map(text => ({ sign: ' ', text })),
    ...middle(a.slice(from, endA), b.slice(from, endB)),
    ...a.slice(endA).map(text => ({ sign: ' ', text })),
  ];
}

/** By the longest common subsequence; texts that are too long for it are replaced as a whole. */
function middle(a, b) {
  const gone = a.map(text => ({ sign: '-', text })), added = b.map(text => ({ sign: '+', text }));
  if (a.length === 0 || b.length === 0 || a.length * b.length > mostCells) return [...gone, ...added];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) [lines[lines.length], i, j] = [{ sign: ' ', text: a[i] }, i + 1, j + 1];
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) lines.push(gone[i++]);
    else lines.push(added[j++]);
  }
  return [...lines, ...gone.slice(i), ...added.slice(j)];
}

const classes = { ' ': null, '-': 'gone', '+': 'added' };

/** A difference as an element. */
export const diffView = (one, other) => h('pre', { class: 'diff' }, diffLines(one, other).map(({ sign, text }) => h('span', { class: classes[sign] }, `${sign} ${text}`)));
