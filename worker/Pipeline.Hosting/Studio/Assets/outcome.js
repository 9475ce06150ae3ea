// What a script gave for a document: messages, nothing, or an error.
import { diffView } from './diff.js';
import { h } from './dom.js';
import { format } from './json.js';

/** One word for an outcome. */
export function wordOf(outcome) {
  if (outcome.get('notTaken')) return 'not taken';
  if (outcome.get('error')) return 'error';
  const n = outcome.get('messages').length;
  return n === 0 ? 'nothing' : n === 1 ? '1 message' : `${n} messages`;
}

const messageText = m => [
  `destination: ${m.get('destination')}`,
  ...(m.get('key') === null ? [] : [`key: ${m.get('key')}`]),
  `id: ${m.get('id')}`,
  `type: ${m.get('type')}`,
  m.get('body') === null ? '(tombstone: no body)' : format(m.get('body'), '  '),
].join('\n');

/** An outcome as text, line by line, so that two can be compared. */
export function textOf(outcome) {
  if (outcome.get('notTaken')) return `not taken: ${outcome.get('notTaken')}`;
  const error = outcome.get('error');
  if (error) return `error: ${error.get('message')}${error.get('place') ? `\nat ${error.get('place')}` : ''}`;
  return outcome.get('messages').length === 0 ? 'sends nothing' : outcome.get('messages').map(messageText).join('\n\n');
}

/** An outcome as elements. */
export function outcomeView(outcome) {
  if (outcome.get('notTaken')) return h('p', { class: 'pane dim' }, outcome.get('notTaken'));
  const error = outcome.get('error');
  if (error) return h('p', { class: 'pane bad' }, error.get('message'), error.get('line') > 0 ? h('span', { class: 'dim' }, ` at line ${error.get('helper') ? `${error.get('helper')}:` : ''}${error.get('line')}`) : '');
  if (outcome.get('messages').length === 0) return h('p', { class: 'pane dim' }, 'Sends nothing.');
  return h('div', null, outcome.get('messages').map(m => h('article', { class: 'message' },
    h('div', { class: 'bar', style: 'margin:0' }, h('b', null, m.get('destination')), m.get('key') !== null && h('span', { class: 'chip', title: 'key' }, `key ${m.get('key')}`), h('span', { class: 'chip', title: 'CloudEvents type' }, m.get('type'))),
    h('div', { class: 'dim', style: 'font-size:12px;overflow-wrap:anywhere', title: 'CloudEvents id, the same for the same change for ever' }, m.get('id')),
    h('pre', null, m.get('body') === null ? '(tombstone: no body)' : format(m.get('body'), '  ')))));
}

/** The difference of two outcomes. */
export const outcomeDiff = (before, after) => h('div', { class: 'pane' }, diffView(textOf(before), textOf(after)));
