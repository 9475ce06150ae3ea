// Versions, changes, caching, and the administration of databases.
import assert from 'node:assert/strict';
import { raven, User, Company, Users_ByName, on, storeAll, people, until, keepRevisions, listen } from './kit.mjs';

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
