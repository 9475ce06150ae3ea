import { indexes, isOwn, ofWorker, state } from '../api.js';
import { chart } from '../chart.js';
import { bytes, count, h, rate, refresh, seconds, telling } from '../dom.js';
import { live } from '../live.js';
import { timeTabs } from '../spans.js';
import { notOwn } from './own.js';

// What helps, by the name of the check that found something.
const advice = [
  [/^storage/, 'Look at the log: the database refuses writes until it is opened again. Make room or replace the disk, then restart the worker.'],
  [/^disk/, 'Make room on the disk: compact the data file, shorten the retention of backups, or grow the disk.'],
  [/^pages/, 'Restore the damaged documents from a backup.'],
  [/^connection /, 'Check that the target runs and that its address and credentials in the configuration are right. The task continues by itself.', '#/flow'],
  [/^task /, 'Open the task to see its error. Fix the transform in the bench, then retry its dead letters.', '#/flow'],
  [/^backup/, 'Look at the error of the last run, fix it, and start a backup.', '#/backups'],
  [/^index/, 'Open the index to see its errors. Correct the definition or the documents, then reset it.', '#/indexes'],
  [/^certificate/, 'Renew the certificate; the server reads the new file by itself.', '#/access'],
  [/^consumer |^subscription |lag/, 'Start its workers, or remove the consumer if nobody uses it: what it has not read is kept on disk.', '#/subscriptions'],
  [/^cluster/, 'Look at the nodes: what this one does, whether one leads, and how far each is behind.', '#/cluster'],
  [/^import/, 'Wait: the tasks start after the import.'],
];
const adviceFor = name => advice.find(([pattern]) => pattern.test(name)) ?? [];

// What readiness does not look at: indexes in error, backups that nobody verified, a certificate that ends.
async function findings(signal) {
  const [all, backups, clients] = await Promise.all([indexes(signal).catch(() => []), ofWorker('backups', signal).catch(() => null), ofWorker('clients', signal).catch(() => null)]);
  const days = clients?.certificate ? (Date.parse(clients.certificate.notAfter) - Date.now()) / 86_400_000 : Infinity;
  return [
    ...all.filter(i => i.IsInvalidIndex).map(i => ({ name: `index ${i.Name}`, detail: i.Failure ?? 'It is in error.' })),
    ...(backups?.status ?? []).filter(b => b.lastBackup && !b.lastVerified).map(b => ({ name: `backup ${b.name}`, detail: 'It was never verified: nobody knows whether it can be restored. Run a drill.' })),
    ...(days < 30 ? [{ name: 'certificate', detail: days < 0 ? 'The server’s certificate has ended.' : `The server’s certificate ends in ${Math.floor(days)} days.` }] : []),
  ];
}

/** How the worker does: its figures of the last hour, and what needs a person. */
export async function dashboard(main, _, signal) {
  if (!isOwn()) return notOwn(main, 'Dashboard');
  const alerts = h('div');
  const blue = 'var(--accent)', green = 'var(--good)', amber = 'var(--warn)';
  const charts = [
    [chart('Writes', rate, [{ name: 'changes', color: blue }]), ['changes']],
    [chart('Messages sent', rate, [{ name: 'messages', color: green }]), ['messages']],
    [chart('Requests', rate, [{ name: 'requests', color: blue }]), ['requests']],
    [chart('Queries', seconds, [{ name: 'p99', color: amber }, { name: 'p50', color: blue }]), ['queryP99', 'queryP50']],
    [chart('Index lag', count, [{ name: 'changes', color: amber }]), ['indexLag']],
    [chart('Sync of the journal', seconds, [{ name: 'p99', color: amber }, { name: 'p50', color: blue }]), ['syncP99', 'syncP50']],
    [chart('Memory', bytes, [{ name: 'process', color: blue }]), ['memory']],
    [chart('Processor', value => `${Math.round(value * 100)} %`, [{ name: 'cores', color: green }]), ['processor']],
    [chart('Data file and journal', bytes, [{ name: 'data file', color: blue }, { name: 'journal', color: amber }]), ['dataFile', 'journal']],
    [chart('Dead letters', count, [{ name: 'dead letters', color: 'var(--bad)' }]), ['deadLetters']],
  ];
  const tabs = timeTabs('dashboard', () => draw());
  const draw = telling(async () => {
    const [history, health, storage, mine] = await Promise.all([ofWorker(`history?seconds=${tabs.seconds()}`, signal), fetch('health/ready', { signal }).then(answer => answer.json()), ofWorker('storage', signal), findings(signal)]);
    for (const [one, names] of charts) one.update(names.map(name => history.series[name] ?? []), history.last, history.secondsPerPoint);
    const wrong = [...(health.checks ?? []).filter(check => !check.ok), ...mine];
    refresh(alerts, wrong.length === 0
      ? h('p', { class: 'alert good-edge' }, h('i', { class: 'dot good' }), ' All checks pass.')
      : wrong.map(check => {
        const [, text, link] = adviceFor(check.name);
        return h('div', { class: 'alert bad-edge', role: 'alert', 'data-key': check.name }, h('b', null, check.name), h('span', null, check.detail), text ? h('span', { class: 'dim' }, text, ' ', link ? h('a', { href: link }, 'Open') : '') : '');
      }),
    storage?.readers?.some(r => r.ageSeconds > 60) ? h('p', { class: 'alert warn-edge' }, `A snapshot of '${storage.readers[0].owner}' is open since ${seconds(storage.readers[0].ageSeconds)} and holds back ${bytes(storage.readers[0].heldBytes)}.`) : '');
  });
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow', style: 'margin:0' }, `Dashboard of ${state.own}`), tabs.element), alerts, h('div', { class: 'charts' }, charts.map(([one]) => one.element)));
  await live(signal, draw);
}
