import { document as read, isOwn, path, remove, request, save } from '../api.js';
import { guard } from '../app.js';
import { codeEditor, largeText } from '../code.js';
import { showConflict } from '../conflict.js';
import { bytes, h, say, telling } from '../dom.js';
import { editable } from '../json.js';

/** The place of a fault in JSON, as browsers name it. */
function placeOf(text, message) {
  const at = /position (\d+)/.exec(message);
  const before = (at ? text.slice(0, Number(at[1])) : text.trimEnd()).split('\n');
  return [before.length, before.at(-1).length + 1];
}

// The text of a document that is cloned, until the new one is shown.
let cloned = null;

const isPicture = a => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(a.get('ContentType'));

/** The attachments of a document: shown, added by a drop or a choice, deleted. */
function attachmentsView(id, first, signal) {
  const list = h('ul', { class: 'list' });
  const choice = h('input', { type: 'file', multiple: true, 'aria-label': 'Add attachments' });
  const address = name => path('attachments', { id, name });
  const draw = all => list.replaceChildren(...all.map(a => {
    const name = a.get('Name');
    return h('li', { class: 'attachment' }, isPicture(a) ? h('img', { src: address(name), alt: name, loading: 'lazy' }) : '',
      h('a', { href: address(name), download: name }, name), h('span', { class: 'dim' }, `${a.get('ContentType')} ${bytes(Number(a.get('Size').toString()))}`),
      h('button', { type: 'button', class: 'danger', 'aria-label': `Delete ${name}`, onclick: telling(async () => { if (confirm(`Delete the attachment '${name}'?`)) { await request(address(name), { method: 'DELETE' }); await again(); } }) }, 'Delete'));
  }), all.length === 0 ? h('li', { class: 'pane dim' }, 'No attachments. Drop files anywhere on this page.') : '');
  let onVersion = () => {};
  const again = async () => {
    const now = await read(id, signal);
    onVersion(now.metadata.get('@change-vector'));
    draw(now.metadata.get('@attachments') ?? []);
  };
  const add = telling(async files => {
    for (const file of files) {
      await request(path('attachments', { id, name: file.name, contentType: file.type || 'application/octet-stream' }), { method: 'PUT', body: file, signal });
      say(`Attached ${file.name}.`);
    }
    await again();
  });
  choice.onchange = () => { add([...choice.files]); choice.value = ''; };
  const over = event => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); };
  const drop = event => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    add([...event.dataTransfer.files]);
  };
  addEventListener('dragover', over, { signal });
  addEventListener('drop', drop, { signal, capture: true });
  draw(first);
  return { element: h('section', null, h('div', { class: 'bar', style: 'margin:1.25rem 0 .5rem' }, h('h2', { class: 'grow', style: 'margin:0' }, 'Attachments'), choice), list), set onVersion(value) { onVersion = value; } };
}

/** One document: shown, changed, deleted; a new one where there is no id. */
export async function editor(main, rest, signal) {
  const id = rest.join('/');
  const found = id ? await read(id, signal) : null;
  if (id && !found) throw new Error(`There is no document '${id}' in this database.`);
  let version = found?.metadata.get('@change-vector');
  let stored = found ? editable(found.text, found.parts) : cloned ? cloned : '{\n  "@metadata": { "@collection": "Orders" }\n}';
  if (!id) cloned = null;
  const name = h('input', { value: id, placeholder: 'orders/1, or orders/ for the next number', 'aria-label': 'Id', class: 'grow', readonly: Boolean(id) });
  const fault = h('span', { class: 'bad grow', role: 'alert' });
  const store = h('button', { type: 'button', class: 'main', title: 'Save (Ctrl+S)' }, 'Save');
  const erase = h('button', { type: 'button', class: 'danger', hidden: !id }, 'Delete');
  let checking = 0, isSaving = false;

  const check = () => {
    const { text } = code;
    try {
      JSON.parse(text);
      fault.textContent = '';
      code.mark();
    } catch (error) {
      fault.textContent = error.message;
      code.mark(...placeOf(text, error.message), error.message);
    }
    store.disabled = fault.textContent !== '';
  };
  const write = telling(async () => {
    if (isSaving || store.disabled) return;
    isSaving = true;
    try {
      const { text } = code;
      let saved;
      try {
        saved = await save(name.value || '', text, version);
      } catch (error) {
        if (error.status !== 409 || !id) throw error;
        const now = await read(id, signal);
        if (!now) throw error;
        const theirs = editable(now.text, now.parts);
        const chosen = await showConflict(stored, text, theirs);
        if (!chosen) return;
        [version, stored] = [now.metadata.get('@change-vector'), theirs];
        code.text = chosen.text;
        return;
      }
      say(`Saved ${saved.Id}.`);
      [version, stored] = [saved.ChangeVector, text];
      if (saved.Id !== id) location.hash = `#/document/${encodeURIComponent(saved.Id)}`;
    } finally {
      isSaving = false;
    }
  });
  const code = await codeEditor({
    signal,
    label: 'Document',
    text: stored,
    language: 'json',
    keys: { 'Mod-s': write },
    onChange: () => {
      clearTimeout(checking);
      if (code.length <= largeText) checking = setTimeout(check, 150);
      else if (store.disabled) [store.disabled, fault.textContent] = [false, ''];
    },
  });
  if (signal.aborted) return;
  guard(signal, () => code.text !== stored);
  store.onclick = write;
  erase.onclick = telling(async () => {
    if (!confirm(`Delete '${id}'?`)) return;
    await remove(id, version);
    say(`Deleted ${id}.`);
    stored = code.text;
    history.back();
  });
  const attachments = found ? attachmentsView(id, found.metadata.get('@attachments') ?? [], signal) : null;
  if (attachments) attachments.onVersion = value => { version = value; };
  const clone = () => { cloned = code.text; location.hash = '#/document/'; };
  main.replaceChildren(
    h('div', { class: 'bar' }, name, store, found ? h('a', { href: `#/revisions/${encodeURIComponent(id)}` }, 'Revisions') : '', found && isOwn() ? h('a', { href: `#/journey/${encodeURIComponent(id)}` }, 'Journey') : '', found ? h('button', { type: 'button', title: 'A new document with this text', onclick: clone }, 'Clone') : '', erase),
    h('div', { class: 'bar' }, fault, found && h('span', { class: 'dim' }, `changed ${new Date(found.metadata.get('@last-modified')).toLocaleString()} · ${version}`)),
    code.element,
    attachments?.element ?? '');
  code.focus();
}
