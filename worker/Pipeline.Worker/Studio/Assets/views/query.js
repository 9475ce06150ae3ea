import { query as run, state } from '../api.js';
import { count, h, table, telling } from '../dom.js';
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

/** Runs queries; the last ones are remembered, for each database. */
export async function query(main, rest, signal) {
  const key = `queries/${state.database}`;
  const past = JSON.parse(localStorage.getItem(key) ?? '[]');
  const text = h('textarea', { rows: 6, spellcheck: 'false', 'aria-label': 'Query', placeholder: "from Orders where Total > 100 order by Total desc" });
  text.value = rest.join('/') || past[0] || 'from @all_docs';
  const button = h('button', { type: 'button', class: 'main' }, 'Run');
  const asJson = h('input', { type: 'checkbox', id: 'as-json' });
  const recent = h('select', { 'aria-label': 'Past queries' }, h('option', { value: '' }, 'Past queries…'), past.map(q => h('option', { value: q }, shorten(q.replace(/\s+/g, ' ')))));
  const told = h('div', { class: 'bar dim', role: 'status' });
  const sheet = h('div');
  let last = null;

  const draw = () => {
    if (!last) return;
    const { Results: results } = last;
    sheet.replaceChildren(
      asJson.checked
        ? h('div', { class: 'sheet' }, h('pre', { style: 'padding:.7rem' }, format(results, '  ')))
        : table([
          { title: 'Id', cell: r => metadataOf(r, '@id') ? h('a', { href: `#/document/${encodeURIComponent(metadataOf(r, '@id'))}` }, metadataOf(r, '@id')) : '' },
          ...cells(results),
        ], results, 'Nothing matches.'),
      last.Timings ? h('details', null, h('summary', null, 'Timings'), h('div', { class: 'sheet' }, h('table', null, h('tbody', null, timings(last.Timings, 'all'))))) : '');
  };
  const go = telling(async () => {
    button.disabled = true;
    try {
      const wanted = text.value.trim();
      const begun = performance.now();
      try {
        last = await run(/\binclude\b/i.test(wanted) ? wanted : `${wanted} include timings()`, 0, pageSize, signal);
      } catch (error) {
        // If the query cannot be measured, run it unchanged, so that the user sees the query's own error.
        if (error.status !== 400) throw error;
        last = await run(wanted, 0, pageSize, signal);
      }
      told.replaceChildren(
        `${count(last.Results.length)} of ${count(last.TotalResults)} in ${last.DurationInMs} ms at the server, ${Math.round(performance.now() - begun)} ms here · ${last.IndexName}`,
        last.IsStale ? h('span', { class: 'warn' }, 'the index is behind the documents') : '');
      localStorage.setItem(key, JSON.stringify([wanted, ...past.filter(q => q !== wanted)].slice(0, 20)));
      draw();
    } finally {
      button.disabled = false;
    }
  });
  button.onclick = go;
  asJson.onchange = draw;
  recent.onchange = () => { if (recent.value) text.value = recent.value; recent.value = ''; };
  text.onkeydown = event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) go(); };
  main.replaceChildren(text, h('div', { class: 'bar', style: 'margin-top:.5rem' }, button, h('span', { class: 'dim' }, h('kbd', null, 'Ctrl Enter')), recent, h('label', null, asJson, ' as JSON')), told, sheet);
  text.focus({ preventScroll: true });
  if (rest.length > 0) await go();
}
