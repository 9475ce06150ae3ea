import { document as read, path, remove, save } from '../api.js';
import { bytes, h, say, telling } from '../dom.js';
import { format, metadataOf } from '../json.js';

const own = ['@id', '@change-vector', '@last-modified', '@attachments'];

/** What a user may change: the document without what the database itself keeps in its metadata. */
function editable(document) {
  const body = [...document].filter(([name]) => name !== '@metadata');
  const metadata = [...document.get('@metadata')].filter(([name]) => !own.includes(name));
  return format(new Map([...body, ['@metadata', new Map(metadata)]]), '  ');
}

/** One document: shown, changed, deleted; a new one where there is no id. */
export async function editor(main, rest, signal) {
  const id = rest.join('/');
  const found = id ? await read(id, signal) : null;
  if (id && !found) throw new Error(`There is no document '${id}' in this database.`);
  let version = found && metadataOf(found, '@change-vector');
  const name = h('input', { value: id, placeholder: 'orders/1, or orders/ for the next number', 'aria-label': 'Id', class: 'grow', readonly: Boolean(id) });
  const text = h('textarea', { rows: 28, spellcheck: 'false', 'aria-label': 'Document' });
  text.value = found ? editable(found) : '{\n  "@metadata": { "@collection": "Orders" }\n}';
  const fault = h('span', { class: 'bad grow' });
  const store = h('button', { type: 'button', class: 'main' }, 'Save');
  const erase = h('button', { type: 'button', class: 'danger', hidden: !id }, 'Delete');

  text.oninput = () => {
    try {
      JSON.parse(text.value);
      fault.textContent = '';
    } catch (error) {
      fault.textContent = error.message;
    }
    store.disabled = fault.textContent !== '';
  };
  store.onclick = telling(async () => {
    const saved = await save(name.value || '', text.value, version);
    say(`Saved ${saved.Id}.`);
    version = saved.ChangeVector;
    if (saved.Id !== id) location.hash = `#/document/${encodeURIComponent(saved.Id)}`;
  });
  erase.onclick = telling(async () => {
    if (!confirm(`Delete '${id}'?`)) return;
    await remove(id, version);
    say(`Deleted ${id}.`);
    history.back();
  });
  const attachments = (found && metadataOf(found, '@attachments')) ?? [];
  main.replaceChildren(
    h('div', { class: 'bar' }, name, store, erase),
    h('div', { class: 'bar' }, fault, found && h('span', { class: 'dim' }, `changed ${new Date(metadataOf(found, '@last-modified')).toLocaleString()} · ${version}`)),
    text,
    attachments.length > 0 && h('section', null, h('h2', null, 'Attachments'), h('ul', { class: 'list' }, attachments.map(a =>
      h('li', null, h('a', { href: path('attachments', { id, name: a.get('Name') }), download: a.get('Name') }, a.get('Name'), h('span', { class: 'dim' }, `${a.get('ContentType')} ${bytes(Number(a.get('Size')))}`)))))) || '');
  text.focus({ preventScroll: true });
}
