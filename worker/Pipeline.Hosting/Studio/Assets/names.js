// Names for completion, from the data.
import { collections, indexes, query } from './api.js';

/** The paths of an object's members, to a depth of three. */
function paths(value, prefix = '', depth = 0) {
  if (!(value instanceof Map) || depth > 2) return [];
  return [...value].filter(([name]) => name !== '@metadata').flatMap(([name, member]) => [prefix + name, ...paths(member, `${prefix}${name}.`, depth + 1), ...(Array.isArray(member) ? paths(member[0], `${prefix}${name}[].`, depth + 1) : [])]);
}

/**
 * The names that a text may use: of collections and indexes, and of the fields of the collection that `collectionOf` finds in it, from the
 * collection's newest documents.
 */
export function namesOf(signal, collectionOf = collectionOfQuery) {
  const fields = new Map();
  const lists = Promise.all([collections(signal).catch(() => ({})), indexes(signal).catch(() => [])]).then(([all, made]) => ({ collections: Object.keys(all), indexes: made.map(i => i.Name) }));
  const sample = async collection => {
    const { Results: found } = await query(`from '${collection.replaceAll("'", "\\'")}'`, 0, 20, signal);
    return [...new Set(found.flatMap(d => paths(d)))];
  };
  return async text => {
    const collection = collectionOf(text);
    if (collection && !fields.has(collection)) fields.set(collection, sample(collection).catch(() => []));
    return { ...await lists, fields: collection ? await fields.get(collection) : [] };
  };
}

function collectionOfQuery(text) {
  const named = /\bfrom\s+(?!index\b)(?:'([^']+)'|"([^"]+)"|([\w@-]+))/i.exec(text);
  return named && (named[1] ?? named[2] ?? named[3]);
}

/** The collection of an index map in C# (`docs.Orders`) or JavaScript (`map('Orders', …)`). */
export function collectionOfMap(text) {
  const named = /\bdocs\.(\w+)|\bmap\(\s*['"]([^'"]+)['"]/.exec(text);
  return named && (named[1] ?? named[2]);
}
