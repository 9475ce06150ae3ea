// The facets of a query as bars. A bar leads to the documents behind it.
import { count, h } from './dom.js';
import { cellText, addressOf } from './results.js';

/** Whether the results of a query are its facets. */
export const areFacets = (text, results) => /\bfacet\s*\(/i.test(text) && results.length > 0 && results.every(r => Array.isArray(r.get('Values')) && r.has('Name'));

const quote = value => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const isField = (text, name) => new RegExp(`\\bfacet\\s*\\(\\s*${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*[,)]`, 'i').test(text);

/** The query of the documents that one value counts; null where the text does not tell. */
function documentsOf(text, name, range) {
  const source = /^([\s\S]*?)\bselect\b/i.exec(text)?.[1].trim();
  const isRange = /[<>]|\bbetween\b/i.test(range);
  if (!source || !isRange && !isField(text, name)) return null;
  const condition = isRange ? range : `${name} = ${quote(range)}`;
  const [, from, where] = /^([\s\S]*?)(?:\bwhere\b([\s\S]*))?$/i.exec(source);
  return `${from.trim()} where ${where ? `(${where.trim()}) and ` : ''}${condition}`;
}

/** A list of bars for each facet, with the sums that the query asks for. */
export function facetView(text, results) {
  return h('div', { class: 'facets' }, results.map(facet => {
    const name = facet.get('Name'), values = facet.get('Values');
    const sums = [...new Set(values.flatMap(v => [...v.keys()]))].filter(key => key !== 'Range' && key !== 'Count' && values.some(v => v.get(key) !== null));
    const most = Math.max(1, ...values.map(v => Number(v.get('Count'))));
    const label = range => {
      const query = documentsOf(text, name, range);
      return query ? h('a', { href: addressOf(query) }, range) : range;
    };
    const others = Number(facet.get('RemainingHits') ?? 0);
    return h('section', null, h('h2', null, name), values.length === 0 ? h('p', { class: 'dim' }, 'No values.') : h('div', { class: 'sheet', tabindex: '0' }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Value'), h('th', { scope: 'col', class: 'number' }, 'Documents'), h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Share')), sums.map(key => h('th', { scope: 'col', class: 'number' }, key)))),
      h('tbody', null, values.map(v => h('tr', null, h('td', null, label(v.get('Range'))), h('td', { class: 'number' }, count(Number(v.get('Count')))),
        h('td', { class: 'share', 'aria-hidden': 'true' }, h('div', { style: `width:${(Number(v.get('Count')) / most * 100).toFixed(1)}%` })), sums.map(key => h('td', { class: 'number' }, cellText(v.get(key))))))))),
    others > 0 ? h('p', { class: 'dim' }, `${count(others)} documents have other values.`) : '');
  }));
}
