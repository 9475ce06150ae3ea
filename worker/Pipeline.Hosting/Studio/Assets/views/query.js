import { query as run, state } from '../api.js';
import { asking, fewChanges, untilIndexed } from '../asking.js';
import { codeEditor } from '../code.js';
import { count, h, say, tabs, telling } from '../dom.js';
import { areFacets, facetView } from '../facets.js';
import { format } from '../json.js';
import { havePlaces, mapView } from '../map.js';
import { namesOf } from '../names.js';
import { addressOf, fieldsOf, planView, resultTable } from '../results.js';
import { saveResults } from '../saving.js';

const pageSize = 100;

const shorten = text => text.length > 160 ? `${text.slice(0, 157)}…` : text;

/** Runs queries; the last ones and saved ones are remembered, for each database. */
export async function query(main, rest, signal) {
  const key = `queries/${state.database}`;
  let past = JSON.parse(localStorage.getItem(key) ?? '[]');
  const button = h('button', { type: 'button', class: 'main' }, 'Run');
  const asJson = h('input', { type: 'checkbox', id: 'as-json' });
  const recent = h('select', { 'aria-label': 'Past queries', class: 'past' });
  const kept = h('select', { 'aria-label': 'Saved queries', class: 'past' });
  const savedKey = `saved/${state.database}`;
  let saved = JSON.parse(localStorage.getItem(savedKey) ?? '[]');
  const exports = ['csv', 'json'].map(kind => h('button', { type: 'button', disabled: true, onclick: () => exportAll(kind) }, `Export ${kind.toUpperCase()}`));
  const told = h('div', { class: 'bar dim', role: 'status' });
  const sheet = h('div'), building = h('div', { class: 'bar', role: 'status' });
  let last = null, stopBuilding = () => {};

  const listSaved = () => {
    kept.hidden = saved.length === 0;
    kept.replaceChildren(h('option', { value: '' }, 'Saved queries…'), ...saved.map(q => h('option', { value: q.text }, q.name)));
  };
  const list = () => recent.replaceChildren(h('option', { value: '' }, 'Past queries…'), ...past.map(q => h('option', { value: q }, shorten(q.replace(/\s+/g, ' ')))));
  const draw = () => {
    if (!last) return;
    const { Results: results, text } = last;
    for (const button of exports) button.disabled = results.length === 0;
    const total = Math.max(last.TotalResults, results.length);
    const page = size => async start => (await run(text, start, size, signal)).Results;
    const drawTable = () => resultTable({ first: results, total, pageSize, load: page(pageSize), failed: error => say(error.message, true) });
    const drawResults = () => {
      if (areFacets(text, results)) return facetView(text, results);
      if (!havePlaces(text, results)) return drawTable();
      const views = { Table: drawTable, Map: () => mapView({ text, first: results, total, signal }) };
      return tabs('Results', views, /\bspatial\./i.test(text) ? 'Map' : 'Table');
    };
    sheet.replaceChildren(
      asJson.checked ? h('div', { class: 'sheet', tabindex: '0' }, h('pre', { class: 'pane' }, format(results, '  '))) : drawResults(),
      h('details', { class: 'plan' }, h('summary', null, 'Plan'), planView(last.Plan)));
  };
  const exportAll = telling(async kind => {
    const { text, Results: results } = last;
    for (const button of exports) button.disabled = true;
    const before = [...told.childNodes];
    try {
      const number = await saveResults(text, `query.${kind}`, kind === 'csv' ? fieldsOf(results) : [], told, signal);
      say(number === null ? 'Cancelled.' : `Exported ${count(number)} results.`);
    } finally {
      told.replaceChildren(...before);
      for (const button of exports) button.disabled = false;
    }
  });
  const saveQuery = () => {
    const name = h('input', { placeholder: 'Name', 'aria-label': 'Name of the query', required: true, value: saved.find(q => q.text === code.text.trim())?.name ?? '' });
    const remove = h('button', { type: 'button', class: 'danger', onclick: () => { store(saved.filter(q => q.name !== name.value.trim())); dialog.close(); } }, 'Remove');
    const store = next => { saved = next; localStorage.setItem(savedKey, JSON.stringify(saved)); listSaved(); };
    const dialog = h('dialog', { class: 'text', 'aria-label': 'Save the query', style: 'width:min(28rem,94vw)' }, h('form', {
      onsubmit: event => {
        event.preventDefault();
        const given = name.value.trim();
        store([...saved.filter(q => q.name !== given), { name: given, text: code.text.trim() }].sort((a, b) => a.name.localeCompare(b.name)));
        dialog.close();
      },
    }, name, h('div', { class: 'bar', style: 'margin:.75rem 0 0' }, h('button', { type: 'submit', class: 'main' }, 'Save'), remove, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  const share = telling(async () => {
    const address = new URL(addressOf(code.text.trim()), location.href).href;
    await navigator.clipboard.writeText(address).then(() => say('Copied the address of the query.'), () => say(address));
  });
  const ask = async (wanted, signal) => {
    try {
      return await run(/\binclude\b/i.test(wanted) ? wanted : `${wanted} include timings()`, 0, pageSize, signal);
    } catch (error) {
      // If the query cannot be measured, run it unchanged, so that the user sees the query's own error.
      if (error.status !== 400) throw error;
      return run(wanted, 0, pageSize, signal);
    }
  };
  /** Shows how far the index of these results is. They stay as they are, because they may be read; a button gets all of them. */
  const showBuilding = telling(async answer => {
    const ended = new AbortController(), current = AbortSignal.any([signal, ended.signal]);
    stopBuilding = () => ended.abort();
    await untilIndexed(answer.IndexName, building, current);
    if (!current.aborted) building.replaceChildren(h('span', { class: 'good' }, 'The index is built.'), h('button', { type: 'button', onclick: go }, 'Run again for all results'));
  });
  const go = async () => {
    if (button.disabled) return;
    button.disabled = true;
    stopBuilding();
    building.replaceChildren();
    const wanted = code.text.trim();
    const begun = performance.now();
    past = [wanted, ...past.filter(q => q !== wanted)].slice(0, 20);
    localStorage.setItem(key, JSON.stringify(past));
    list();
    try {
      const answer = await asking(signal => ask(wanted, signal), told, signal);
      if (!answer) {
        last = null;
        for (const one of exports) one.disabled = true;
        sheet.replaceChildren(h('div', { class: 'sheet empty' }, 'Cancelled. An index that is being built goes on.'));
        return;
      }
      last = { ...answer, text: wanted };
      // The address is that of the query, so that it can be kept and sent.
      history.replaceState(null, '', addressOf(wanted));
      told.replaceChildren(
        `${count(last.Results.length)} of ${count(last.TotalResults)} in ${last.DurationInMs} ms at the server, ${Math.round(performance.now() - begun)} ms here · ${last.IndexName}`,
        last.IsStale ? h('span', { class: 'warn' }, 'the index lags behind the documents') : '');
      code.mark();
      draw();
      if (last.IsStale && last.Lag > fewChanges) showBuilding(last);
    } catch (error) {
      if (error.name === 'AbortError') return;
      // An old result below a failed query would look like its answer.
      last = null;
      for (const one of exports) one.disabled = true;
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
    signal,
    label: 'Query', text: rest.join('/') || past[0] || 'from @all_docs', language: 'query', hint: 'from Orders where Total > 100 order by Total desc', known: namesOf(signal), keys: { 'Mod-Enter': go },
  });
  if (signal.aborted) return;
  list();
  listSaved();
  kept.onchange = () => { if (kept.value) code.text = kept.value; kept.value = ''; };
  button.onclick = go;
  asJson.onchange = draw;
  recent.onchange = () => { if (recent.value) code.text = recent.value; recent.value = ''; };
  main.replaceChildren(code.element, h('div', { class: 'bar', style: 'margin-top:.5rem' }, button, h('span', { class: 'dim' }, h('kbd', null, 'Ctrl Enter')), recent, kept, h('button', { type: 'button', onclick: saveQuery }, 'Save'), h('button', { type: 'button', onclick: share }, 'Copy link'), h('span', { class: 'group end' }, h('label', null, asJson, ' as JSON'), exports)), told, building, sheet);
  code.focus();
  if (rest.length > 0) await go();
}
