import { collections, indexes, query as run, state } from '../api.js';
import { codeEditor } from '../code.js';
import { count, h, table } from '../dom.js';
import { format, JsonNumber, metadataOf } from '../json.js';

const pageSize = 100;

function cells(results) {
  const names = [];
  for (const result of results) for (const name of result.keys()) if (name !== '@metadata' && !names.includes(name) && names.length < 8) names.push(name);
  return names.map(name => ({
    title: name,
    number: results.every(r => (r.get(name) ?? null) === null || r.get(name) instanceof JsonNumber),
    cell: r => cell(r.get(name)),
  }));
}

function cell(value) {
  if (value === undefined || value === null) return '';
  return value instanceof Map || Array.isArray(value) ? h('code', { class: 'dim' }, shorten(format(value))) : shorten(String(value));
}

const shorten = text => text.length > 160 ? `${text.slice(0, 157)}…` : text;

/** Timings as they come: a name, how long, and what that was made of. */
function timings(part, name = '', depth = 0) {
  if (!part) return [];
  const own = name ? [h('tr', null, h('td', { style: `padding-left:${depth}rem` }, name), h('td', { class: 'number' }, `${part.DurationInMs ?? 0} ms`))] : [];
  return [...own, ...Object.entries(part.Timings ?? {}).flatMap(([inner, value]) => timings(value, inner, depth + 1))];
}

/** The names that a query may use: of collections and indexes, and of the fields of the collection that it names, from its newest documents. */
function namesOf(signal) {
  const fields = new Map();
  const lists = Promise.all([collections(signal).catch(() => ({})), indexes(signal).catch(() => [])]).then(([all, made]) => ({ collections: Object.keys(all), indexes: made.map(i => i.Name) }));
  const sample = async collection => {
    const { Results: found } = await run(`from '${collection.replaceAll("'", "\\'")}'`, 0, 20, signal);
    return [...new Set(found.flatMap(d => paths(d)))];
  };
  return async text => {
    const named = /\bfrom\s+(?!index\b)(?:'([^']+)'|"([^"]+)"|([\w@-]+))/i.exec(text);
    const collection = named && (named[1] ?? named[2] ?? named[3]);
    if (collection && !fields.has(collection)) fields.set(collection, sample(collection).catch(() => []));
    return { ...await lists, fields: collection ? await fields.get(collection) : [] };
  };
}

/** The paths of an object's members, to a depth of three. */
function paths(value, prefix = '', depth = 0) {
  if (!(value instanceof Map) || depth > 2) return [];
  return [...value].filter(([name]) => name !== '@metadata').flatMap(([name, member]) => [prefix + name, ...paths(member, `${prefix}${name}.`, depth + 1), ...(Array.isArray(member) ? paths(member[0], `${prefix}${name}[].`, depth + 1) : [])]);
}

/** Runs queries; the last ones are remembered, for each database. */
export async function query(main, rest, signal) {
  const key = `queries/${state.database}`;
  let past = JSON.parse(localStorage.getItem(key) ?? '[]');
  const button = h('button', { type: 'button', class: 'main' }, 'Run');
  const asJson = h('input', { type: 'checkbox', id: 'as-json' });
  const recent = h('select', { 'aria-label': 'Past queries' });
  const told = h('div', { class: 'bar dim', role: 'status' });
  const sheet = h('div');
  let last = null;

  const list = () => recent.replaceChildren(h('option', { value: '' }, 'Past queries…'), ...past.map(q => h('option', { value: q }, shorten(q.replace(/\s+/g, ' ')))));
  const draw = () => {
    if (!last) return;
    const { Results: results } = last;
    sheet.replaceChildren(
      asJson.checked
        ? h('div', { class: 'sheet' }, h('pre', { style: 'padding:.7rem' }, format(results, '  ')))
        : table([
          { title: 'Id', cell: r => metadataOf(r, '@id') ? h('a', { href: `#/document/${encodeURIComponent(metadataOf(r, '@id'))}` }, metadataOf(r, '@id')) : '' },
          ...cells(results),
        ], results, 'No results.'),
      last.Timings ? h('details', null, h('summary', null, 'Timings'), h('div', { class: 'sheet' }, h('table', null, h('tbody', null, timings(last.Timings, 'all'))))) : '');
  };
  const ask = async wanted => {
    try {
      return await run(/\binclude\b/i.test(wanted) ? wanted : `${wanted} include timings()`, 0, pageSize, signal);
    } catch (error) {
      // If the query cannot be measured, run it unchanged, so that the user sees the query's own error.
      if (error.status !== 400) throw error;
      return run(wanted, 0, pageSize, signal);
    }
  };
  const go = async () => {
    if (button.disabled) return;
    button.disabled = true;
    const wanted = code.text.trim();
    const begun = performance.now();
    past = [wanted, ...past.filter(q => q !== wanted)].slice(0, 20);
    localStorage.setItem(key, JSON.stringify(past));
    list();
    try {
      last = await ask(wanted);
      told.replaceChildren(
        `${count(last.Results.length)} of ${count(last.TotalResults)} in ${last.DurationInMs} ms at the server, ${Math.round(performance.now() - begun)} ms here · ${last.IndexName}`,
        last.IsStale ? h('span', { class: 'warn' }, 'the index lags behind the documents') : '');
      code.mark();
      draw();
    } catch (error) {
      if (error.name === 'AbortError') return;
      // An old result below a failed query would look like its answer.
      last = null;
      told.replaceChildren();
      sheet.replaceChildren(h('div', { class: 'sheet empty bad', role: 'alert' }, error.message));
      const place = /\bat (\d+):(\d+)/.exec(error.message);
      const blankLines = code.text.slice(0, code.text.length - code.text.trimStart().length).split('\n').length - 1;
      if (place) code.mark(Number(place[1]) + blankLines, Number(place[2]), error.message);
    } finally {
      button.disabled = false;
    }
  };
  const code = await codeEditor({
    label: 'Query', text: rest.join('/') || past[0] || 'from @all_docs', language: 'query', hint: 'from Orders where Total > 100 order by Total desc', known: namesOf(signal), keys: { 'Mod-Enter': go },
  });
  if (signal.aborted) return;
  list();
  button.onclick = go;
  asJson.onchange = draw;
  recent.onchange = () => { if (recent.value) code.text = recent.value; recent.value = ''; };
  main.replaceChildren(code.element, h('div', { class: 'bar', style: 'margin-top:.5rem' }, button, h('span', { class: 'dim' }, h('kbd', null, 'Ctrl Enter')), recent, h('label', null, asJson, ' as JSON')), told, sheet);
  code.focus();
  if (rest.length > 0) await go();
}
