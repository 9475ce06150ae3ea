// RavenDB's own Node.js client against our server, used as its documentation shows. SERVER is the server's address, CLIENT the path of the client's module; over TLS, PFX and
// PASSWORD are the client's certificate and CA the server's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const raven = await import(pathToFileURL(process.env.CLIENT));
const authentication = process.env.PFX && { type: 'pfx', certificate: readFileSync(process.env.PFX), password: process.env.PASSWORD, ca: readFileSync(process.env.CA) };

class DocumentStore extends raven.DocumentStore {
    constructor(url, database) {
        super(url, database, authentication || undefined);
    }
}

class User {
    constructor(name, age, companyId) {
        this.name = name;
        this.age = age;
        this.companyId = companyId;
    }
}

class Company {
    constructor(name) {
        this.name = name;
    }
}

class Users_ByName extends raven.AbstractCsharpIndexCreationTask {
    constructor() {
        super();
        this.map = 'from u in docs.Users select new { u.name, u.age }';
        this.index('name', 'Search');
    }
}

let last = 0;

/** A test with a store on a new database that is deleted at the end. */
function on(name, use) {
    test(name, { timeout: 60_000 }, async () => {
        const database = `test-${process.pid}-${++last}`;
        const store = new DocumentStore(process.env.SERVER, database);
        store.initialize();
        await store.maintenance.server.send(new raven.CreateDatabaseOperation({ databaseName: database }));
        try {
            await use(store, database);
        } finally {
            await store.maintenance.server.send(new raven.DeleteDatabasesOperation({ databaseNames: [database], hardDelete: true }));
            store.dispose();
        }
    });
}

async function storeAll(store, documents) {
    const session = store.openSession();
    for (const [id, document] of Object.entries(documents)) await session.store(document, id);
    await session.saveChanges();
}

const people = () => ({
    'companies/1': new Company('Acme'),
    'users/1': new User('Ann', 31, 'companies/1'),
    'users/2': new User('Bob', 45, 'companies/1'),
    'users/3': new User('Cid', 17, null),
});

on('a session stores, loads, changes and deletes', async store => {
    let session = store.openSession();
    const user = new User('Ann', 31);
    await session.store(user);
    await session.saveChanges();
    assert.match(user.id, /^users\/1-A$/);
    assert.match(session.advanced.getChangeVectorFor(user), /^A:\d+-.{22}$/);
    session = store.openSession();
    const loaded = await session.load(user.id, User);
    assert.ok(loaded instanceof User);
    assert.equal(loaded.name, 'Ann');
    loaded.age = 32;
    await session.saveChanges();
    session = store.openSession();
    const changed = await session.load(user.id);
    assert.equal(changed.age, 32);
    await session.delete(changed);
    await session.saveChanges();
    assert.equal(await store.openSession().load(user.id), null);
});

on('metadata are kept', async store => {
    let session = store.openSession();
    const user = new User('Ann', 31);
    await session.store(user, 'users/1');
    session.advanced.getMetadataFor(user)['Tenant'] = 'spain';
    await session.saveChanges();
    session = store.openSession();
    const metadata = session.advanced.getMetadataFor(await session.load('users/1'));
    assert.equal(metadata['Tenant'], 'spain');
    assert.equal(metadata['@collection'], 'Users');
    assert.ok(session.advanced.getLastModifiedFor(await session.load('users/1')) instanceof Date);
});

on('ids are made by hilo, by the server and as identities', async store => {
    const session = store.openSession();
    const users = Array.from({ length: 40 }, (_, i) => new User(`n${i}`, i));
    for (const user of users) await session.store(user);
    const [sorted, identity] = [new User('s', 1), new User('i', 1)];
    await session.store(sorted, 'users/');
    await session.store(identity, 'users|');
    await session.saveChanges();
    assert.equal(new Set(users.map(u => u.id)).size, 40);
    assert.match(sorted.id, /^users\/\d{19}-A$/);
    assert.equal(identity.id, 'users/1');
    assert.equal((await store.openSession().load(['users/1-A', 'users/40-A']))['users/40-A'].name, 'n39');
});

on('included documents come with the request', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    const user = await session.include('companyId').load('users/1');
    assert.equal((await session.load(user.companyId)).name, 'Acme');
    assert.equal(session.advanced.numberOfRequests, 1);
});

on('two sessions that change one document conflict', async store => {
    await storeAll(store, people());
    const [one, two] = [store.openSession(), store.openSession()];
    one.advanced.useOptimisticConcurrency = true;
    const [mine, theirs] = [await one.load('users/1'), await two.load('users/1')];
    theirs.name = 'Anna';
    await two.saveChanges();
    mine.name = 'Anne';
    await assert.rejects(one.saveChanges(), { name: 'ConcurrencyException' });
    assert.equal((await store.openSession().load('users/1')).name, 'Anna');
});

on('a batch is all or nothing', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    await session.store(new User('Dan', 20), 'users/4');
    await session.store(new User('again', 1), 'users/1', { changeVector: '' });
    await assert.rejects(session.saveChanges(), { name: 'ConcurrencyException' });
    assert.equal(await store.openSession().load('users/4'), null);
});

on('queries filter, order, page and count', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    let statistics;
    const found = await session.query(User).statistics(s => { statistics = s; })
        .whereGreaterThan('age', 10).orderByDescending('age', 'Long').skip(1).take(1).waitForNonStaleResults().all();
    assert.deepEqual(found.map(u => u.name), ['Ann']);
    assert.ok(found[0] instanceof User);
    assert.equal(statistics.totalResults, 3);
    assert.equal(statistics.isStale, false);
    assert.match(statistics.indexName, /^Auto\/Users\//);
    assert.equal((await session.query(User).whereIn('name', ['Bob', 'Cid']).all()).length, 2);
    assert.equal((await session.query(User).whereStartsWith('name', 'A').single()).name, 'Ann');
    assert.equal((await session.query(User).whereEquals('name', 'Zoe').firstOrNull()), null);
    assert.equal(await session.query(User).whereBetween('age', 30, 50).count(), 2);
    assert.equal(await session.query(User).any(), true);
    assert.deepEqual((await session.advanced.rawQuery('from Users where age < $most').addParameter('most', 20).all()).map(u => u.name), ['Cid']);
});

on('queries project, group and include', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    const names = await session.query({ collection: 'Users' }).orderBy('name').selectFields(['name']).waitForNonStaleResults().all();
    assert.deepEqual(names.map(n => n.name ?? n), ['Ann', 'Bob', 'Cid']);
    const groups = await session.query({ collection: 'Users' }).groupBy('companyId').selectKey('companyId').selectCount('users').waitForNonStaleResults().all();
    assert.deepEqual(groups.map(g => [g.companyId, g.users]).sort(), [['companies/1', 2], [null, 1]].sort());
    const reader = store.openSession();
    const user = await reader.query(User).whereEquals('name', 'Ann').include('companyId').waitForNonStaleResults().single();
    assert.equal((await reader.load(user.companyId)).name, 'Acme');
    assert.equal(reader.advanced.numberOfRequests, 1);
});

on('a C# index is put, searched, listed, reset and deleted', async store => {
    await storeAll(store, people());
    await new Users_ByName().execute(store);
    const session = store.openSession();
    const found = await session.query({ indexName: 'Users/ByName' }).search('name', 'ann bob').orderBy('name').waitForNonStaleResults().all();
    assert.deepEqual(found.map(u => u.name), ['Ann', 'Bob']);
    assert.deepEqual(await store.maintenance.send(new raven.GetIndexNamesOperation(0, 10)), ['Users/ByName']);
    assert.equal((await store.maintenance.send(new raven.GetIndexOperation('Users/ByName'))).fields.name.indexing, 'Search');
    assert.equal((await store.maintenance.send(new raven.GetIndexStatisticsOperation('Users/ByName'))).entriesCount, 3);
    if (raven.GetEssentialStatisticsOperation)
        assert.deepEqual((await store.maintenance.send(new raven.GetEssentialStatisticsOperation())).indexes.map(i => i.name), ['Users/ByName']);
    await store.maintenance.send(new raven.ResetIndexOperation('Users/ByName'));
    await store.maintenance.send(new raven.DeleteIndexOperation('Users/ByName'));
    assert.ok(!await store.maintenance.send(new raven.GetIndexOperation('Users/ByName')));
});

on('lazy requests go together', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    const [users, company] = [session.query(User).whereEquals('age', 45).waitForNonStaleResults().lazily(), session.advanced.lazily.load('companies/1')];
    assert.deepEqual((await users.getValue()).map(u => u.name), ['Bob']);
    assert.equal((await company.getValue()).name, 'Acme');
    assert.equal(session.advanced.numberOfRequests, 1);
});

on('bulk insert and streams', async store => {
    const insert = store.bulkInsert();
    for (let i = 0; i < 2000; i++) await insert.store(new User(`n${i}`, i), `users/${String(i).padStart(4, '0')}`);
    await insert.finish();
    assert.equal((await store.maintenance.send(new raven.GetStatisticsOperation())).countOfDocuments, 2000);
    const session = store.openSession();
    const ids = [];
    for await (const item of await session.advanced.stream('users/1')) ids.push(item.id);
    assert.equal(ids.length, 1000);
    await session.query(User).whereGreaterThan('age', 0).waitForNonStaleResults().take(1).all();
    let statistics;
    const ages = [];
    for await (const item of await session.advanced.stream(session.query(User).whereGreaterThan('age', 1499).orderBy('age', 'Long'), s => { statistics = s; })) ages.push(item.document.age);
    assert.deepEqual(ages, Array.from({ length: 500 }, (_, i) => 1500 + i));
    assert.equal(statistics.totalResults, 500);
});

on('documents by prefix and pattern', async store => {
    await storeAll(store, Object.fromEntries(['a/11', 'a/12', 'a/21', 'b/11'].map(id => [id, new User(id, 1)])));
    const session = store.openSession();
    assert.deepEqual((await session.advanced.loadStartingWith('a/', { matches: '1*' })).map(u => u.id), ['a/11', 'a/12']);
    assert.deepEqual((await session.advanced.loadStartingWith('a/', { exclude: '*1' })).map(u => u.id), ['a/12']);
    assert.deepEqual((await session.advanced.loadStartingWith('a/', { startAfter: 'a/11', pageSize: 1 })).map(u => u.id), ['a/12']);
});

on('deletion by query is an operation', async store => {
    await storeAll(store, people());
    await store.openSession().query(User).whereGreaterThan('age', 0).waitForNonStaleResults().all();
    const operation = await store.operations.send(new raven.DeleteByQueryOperation({ query: 'from Users where age > 20' }));
    await operation.waitForCompletion();
    assert.equal((await store.maintenance.send(new raven.GetStatisticsOperation())).countOfDocuments, 2);
});

on('what was read before and has not changed is not sent again', async store => {
    await storeAll(store, people());
    const read = async () => (await store.openSession().load('users/1')).name;
    assert.equal(await read(), 'Ann');
    assert.equal(await read(), 'Ann');
    await storeAll(store, { 'users/1': new User('Anna', 31) });
    assert.equal(await read(), 'Anna');
});

on('errors are the ones that clients know', async store => {
    const session = store.openSession();
    await assert.rejects(session.advanced.rawQuery('from Users where').all(), { name: 'InvalidQueryException' });
    await assert.rejects(session.query({ indexName: 'Nope' }).all(), { name: 'IndexDoesNotExistException' });
    await assert.rejects(store.maintenance.send(new raven.PutIndexesOperation(Object.assign(new raven.IndexDefinition(), { name: 'Bad', maps: new Set(['from u in docs.Users select new { u.name. }']) }))), { name: 'IndexCompilationException' });
    const missing = new DocumentStore(process.env.SERVER, 'no-such-database');
    missing.initialize();
    await assert.rejects(missing.openSession().load('users/1'), { name: 'DatabaseDoesNotExistException' });
    missing.dispose();
});

on('databases are listed and are made once', async (store, database) => {
    assert.ok((await store.maintenance.server.send(new raven.GetDatabaseNamesOperation(0, 1000))).includes(database));
    await assert.rejects(store.maintenance.server.send(new raven.CreateDatabaseOperation({ databaseName: database })), { name: 'ConcurrencyException' });
    await assert.rejects(store.maintenance.server.send(new raven.CreateDatabaseOperation({ databaseName: '../outside' })));
});

on('attachments are put, read, listed, moved and deleted', async store => {
    const large = Buffer.alloc(1_300_000, 'abcdefg');
    let session = store.openSession();
    const user = new User('Ann', 31);
    await session.store(user, 'users/1');
    await session.store(new User('Bob', 45), 'users/2');
    session.advanced.attachments.store('users/1', 'photo.png', Buffer.from('not a png'), 'image/png');
    session.advanced.attachments.store('users/1', 'large', Readable.from([large.subarray(0, 700_000), large.subarray(700_000)]));
    await session.saveChanges();
    assert.deepEqual(session.advanced.attachments.getNames(user).map(a => a.name).sort(), ['large', 'photo.png']);
    user.age = 32;
    await session.saveChanges();

    session = store.openSession();
    const loaded = await session.load('users/1', User);
    const names = session.advanced.attachments.getNames(loaded);
    assert.deepEqual(names.map(a => [a.name, a.contentType, a.size]), [['large', '', 1_300_000], ['photo.png', 'image/png', 9]]);
    assert.equal(loaded.age, 32);
    assert.equal(await session.advanced.attachments.exists('users/1', 'photo.png'), true);
    assert.equal(await session.advanced.attachments.exists('users/1', 'none'), false);
    const got = await session.advanced.attachments.get('users/1', 'large');
    assert.equal(got.details.size, 1_300_000);
    assert.equal(got.details.hash, names[0].hash);
    const parts = [];
    for await (const part of got.data) parts.push(part);
    got.dispose();
    assert.ok(Buffer.concat(parts).equals(large));
    assert.equal(await session.advanced.attachments.get('users/1', 'none'), null);

    const other = await session.load('users/2', User);
    session.advanced.attachments.move(loaded, 'large', other, 'moved');
    session.advanced.attachments.copy('users/1', 'photo.png', 'users/2', 'copy');
    session.advanced.attachments.delete('users/1', 'photo.png');
    await session.saveChanges();
    assert.deepEqual([loaded, other].map(d => session.advanced.attachments.getNames(d).length), [0, 2]);
    session = store.openSession();
    session.advanced.attachments.copy('users/2', 'copy', 'users/2', 'moved');
    await assert.rejects(session.saveChanges(), e => e.name === 'ConcurrencyException');
    session = store.openSession();
    assert.deepEqual(session.advanced.attachments.getNames(await session.load('users/1', User)), []);
    assert.deepEqual(session.advanced.attachments.getNames(await session.load('users/2', User)).map(a => a.name), ['copy', 'moved']);

    const put = await store.operations.send(new raven.PutAttachmentOperation('users/2', 'third', Buffer.from('3'), 'text/plain'));
    assert.equal(put.size, 1);
    await assert.rejects(store.operations.send(new raven.PutAttachmentOperation('users/9', 'x', Buffer.from('3'))), e => e.name === 'DocumentDoesNotExistException');
    await store.operations.send(new raven.DeleteAttachmentOperation('users/2', 'third'));
    await session.delete(await session.load('users/2', User));
    await session.saveChanges();
    assert.equal(await session.advanced.attachments.exists('users/2', 'moved'), false);
});

on('compare-exchange values are set by who knows their index', async store => {
    const send = operation => store.operations.send(operation);
    const made = await send(new raven.PutCompareExchangeValueOperation('emails/ann', 'users/1', 0));
    assert.equal(made.successful, true);
    const refused = await send(new raven.PutCompareExchangeValueOperation('emails/ann', 'users/2', 0));
    assert.deepEqual([refused.successful, refused.value, refused.index], [false, 'users/1', made.index]);
    await send(new raven.PutCompareExchangeValueOperation('emails/bob', { name: 'Bob' }, 0));
    const values = await send(new raven.GetCompareExchangeValuesOperation({ startWith: 'emails/' }));
    assert.deepEqual(Object.keys(values).sort(), ['emails/ann', 'emails/bob']);
    const bob = await send(new raven.GetCompareExchangeValueOperation('emails/bob'));
    assert.equal(bob.value.name, 'Bob');
    assert.equal((await send(new raven.GetCompareExchangeValueOperation('emails/none'))) ?? null, null);
    assert.equal((await send(new raven.DeleteCompareExchangeValueOperation('emails/ann', 999))).successful, false);
    assert.equal((await send(new raven.DeleteCompareExchangeValueOperation('emails/ann', made.index))).successful, true);
});

on('a cluster-wide session saves documents and values together, and fails whole', async store => {
    const open = () => store.openSession({ transactionMode: 'ClusterWide' });
    let session = open();
    await session.store(new User('Ann', 31), 'users/1');
    session.advanced.clusterTransaction.createCompareExchangeValue('emails/ann', 'users/1');
    await session.saveChanges();

    session = open();
    const loaded = await session.load('users/1', User);
    const value = await session.advanced.clusterTransaction.getCompareExchangeValue('emails/ann');
    assert.equal(value.value, 'users/1');
    loaded.age = 32;
    value.value = 'users/9';
    await session.saveChanges();

    const late = open();
    const stale = await late.load('users/1', User);
    const first = open();
    (await first.load('users/1', User)).age = 40;
    await first.saveChanges();
    stale.age = 50;
    late.advanced.clusterTransaction.createCompareExchangeValue('emails/late', 1);
    await assert.rejects(late.saveChanges(), e => e.name === 'ClusterTransactionConcurrencyException');
    const blind = open();
    await blind.store(new User('Other', 1), 'users/1');
    await assert.rejects(blind.saveChanges(), e => e.name === 'ClusterTransactionConcurrencyException');
    session = open();
    const kept = await session.load('users/1', User);
    assert.equal(kept.age, 40);
    assert.equal(await session.advanced.clusterTransaction.getCompareExchangeValue('emails/late'), null);
    await session.delete(kept);
    await session.saveChanges();
    const again = open();
    await again.store(new User('Anew', 1), 'users/1');
    await again.saveChanges();
});

/** Waits until something holds; the test's own time limit ends it. */
async function until(holds) {
    while (!await holds()) await new Promise(resolve => setTimeout(resolve, 20));
}

/** Works on a subscription until so many items are acknowledged; gives what was made of them. */
function take(worker, count, make = item => item.id) {
    const taken = [];
    return new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('afterAcknowledgment', () => {
            if (taken.length < count) return;
            worker.dispose();
            resolve(taken);
        });
        worker.on('batch', async (batch, done) => {
            try {
                for (const item of [...batch.items]) taken.push(await make(item, batch));
                done();
            } catch (e) {
                done(e);
            }
        });
    });
}

/** The name of the error with which a worker ends. */
function failure(worker) {
    return new Promise(resolve => {
        worker.on('error', e => { worker.dispose(); resolve(e.name); });
        worker.on('batch', (batch, done) => done());
    });
}

on('a subscription gives documents in order, and goes on where it was acknowledged', async store => {
    await storeAll(store, people());
    const name = await store.subscriptions.create({ query: 'from Users' });
    assert.deepEqual(await take(store.subscriptions.getSubscriptionWorker({ subscriptionName: name, maxDocsPerBatch: 1 }), 3), ['users/1', 'users/2', 'users/3']);
    await storeAll(store, { 'users/4': new User('Dan', 20) });
    assert.deepEqual(await take(store.subscriptions.getSubscriptionWorker({ subscriptionName: name, documentType: User }), 1, i => [i.id, i.result.name, i.result instanceof User]), [['users/4', 'Dan', true]]);
    const state = await store.subscriptions.getSubscriptionState(name);
    assert.match(state.changeVectorForNextBatchStartingPoint, /^A:\d+-/);
    assert.equal(state.subscriptionName, name);
});

on('a subscription filters, includes, and is changed', async store => {
    await storeAll(store, people());
    const name = await store.subscriptions.create({ name: 'adults', query: 'from Users as u where u.age > 20 include u.companyId' });
    assert.equal(name, 'adults');
    const seen = await take(store.subscriptions.getSubscriptionWorker(name), 2, async (item, batch) => {
        if (item.id !== 'users/1') return item.id;
        const session = batch.openSession();
        const company = await session.load(item.result.companyId);
        return [item.id, company.name, session.advanced.numberOfRequests];
    });
    assert.deepEqual(seen, [['users/1', 'Acme', 0], 'users/2']);
    await store.subscriptions.update({ name, query: 'from Users where age < 20' });
    await storeAll(store, { 'users/5': new User('Eve', 11), 'users/6': new User('Fay', 66) });
    assert.deepEqual(await take(store.subscriptions.getSubscriptionWorker(name), 1), ['users/5']);
    assert.equal((await store.subscriptions.getSubscriptionState(name)).query, 'from Users where age < 20');
    await assert.rejects(store.subscriptions.create({ query: 'from Users where' }), { name: 'InvalidQueryException' });
});

on('a subscription can begin with what comes next, and end when nothing is left', async store => {
    await storeAll(store, people());
    const name = await store.subscriptions.create({ documentType: User, changeVector: 'LastDocument' });
    await storeAll(store, { 'users/4': new User('Dan', 20) });
    const worker = store.subscriptions.getSubscriptionWorker({ subscriptionName: name, closeWhenNoDocsLeft: true });
    const ids = [];
    const ended = new Promise(resolve => worker.on('error', resolve));
    worker.on('batch', (batch, done) => { ids.push(...batch.items.map(i => i.id)); done(); });
    assert.equal((await ended).name, 'SubscriptionClosedException');
    worker.dispose();
    assert.deepEqual(ids, ['users/4']);
});

on('a subscription is refused, taken over, waited for and shared', async store => {
    const name = await store.subscriptions.create({ query: 'from Users' });
    const open = strategy => store.subscriptions.getSubscriptionWorker({ subscriptionName: name, strategy, timeToWaitBeforeConnectionRetry: 50 });
    const connected = worker => new Promise(resolve => worker.on('onEstablishedSubscriptionConnection', resolve));
    const first = open('OpenIfFree');
    const firstConnected = connected(first);
    const firstEnds = failure(first);
    await firstConnected;
    assert.equal(await failure(open('OpenIfFree')), 'SubscriptionInUseException');
    const second = open('TakeOver');
    const secondConnected = connected(second);
    const secondEnds = failure(second);
    await secondConnected;
    assert.equal(await firstEnds, 'SubscriptionInUseException');
    const third = open('WaitForFree');
    const items = take(third, 1);
    await store.subscriptions.dropConnection(name);
    assert.equal(await secondEnds, 'SubscriptionClosedException');
    await storeAll(store, { 'users/1': new User('Ann', 1) });
    assert.deepEqual(await items, ['users/1']);
    const seen = [];
    const shared = [open('Concurrent'), open('Concurrent')];
    for (const worker of shared) {
        worker.on('error', () => {});
        worker.on('batch', (batch, done) => { seen.push(...batch.items.map(i => i.id)); done(); });
    }
    await storeAll(store, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`users/${i + 10}`, new User(`n${i}`, i)])));
    await until(() => new Set(seen).size === 40);
    for (const worker of shared) worker.dispose();
});

on('subscriptions are listed, paused and deleted', async store => {
    for (const name of ['a', 'b', 'c']) await store.subscriptions.create({ name, query: 'from Users' });
    assert.deepEqual((await store.subscriptions.getSubscriptions(1, 2)).map(s => s.subscriptionName), ['b', 'c']);
    await store.subscriptions.disable('b');
    assert.equal((await store.subscriptions.getSubscriptionState('b')).disabled, true);
    assert.equal(await failure(store.subscriptions.getSubscriptionWorker('b')), 'SubscriptionClosedException');
    await store.subscriptions.enable('b');
    await storeAll(store, people());
    assert.equal((await take(store.subscriptions.getSubscriptionWorker('b'), 3)).length, 3);
    const worker = store.subscriptions.getSubscriptionWorker('c');
    const ends = failure(worker);
    await new Promise(resolve => worker.on('afterAcknowledgment', resolve));
    await store.subscriptions.delete('c');
    assert.equal(await ends, 'SubscriptionDoesNotExistException');
    assert.equal(await failure(store.subscriptions.getSubscriptionWorker('c')), 'SubscriptionDoesNotExistException');
    await assert.rejects(store.subscriptions.getSubscriptionState('c'), { name: 'SubscriptionDoesNotExistException' });
});

/** Clients since 6.0 leave the read without a handler that ends with their own connection, which would end the process; the caller's error comes besides. */
async function withoutTheClientsRejection(use) {
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', error => {
        if (error.name !== 'SubscriptionException') for (const listener of listeners) listener(error);
    });
    try {
        return await use();
    } finally {
        process.removeAllListeners('unhandledRejection');
        for (const listener of listeners) process.on('unhandledRejection', listener);
    }
}

on('a batch whose handler fails is given again', store => withoutTheClientsRejection(async () => {
    await storeAll(store, people());
    const name = await store.subscriptions.create({ query: 'from Users' });
    const worker = store.subscriptions.getSubscriptionWorker(name);
    const failed = new Promise(resolve => worker.on('error', resolve));
    worker.on('batch', (batch, done) => done(new Error('no')));
    assert.equal((await failed).name, 'SubscriberErrorException');
    worker.dispose();
    assert.deepEqual(await take(store.subscriptions.getSubscriptionWorker(name), 3), ['users/1', 'users/2', 'users/3']);
}));

async function keepRevisions(store, collections = {}) {
    const configuration = new raven.RevisionsConfiguration();
    const policy = new raven.RevisionsCollectionConfiguration();
    policy.disabled = false;
    configuration.defaultConfig = policy;
    configuration.collections = new Map(Object.entries(collections));
    await store.maintenance.send(new raven.ConfigureRevisionsOperation(configuration));
}

on('a subscription gives every version with the one before', async store => {
    await keepRevisions(store);
    for (const age of [1, 2, 3]) await storeAll(store, { 'users/1': new User('Ann', age) });
    const name = await store.subscriptions.createForRevisions({ documentType: User });
    const worker = store.subscriptions.getSubscriptionWorkerForRevisions({ subscriptionName: name, documentType: User });
    assert.deepEqual(await take(worker, 3, i => [i.result.previous?.age ?? null, i.result.current?.age ?? null]), [[null, 1], [1, 2], [2, 3]]);
});

on('former versions are read', async store => {
    await keepRevisions(store);
    for (const age of [1, 2, 3]) await storeAll(store, { 'users/1': new User('Ann', age) });
    const between = new Date();
    await storeAll(store, { 'companies/1': new Company('Acme') });
    const session = store.openSession();
    const versions = await session.advanced.revisions.getFor('users/1', { documentType: User });
    assert.deepEqual(versions.map(v => v.age), [3, 2, 1]);
    assert.deepEqual((await session.advanced.revisions.getFor('users/1', { start: 1, pageSize: 1 })).map(v => v.age), [2]);
    const metadata = await session.advanced.revisions.getMetadataFor('users/1');
    assert.match(metadata[1]['@flags'], /Revision/);
    const vector = metadata[2]['@change-vector'];
    assert.equal((await session.advanced.revisions.get(vector)).age, 1);
    assert.deepEqual(Object.values(await session.advanced.revisions.get([vector, metadata[0]['@change-vector']])).map(v => v.age), [1, 3]);
    assert.equal((await session.advanced.revisions.get('users/1', new Date(between.getTime() + 60_000))).age, 3);
    assert.equal(await session.advanced.revisions.getCountFor('users/1'), 3);
    const lazily = session.advanced.revisions.lazily.getFor('users/1');
    assert.equal((await lazily.getValue()).length, 3);
    assert.deepEqual(await session.advanced.revisions.getFor('users/none'), []);
    const all = await store.operations.send(new raven.GetRevisionsOperation('users/1', { start: 0, pageSize: 2 }));
    assert.deepEqual([all.totalResults, all.results.length], [3, 2]);
});

on('a document is loaded only where it has changed', async store => {
    await storeAll(store, people());
    const session = store.openSession();
    const vector = session.advanced.getChangeVectorFor(await session.load('users/1'));
    assert.equal((await store.openSession().advanced.conditionalLoad('users/1', vector, User)).entity, null);
    await storeAll(store, { 'users/1': new User('Anna', 31) });
    const changed = await store.openSession().advanced.conditionalLoad('users/1', vector, User);
    assert.equal(changed.entity.name, 'Anna');
    assert.notEqual(changed.changeVector, vector);
    assert.equal((await store.openSession().advanced.conditionalLoad('users/none', vector, User)).entity, null);
});

/** Listens to what is watched; gives what it is told. */
async function listen(observable) {
    const told = [];
    observable.on('data', change => told.push(change));
    await observable.ensureSubscribedNow();
    return told;
}

on('changes of documents are told to those who watch them', async store => {
    await storeAll(store, { 'users/0': new User('before', 0) });
    const changes = store.changes();
    await changes.ensureConnectedNow();
    const all = await listen(changes.forAllDocuments());
    const one = await listen(changes.forDocument('USERS/2'));
    const prefix = await listen(changes.forDocumentsStartingWith('users/'));
    const collection = await listen(changes.forDocumentsInCollection('Companies'));
    await storeAll(store, people());
    const session = store.openSession();
    await session.delete('users/2');
    await session.saveChanges();
    await until(() => all.length === 5);
    assert.deepEqual(all.map(c => `${c.type} ${c.id}`), ['Put companies/1', 'Put users/1', 'Put users/2', 'Put users/3', 'Delete users/2']);
    assert.match(all[0].changeVector, /^A:\d+-/);
    assert.equal(all[0].collectionName, 'Companies');
    assert.deepEqual(one.map(c => c.type), ['Put', 'Delete']);
    assert.equal(prefix.length, 4);
    assert.deepEqual(collection.map(c => c.id), ['companies/1']);
    changes.dispose();
});

on('changes end when nobody listens any more', async store => {
    const changes = store.changes();
    await changes.ensureConnectedNow();
    const told = [];
    const handler = change => told.push(change.id);
    const observable = changes.forAllDocuments();
    observable.on('data', handler);
    await observable.ensureSubscribedNow();
    observable.off('data', handler);
    const other = await listen(changes.forDocument('users/3'));
    await storeAll(store, people());
    await until(() => other.length === 1);
    assert.deepEqual(told, []);
    changes.dispose();
});

on('changes of indexes and operations are told', async store => {
    const changes = store.changes();
    await changes.ensureConnectedNow();
    const indexes = await listen(changes.forAllIndexes());
    const one = await listen(changes.forIndex('Users/ByName'));
    const operations = await listen(changes.forAllOperations());
    await storeAll(store, people());
    await new Users_ByName().execute(store);
    await until(() => one.some(c => c.type === 'BatchCompleted'));
    const operation = await store.operations.send(new raven.DeleteByQueryOperation({ query: "from index 'Users/ByName' where age > 20" }));
    await operation.waitForCompletion();
    await until(() => operations.some(c => c.state.status === 'Completed'));
    await store.maintenance.send(new raven.DeleteIndexOperation('Users/ByName'));
    await until(() => one.some(c => c.type === 'IndexRemoved'));
    assert.equal(one[0].type, 'IndexAdded');
    assert.ok(indexes.length >= one.length);
    changes.dispose();
});

on('aggressive caching asks nothing twice', async store => {
    await storeAll(store, people());
    const executor = store.getRequestExecutor();
    await store.openSession().load('users/1');
    executor.aggressiveCaching = { duration: 60_000, mode: 'TrackChanges' };
    const before = executor.numberOfServerRequests;
    assert.equal((await store.openSession().load('users/1')).name, 'Ann');
    assert.equal(executor.numberOfServerRequests, before);
    executor.aggressiveCaching = null;
});

on('the queries of the client\'s introduction', async store => {
    await storeAll(store, {
        'users/1-A': Object.assign(new User('John', 30, 'companies/1'), { kids: ['Dmitri', 'Mara'], registeredAt: new Date(2017, 10, 10) }),
        'users/2-A': Object.assign(new User('Stefanie', 25), { registeredAt: new Date(2015, 6, 29) }),
        'users/3-A': Object.assign(new User('Thomas', 25), { registeredAt: new Date(2016, 3, 24) }),
    });
    const names = async build => (await build(store.openSession().query({ collection: 'users' }).waitForNonStaleResults()).all()).map(u => u.name ?? u).sort().join();
    assert.equal(await names(q => q.selectFields('name')), 'John,Stefanie,Thomas');
    assert.equal(await names(q => q.selectFields('age').distinct()), '25,30');
    assert.equal(await names(q => q.whereNotEquals('age', 30)), 'Stefanie,Thomas');
    assert.equal(await names(q => q.whereEndsWith('name', 's')), 'Thomas');
    assert.equal(await names(q => q.whereBetween('registeredAt', new Date(2016, 0, 1), new Date(2017, 0, 1))), 'Thomas');
    assert.equal(await names(q => q.whereLessThanOrEqual('age', 25)), 'Stefanie,Thomas');
    assert.equal(await names(q => q.whereExists('kids')), 'John');
    assert.equal(await names(q => q.containsAll('kids', ['Mara', 'Dmitri'])), 'John');
    assert.equal(await names(q => q.containsAny('kids', ['Mara', 'Zoe'])), 'John');
    assert.equal(await names(q => q.search('kids', 'Mara Zoe')), 'John');
    assert.equal(await names(q => q.whereExists('kids').orElse().openSubclause().whereEquals('age', 25).whereNotEquals('name', 'Thomas').closeSubclause()), 'John,Stefanie');
    assert.equal(await names(q => q.not().whereEquals('age', 25)), 'John');
    assert.equal(await names(q => q.whereEquals('name', 'Jhon').fuzzy(0.5)), 'John');
    assert.equal(await names(q => q.whereLucene('name', 'Jo*')), 'John');
    assert.equal(await names(q => q.whereEquals('name', 'John').boost(3).orElse().whereEquals('name', 'Thomas').orderByScore()), 'John,Thomas');
    assert.equal(await names(q => q.randomOrdering()), 'John,Stefanie,Thomas');
    assert.equal(await store.openSession().query({ collection: 'users' }).count(), 3);
});

on('suggestions, facets and similar documents', async store => {
    await storeAll(store, people());
    await store.maintenance.send(new raven.PutIndexesOperation(Object.assign(new raven.IndexDefinition(), {
        name: 'Users/Text', maps: new Set(['from u in docs.Users select new { u.name, u.age }']),
        fields: { name: Object.assign(new raven.IndexFieldOptions(), { indexing: 'Search', suggestions: true, storage: 'Yes', termVector: 'Yes' }) },
    })));
    const query = () => store.openSession().query({ indexName: 'Users/Text' }).waitForNonStaleResults();
    assert.equal((await query().all()).length, 3);
    const suggested = await query().suggestUsing(x => x.byField('name', 'anne').withOptions({ accuracy: 0.4, pageSize: 5 })).execute();
    assert.deepEqual(suggested.name.suggestions, ['ann']);
    const counted = await query().aggregateBy(x => x.byField('age')).execute();
    assert.deepEqual(counted.age.values.map(v => [v.range, v.count]).sort(), [['17', 1], ['31', 1], ['45', 1]]);
    assert.equal((await query().aggregateBy(x => x.byField('age')).executeLazy().getValue()).age.values.length, 3);
    assert.deepEqual(await store.maintenance.send(new raven.GetTermsOperation('Users/Text', 'name', null, 10)), ['ann', 'bob', 'cid']);
    await store.maintenance.send(new raven.SetIndexesPriorityOperation('Users/Text', 'High'));
    assert.equal((await store.maintenance.send(new raven.GetIndexOperation('Users/Text'))).priority, 'High');
});

on('identities are seeded', async store => {
    assert.equal(await store.maintenance.send(new raven.NextIdentityForOperation('invoices|')), 1);
    assert.equal(await store.maintenance.send(new raven.SeedIdentityForOperation('invoices|', 100)), 100);
    assert.equal(await store.maintenance.send(new raven.NextIdentityForOperation('invoices|')), 101);
    assert.equal((await store.maintenance.send(new raven.GetIdentitiesOperation()))['invoices|'], 101);
});

on('versions are kept on demand', async store => {
    await storeAll(store, { 'users/1': new User('Ann', 1) });
    let session = store.openSession();
    const user = await session.load('users/1', User);
    user.age = 2;
    session.advanced.revisions.forceRevisionCreationFor(user);
    await session.saveChanges();
    assert.deepEqual((await store.openSession().advanced.revisions.getFor('users/1')).map(v => v.age), [1]);
    session.advanced.revisions.forceRevisionCreationFor('users/1');
    await session.saveChanges();
    session.advanced.revisions.forceRevisionCreationFor('users/1');
    await session.saveChanges();
    assert.equal(await session.advanced.revisions.getCountFor('users/1'), 2);
    user.age = 3;
    await session.saveChanges();
    session = store.openSession();
    const made = new User('Bob', 1);
    await session.store(made, 'users/2');
    session.advanced.revisions.forceRevisionCreationFor(made);
    await assert.rejects(session.saveChanges(), e => e.name === 'RavenException' && /not saved on the server yet/.test(e.message));
});

on('values and versions are included', async store => {
    await keepRevisions(store);
    await storeAll(store, { 'users/1': new User('Ann', 1) });
    const vector = (await store.openSession().advanced.revisions.getMetadataFor('users/1'))[0]['@change-vector'];
    await store.operations.send(new raven.PutCompareExchangeValueOperation('emails/ann', { verified: true }, 0));
    await storeAll(store, { 'users/2': Object.assign(new User('Bob', 2), { email: 'emails/ann', version: vector }) });
    for (const read of [
        session => session.load('users/2', { documentType: User, includes: b => b.includeRevisions('version') }),
        session => session.query(User).whereEquals('id()', 'users/2').include(b => b.includeRevisions('version')).all(),
    ]) {
        const session = store.openSession();
        await read(session);
        assert.equal((await session.advanced.revisions.get(vector, User)).age, 1);
        assert.equal(session.advanced.numberOfRequests, 1);
    }
    for (const read of [
        session => session.load('users/2', { documentType: User, includes: b => b.includeCompareExchangeValue('email') }),
        session => session.query(User).whereEquals('id()', 'users/2').include(b => b.includeCompareExchangeValue('email')).all(),
    ]) {
        const session = store.openSession({ transactionMode: 'ClusterWide' });
        await read(session);
        assert.equal((await session.advanced.clusterTransaction.getCompareExchangeValue('emails/ann')).value.verified, true);
        assert.equal(session.advanced.numberOfRequests, 1);
    }
    const loaded = store.openSession();
    assert.equal(loaded.advanced.getMetadataFor(await loaded.load('users/1'))['@flags'], 'HasRevisions');
});

on('a bulk insert brings attachments, and leaves alone what is there', async store => {
    const insert = store.bulkInsert();
    await insert.store(new User('Ann', 1), 'users/1');
    const attachments = insert.attachmentsFor('users/1');
    for (const [name, size] of [['empty', 0], ['small', 3], ['large', 700_000]]) await attachments.store(name, Buffer.alloc(size, name), 'text/plain');
    await insert.store(new User('Bob', 2), 'users/2');
    await insert.attachmentsFor('users/2').store('last', Buffer.from('}],['));
    await insert.finish();
    const session = store.openSession();
    const user = await session.load('users/1', User);
    assert.deepEqual(session.advanced.attachments.getNames(user).map(a => [a.name, a.size]), [['empty', 0], ['large', 700_000], ['small', 3]]);
    assert.equal(session.advanced.getMetadataFor(user)['@flags'], 'HasAttachments');
    const last = await session.advanced.attachments.get('users/2', 'last');
    const parts = [];
    for await (const part of last.data) parts.push(part);
    assert.equal(Buffer.concat(parts).toString(), '}],[');
    last.dispose();
    const before = await store.maintenance.send(new raven.GetStatisticsOperation());
    assert.deepEqual([before.countOfAttachments, before.countOfUniqueAttachments], [4, 4]);
    await storeAll(store, { 'users/3': new User('Cid', 3) });
    for (const age of [3, 3, 4]) {
        const again = store.bulkInsert({ skipOverwriteIfUnchanged: true });
        await again.store(new User('Dot', age), 'users/4');
        await again.finish();
    }
    assert.equal((await store.maintenance.send(new raven.GetStatisticsOperation())).lastDocEtag, before.lastDocEtag + 3);
});

on('a database is disabled, locked, and its record changed', async (store, database) => {
    const server = store.maintenance.server;
    const record = await server.send(new raven.GetDatabaseRecordOperation(database));
    assert.deepEqual([record.disabled, record.lockMode], [false, 'Unlock']);
    await server.send(new raven.UpdateDatabaseOperation(Object.assign(record, { disabled: true }), record.etag));
    await assert.rejects(server.send(new raven.UpdateDatabaseOperation(record, record.etag)), e => e.name === 'ConcurrencyException');
    await assert.rejects(store.openSession().load('users/1'), e => e.name === 'DatabaseDisabledException');
    await server.send(new raven.ToggleDatabasesStateOperation(database, false));
    assert.equal(await store.openSession().load('users/1'), null);
    await server.send(new raven.SetDatabasesLockOperation(database, 'PreventDeletesError'));
    await assert.rejects(server.send(new raven.DeleteDatabasesOperation({ databaseNames: [database], hardDelete: true })), /lock mode/);
    await server.send(new raven.SetDatabasesLockOperation(database, 'PreventDeletesIgnore'));
    assert.equal((await server.send(new raven.DeleteDatabasesOperation({ databaseNames: [database], hardDelete: true }))).raftCommandIndex, -1);
    await server.send(new raven.SetDatabasesLockOperation(database, 'Unlock'));
    await store.maintenance.send(new raven.PutDatabaseSettingsOperation(database, { 'Some.Setting': '7' }));
    assert.equal((await store.maintenance.send(new raven.GetDatabaseSettingsOperation(database))).settings['Some.Setting'], '7');
    await store.maintenance.send(new raven.PutClientConfigurationOperation({ maxNumberOfRequestsPerSession: 2 }));
    assert.equal((await store.maintenance.send(new raven.GetClientConfigurationOperation())).configuration.maxNumberOfRequestsPerSession, 2);
    await store.openSession().load('users/1');
    const session = store.openSession();
    await session.load('users/1');
    await session.load('users/2');
    await assert.rejects(session.load('users/3'), e => e.name === 'InvalidOperationException');
});

on('errors of indexes are forgotten, queries explained, subscriptions renamed', async store => {
    await storeAll(store, people());
    await store.maintenance.send(new raven.PutIndexesOperation(Object.assign(new raven.IndexDefinition(), { name: 'Bad', maps: new Set(['from u in docs.Users select new { X = 1 / (u.age - u.age) }']) })));
    await store.openSession().query({ indexName: 'Bad' }).waitForNonStaleResults().all().catch(() => {});
    const errors = async () => (await store.maintenance.send(new raven.GetIndexErrorsOperation(['Bad'])))[0].errors.length;
    assert.ok(await errors() > 0);
    await store.maintenance.send(new raven.DeleteIndexErrorsOperation(['Bad']));
    assert.equal(await errors(), 0);
    await assert.rejects(store.openSession().query({ indexName: 'None' }).lazily().getValue(), e => e.name === 'IndexDoesNotExistException');
    await store.subscriptions.create({ name: 'old', query: 'from Users' });
    assert.equal((await store.maintenance.send(new raven.GetOngoingTaskInfoOperation('old', 'Subscription'))).taskState, 'Enabled');
    const id = (await store.subscriptions.getSubscriptionState('old')).subscriptionId;
    await store.subscriptions.update({ id, name: 'new' });
    assert.deepEqual((await store.subscriptions.getSubscriptions(0, 10)).map(s => s.subscriptionName), ['new']);
    const made = (await store.maintenance.server.send(new raven.GetDatabaseRecordOperation(store.database))).indexes;
    assert.deepEqual(Object.keys(made), ['Bad']);
});
