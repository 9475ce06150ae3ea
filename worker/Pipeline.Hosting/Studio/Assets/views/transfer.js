import { collections, isOwn, state } from '../api.js';
import { bytes, count, h, say, table, telling } from '../dom.js';
import { meter, saveExport } from '../saving.js';
import { notOwn } from './own.js';

/** The plain content of a file: a gzip file is unpacked, by its first bytes. */
async function plainOf(file, signal) {
  const [one, other] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (one !== 0x1f || other !== 0x8b) return file;
  return new Response(file.stream().pipeThrough(new DecompressionStream('gzip'), { signal })).blob();
}

/** Sends a file. The server reads as fast as it stores, so that what is sent is almost what is stored. */
function send(address, content, signal, told) {
  // fetch does not tell how much of a request is sent.
  const xhr = new XMLHttpRequest();
  return new Promise((done, failed) => {
    xhr.upload.onprogress = event => told(event.loaded);
    xhr.onload = () => {
      let answer = null;
      try {
        answer = JSON.parse(xhr.responseText);
      } catch {
        // It is no JSON: the status is told.
      }
      if (xhr.status === 200 && answer) done(answer);
      else failed(new Error(answer?.error ?? `The import failed: ${xhr.status} ${xhr.statusText}`));
    };
    xhr.onerror = () => failed(new Error('The connection was lost. What was stored until then stays.'));
    xhr.onabort = () => failed(new DOMException('Cancelled.', 'AbortError'));
    signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.open('POST', address);
    xhr.send(content);
  });
}

/** Runs one transfer at a time; a button cancels it, and so does leaving the page. */
function runner(signal, buttons, told) {
  return action => telling(async () => {
    const stop = new AbortController();
    const cancel = h('button', { type: 'button', onclick: () => stop.abort() }, 'Cancel');
    const line = h('span', { class: 'grow' });
    for (const button of buttons) button.disabled = true;
    told.replaceChildren(h('div', { class: 'bar' }, line, cancel));
    try {
      told.replaceChildren(await action(line, AbortSignal.any([signal, stop.signal])));
    } catch (error) {
      told.replaceChildren(h('p', { class: error.name === 'AbortError' ? 'dim' : 'bad', role: 'alert' }, error.name === 'AbortError' ? 'Cancelled. Documents that were stored stay.' : error.message));
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  })();
}

const outcome = (r, isCheck) => h('div', { class: `alert ${r.failed ? 'warn-edge' : 'good-edge'}` },
  h('b', null, `${isCheck ? 'Checked' : 'Imported'} ${r.file}`),
  h('span', null, isCheck ? `${r.failed ? count(r.failed) : 'No'} ${r.failed === 1 ? 'line is' : 'lines are'} refused; nothing was stored.` : `${count(r.documents)} documents${r.indexes ? `, ${count(r.indexes)} indexes` : ''}${r.identities ? `, ${count(r.identities)} identities` : ''} stored${r.failed ? `, ${count(r.failed)} refused` : ''}.`),
  Object.entries(r.leftOut).map(([kind, n]) => h('span', { class: 'dim' }, `Left out: ${count(n)} ${kind}`)),
  r.problems.length ? table([{ title: 'Refused', wrap: true, cell: p => p }], r.problems, '') : '');

/** Files of documents, imported into the worker's database and exported from it. */
export async function transfer(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Import and export');
  const all = await collections(signal);
  const file = h('input', { type: 'file', 'aria-label': 'File to import', accept: '.jsonl,.ndjson,.json,.gz,.ravendbdump' });
  const start = h('button', { type: 'button', class: 'main', disabled: true }, 'Import'), check = h('button', { type: 'button', disabled: true }, 'Check only');
  const choice = h('select', { 'aria-label': 'Collection' }, h('option', { value: '' }, 'All documents'), Object.keys(all).sort().map(name => h('option', { value: name }, `${name} (${count(all[name])})`)));
  const isPacked = h('input', { type: 'checkbox', checked: true });
  const save = h('button', { type: 'button', class: 'main' }, 'Export');
  const imported = h('div', { role: 'status' }), exported = h('div', { role: 'status' });
  file.onchange = () => { start.disabled = check.disabled = file.files.length === 0; };

  const upload = isCheck => runner(signal, [start, check], imported)(async (line, stop) => {
    const [chosen] = file.files;
    line.textContent = 'reads the file';
    const content = await plainOf(chosen, stop);
    const told = meter(line, bytes, content.size);
    const parameters = new URLSearchParams({ name: chosen.name, ...(isCheck ? { check: 'true' } : {}) });
    return outcome(await send(`import?${parameters}`, content, stop, sent => {
      told(sent);
      if (sent >= content.size) line.replaceChildren('All is sent; the server stores the rest.');
    }), isCheck);
  });
  start.onclick = () => upload(false);
  check.onclick = () => upload(true);
  save.onclick = telling(async () => {
    const collection = choice.value, line = h('div', { class: 'bar' });
    const name = `${state.database}${collection ? `-${collection}` : ''}.jsonl${isPacked.checked ? '.gz' : ''}`;
    save.disabled = true;
    exported.replaceChildren(line);
    try {
      const number = await saveExport(name, collection, line, signal);
      exported.replaceChildren(h('p', { class: 'dim' }, number === null ? `Cancelled: ${name} is not complete.` : `${name}: ${count(number)} documents`));
      if (number !== null) say(`Exported ${count(number)} documents.`);
    } catch (error) {
      exported.replaceChildren();
      throw error;
    } finally {
      save.disabled = false;
    }
  });
  main.replaceChildren(h('h1', null, `Import and export of ${state.own}`),
    h('h2', null, 'Import'), h('p', { class: 'dim' }, 'JSON lines, also packed with gzip, or a dump of RavenDB (.ravendbdump). Documents with the same id are replaced. Leaving this page cancels the import.'),
    h('div', { class: 'bar' }, file, start, check), imported,
    h('h2', null, 'Export'), h('p', { class: 'dim' }, 'JSON lines of one moment, with metadata. ', h('code', null, 'pipeline import'), ' reads them too. Attachments and revisions are in backups. The browser saves the file to its folder of downloads; that goes on if you leave this page.'),
    h('div', { class: 'bar' }, choice, h('label', null, isPacked, ' packed with gzip'), save), exported);
}
