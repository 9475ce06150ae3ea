// Documents of the whole database by a text that one of its indexes has. The cost is bounded: no index is made for it, and few results of few indexes are read.
import { indexes, definition, query, termFields } from './api.js';

const mostIndexes = 20, mostFields = 8, mostOfIndex = 5;
/** Milliseconds until what was not found is given up. */
const longest = 3000;

const quote = text => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** The words of a text, without what the search itself reads as a sign. */
const wordsOf = text => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean).join(' ');

/** The conditions by which an index finds a text at the beginning of a field's value, or of a word of it. */
async function conditionsOf(index, signal) {
  const [names, { Fields: options = {} }] = await Promise.all([termFields(index.Name, signal), index.Type === 'Map' ? definition(index.Name, signal) : {}]);
  const conditions = [];
  for (const name of names) {
    const searched = /^search\(([\w.[\]]+)\)$/.exec(name)?.[1] ?? (options[name]?.Indexing === 'Search' ? name : null);
    if (searched) conditions.push(text => wordsOf(text) && `search(${searched}, ${quote(`${wordsOf(text)}*`)}, and)`);
    else if (/^[A-Za-z_][\w.[\]]*$/.test(name) && !name.startsWith('spatial.') && options[name]?.Indexing !== 'No') conditions.push(text => `startsWith(${name}, ${quote(text)})`);
  }
  return conditions.slice(0, mostFields);
}

/**
 * A function that finds documents by a text: `{ index, document }`. It knows the indexes of the moment when it is first called. Indexes with groups have no
 * documents, and are left out.
 */
export function indexSearch(signal) {
  let known = null;
  const read = async () => {
    const usable = (await indexes(signal)).filter(i => (i.Type === 'Map' || i.Type === 'AutoMap') && i.State === 'Normal').slice(0, mostIndexes);
    const all = await Promise.all(usable.map(async index => ({ name: index.Name, conditions: await conditionsOf(index, signal).catch(() => []) })));
    return all.filter(i => i.conditions.length > 0);
  };
  return async (text, stopped) => {
    const all = await (known ??= read().catch(() => []));
    const until = AbortSignal.any([stopped, AbortSignal.timeout(longest)]);
    const found = await Promise.all(all.map(async ({ name, conditions }) => {
      const where = conditions.map(condition => condition(text)).filter(Boolean).join(' or ');
      const answer = where ? await query(`from index ${quote(name)} where ${where}`, 0, mostOfIndex, until).catch(() => null) : null;
      return (answer?.Results ?? []).map(document => ({ index: name, document }));
    }));
    return found.flat();
  };
}
