// RavenDB's own Node.js client with the addresses of three nodes, while their leaders die. NODES are the addresses, CLIENT the path of the client's module; with
// SUBSCRIBES, a subscription must get every document. It writes until it reads "stop", and prints one line of JSON: what was acknowledged, and what must not have happened.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const raven = await import(pathToFileURL(process.env.CLIENT));
const store = new raven.DocumentStore(process.env.NODES.split(','), 'shop');
store.initialize();

let stopped = false;
const input = createInterface({ input: process.stdin });
input.on('line', line => { if (line === 'stop') stopped = true; });

const faults = [];
const errors = {};
const noted = e => { const text = `${e.name}: ${e.message}`.slice(0, 200); errors[text] = (errors[text] ?? 0) + 1; };

/** Calls again until it works, as an application does; the outcome of a call that failed is not known. */
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

// Documents: each that was acknowledged must be there at the end.
const orders = [];
let next = 0;
async function writeOrders() {
    while (!stopped) {
        const number = ++next;
        await insist(async () => {
            const session = store.openSession();
            await session.store({ number, '@metadata': { '@collection': 'Orders' } }, `orders/${number}`);
            await session.saveChanges();
        });
        orders.push(number);
    }
}

/** A register: reads never go back behind what was acknowledged, and no two writers are told that they wrote the same value. */
class Register {
    constructor(name) {
        this.name = name;
        this.highest = 0;
        this.written = new Set();
        this.refused = 0;
    }

    /** @param read Gives { value, … } @param write Writes value + 1 on top of what was read; false if it was changed meanwhile. */
    async increment(read, write) {
        while (!stopped) {
            const before = this.highest;
            let found;
            try {
                found = await read();
            } catch (e) {
                noted(e);
                await pause(50);
                continue;
            }
            if (found.value < before) faults.push(`${this.name}: ${found.value} was read after ${before} had been acknowledged`);
            try {
                if (!(await write(found))) {
                    this.refused++;
                    continue;
                }
            } catch (e) {
                if (/Concurrency/.test(e.name)) this.refused++;
                else noted(e);
                await pause(20);
                continue;
            }
            const value = found.value + 1;
            if (this.written.has(value)) faults.push(`${this.name}: two writes of ${value} were acknowledged`);
            this.written.add(value);
            this.highest = Math.max(this.highest, value);
        }
    }
}

const byVersion = new Register('change vector');
async function incrementDocument() {
    await byVersion.increment(
        async () => {
            const session = store.openSession();
            session.advanced.useOptimisticConcurrency = true;
            const document = await session.load('counters/1');
            return { session, document, value: document.value };
        },
        async ({ session, document }) => {
            document.value++;
            await session.saveChanges();
            return true;
        });
}

const byExchange = new Register('compare-exchange');
async function incrementValue() {
    await byExchange.increment(
        async () => {
            const found = await store.operations.send(new raven.GetCompareExchangeValueOperation('counter'));
            return { value: found?.value ?? 0, index: found?.index ?? 0 };
        },
        async ({ value, index }) => (await store.operations.send(new raven.PutCompareExchangeValueOperation('counter', value + 1, index))).successful);
}

await insist(async () => {
    const session = store.openSession();
    await session.store({ value: 0, '@metadata': { '@collection': 'Counters' } }, 'counters/1');
    await session.saveChanges();
});
const delivered = new Set();
let worker;
if (process.env.SUBSCRIBES) {
    const subscription = await insist(() => store.subscriptions.create({ name: 'orders', query: 'from Orders' }));
    worker = store.subscriptions.getSubscriptionWorker({ subscriptionName: subscription, timeToWaitBeforeConnectionRetry: 100, maxErroneousPeriod: 120_000 });
    worker.on('batch', (batch, done) => {
        for (const item of batch.items) delivered.add(item.result.number);
        done();
    });
    worker.on('error', e => faults.push(`the subscription ended: ${e.name}: ${e.message}`));
    worker.on('connectionRetry', noted);
}

console.log('ready');
await Promise.all([writeOrders(), writeOrders(), incrementDocument(), incrementDocument(), incrementValue(), incrementValue()]);

const missing = [];
for (let from = 0; from < orders.length; from += 500) {
    const ids = orders.slice(from, from + 500).map(n => `orders/${n}`);
    const loaded = await insist(() => store.openSession().load(ids));
    missing.push(...ids.filter(id => !loaded[id]));
}
const until = Date.now() + 60_000;
while (worker && orders.some(n => !delivered.has(n)) && Date.now() < until) await pause(50);
const last = await insist(() => store.openSession().load('counters/1'));
const lastExchanged = (await insist(() => store.operations.send(new raven.GetCompareExchangeValueOperation('counter')))).value;
if (last.value < byVersion.highest) faults.push(`change vector: ${last.value} at the end, ${byVersion.highest} was acknowledged`);
if (lastExchanged < byExchange.highest) faults.push(`compare-exchange: ${lastExchanged} at the end, ${byExchange.highest} was acknowledged`);
console.log(JSON.stringify({
    orders: orders.length,
    missing,
    undelivered: worker ? orders.filter(n => !delivered.has(n)) : [],
    increments: byVersion.written.size,
    exchanges: byExchange.written.size,
    refused: byVersion.refused + byExchange.refused,
    faults,
    errors,
}));
worker?.dispose();
store.dispose();
input.close();
