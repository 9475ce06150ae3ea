// RavenDB's own Node.js client with the addresses of three nodes, while they hand over to each other. NODES are the addresses, CLIENT the path of the client's module, MOVES how
// often another node leads. After each handover, changes and a subscription must tell of a document that is written then. Prints one line of JSON.
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const raven = await import(pathToFileURL(process.env.CLIENT));
const nodes = process.env.NODES.split(',');
const most = 30_000;
const store = new raven.DocumentStore(nodes, 'shop');
store.initialize();
const errors = {};
const noted = e => { const text = `${e.name}: ${e.message}`.slice(0, 200); errors[text] = (errors[text] ?? 0) + 1; };

async function insist(call) {
    for (;;) {
        try {
            return await call();
        } catch (e) {
            noted(e);
            await pause(50);
        }
    }
}

const write = number => insist(async () => {
    const session = store.openSession();
    await session.store({ number, '@metadata': { '@collection': 'Orders' } }, `orders/${number}`);
    await session.saveChanges();
});

const changed = new Set();
const delivered = new Set();
const ended = [];
await write(0);
const changes = store.changes();
changes.on('error', noted);
await changes.ensureConnectedNow();
changes.forAllDocuments().on('data', change => changed.add(change.id)).on('error', noted);
const subscription = await insist(() => store.subscriptions.create({ name: 'orders', query: 'from Orders' }));
const worker = store.subscriptions.getSubscriptionWorker({ subscriptionName: subscription, timeToWaitBeforeConnectionRetry: 100, maxErroneousPeriod: 120_000 });
worker.on('batch', (batch, done) => {
    for (const item of batch.items) delivered.add(item.result.number);
    done();
});
worker.on('error', e => ended.push(`${e.name}: ${e.message}`));
worker.on('connectionRetry', noted);
const unexpected = [];
worker.on('unexpectedSubscriptionError', e => unexpected.push(`${e.name}: ${e.message}`));

const ask = async (node, path, options) => (await fetch(node + path, { ...options, signal: AbortSignal.timeout(5_000) })).json();
const leader = () => insist(async () => {
    for (const node of nodes) {
        const view = await ask(node, '/cluster/node');
        if (view.role === 'leader') return { node, name: view.node };
    }
    throw new Error('no node leads');
});

/** Milliseconds from a handover until a document that was written after it is told; null if it never is. A change before the client is back is not told again. */
async function until(told, numbers, began) {
    while (Date.now() - began < most) {
        if (numbers.some(told)) return Date.now() - began;
        await pause(10);
    }
    return null;
}

const moves = [];
let next = 0;
for (let move = 0; move < Number(process.env.MOVES); move++) {
    const before = await leader();
    const to = nodes.find(n => n !== before.node && moves.at(-1)?.from !== n);
    const name = (await ask(to, '/cluster/node')).node;
    await insist(async () => {
        const answer = await fetch(`${to}/cluster/handover?to=${name}`, { method: 'POST' });
        if (!answer.ok) throw new Error(`handover: ${await answer.text()}`);
    });
    const began = Date.now();
    const numbers = [];
    let writes = true;
    const writing = (async () => {
        while (writes) {
            await write(++next);
            numbers.push(next);
            await pause(50);
        }
    })();
    const [changesAfter, subscriptionAfter] = await Promise.all([
        until(n => changed.has(`orders/${n}`), numbers, began),
        until(n => delivered.has(n), numbers, began),
    ]);
    writes = false;
    await writing;
    moves.push({ from: before.node, to, changesAfter, subscriptionAfter });
}
const late = Date.now() + most;
const missing = () => Array.from({ length: next }, (_, i) => i + 1).filter(n => !delivered.has(n));
while (missing().length > 0 && Date.now() < late) await pause(50);
console.log(JSON.stringify({ moves, undelivered: missing(), ended, unexpected, errors }));
process.exit(0);
