import { isOwn, ofWorker, post, save } from '../api.js';
import { bytes, count, figures, h, progress, refresh, say, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { pretty } from '../json.js';
import { showText } from '../textdialog.js';
import { notOwn } from './own.js';

const day = 86_400_000;
const time = text => text ? new Date(text).toLocaleString() : 'never';
const secondsOf = text => { const [hours, minutes, rest] = (text ?? '').split(':').map(Number); return hours * 3600 + minutes * 60 + rest || 0; };
const jobs = { Full: 'full backup', Incremental: 'incremental backup', Drill: 'drill' };

/** The backups of the worker's database; one of them with its calendar, what can be restored, and one document back. */
export async function backups(main, rest, signal) {
  if (!isOwn()) return notOwn(main, 'Backups');
  const name = rest.join('/');
  if (name) return one(main, name, signal);
  const sheet = h('div');
  main.replaceChildren(h('h1', null, 'Backups'), sheet);
  await live(signal, telling(async () => {
    const all = (await ofWorker('backups', signal))?.status ?? [];
    refresh(sheet, table([
      { title: 'Backup', cell: b => h('a', { href: `#/backups/${encodeURIComponent(b.name)}` }, b.name) },
      { title: 'To', wrap: true, cell: b => b.destination },
      { title: 'State', wrap: true, cell: b => b.running ? runningView(b) : b.problem ? h('span', { class: 'bad' }, 'failed') : b.lastBackup ? h('span', { class: 'good' }, 'good') : h('span', { class: 'warn' }, 'never made') },
      { title: 'Last backup', wrap: true, cell: b => time(b.lastBackup) },
      { title: 'Verified', wrap: true, cell: b => b.lastVerified ? time(b.lastVerified) : h('span', { class: 'warn' }, 'never') },
      { title: 'Next', wrap: true, cell: b => Object.values(b.next).length ? time(Object.values(b.next).sort()[0]) : 'no schedule' },
      { title: 'Problem', wide: true, cell: b => b.problem ? h('span', { class: 'bad' }, b.problem) : '' },
    ], all, 'This worker makes no backups. Add “backups” to pipeline.yaml; the guide “Backups and restore” shows how.', b => `${b.name} ${b.destination}`));
  }));
}

function runningView(b) {
  const p = b.progress;
  const passed = (Date.now() - Date.parse(b.runningSince)) / 1000;
  const left = p?.total > 0 && p.done > 0 && p.done < p.total ? ` · ${seconds(passed * (p.total - p.done) / p.done)} left` : '';
  return p?.total > 0 ? progress(p.done, p.total, `${b.running}: ${p.stage}, ${bytes(p.done)} of ${bytes(p.total)}${p.read > p.done ? `, ${bytes(p.read)} read` : ''}${left}`) : h('span', { class: 'warn' }, `${b.running}${p ? `: ${p.stage}, ${bytes(p.done)}` : ''} · ${seconds(Math.max(passed, 0.1))}`);
}

async function one(main, name, signal) {
  const head = h('div'), calendar = h('div'), restore = h('section');
  const start = (text, path, done) => h('button', { type: 'button', onclick: telling(async event => {
    // The request lasts as long as the run; the page shows its progress meanwhile.
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const results = await post(`backups/${encodeURIComponent(name)}/${path}`, {}, signal);
      const failed = results.find(r => r.error ?? r.problem);
      if (failed) throw new Error(failed.error ?? failed.problem);
      say(done);
      await drawPoints();
    } finally {
      button.disabled = false;
    }
  }) }, text);
  const drawPoints = telling(async () => {
    const points = await ofWorker(`backups/${encodeURIComponent(name)}/points`, signal).catch(error => ({ error }));
    restore.replaceChildren(...(points.error ? [h('div', { class: 'sheet empty' }, points.error.message)] : restoreView(name, points, signal)));
  });
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { class: 'grow' }, name), start('Back up now', 'run', 'The backup is made.'), start('Full backup', 'run?kind=full', 'The full backup is made.'), start('Drill', 'drill', 'The drill passed: the backup was restored and checked.')),
    head, h('h2', null, 'Last five weeks'), calendar, restore);
  drawPoints();
  await live(signal, telling(async () => {
    const state = await ofWorker('backups', signal);
    const mine = state.status.filter(b => b.name === name);
    if (mine.length === 0) throw new Error(`There is no backup '${name}'.`);
    const b = mine[0];
    const running = mine.find(m => m.running);
    refresh(head,
      running ? h('div', { class: 'alert accent-edge', role: 'status', 'data-key': 'running' }, runningView(running), h('span', null, h('button', { type: 'button', onclick: telling(() => post(`backups/${encodeURIComponent(name)}/cancel`, {})) }, 'Cancel'))) : '',
      ...mine.filter(m => m.problem).map(m => h('div', { class: 'alert bad-edge', role: 'alert' }, h('b', null, `The last run to ${m.destination} failed.`), h('span', null, m.problem))),
      !b.lastVerified ? h('div', { class: 'alert warn-edge' }, h('b', null, 'No backup was ever verified.'), h('span', { class: 'dim' }, 'A drill restores the newest one into a scratch folder and checks every page and document.')) : '',
      figures([['last backup', b.lastBackup ? `${seconds(Math.max(1, Math.round((Date.now() - Date.parse(b.lastBackup)) / 1000)))} ago` : 'never'], ['verified', b.lastVerified ? `${seconds(Math.max(1, Math.round((Date.now() - Date.parse(b.lastVerified)) / 1000)))} ago` : 'never'], ['content', bytes(b.contentBytes)], ['stored', bytes(b.storedBytes)], ['took', seconds(secondsOf(b.duration))],
        ...Object.entries(b.next).sort((x, y) => x[1] < y[1] ? -1 : 1).map(([job, at]) => [`next ${job}`, new Date(at).toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })])]),
      h('p', { class: 'dim' }, mine.map(m => m.destination).join(', ')));
    refresh(calendar, calendarView(state.history.filter(r => r.name === name)));
  }));
}

/** A square a day: what ran, and whether it succeeded. */
function calendarView(runs) {
  const today = new Date();
  const monday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (today.getDay() + 6) % 7 - 28);
  const days = Array.from({ length: 35 }, (_, i) => new Date(monday.getTime() + i * day + 7_200_000));
  const of = date => runs.filter(r => new Date(r.started).toDateString() === date.toDateString());
  return h('div', { class: 'calendar' },
    ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map(d => h('span', { class: 'dim', 'data-key': d }, d)),
    days.map(date => {
      const found = of(date);
      const failed = found.filter(r => !r.ok).length;
      const text = found.length === 0 ? '' : [...new Set(found.map(r => r.job))].map(job => `${found.filter(r => r.job === job).length} ${jobs[job] ?? job}`).join(', ');
      return h('div', { 'data-key': date.toDateString(), class: `${failed ? 'bad-edge' : found.length ? 'good-edge' : ''} ${date > today ? 'future' : ''}`, title: `${date.toLocaleDateString()}: ${text || 'nothing ran'}${failed ? `, ${failed} failed` : ''}` },
        h('b', null, String(date.getDate())), h('span', { class: failed ? 'bad' : 'dim' }, failed ? `${failed} failed` : text));
    }));
}

/** What can be restored: a slider over all positions, what a restore would lose, and one document back. */
function restoreView(name, points, signal) {
  const list = points.backups;
  if (list.length === 0) return [h('h2', null, 'Restore'), h('div', { class: 'sheet empty' }, 'Nothing is stored yet.')];
  const ranges = list.map(b => [b.from.position, b.to.position]);
  const [low, high] = [Math.min(...ranges.map(r => r[0])), Math.max(...ranges.map(r => r[1]))];
  const slider = h('input', { type: 'range', min: String(low), max: String(high), value: String(high), 'aria-label': 'Position', class: 'grow' });
  const number = h('input', { type: 'number', min: String(low), max: String(high), value: String(high), 'aria-label': 'Position as a number', style: 'width:9rem' });
  const preview = h('div', { role: 'status' }), found = h('div');
  const id = h('input', { 'aria-label': 'Id of a document', placeholder: 'orders/1', class: 'grow' });
  const ask = (path, parameters) => ofWorker(`backups/${encodeURIComponent(name)}/${path}?${new URLSearchParams(parameters)}`, signal);
  let timer = 0;
  const draw = telling(async () => {
    const wanted = slider.value;
    try {
      const { reached, preview: lost } = await ask('preview', { position: wanted });
      if (wanted !== slider.value) return;
      const collections = Object.entries(lost.collections);
      preview.replaceChildren(
        h('p', null, `A restore would lead to position ${count(reached.position)}, of ${time(reached.time)}.`),
        table([{ title: 'It would lose', cell: c => c[0] }, { title: 'Documents written since', number: true, cell: c => count(c[1].written) }, { title: 'Deletions since', number: true, cell: c => count(c[1].deleted) }], collections, 'It would lose nothing.'),
        lost.newest.length ? h('p', { class: 'dim' }, `The last of them: ${lost.newest.slice(0, 8).join(', ')}.`) : '',
        h('p', null, 'To restore, run ', h('code', null, `pipeline restore ${name} --position ${reached.position} --to ./restored`)));
    } catch (error) {
      if (error.name === 'AbortError') return;
      preview.replaceChildren(h('p', { class: 'bad' }, error.message));
    }
  });
  slider.oninput = () => { number.value = slider.value; clearTimeout(timer); timer = setTimeout(draw, 200); };
  number.onchange = () => { slider.value = number.value; draw(); };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const bring = telling(async event => {
    event.preventDefault();
    if (!id.value.trim()) return;
    found.replaceChildren(h('p', { class: 'dim' }, 'Restoring into a scratch folder…'));
    const answer = await ask('document', { id: id.value.trim(), position: slider.value }).catch(error => { found.replaceChildren(); throw error; });
    if (!answer.document) {
      found.replaceChildren(h('div', { class: 'sheet empty' }, `At position ${count(answer.position)} there was no document ${answer.id}.`));
      return;
    }
    const text = pretty(answer.document);
    found.replaceChildren(h('div', { class: 'sheet', tabindex: '0' }, h('pre', { class: 'pane' }, text)), h('div', { class: 'bar', style: 'margin-top:.5rem' },
      h('button', { type: 'button', class: 'main', onclick: telling(async () => {
        if (!confirm(`Replace '${answer.id}' by its version of position ${answer.position}?`)) return;
        await save(answer.id, text);
        say(`${answer.id} is back.`);
      }) }, 'Put it back'),
      h('button', { type: 'button', onclick: () => showText(answer.id, text, `As of position ${answer.position}.`, 'document.json') }, 'Copy or download'), h('a', { href: `#/document/${encodeURIComponent(answer.id)}` }, 'The present one')));
  });
  draw();
  return [
    h('h2', null, 'Restore'),
    ...points.damaged.map(d => h('div', { class: 'alert bad-edge', role: 'alert' }, d)),
    h('div', { class: 'bar', hidden: low === high }, h('span', { class: 'dim' }, count(low)), slider, h('span', { class: 'dim' }, count(high)), number),
    preview,
    h('h2', null, 'One document back'),
    h('form', { class: 'bar', onsubmit: bring }, id, h('button', null, 'Show it as of this position')), found,
    h('h2', null, 'Stored backups'),
    table([
      { title: 'Backup', wrap: true, cell: b => b.id },
      { title: 'Kind', cell: b => b.kind.toLowerCase() },
      { title: 'Made', wrap: true, cell: b => time(b.ended) },
      { title: 'Positions', number: true, cell: b => b.from.position === b.to.position ? count(b.to.position) : `${count(b.from.position)} – ${count(b.to.position)}` },
      { title: 'Documents', number: true, cell: b => count(b.documents) },
      { title: 'Stored', number: true, cell: b => bytes(b.storedBytes) },
      { title: 'Verified', wrap: true, cell: b => b.verified ? h('span', { class: b.verified.ok ? 'good' : 'bad', title: b.verified.detail }, `${b.verified.ok ? '' : 'failed '}${time(b.verified.time)}`) : h('span', { class: 'dim' }, 'no') },
    ], [...list].reverse(), ''),
  ];
}
