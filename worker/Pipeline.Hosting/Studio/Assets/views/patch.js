import { operation, startPatch, stopOperation, tryPatch } from '../api.js';
import { codeEditor } from '../code.js';
import { diffView } from '../diff.js';
import { count, h, progress, say, telling } from '../dom.js';
import { editable, members, parse } from '../json.js';
import { wait } from '../live.js';
import { namesOf } from '../names.js';

const sample = 10;
const usual = 'from Orders\nupdate {\n  this.Checked = true;\n}';
const pause = 300;
const words = { Patched: ['good', 'changed'], NotModified: ['dim', 'stays as it is'], Deleted: ['bad', 'deleted'], Failed: ['bad', 'fails'] };

/** One document of a preview. Its texts before and after are taken out of the answer letter by letter. */
function trialView(text) {
  const parts = new Map(members(text).map(m => [m.name, text.slice(m.start, m.end)]));
  const value = name => parse(parts.get(name));
  const [id, status, others, output] = [value('Id'), value('Status'), value('Others'), value('Output')];
  const textOf = name => parts.get(name) === 'null' ? '' : editable(parts.get(name));
  const [color, word] = words[status];
  return h('article', { class: 'sheet part', 'aria-label': id, tabindex: '0' }, h('div', { class: 'pane' },
    h('div', { class: 'bar' }, h('a', { href: `#/document/${encodeURIComponent(id)}` }, h('b', null, id)), h('span', { class: color }, word)),
    value('Error') ? h('p', { class: 'bad' }, value('Error')) : '',
    status === 'Patched' || status === 'Deleted' ? diffView(textOf('Before'), textOf('After')) : '',
    others.length ? h('p', { class: 'dim' }, `Also: ${others.map(o => `${o.get('IsDeleted') ? 'deletes' : 'stores'} ${o.get('Id')}`).join(', ')}.`) : '',
    output.length ? h('pre', { class: 'dim' }, output.join('\n')) : ''));
}

/** Changes the documents of a query by a script, once a preview has shown what it does. */
export async function patch(main, rest, signal) {
  const told = h('div', { class: 'bar dim', role: 'status' });
  const sheet = h('div');
  const preview = h('button', { type: 'button', class: 'main' }, 'Preview');
  const run = h('button', { type: 'button', class: 'danger', disabled: true }, 'Run');
  const stop = h('button', { type: 'button', hidden: true }, 'Cancel');
  let shown = null, running = null;

  const show = async () => {
    const text = code.text.trim();
    preview.disabled = true;
    shown = null;
    run.disabled = true;
    try {
      const answer = await tryPatch(text, sample, signal);
      if (text !== code.text.trim()) return;
      shown = { text, total: answer.TotalResults };
      told.replaceChildren(answer.TotalResults === 0 ? 'The query finds no document.' : `The query finds ${answer.TotalResults === 1 ? 'one document' : `${count(answer.TotalResults)} documents`}. ${answer.TotalResults > answer.Results.length ? `The first ${count(answer.Results.length)} show` : 'Below is'} what would change; nothing is stored.`);
      sheet.replaceChildren(...answer.Results.map(trialView));
      code.mark();
      run.disabled = running !== null || answer.TotalResults === 0;
    } catch (error) {
      if (error.name === 'AbortError' || error.unreachable) throw error;
      told.replaceChildren();
      sheet.replaceChildren(h('div', { class: 'sheet empty bad', role: 'alert' }, error.message));
    } finally {
      preview.disabled = false;
    }
  };
  const go = async () => {
    const { text, total } = shown;
    if (!confirm(total === 1 ? 'Run the script on one document?' : `Run the script on ${count(total)} documents?`)) return;
    run.disabled = true;
    running = await startPatch(text);
    stop.hidden = false;
    try {
      for (;;) {
        const state = await operation(running, signal);
        const { Total: all, Processed: done } = state.Progress;
        if (state.Status === 'InProgress') {
          told.replaceChildren(progress(done, all, `${count(done)} of ${count(all)}`));
          await wait(signal, pause);
          continue;
        }
        told.replaceChildren(state.Status === 'Completed' ? `Done: ${count(state.Result.Total)} documents.` : `Stopped after ${count(done)} of ${count(all)} documents.`);
        sheet.replaceChildren();
        if (state.Status === 'Faulted') throw new Error(`After ${count(done)} of ${count(all)} documents: ${state.Result.Message}`);
        if (state.Status === 'Completed') say(`Ran the script on ${count(state.Result.Total)} documents.`);
        break;
      }
    } finally {
      running = null;
      shown = null;
      stop.hidden = true;
    }
  };
  const code = await codeEditor({
    signal,
    label: 'Query with update', text: rest.join('/') || usual, language: 'query', hint: 'from Orders where Total > 100 update { this.Total = 0; }', known: namesOf(signal), keys: { 'Mod-Enter': telling(show) },
    // Only the previewed query runs.
    onChange: () => { run.disabled = running !== null || shown?.text !== code.text.trim(); },
  });
  if (signal.aborted) return;
  preview.onclick = telling(show);
  run.onclick = telling(go);
  stop.onclick = telling(() => stopOperation(running));
  main.replaceChildren(h('h1', null, 'Patch'), code.element,
    h('div', { class: 'bar', style: 'margin-top:.5rem' }, preview, h('span', { class: 'dim' }, h('kbd', null, 'Ctrl Enter')), run, stop, h('span', { class: 'dim grow' }, 'The script sees the document as “this”; put and del change others.')), told, sheet);
  code.focus();
  if (rest.length > 0) await telling(show)();
}
