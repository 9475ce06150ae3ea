import { document as read, ofWorker, post, postText, put } from '../api.js';
import { codeEditor } from '../code.js';
import { count, h, say, telling } from '../dom.js';
import { members, pretty } from '../json.js';
import { outcomeView } from '../outcome.js';
import { retry, several } from './deadletters.js';

const most = 200;

/** The script with the line that failed marked; null where the letter has no script. */
function scriptView(transform, place) {
  if (!transform?.script) return null;
  const fileLine = Number(/:(\d+):\d+$/.exec(place ?? '')?.[1] ?? 0);
  return h('pre', { class: 'script' }, transform.script.trimEnd().split('\n').map((line, i) => {
    const isFailing = transform.lines[i] === fileLine;
    return h('span', { class: isFailing ? 'failing' : null, 'aria-current': isFailing ? 'true' : null }, h('i', null, String(transform.lines[i] ?? i + 1)), line || ' ');
  }));
}

/** The letters of a group: the input beside the script's line; changed, tried without sending, retried, dropped. */
export async function letters(main, owner, key, signal) {
  const page = await ofWorker(`deadletters?group=${key}&limit=${most}`, signal);
  const all = page?.letters ?? [];
  if (all.length === 0) {
    main.replaceChildren(h('h1', null, 'Dead letters'), h('div', { class: 'sheet empty' }, 'No letter of this group is left. ', h('a', { href: '#/deadletters' }, 'All dead letters')));
    return;
  }
  const isOfTask = Boolean(all[0].task);
  const transform = isOfTask ? await ofWorker(`etl/transform?task=${encodeURIComponent(all[0].task)}`, signal).catch(() => null) : null;
  signal.throwIfAborted();
  const list = h('ul', { class: 'list picks' }), outcome = h('div', { class: 'sheet' }), about = h('p', { class: 'dim' });
  let chosen = all[0], stored = '';

  const draw = () => list.replaceChildren(...all.map(l => h('li', null, h('button', { type: 'button', 'aria-current': l === chosen ? 'true' : null, onclick: telling(() => choose(l)) }, h('span', { class: 'dot bad' }), l.documentId, l.edited ? h('span', { class: 'dim' }, 'changed') : ''))));
  const choose = async letter => {
    chosen = letter;
    draw();
    const found = await read(letter.id, signal);
    if (signal.aborted || chosen !== letter) return;
    if (!found) {
      stored = code.text = '';
      about.textContent = 'This letter is gone.';
      return;
    }
    const input = members(found.text).find(m => m.name === 'Document') ?? members(found.text).find(m => m.name === 'Message');
    stored = input ? pretty(found.text.slice(input.start, input.end)) : '';
    code.text = stored;
    about.replaceChildren(h('a', { href: `#/document/${encodeURIComponent(letter.documentId)}` }, letter.documentId), ` · position ${count(letter.position)} · ${letter.attempts === 1 ? 'tried once' : `tried ${count(letter.attempts)} times`} · `,
      h('a', { href: `#/document/${encodeURIComponent(letter.id)}` }, 'the letter'), transform && letter.script && letter.script !== transform.version ? ' · the script has changed since' : '');
    outcome.replaceChildren(h('p', { class: 'pane dim' }, isOfTask ? 'Try it to see what it would send.' : 'A subscription has no transform.'));
  };
  const trial = telling(async () => outcome.replaceChildren(outcomeView(await postText(`deadletters/try?id=${encodeURIComponent(chosen.id)}`, code.text === stored ? '' : code.text, signal))));
  const keep = async () => {
    if (code.text === stored) return;
    await put(`deadletters/letter?id=${encodeURIComponent(chosen.id)}`, code.text, signal);
    stored = code.text;
  };
  const leave = async () => {
    const at = all.indexOf(chosen);
    all.splice(at, 1);
    if (all.length === 0) location.hash = `#/deadletters/${encodeURIComponent(owner)}`;
    else await choose(all[Math.min(at, all.length - 1)]);
    told();
  };
  const retryOne = telling(async () => {
    await keep();
    const answer = await post('deadletters/retry', { ids: [chosen.id], waitSeconds: 10 }, signal);
    if (answer.again.length > 0) {
      say(`It failed again: ${answer.again[0].error}`, true);
    } else if (answer.pending > 0) {
      say('It waits for the task or its target.');
    } else {
      say(`Sent ${chosen.documentId}.`);
      await leave();
    }
  });
  const dropOne = telling(async () => {
    if (!confirm(`Drop the dead letter of '${chosen.documentId}'? Its message will not be sent.`)) return;
    await post('deadletters/drop', { ids: [chosen.id] }, signal);
    await leave();
  });
  const retryAll = telling(async () => {
    await retry({ group: key }, signal);
    location.hash = `#/deadletters/${encodeURIComponent(owner)}`;
  });
  const code = await codeEditor({ signal, label: 'Input', text: '', language: 'json', keys: { 'Mod-Enter': trial } });
  if (signal.aborted) return;
  const title = h('h1', { class: 'grow', style: 'margin:0' });
  const told = () => { title.textContent = `${several(page.total - (Math.min(most, page.total) - all.length))} of ${owner}`.replace(/^./, first => first.toUpperCase()); };
  told();
  main.replaceChildren(
    h('div', { class: 'bar' }, title, h('a', { href: '#/deadletters' }, 'All groups'), isOfTask ? h('a', { href: `#/bench/${encodeURIComponent(owner)}` }, 'Transform bench') : '', isOfTask ? h('button', { type: 'button', onclick: retryAll }, 'Retry the group') : ''),
    h('p', { class: 'bad', role: 'alert' }, all[0].error, all[0].place ? h('code', { class: 'dim' }, ` ${all[0].place}`) : ''),
    h('div', { class: 'bench' },
      h('section', null, h('div', { class: 'bar' }, h('h2', null, 'Letters'), page.total > most ? h('span', { class: 'dim' }, `the first ${count(most)}`) : ''), list),
      h('section', null, h('div', { class: 'bar' }, h('h2', { class: 'grow' }, 'Input'),
        isOfTask ? [h('button', { type: 'button', onclick: trial, title: 'Runs the script; sends nothing (Ctrl+Enter)' }, 'Try'), h('button', { type: 'button', class: 'main', onclick: retryOne, title: 'Keeps your change and sends' }, 'Retry')] : '',
        h('button', { type: 'button', class: 'danger', onclick: dropOne }, 'Drop')), about, code.element),
      h('section', null, h('div', { class: 'bar' }, h('h2', null, 'Script')), h('div', { class: 'sheet' }, scriptView(transform, all[0].place) ?? h('p', { class: 'pane dim' }, transform?.class ? `The transform is the class ${transform.class}.` : 'There is no script.')), h('div', { class: 'bar', style: 'margin-top:.75rem' }, h('h2', null, 'It would send')), outcome)));
  await choose(chosen);
}
