import { ofWorker, post, request } from '../api.js';
import { chart } from '../chart.js';
import { count, figures, h, progress, refresh, say, seconds, table, telling } from '../dom.js';
import { live } from '../live.js';
import { timeTabs } from '../spans.js';

const classes = { leader: 'good', claiming: 'warn', filling: 'warn', stopped: 'bad', unreachable: 'bad' };
const colors = ['var(--accent)', 'var(--warn)', 'var(--good)', 'var(--bad)', 'var(--dim)', 'var(--text)'];
const historyEvery = 2000;
const time = text => new Date(text).toLocaleString();
const shortTime = text => Date.now() - Date.parse(text) < 43_200_000 ? new Date(text).toLocaleTimeString() : time(text);
const since = text => seconds(Math.max(1, (Date.now() - Date.parse(text)) / 1000));

/** The nodes of the cluster as the node that answers sees them, their lags, and who has led. */
export async function cluster(main, _, signal) {
  const head = h('div'), told = h('div', { role: 'status' }), nodes = h('div'), charts = h('div', { class: 'charts' }), elections = h('div');
  let busy = false, drawn = 0, names = '', lines = [];

  // A button that is disabled loses the focus, so these stay enabled and do nothing while one of them works.
  const setBusy = value => {
    busy = value;
    for (const button of main.querySelectorAll('button[data-action]')) value ? button.setAttribute('aria-disabled', 'true') : button.removeAttribute('aria-disabled');
  };
  const action = (text, question, run, properties) => h('button', { type: 'button', 'data-action': '', 'aria-disabled': busy ? 'true' : null, ...properties, onclick: telling(async () => {
    if (busy || !confirm(question)) return;
    setBusy(true);
    try {
      await run();
    } finally {
      setBusy(false);
      await draw();
    }
  }) }, text);
  const handOver = node => action('Hand over', `Have '${node}' lead? Requests wait for a moment; none is lost.`, async () => {
    const { leader, milliseconds } = await post(`cluster/handover?${new URLSearchParams({ to: node })}`, {});
    say(`${leader} leads; the handover took ${seconds(milliseconds / 1000)}.`);
  }, { 'data-key': 'handover', 'aria-label': `Hand over to ${node}` });
  const remove = node => action('Remove', `Forget '${node}'? Do it only if this node has ended for good: clients are no longer sent there, and the log is not kept for it.`, async () => {
    await request(`cluster/nodes?${new URLSearchParams({ name: node })}`, { method: 'DELETE' });
    say(`${node} is no longer a node.`);
  }, { class: 'danger', 'data-key': 'remove', 'aria-label': `Remove ${node}` });
  const verify = action('Verify', 'Compare the stores of all nodes, page by page? Every node reads its whole store; writes go on.', async () => {
    told.replaceChildren(h('p', { class: 'dim' }, 'The stores of all nodes are compared. Writes go on.'));
    try {
      told.replaceChildren(verified(await post('cluster/verify', {}, signal)));
    } catch (error) {
      told.replaceChildren();
      throw error;
    }
  });

  const nodeTable = all => table([
    { title: 'Node', cell: n => h('span', null, /^https?:/.test(n.url) ? h('a', { href: `${n.url}/#/cluster`, title: 'Studio of this node' }, n.node) : n.node, h('br'), h('span', { class: 'dim' }, n.url), n.version ? h('span', { class: 'dim', title: 'version' }, ' · ', h('span', null, n.version)) : '') },
    { title: 'Role', cell: n => h('span', { class: classes[n.role] ?? '' }, n.role) },
    { title: 'Behind', number: true, cell: n => count(n.lag) },
    { title: 'Lag', number: true, cell: n => n.lagSeconds === null ? '' : seconds(n.lagSeconds) },
    { title: 'Transaction', number: true, cell: n => n.transaction ? count(n.transaction) : '' },
    { title: 'Place', number: true, cell: n => n.place ? count(n.place) : '' },
    { title: 'What it does', wrap: true, cell: doing },
    { title: '', cell: n => n.role === 'unreachable' ? remove(n.node) : n.role === 'follower' && !n.problem ? handOver(n.node) : '' },
  ], all, '', n => n.node);

  const drawHistory = async all => {
    const history = await ofWorker(`cluster/history?seconds=${tabs.seconds()}`, signal);
    if (names !== all.join()) {
      names = all.join();
      const series = all.map((name, i) => ({ name, color: colors[i % colors.length] }));
      lines = [[chart('Transactions behind', count, series), 'lag'], [chart('Lag', seconds, series), 'lagSeconds']];
      charts.replaceChildren(...lines.map(([one]) => one.element));
    }
    for (const [one, figure] of lines) one.update(all.map(name => history.series[`node/${name}/${figure}`] ?? []), history.last, history.secondsPerPoint);
    const led = history.elections.map((e, i, list) => ({ ...e, until: list[i + 1]?.time })).reverse();
    refresh(elections, table([
      { title: 'Since', cell: e => time(e.time) },
      { title: 'Leader', cell: e => e.leader },
      { title: 'Epoch', number: true, cell: e => count(e.epoch) },
      { title: 'Led for', number: true, cell: e => e.until ? seconds(Math.max(0.001, (Date.parse(e.until) - Date.parse(e.time)) / 1000)) : `${since(e.time)} until now` },
    ], led, 'No node has led yet.', e => String(e.epoch)));
  };
  const draw = telling(async () => {
    const view = await ofWorker('cluster/status', signal);
    // By name, so that rows stay in place when another node leads.
    const all = [...view.nodes].sort((a, b) => a.node < b.node ? -1 : 1);
    const leads = all.some(n => n.role === 'leader'), answering = all.filter(n => n.role !== 'unreachable').length;
    refresh(head,
      leads ? '' : h('div', { class: 'alert bad-edge', role: 'alert', 'data-key': 'leader' }, h('b', null, 'No node leads.'), h('span', null, `Writes wait. ${view.leader ? `The last leader was ${view.leader}.` : ''} A node claims the lead by itself once it reads the log.`)),
      figures([
        ['leader', leads ? view.leader ?? '' : 'none'], ['leads since', leads && view.since ? shortTime(view.since) : '–'], ['epoch', count(view.epoch)],
        ['nodes that answer', h('span', { class: answering < all.length ? 'bad' : '' }, `${answering} of ${all.length}`)], ['records in the log', view.logUse ? count(Math.max(view.logUse.end, ...all.map(n => n.place)) - view.logUse.first) : '–'],
      ]),
      h('p', { class: 'dim', style: 'overflow-wrap:anywhere' }, `As ${view.askedNode} sees it. Database ${view.database}, log ${view.log}.${view.logUse?.heldBy ? ` The log is kept because ${view.logUse.heldBy}.` : ''}`));
    refresh(nodes, nodeTable(all));
    if (performance.now() - drawn < historyEvery) return;
    drawn = performance.now();
    await drawHistory(all.map(n => n.node));
  });
  const tabs = timeTabs('cluster', () => { drawn = 0; draw(); });

  const first = await ofWorker('cluster/status', signal);
  if (!first) throw new Error('This server is not a node of a cluster.');
  main.replaceChildren(h('div', { class: 'bar' }, h('h1', { class: 'grow' }, `Cluster ${first.cluster}`), verify), told, head, nodes,
    h('div', { class: 'bar', style: 'margin-top:1.25rem' }, h('h2', { class: 'grow', style: 'margin:0' }, 'How far the nodes are behind'), tabs.element), charts, h('h2', null, 'Changes of leader'), elections);
  await live(signal, draw);
}

/** What a node does besides following, and what is wrong with it. */
const doing = n => h('span', null,
  n.copyBytes === null ? n.doing ?? '' : progress(n.filledBytes, n.copyBytes, n.doing),
  n.problem ? h('span', { class: 'bad' }, n.problem) : '',
  n.role === 'unreachable' && n.answered ? h('span', { class: 'dim' }, ` It answered last at ${shortTime(n.answered)}.`) : '');

/** What a comparison of the stores found. */
function verified(result) {
  return h('div', { class: `alert ${result.areEqual ? 'good-edge' : 'bad-edge'}` },
    h('b', null, `${result.areEqual ? 'All stores are equal' : 'The stores are not shown to be equal'} at transaction ${count(result.transaction)}.`),
    result.nodes.map(n => h('span', null, `${n.node}: `, n.digest ? h('code', { class: 'dim', title: n.digest }, `SHA-256 ${n.digest.slice(0, 16)}…`) : h('span', { class: 'bad' }, n.problem ?? 'It missed the transaction.'))));
}
