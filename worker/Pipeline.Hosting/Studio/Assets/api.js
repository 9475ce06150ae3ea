// What the Studio asks of the server: databases in RavenDB's client protocol, and the worker's own pages.

import { items, members, parse } from './json.js';

export const state = { database: null, own: null, isRefused: false };

/** Whether the database that is shown is the worker's own. */
export const isOwn = () => state.database === state.own;

/** Asks, and gives the answer itself; an answer that is no success is an error with its message and `status`. */
export const request = (path, options) => send(path, options);

async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw Object.assign(new Error('The server does not answer.'), { unreachable: true });
  }
  if (response.ok || response.status === 304) return response;
  const text = await response.text();
  let message = text;
  try {
    const answer = JSON.parse(text);
    message = answer.Message ?? answer.error ?? text;
  } catch {
    // It is no JSON: the text is the message.
  }
  const error = new Error(message || `${options.method ?? 'GET'} ${path}: ${response.status} ${response.statusText}`);
  error.status = response.status;
  throw error;
}

export const get = async (path, signal) => (await send(path, { signal })).json();

/** An answer with documents under Results, whose numbers stay text; the rest is plain. */
const withDocuments = async response => {
  const text = await response.text();
  const results = members(text).find(m => m.name === 'Results');
  return { ...JSON.parse(`${text.slice(0, results.start)}null${text.slice(results.end)}`), Results: parse(text.slice(results.start, results.end)) };
};

const sendJson = (path, body, signal) => send(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, signal });

export const post = async (path, body, signal) => (await sendJson(path, body, signal)).json();

export const put = (path, text, signal) => send(path, { method: 'PUT', body: text, signal });

/** As `get`; the answer's objects are Maps, and its numbers keep their digits. */
export const getExact = async (path, signal) => parse(await (await send(path, { signal })).text());

/** As `post`; the answer's objects are Maps, and its numbers keep their digits. */
export const postExact = async (path, body, signal) => parse(await (await sendJson(path, body, signal)).text());

/** As `postExact`, with a text as the body. */
export const postText = async (path, text, signal) => parse(await (await send(path, { method: 'POST', body: text, signal })).text());

/** A path of the database that is shown. */
export const path = (rest, parameters = {}) => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null));
  return `databases/${encodeURIComponent(state.database)}/${rest}${query.size ? `?${query}` : ''}`;
};

export const databases = async () => {
  const answer = await get('databases');
  const list = Array.isArray(answer) ? answer : answer.Databases;
  return list.map(d => typeof d === 'string' ? d : d.Name ?? d.DatabaseName).sort();
};

/** The worker's page of a name; null where this server has none. */
export const ofWorker = async (page, signal) => {
  try {
    return await get(page, signal);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
};

export const collections = async signal => (await get(path('collections/stats'), signal)).Collections;

/** A document's own text, where its members stand in it, and its metadata; null where there is none. */
export const document = async (id, signal) => {
  try {
    const answer = await (await send(path('docs', { id }), { signal })).text();
    // The document is the first result. Its members are found in one pass, because it may be large.
    const start = /^\s*\{\s*"Results"\s*:\s*\[\s*/.exec(answer)[0].length;
    const parts = members(answer, start).map(m => ({ ...m, from: m.from - start, start: m.start - start, end: m.end - start }));
    const text = answer.slice(start, answer.indexOf('}', start + parts.at(-1).end) + 1);
    const metadata = parts.find(m => m.name === '@metadata');
    return { text, parts, metadata: parse(text.slice(metadata.start, metadata.end)) };
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
};

export const save = async (id, text, changeVector) =>
  (await send(path('docs', { id }), { method: 'PUT', body: text, headers: { 'Content-Type': 'application/json', ...(changeVector === undefined ? {} : { 'If-Match': `"${changeVector}"` }) } })).json();

export const remove = (id, changeVector) => send(path('docs', { id }), { method: 'DELETE', headers: changeVector ? { 'If-Match': `"${changeVector}"` } : {} });

export const newest = async (start, pageSize, signal) => (await withDocuments(await send(path('docs', { start, pageSize }), { signal }))).Results;

/** A page of a query's results. With `wait`, an hh:mm:ss, it takes no longer than that for an index that is behind, also for a new one. */
export const query = async (text, start, pageSize, signal, wait) =>
  withDocuments(await sendJson(path('queries'), { Query: text, Start: start, PageSize: pageSize, ...(wait ? { WaitForNonStaleResults: true, WaitForNonStaleResultsTimeout: wait } : {}) }, signal));

/** All results of a query as lines of JSON, as they come. */
export async function* queryLines(text, signal) {
  const response = await send(path('streams/queries', { format: 'jsonl' }), { method: 'POST', body: JSON.stringify({ Query: text }), headers: { 'Content-Type': 'application/json' }, signal });
  let rest = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    yield* lines.filter(line => line !== '');
  }
  if (rest !== '') yield rest;
}

/** Deletes documents together: all, or none if one of them has changed since. */
export const removeAll = documents =>
  sendJson(path('bulk_docs'), { Commands: documents.map(({ id, changeVector }) => ({ Type: 'DELETE', Id: id, ChangeVector: changeVector })) });

/** Documents by their ids. */
export const documentsOf = async (ids, signal) => (await withDocuments(await sendJson(path('docs'), { Ids: ids }, signal))).Results;

/** The texts of an answer's documents under Results, letter by letter, and the rest of it. */
const withTexts = async response => {
  const text = await response.text();
  const results = members(text).find(m => m.name === 'Results');
  return { ...JSON.parse(`${text.slice(0, results.start)}null${text.slice(results.end)}`), Results: items(text.slice(results.start, results.end)) };
};

/** A page of the versions of a document, the newest first: `Results` has their texts. */
export const revisions = async (id, start, pageSize, signal) => withTexts(await send(path('revisions', { id, start, pageSize }), { signal }));

/** Deleted documents of which versions are kept. */
export const revisionBin = async (start, pageSize, signal) => (await withDocuments(await send(path('revisions/bin', { start, pageSize }), { signal }))).Results;

/** What a query with `update` would change, on its first documents. `Results` has the text of each. Nothing is stored. */
export const tryPatch = async (text, sample, signal) => withTexts(await sendJson(path('queries/try'), { Query: { Query: text }, Sample: sample }, signal));

/** Starts a query with `update`; gives the number of the operation. */
export const startPatch = async text => (await (await send(path('queries'), { method: 'PATCH', body: JSON.stringify({ Query: { Query: text } }), headers: { 'Content-Type': 'application/json' } })).json()).OperationId;

/** Starts the deletion of a query's documents; gives the number of the operation. */
export const startDelete = async text => (await (await send(path('queries'), { method: 'DELETE', body: JSON.stringify({ Query: text }), headers: { 'Content-Type': 'application/json' } })).json()).OperationId;

export const operation = (id, signal) => get(path('operations/state', { id }), signal);

export const stopOperation = id => send(path('operations/kill', { id }), { method: 'POST' });

export const startingWith = async (prefix, pageSize, signal) => (await get(path('docs', { startsWith: prefix, pageSize, metadataOnly: true }), signal)).Results;

export const indexes = async signal => {
  const [all, behind] = await Promise.all([get(path('indexes/stats'), signal), get(path('indexes/progress'), signal)]);
  const lags = new Map(behind.Results.map(p => [p.Name, p.Lag]));
  return all.Results.map(index => ({ ...index, Lag: lags.get(index.Name) ?? 0 }));
};

export const indexErrors = async (name, signal) => (await get(path('indexes/errors', { name }), signal)).Results[0]?.Errors ?? [];

export const definition = async (name, signal) => (await get(path('indexes', { name }), signal)).Results[0];

export const putIndex = definition => send(path('admin/indexes'), { method: 'PUT', body: JSON.stringify({ Indexes: [definition] }), headers: { 'Content-Type': 'application/json' } });

/** What a definition gives for documents; `get` of its Maps. Nothing is stored. */
export const tryIndex = (index, ids, sample, signal) => postExact(path('admin/indexes/try'), { Index: index, Ids: ids, Sample: sample }, signal);

export const batches = async (name, signal) => (await get(path('indexes/performance', { name }), signal)).Results[0]?.Performance ?? [];

export const terms = async (name, field, fromValue, signal) => (await get(path('indexes/terms', { name, field, fromValue, pageSize: 101 }), signal)).Terms;

export const termFields = async (name, signal) => (await get(path('indexes/terms', { name }), signal)).Fields;

/** A page of the groups of a map-reduce index, or one group down to its documents. */
export const groups = (name, parameters, signal) => getExact(path('indexes/groups', { name, ...parameters }), signal);

export const setIndexes = (action, name) => send(path(`admin/indexes/${action}`, { name }), { method: 'POST' });

export const resetIndex = name => send(path('indexes', { name }), { method: 'RESET' });

export const deleteIndex = name => send(path('indexes', { name }), { method: 'DELETE' });
