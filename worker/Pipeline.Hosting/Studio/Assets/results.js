// Query results: a table that draws only the rows that are seen and loads the others when they are reached.
import { count, h } from './dom.js';
import { format, JsonNumber, metadataOf } from './json.js';

const rowHeight = 34, overscan = 20;
/** Browsers do not draw elements that are much higher than this many rows. */
const mostRows = 400_000;
const longest = 160;
/** Pages of results that stay in memory; those that are farthest from the window go first. */
const mostPages = 50;

/** Widths of columns in letters: a number is shown whole up to the most. */
const fewestLetters = 6, mostLetters = 32;

const shorten = text => text.length > longest ? `${text.slice(0, longest - 3)}…` : text;

const lettersOf = value => value === undefined || value === null ? 0 : value instanceof Map || Array.isArray(value) ? mostLetters : String(value).length;

/** How wide a column is for its title and the values of its rows. */
const widthOf = (title, values) => Math.min(mostLetters, Math.max(fewestLetters, title.length, ...values.map(lettersOf)));

function cell(value) {
  if (value === undefined || value === null) return '';
  return value instanceof Map || Array.isArray(value) ? h('code', { class: 'dim' }, shorten(format(value))) : shorten(String(value));
}

/** A value as a short text. */
export const cellText = value => cell(value);

/** The names of the fields of results, in their order. */
export function fieldsOf(results, most = Infinity) {
  const names = new Set();
  for (const result of results) for (const name of result.keys()) if (name !== '@metadata' && names.size < most) names.add(name);
  return [...names];
}

/** A table of `total` results, whose first page is known; `load` gives the page that starts at a number. `failed` is called with an error of it. */
export function resultTable({ first, total, pageSize, load, failed }) {
  if (total === 0 || first.length === 0) return h('div', { class: 'sheet empty' }, 'No results.');
  const rows = Math.min(total, mostRows);
  const pages = new Map([[0, first]]), asked = new Set([0]);
  const fields = fieldsOf(first, 8).map(name => ({ name, isNumber: first.every(r => (r.get(name) ?? null) === null || r.get(name) instanceof JsonNumber) }));
  const body = h('tbody');
  const letters = [count(rows).length, widthOf('Id', first.map(r => metadataOf(r, '@id'))), ...fields.map(f => widthOf(f.name, first.map(r => r.get(f.name))))];
  const whole = h('table', null, h('colgroup', null, letters.map(n => h('col', { style: `width:calc(${n}ch + 1.6rem)` }))), h('thead', null, h('tr', null, h('th', { class: 'number', scope: 'col', 'aria-label': 'Row' }, '#'), h('th', { scope: 'col' }, 'Id'), fields.map(f => h('th', { class: f.isNumber ? 'number' : null, scope: 'col' }, f.name)))), body);
  const inner = h('div', { style: `position:relative;height:${(rows + 1) * rowHeight}px;min-width:calc(${letters.reduce((sum, n) => sum + n, 0)}ch + ${letters.length * 1.6}rem)` }, whole);
  const element = h('div', { class: 'sheet virtual', tabindex: '0', role: 'region', 'aria-label': 'Results', style: `max-height:min(65vh, ${(rows + 1) * rowHeight + 18}px)` }, inner);
  let drawn = '';

  const ask = async page => {
    if (asked.has(page)) return;
    asked.add(page);
    try {
      pages.set(page, await load(page * pageSize));
      if (pages.size > mostPages) forget();
      draw(true);
    } catch (error) {
      asked.delete(page);
      if (error.name !== 'AbortError') failed(error);
    }
  };
  const forget = () => {
    const shown = element.scrollTop / rowHeight / pageSize;
    const farthest = [...pages.keys()].reduce((one, other) => Math.abs(other - shown) > Math.abs(one - shown) ? other : one);
    pages.delete(farthest);
    asked.delete(farthest);
  };
  const rowView = index => {
    const page = Math.floor(index / pageSize);
    const result = pages.get(page)?.[index % pageSize];
    if (!result) {
      if (!pages.has(page)) ask(page);
      return h('tr', { 'aria-rowindex': String(index + 1) }, h('td', { class: 'number dim' }, count(index + 1)), h('td', { class: 'dim', colspan: fields.length + 1 }, pages.has(page) ? '' : '…'));
    }
    const id = metadataOf(result, '@id');
    return h('tr', { 'aria-rowindex': String(index + 1) }, h('td', { class: 'number dim' }, count(index + 1)), h('td', null, id ? h('a', { href: `#/document/${encodeURIComponent(id)}` }, id) : ''),
      fields.map(f => h('td', { class: f.isNumber ? 'number' : null }, cell(result.get(f.name)))));
  };
  const draw = force => {
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan);
    const to = Math.min(rows, Math.ceil((element.scrollTop + (element.clientHeight || 800)) / rowHeight) + overscan);
    if (!force && drawn === `${from} ${to}`) return;
    drawn = `${from} ${to}`;
    whole.style.top = `${from * rowHeight}px`;
    body.replaceChildren(...Array.from({ length: to - from }, (_, i) => rowView(from + i)));
  };
  element.addEventListener('scroll', () => draw(false), { passive: true });
  draw(true);
  return total > mostRows ? h('div', null, h('p', { class: 'dim' }, `The first ${count(mostRows)} rows; an export has all.`), element) : element;
}

const quote = text => /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csvValue = value => value === undefined || value === null ? '' : value instanceof Map || Array.isArray(value) ? format(value) : String(value);

/** A document as a line of CSV: its id, then the values of the columns. `valueOf` gives a value. */
export const csvLine = (result, columns, valueOf = name => result.get(name)) => `${[metadataOf(result, '@id') ?? '', ...columns.map(name => csvValue(valueOf(name)))].map(quote).join(',')}\r\n`;

export const csvHead = columns => `${['@id', ...columns].map(quote).join(',')}\r\n`;

/** The steps of a plan, each with what was expected, what came and how long it took. */
export function planView(node) {
  if (!node) return h('p', { class: 'dim' }, 'No plan: the documents themselves are read, in their order.');
  // The first step is cut off by the page, so that its numbers may differ.
  const item = (step, _, steps) => h('li', null,
    h('div', null, h('b', null, step.Operation), ' ', h('code', { class: 'dim' }, step.Detail), ' ',
      h('span', { class: 'chip' }, `estimated ${count(step.Estimated)}`), ' ', step.Actual === undefined ? '' : h('span', { class: `chip ${steps && isOff(step) ? 'warn' : ''}` }, `actual ${count(step.Actual)}`), ' ',
      step.DurationInMs === undefined ? '' : h('span', { class: 'chip' }, `${step.DurationInMs.toLocaleString(undefined, { maximumFractionDigits: 3 })} ms`)),
    step.Steps.length ? h('ul', null, step.Steps.map(item)) : '');
  return h('ul', { class: 'tree' }, item(node));
}

const isOff = ({ Estimated: estimated, Actual: actual }) => Math.max(estimated, actual) > 10 * Math.max(1, Math.min(estimated, actual));

/** The address of a query in the Studio. */
export const addressOf = text => `#/query/${encodeURIComponent(text)}`;
