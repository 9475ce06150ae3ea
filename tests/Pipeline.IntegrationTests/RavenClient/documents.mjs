// Sessions, queries, attachments, values: what most programs use first.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { raven, DocumentStore, User, Users_ByName, on, storeAll, people } from './kit.mjs';

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
