// Indexes, subscriptions, events, backups and operations in a real browser. SERVER, PLAYWRIGHT and SHOTS are as for studio.mjs; AXE is the path of axe-core.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHash } from 'node:crypto';
import { open } from './browser.mjs';

const { browser, page, faults, asked, answers } = await open();

after(() => browser.close());

const server = process.env.SERVER;
const put = (id, body) => fetch(`${server}/databases/shop/docs?id=${encodeURIComponent(id)}`, { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } });
const json = async path => (await fetch(`${server}/${path}`)).json();
const go = hash => page.goto(`${server}/${hash}`);
const tab = name => page.getByRole('tab', { name });
const until = async check => { while (!await check()) await new Promise(done => setImmediate(done)); };

test('an index is made: its map is completed and tried on real documents, a fault is underlined', async () => {
    await go('#/indexes');
    await page.getByRole('link', { name: 'New index' }).click();
    await page.getByRole('status').filter({ hasText: /20 documents · 20 entries/ }).waitFor();
    const map = page.getByLabel('Map 1', { exact: true });
    await map.fill('');
    await map.pressSequentially('from o in docs.Ord');
    await page.getByRole('option', { name: 'Orders', exact: true }).click();
    await map.pressSequentially(' select new { o.Tot');
    await page.getByRole('option', { name: 'Total', exact: true }).click();
    await map.pressSequentially(', Half = o.Total / 2 }');
    await page.getByLabel('Result').locator('pre', { hasText: '"Half":' }).first().waitFor();

    await map.fill('from o in docs.Orders select new { Share = 100 / (int)(o.Total - 7) }');
    await page.getByLabel('Documents to try').fill('orders/7, orders/8');
    await page.getByLabel('Documents to try').press('Enter');
    await page.getByRole('status').filter({ hasText: '2 documents · 1 entries · 1 fail' }).waitFor();
    await page.getByLabel('Result').getByText('divide by zero').waitFor();

    await map.fill('from o in docs.Orders select new { dok.Total }');
    await page.locator('.cm-lintRange-error', { hasText: 'dok' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());

    await map.fill('from o in docs.Orders select new { o.City, Count = 1 }');
    await page.getByRole('button', { name: 'Add reduce' }).click();
    await page.getByLabel('Reduce', { exact: true }).fill('from r in results group r by r.City into g select new { City = g.Key, Count = g.Sum(x => x.Count) }');
    await page.getByLabel('Documents to try').fill('orders/0 orders/5 orders/1');
    await page.getByLabel('Documents to try').press('Enter');
    await page.getByRole('status').filter({ hasText: '3 documents · 3 outputs · 2 groups' }).waitFor();
    await page.getByLabel('Result').getByText('{"City":"Berlin","Count":2}').waitFor();
    assert.equal((await json('databases/shop/indexes?name=Made/ByCity').catch(() => null))?.Results, undefined);
    await page.getByLabel('Name of the index').fill('Made/ByCity');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Made Made/ByCity.').waitFor();
    await page.getByRole('heading', { name: 'Made/ByCity' }).waitFor();
});

test('an index shows its groups down to their documents, its terms, batches and errors', async () => {
    await until(async () => (await json('databases/shop/indexes/stats?name=Made/ByCity')).Results[0].EntriesCount === 5);
    await go('#/indexes/Made%2FByCity');
    await tab('Groups').click();
    await page.locator('summary', { hasText: 'Berlin' }).click();
    await page.locator('.tree').getByRole('link', { name: 'orders/0', exact: true }).waitFor();
    assert.equal(await page.locator('.tree ul li').count(), 24);
    await tab('Terms').click();
    await page.locator('.chips').getByRole('link', { name: 'Oslo' }).waitFor();
    await tab('Batches').click();
    await page.getByRole('columnheader', { name: 'Reduce' }).waitFor();
    assert.ok(await page.locator('.batches span').count() >= 1);
    await go('#/indexes/Orders%2FFailing');
    await page.getByRole('tab', { name: 'Errors (1)', selected: true }).waitFor();
    await page.getByRole('cell', { name: /divide by zero/ }).waitFor();
    await page.getByRole('cell', { name: 'orders/7' }).waitFor();
});

test('a changed index is built beside the present one, and its state is told; it is disabled and enabled', async () => {
    await page.route('**/indexes/stats', async route => {
        const answer = await (await route.fetch()).json();
        for (const index of answer.Results.filter(i => i.Name === 'Made/ByCity')) index.ReplacementPosition = Math.floor(index.DatabasePosition / 2);
        await route.fulfill({ json: answer });
    });
    await go('#/indexes/Made%2FByCity');
    await page.getByText('A new version is being built beside this one.').waitFor();
    assert.ok(await page.locator('progress').count() >= 1);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('A new version is being built beside this one.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('It is not updated.').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('A disabled index keeps its entries').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted Made/ByCity.').waitFor();
});

test('a subscription is tried, made, moved, paused and deleted, and its events come live', async () => {
    await go('#/subscriptions');
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByLabel('Name', { exact: true }).fill('large-orders');
    await page.getByLabel('Query', { exact: true }).fill('from Orders where Total > 117');
    await page.getByText(/^2 of the last \d+ changes would be delivered\.$/).waitFor();
    await page.getByRole('button', { name: 'Make' }).click();
    await page.getByRole('heading', { name: 'large-orders' }).waitFor();
    await page.getByText('No worker is connected').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('log').getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('log').getByText('Resumed').waitFor();
    await page.getByLabel('Position', { exact: true }).fill('end');
    await page.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('log').getByText('Moved').waitFor();
    await put('orders/new', '{ "Total": 500, "@metadata": { "@collection": "Orders" } }');
    await page.getByRole('link', { name: 'orders/new' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted large-orders.').waitFor();
    assert.equal((await json('subscriptions')).some(s => s.name === 'large-orders'), false);
    await fetch(`${server}/databases/shop/docs?id=orders/new`, { method: 'DELETE' });
});

test('an actor has its events, and the state at a number', async () => {
    await go('#/events');
    await page.getByRole('link', { name: 'order-17' }).click();
    await page.getByText('event 4 of 4').waitFor();
    await page.locator('summary', { hasText: 'OrderShipped' }).click();
    await page.getByText('"DE-9007199254740993"').first().waitFor();
    const state = page.locator('section', { hasText: 'State' }).locator('pre').first();
    assert.match(await state.innerText(), /"Status": "shipped"[^]*"Total": 42\.50/);
    await page.getByLabel('Number').fill('2');
    await page.getByText('event 2 of 4').waitFor();
    assert.match(await state.innerText(), /"Status": "new"/);
});

test('a backup and a drill run with progress; a document of before comes back', async () => {
    await put('orders/3', '{ "Total": 3, "Kept": 1.50, "@metadata": { "@collection": "Orders" } }');
    await go('#/backups');
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByRole('button', { name: 'Full backup' }).click();
    await page.getByText('The full backup is made.').waitFor();
    await page.locator('.calendar .good-edge').waitFor();
    await page.getByText('No backup was ever verified.').waitFor();
    await page.getByRole('button', { name: 'Drill' }).click();
    await page.getByText('The drill passed').waitFor();
    await page.getByText('No backup was ever verified.').waitFor({ state: 'detached' });
    const { position } = (await json('backups/nightly/points')).backups[0].to;
    await put('orders/3', '{ "Total": 4, "@metadata": { "@collection": "Orders" } }');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('The backup is made.').waitFor();
    await page.getByLabel('Position as a number').fill(String(position));
    await page.getByLabel('Position as a number').press('Enter');
    await page.getByRole('cell', { name: 'Orders', exact: true }).waitFor();
    await page.getByLabel('Id of a document').fill('orders/3');
    await page.getByRole('button', { name: 'Show it as of this position' }).click();
    await page.locator('pre', { hasText: '"Kept": 1.50' }).waitFor();
    await page.getByRole('button', { name: 'Put it back' }).click();
    await page.getByText('orders/3 is back.').waitFor();
    assert.match(await (await fetch(`${server}/databases/shop/docs?id=orders/3`)).text(), /"Kept":1\.50/);
});

test('a run in progress shows what is done and what is left', async () => {
    await page.route('**/backups', async route => {
        const answer = await (await route.fetch()).json();
        Object.assign(answer.status[0], { running: 'full', runningSince: new Date(Date.now() - 10_000).toISOString(), progress: { stage: 'sending pages', done: 1 << 20, total: 1 << 22, sent: 0 } });
        await route.fulfill({ json: answer });
    });
    await go('#/backups');
    await page.getByText('full: sending pages, 1 MiB of 4 MiB').waitFor();
    await page.getByText(/(29|30|31)[.\d]* s left/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
});

test('the log comes live, by level and words', async () => {
    await go('#/logs');
    const log = page.getByRole('log');
    await log.locator('p').first().waitFor();
    await page.getByLabel('Filter').fill('backup nightly');
    await log.locator('p', { hasText: 'nightly' }).first().waitFor();
    await page.getByLabel('Level').selectOption('error');
    await page.getByLabel('Filter').fill('no such words');
    await page.getByText('No event meets this.').waitFor();
});

test('databases are made and dropped; who may what is shown', async () => {
    await go('#/databases');
    await page.getByLabel('Name of the new database').fill('scratch');
    await page.getByRole('button', { name: 'Make' }).click();
    await page.getByLabel('Database', { exact: true }).locator('option[value="scratch"]:checked').waitFor({ state: 'attached' });
    await page.getByText('No documents yet.').waitFor();
    await go('#/backups');
    await page.getByText("This page shows the worker's own database, 'shop'.").waitFor();
    await go('#/databases');
    answers.push('shop');
    await page.getByRole('button', { name: 'Drop' }).click();
    assert.deepEqual((await json('databases')).Databases.map(d => d.Name ?? d).sort(), ['scratch', 'shop']);
    answers.push('scratch');
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('button', { name: 'Drop' }).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.getElementById('database').value === 'shop');
    await go('#/access');
    await page.getByText('Clients are not authenticated.').waitFor();
});

test('the storage is checked and compacted', async () => {
    await go('#/storage');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Every page is good.').waitFor();
    await page.getByRole('button', { name: 'Compact' }).click();
    await page.getByText('The data file is compact.').waitFor();
});

test('the dashboard shows queries and index lag, and what to do about an index in error', async () => {
    await page.route('**/indexes/stats', async route => {
        const answer = await (await route.fetch()).json();
        Object.assign(answer.Results[0], { IsInvalidIndex: true, State: 'Error', Failure: 'too many documents fail' });
        await route.fulfill({ json: answer });
    });
    await go('#/dashboard');
    await page.getByRole('alert').getByText('too many documents fail').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('.chart', { hasText: 'Index lag' }).waitFor();
    await until(async () => {
        await fetch(`${server}/databases/shop/queries?query=from Orders`);
        return (await json('history?seconds=60')).series.queryP99?.some(p => p > 0);
    });
});

test('two people change a document: both sides are shown, and a merge keeps both', async () => {
    const body = (a, b, c) => `{ "A": ${a}, "B": ${b}, "In": { "C": ${c}, "D": 1.10 }, "@metadata": { "@collection": "People" } }`;
    await put('people/bob', body('1.00', '2.00', '3'));
    await go('#/document/people%2Fbob');
    await page.getByText('changed').first().waitFor();
    const text = page.getByLabel('Document', { exact: true });
    await text.fill(body('5.00', '2.00', '3'));
    await put('people/bob', body('1.00', '9.00', '4'));
    await page.locator('button.main:enabled', { hasText: 'Save' }).waitFor();
    await text.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Conflict' });
    await dialog.getByText('can be merged').waitFor();
    await dialog.locator('.added', { hasText: '"A": 5.00' }).waitFor();
    await dialog.locator('.added', { hasText: '"B": 9.00' }).waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/conflict.png` });
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await page.locator('.cm-line', { hasText: '"B": 9.00' }).waitFor();
    await page.locator('button.main:enabled', { hasText: 'Save' }).waitFor();
    await text.press('Control+s');
    await page.getByText('Saved people/bob.').waitFor();
    assert.match(await (await fetch(`${server}/databases/shop/docs?id=people/bob`)).text(), /"A":5\.00,"B":9\.00,"In":\{"C":4,"D":1\.10\}/);
});

test('a dropped file is attached as it is, shown, and deleted', async () => {
    await page.goto('about:blank');
    await go('#/document/people%2Fbob');
    await page.getByText('No attachments.').waitFor();
    // A picture of one pixel.
    const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
    await page.evaluate(all => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(all)], 'a dot.png', { type: 'image/png' }));
        document.querySelector('.cm-content').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [...bytes]);
    await page.getByText('Attached a dot.png.').waitFor();
    await page.locator('.attachment img').waitFor();
    await page.waitForFunction(() => document.querySelector('.attachment img').naturalWidth === 1);
    const stored = Buffer.from(await (await fetch(`${server}/databases/shop/attachments?id=people/bob&name=a%20dot.png`)).arrayBuffer());
    assert.equal(createHash('sha256').update(stored).digest('hex'), createHash('sha256').update(bytes).digest('hex'));
    const text = page.getByLabel('Document', { exact: true });
    await text.press('Control+s');
    await page.getByText('Saved people/bob.').waitFor();
    await page.getByRole('button', { name: 'Delete a dot.png' }).click();
    await page.getByText('No attachments.').waitFor();
    await page.getByRole('button', { name: 'Clone' }).click();
    await page.waitForURL('**/#/document/');
    await page.locator('.cm-line', { hasText: '"A": 5.00' }).waitFor();
});

test('a page that the certificate may not see says so', async () => {
    await page.route('**/indexes/stats', route => route.fulfill({ status: 403, json: { Message: "The certificate 'reader' may not read 'shop'." } }));
    await go('#/documents');
    const before = faults.length;
    await go('#/indexes/Orders%2FFailing');
    await page.getByText("The certificate 'reader' may not read 'shop'.").first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    faults.splice(before);
});

test('nothing went wrong in the browser', () => assert.deepEqual(faults.filter(f => !/status of (404|400|403|409)/.test(f)), []));
