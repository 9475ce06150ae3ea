import { document as read, isOwn, path, remove, save } from '../api.js';
import { guard } from '../app.js';
import { codeEditor, largeText } from '../code.js';
import { bytes, h, say, telling } from '../dom.js';
import { members, pretty } from '../json.js';

const own = ['@id', '@change-vector', '@last-modified', '@attachments'];

/** What a user may change: the document's own text without what the database itself keeps in its metadata. */
function editable(text) {
  const parts = members(text);
  const metadata = parts.find(m => m.name === '@metadata');
  const kept = members(text.slice(metadata.start, metadata.end)).filter(m => !own.includes(m.name)).map(m => text.slice(metadata.start + m.from, metadata.start + m.end));
  return pretty(`{${[...parts.filter(m => m !== metadata).map(m => text.slice(m.from, m.end)), `"@metadata":{${kept}}`]}}`);
}

/** The place of a fault in JSON, as browsers name it. */
function placeOf(text, message) {
  const at = /position (\d+)/.exec(message);
  const before = (at ? text.slice(0, Number(at[1])) : text.trimEnd()).split('\n');
  return [before.length, before.at(-1).length + 1];
}

/** One document: shown, changed, deleted; a new one where there is no id. */
export async function editor(main, rest, signal) {
  const id = rest.join('/');
  const found = id ? await read(id, signal) : null;
  if (id && !found) throw new Error(`There is no document '${id}' in this database.`);
  let version = found?.metadata.get('@change-vector');
  let stored = found ? editable(found.text) : '{\n  "@metadata": { "@collection": "Orders" }\n}';
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
      const saved = await save(name.value || '', text, version);
      say(`Saved ${saved.Id}.`);
      [version, stored] = [saved.ChangeVector, text];
      if (saved.Id !== id) location.hash = `#/document/${encodeURIComponent(saved.Id)}`;
    } finally {
      isSaving = false;
    }
  });
  const code = await codeEditor({
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
  const attachments = found?.metadata.get('@attachments') ?? [];
  main.replaceChildren(
    h('div', { class: 'bar' }, name, store, found && isOwn() ? h('a', { href: `#/journey/${encodeURIComponent(id)}` }, 'Journey') : '', erase),
    h('div', { class: 'bar' }, fault, found && h('span', { class: 'dim' }, `changed ${new Date(found.metadata.get('@last-modified')).toLocaleString()} · ${version}`)),
    code.element,
    attachments.length > 0 && h('section', null, h('h2', null, 'Attachments'), h('ul', { class: 'list' }, attachments.map(a =>
      h('li', null, h('a', { href: path('attachments', { id, name: a.get('Name') }), download: a.get('Name') }, a.get('Name'), h('span', { class: 'dim' }, `${a.get('ContentType')} ${bytes(Number(a.get('Size')))}`)))))) || '');
  code.focus();
}
