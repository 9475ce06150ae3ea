// Subscriptions, their workers, and every version with the one before.
import assert from 'node:assert/strict';
import { User, on, storeAll, people, until, take, failure, withoutTheClientsRejection, keepRevisions } from './kit.mjs';

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

on('a subscription gives every version with the one before', async store => {
    await keepRevisions(store);
    for (const age of [1, 2, 3]) await storeAll(store, { 'users/1': new User('Ann', age) });
    const name = await store.subscriptions.createForRevisions({ documentType: User });
    const worker = store.subscriptions.getSubscriptionWorkerForRevisions({ subscriptionName: name, documentType: User });
    assert.deepEqual(await take(worker, 3, i => [i.result.previous?.age ?? null, i.result.current?.age ?? null]), [[null, 1], [1, 2], [2, 3]]);
});
