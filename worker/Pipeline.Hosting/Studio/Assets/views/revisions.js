import { document as read, revisionBin, revisions as ask, save } from '../api.js';
import { diffView } from '../diff.js';
import { count, h, say, table, telling } from '../dom.js';
import { editable, members, metadataOf, parse } from '../json.js';

const pageSize = 50;
const timeOf = metadata => new Date(metadata.get('@last-modified')).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A version with its own text, whose numbers nothing reads. */
function versionOf(text) {
  const place = members(text).find(m => m.name === '@metadata');
  const metadata = parse(text.slice(place.start, place.end));
  const isDeleted = /DeleteRevision/.test(String(metadata.get('@flags') ?? ''));
  return { metadata, isDeleted, vector: metadata.get('@change-vector'), text: isDeleted ? '' : editable(text) };
}

/** The versions of a document: compared with each other, and stored again. Without an id: deleted documents that have versions. */
export async function revisions(main, rest, signal) {
  const id = rest.join('/');
  const input = h('input', { value: id, placeholder: 'orders/1', 'aria-label': 'Id', class: 'grow' });
  const form = h('form', { class: 'bar', onsubmit: event => { event.preventDefault(); location.hash = `#/revisions/${encodeURIComponent(input.value.trim())}`; } },
    h('h1', null, 'Revisions'), input, h('button', { type: 'submit', class: 'main' }, 'Show'));
  const body = h('div');
  main.replaceChildren(form, body);
  await (id ? showVersions(body, id, signal) : showDeleted(body, signal));
}

async function showDeleted(body, signal) {
  const deleted = await revisionBin(0, 100, signal);
  body.replaceChildren(h('h2', null, 'Deleted documents'), table([
    { title: 'Id', cell: d => h('a', { href: `#/revisions/${encodeURIComponent(metadataOf(d, '@id'))}` }, metadataOf(d, '@id')) },
    { title: 'Collection', cell: d => metadataOf(d, '@collection') },
    { title: 'Deleted', cell: d => h('span', { class: 'dim' }, timeOf(d.get('@metadata'))) },
  ], deleted, 'No deleted document has versions that can be brought back. Name a document to see its versions.'));
}

async function showVersions(body, id, signal) {
  const versions = [];
  let total = 0;
  const list = h('div', { class: 'list picks', 'aria-label': 'Versions, newest first', role: 'group' });
  const other = h('select', { 'aria-label': 'Compare with' });
  const detail = h('section');
  let chosen = 0;

  const more = async () => {
    const page = await ask(id, versions.length, pageSize, signal);
    total = page.TotalResults;
    versions.push(...page.Results.filter(t => t !== 'null').map(versionOf));
  };
  const nameOf = index => `${index === 0 ? 'the newest' : `version ${count(total - index)}`} · ${timeOf(versions[index].metadata)}${versions[index].isDeleted ? ' · deleted' : ''}`;
  const revert = telling(async () => {
    const version = versions[chosen];
    if (!confirm(`Store the version of ${timeOf(version.metadata)} as the present one of '${id}'?`)) return;
    // The server refuses it if the document has changed since this page was loaded.
    await save(id, version.text, current ?? '');
    say(`Reverted ${id}.`);
    await showVersions(body, id, signal);
  });
  const draw = () => {
    list.replaceChildren(...versions.map((v, i) => h('button', { type: 'button', 'aria-current': i === chosen ? 'true' : null, onclick: () => { chosen = i; fill(); draw(); } },
      h('span', null, timeOf(v.metadata)), h('span', { class: 'dim' }, v.isDeleted ? 'deleted' : i === 0 ? 'newest' : ''))),
    ...(versions.length < total ? [h('button', { type: 'button', onclick: telling(async () => { await more(); fill(); draw(); }) }, `Older ones (${count(total - versions.length)})`)] : []));
    const version = versions[chosen], against = other.value === '' ? null : versions[Number(other.value)];
    detail.replaceChildren(
      h('div', { class: 'bar' }, h('label', null, 'Compare with ', other), h('button', { type: 'button', class: 'main', disabled: version.isDeleted || version.vector === current, onclick: revert }, 'Revert to this version'), h('a', { href: `#/document/${encodeURIComponent(id)}`, hidden: current === undefined }, 'The document')),
      h('p', { class: 'dim', style: 'overflow-wrap:anywhere' }, version.vector),
      h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': 'Difference' }, version.isDeleted && !against ? h('p', { class: 'pane' }, 'The document was deleted.') : h('div', { class: 'pane' }, diffView(against?.text ?? '', version.text))));
  };
  const fill = () => {
    const before = chosen + 1 < versions.length ? String(chosen + 1) : '';
    other.replaceChildren(h('option', { value: '' }, 'nothing'), ...versions.map((_, i) => h('option', { value: String(i), disabled: i === chosen }, nameOf(i))));
    other.value = before;
  };
  other.onchange = draw;
  const current = (await read(id, signal))?.metadata.get('@change-vector');
  await more();
  if (versions.length === 0) {
    body.replaceChildren(h('div', { class: 'sheet empty' }, `No versions of '${id}' are kept. Set database.revisions in pipeline.yaml to keep versions from now on.`));
    return;
  }
  fill();
  draw();
  body.replaceChildren(h('p', { class: 'dim' }, total === 1 ? 'one version' : `${count(total)} versions`), h('div', { class: 'split' }, list, detail));
}
