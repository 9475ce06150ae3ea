import { isOwn, ofWorker, post } from '../api.js';
import { count, h, say, table, telling } from '../dom.js';
import { notOwn } from './own.js';

/** What could not be sent: looked at, tried again, dropped. */
export async function deadLetters(main, [task], signal) {
  if (!isOwn()) return notOwn(main, 'Dead letters');
  const sheet = h('div'), told = h('span', { class: 'dim grow' });
  const retryAll = h('button', { type: 'button' }, 'Retry all'), dropAll = h('button', { type: 'button', class: 'danger' }, 'Drop all');
  const chosen = task ? { task } : { all: true };
  const act = (what, selection, question) => telling(async () => {
    if (question && !confirm(question)) return;
    const answer = await post(`deadletters/${what}`, { ...selection, waitSeconds: what === 'retry' ? 5 : 0 }, signal);
    say(what === 'drop' ? `Dropped ${count(answer.dropped)}.` : `Retried: ${JSON.stringify(answer)}`);
    await load();
  });
  const load = telling(async () => {
    const page = await ofWorker(`deadletters?limit=200${task ? `&task=${encodeURIComponent(task)}` : ''}`, signal);
    const letters = page?.letters ?? [];
    told.textContent = page ? `${page.total === 1 ? 'One dead letter' : `${count(page.total)} dead letters`}${task ? ` of ${task}` : ''}` : '';
    retryAll.disabled = dropAll.disabled = letters.length === 0;
    sheet.replaceChildren(table([
      { title: 'Time', cell: l => l.time ? new Date(l.time).toLocaleString() : '' },
      { title: 'Task', cell: l => l.task ?? l.subscription },
      { title: 'Document', cell: l => h('a', { href: `#/document/${encodeURIComponent(l.documentId)}` }, l.documentId) },
      { title: 'Class', cell: l => l.class ?? l.kind },
      { title: 'Error', wrap: true, cell: l => l.error },
      { title: 'Attempts', number: true, cell: l => count(l.attempts) },
      { title: '', cell: l => h('span', { class: 'bar', style: 'margin:0;flex-wrap:nowrap' },
        h('a', { href: `#/document/${encodeURIComponent(l.id)}` }, 'Open'),
        h('button', { type: 'button', onclick: act('retry', { ids: [l.id] }) }, 'Retry'),
        h('button', { type: 'button', class: 'danger', onclick: act('drop', { ids: [l.id] }, `Drop the dead letter of '${l.documentId}'? Its message will not be sent.`) }, 'Drop')) },
    ], letters, page ? 'No dead letters.' : 'This server has no dead letters.'));
  });
  retryAll.onclick = act('retry', chosen);
  dropAll.onclick = act('drop', chosen, 'Drop all these dead letters? Their messages will not be sent.');
  main.replaceChildren(h('h1', null, 'Dead letters'), h('div', { class: 'bar' }, told, retryAll, dropAll), sheet);
  await load();
}
