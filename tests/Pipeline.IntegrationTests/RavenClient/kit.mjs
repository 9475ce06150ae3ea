// What the suites of this folder share: databases, documents, workers of subscriptions. SERVER is the server's address, CLIENT the path of the
// client's module; over TLS, PFX and PASSWORD are the client's certificate and CA the server's.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

export const raven = await import(pathToFileURL(process.env.CLIENT));
const authentication = process.env.PFX && { type: 'pfx', certificate: readFileSync(process.env.PFX), password: process.env.PASSWORD, ca: readFileSync(process.env.CA) };

export class DocumentStore extends raven.DocumentStore {
    constructor(url, database) {
        super(url, database, authentication || undefined);
    }
}

export class User {
    constructor(name, age, companyId) {
        this.name = name;
        this.age = age;
        this.companyId = companyId;
    }
}

export class Company {
    constructor(name) {
        this.name = name;
    }
}

export class Users_ByName extends raven.AbstractCsharpIndexCreationTask {
    constructor() {
        super();
        this.map = 'from u in docs.Users select new { u.name, u.age }';
        this.index('name', 'Search');
    }
}

let last = 0;

/** A test with a store on a new database that is deleted at the end. */
export function on(name, use) {
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

export async function storeAll(store, documents) {
    const session = store.openSession();
    for (const [id, document] of Object.entries(documents)) await session.store(document, id);
    await session.saveChanges();
}

export const people = () => ({
    'companies/1': new Company('Acme'),
    'users/1': new User('Ann', 31, 'companies/1'),
    'users/2': new User('Bob', 45, 'companies/1'),
    'users/3': new User('Cid', 17, null),
});

/** Waits until something holds; the test's own time limit ends it. */
export async function until(holds) {
    while (!await holds()) await new Promise(resolve => setTimeout(resolve, 20));
}

/** Works on a subscription until so many items are acknowledged; gives what was made of them. */
export function take(worker, count, make = item => item.id) {
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
export function failure(worker) {
    return new Promise(resolve => {
        worker.on('error', e => { worker.dispose(); resolve(e.name); });
        worker.on('batch', (batch, done) => done());
    });
}

/** Clients since 6.0 leave the read without a handler that ends with their own connection, which would end the process; the caller's error comes besides. */
export async function withoutTheClientsRejection(use) {
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

export async function keepRevisions(store, collections = {}) {
    const configuration = new raven.RevisionsConfiguration();
    const policy = new raven.RevisionsCollectionConfiguration();
    policy.disabled = false;
    configuration.defaultConfig = policy;
    configuration.collections = new Map(Object.entries(collections));
    await store.maintenance.send(new raven.ConfigureRevisionsOperation(configuration));
}

/** Listens to what is watched; gives what it is told. */
export async function listen(observable) {
    const told = [];
    observable.on('data', change => told.push(change));
    await observable.ensureSubscribedNow();
    return told;
}
