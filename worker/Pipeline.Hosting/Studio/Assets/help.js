// The purpose of each page and the tasks on it, for the help of the page and for the finder.
import { h } from './dom.js';

export const help = {
  documents: ['Documents', ['Choose a collection at the left. A click on an id opens the document.', 'A filter is the condition of a query: Total > 100 and City = “Rome”. “Columns” chooses what the list shows.', 'Mark documents to delete or export them. A document that changed since the list was loaded is not deleted.', 'Documents are edited as text: no digit of a number changes. Ctrl+S saves. If somebody changed the document meanwhile, you see both versions and merge them.', 'Drop a file on a document to attach it.']],
  query: ['Queries', ['Ctrl+Enter runs the query. Names of collections, indexes and fields are completed from the data.', 'A query without an index creates one. “Plan” shows its steps with estimated and actual numbers.', 'The address holds the query: copy it to share it.']],
  patch: ['Patch', ['A query with “update” runs a script on each document that it finds: from Orders where Total > 100 update { this.Total = 0 }', '“Preview” runs the script on the first documents and shows each before and after. It stores nothing.', '“Run” changes all documents of the query. It can be cancelled; what is changed until then stays.']],
  revisions: ['Revisions', ['Former versions of a document, if the database keeps them. Two versions are compared line by line.', '“Revert” stores the chosen version as a new one. The versions between stay.', 'Without an id the page lists deleted documents that can be brought back.']],
  indexes: ['Indexes', ['An index answers queries. It is built in the background, and “Progress” shows how far it is behind.', 'A changed definition is built beside the present version, which answers until the new one has caught up.', 'Documents that a map cannot process are under “Errors”. Too many errors stop the index: correct it, then reset it.']],
  events: ['Events', ['Each actor has a stream of numbered events. Open a stream to see its events and its newest snapshot.', 'The slider shows each field as the events up to a number set it.']],
  flow: ['Flow', ['Collections at the left, tasks in the middle, destinations at the right. Width is messages a second; color is state.', 'Click a task to see its throughput, its lag and its last messages.']],
  tasks: ['Tasks', ['A task sends a message for each change of its collections. Backlog counts the changes that it has not read.', 'A task that cannot reach its destination retries by itself.']],
  subscriptions: ['Subscriptions', ['A subscription hands changed documents to a program, batch by batch, and waits until the program acknowledges them.', 'Pause keeps the position. Move delivers again from an earlier position, or skips ahead.', 'A change that a program rejects too often is parked: correct the cause, then retry it.']],
  bench: ['Transform bench', ['Change a script and see what it would send for real documents. Nothing is sent or stored.', '“YAML to commit” gives the key for pipeline.yaml.']],
  journey: ['Journey', ['What became of one document: its versions, the messages of each with their ids, dead letters and index entries.']],
  deadletters: ['Dead letters', ['Changes that failed for good. Those that failed alike are one group.', 'Open a group, change the input or the script, try it, then retry one or all.']],
  dashboard: ['Dashboard', ['The last hour of the worker, and what needs a person. Point at a chart to read a value.']],
  logs: ['Log', ['The last 2,000 events of the worker as they come. Words filter the message, the category and the event id.']],
  backups: ['Backups', ['A backup that was never restored is a hope: a drill restores the newest one into a scratch folder and checks it.', 'The slider shows what a restore to a position would lose. One document can be brought back alone.']],
  storage: ['Storage', ['“Check” reads every page of the data file and compares its checksum. “Compact” gives free space back to the disk.', 'An old open snapshot keeps replaced versions on disk.']],
  cluster: ['Cluster', ['The nodes that keep this database. One leads; the others hold equal copies and take over when it ends. “Behind” counts the transactions that a copy does not have yet; the lag is their age.', '“Hand over” has another node lead, for example before the leader is stopped. Requests wait for a moment.', '“Verify” compares the stores of all nodes, page by page. “Remove” forgets a node that has ended for good.']],
  transfer: ['Import and export', ['Import stores the documents of a file, line by line or from a dump; “Check only” reports faults and stores nothing.', 'Export saves all documents, or those of a collection, as JSON lines of one moment.']],
  databases: ['Databases', ['Databases of this server. Dropping one deletes its files.']],
  access: ['Access', ['Which client certificates may do what, and how long the server’s own certificate is good. server.clients sets it.']],
  settings: ['Settings', ['The settings in effect, each with the line of the file that it comes from, or “default”. Secrets are masked.']],
};

/** Shows the help of a page. */
export function showHelp(page) {
  const [title, lines] = help[page] ?? help.documents;
  const dialog = h('dialog', { class: 'text', 'aria-label': `Help: ${title}` }, h('h2', { style: 'margin-top:0' }, title), lines.map(line => h('p', null, line)),
    h('h2', null, 'Keys'), h('p', null, h('kbd', null, 'Ctrl K'), ' finds documents, indexes, tasks, settings and help. ', h('kbd', null, 'Ctrl S'), ' saves. ', h('kbd', null, 'Ctrl Enter'), ' runs a query.'),
    h('div', { class: 'bar', style: 'margin:0' }, h('button', { type: 'button', autofocus: true, onclick: () => dialog.close() }, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
