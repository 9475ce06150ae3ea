// Lists of documents, revisions and patches in a real browser. SERVER, PLAYWRIGHT and SHOTS are as for studio.mjs; AXE is the path of axe-core.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keepVersions, open } from './browser.mjs';

const { browser, page, faults, asked, answers } = await open();
const server = process.env.SERVER;
const axe = await readFile(process.env.AXE, 'utf8');

before(() => keepVersions(server));
after(() => browser.close());

const put = (id, body) => fetch(`${server}/databases/shop/docs?id=${encodeURIComponent(id)}`, { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } });
const read = async id => {
    const answer = await fetch(`${server}/databases/shop/docs?id=${encodeURIComponent(id)}`);
    return answer.status === 404 ? null : answer.text();
};
const go = hash => page.goto(`${server}/${hash}`);
const rows = page.locator('tbody tr');

/** No fault of accessibility as it is shown now, and no overflow from 360 to 1920 px. */
async function check(name) {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    assert.deepEqual(violations.map(v => `${name}: ${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`), []);
    const size = page.viewportSize();
    for (const width of [360, 420, 1080, 1400, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`);
    }
    await page.setViewportSize(size);
}

test('a list is filtered; the filter is in the address, and a fault in it is told', async () => {
    await go('#/documents/Orders');
    await page.getByText('1–50 of 120').waitFor();
    await page.getByLabel('Filter').fill('Total >= 115 and City = "Berlin"');
    await page.getByLabel('Filter').press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('link', { name: 'orders/115', exact: true }).waitFor();
    await page.reload();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Filter').fill('Total >>= 1');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.getByText('1–50 of 120').waitFor();
});

test('a long filter shows what it waits for, can be cancelled, and is read again when its index is whole', async () => {
    let asked = 0, release;
    const isReleased = new Promise(done => { release = done; });
    await page.route('**/queries', async route => {
        asked++;
        if (asked === 1) await isReleased;
        const answer = await route.fetch().catch(() => null);
        if (!answer) return route.abort().catch(() => {});
        // As if the index had many changes to read.
        const json = await answer.json();
        await route.fulfill({ response: answer, json: asked === 2 ? { ...json, IsStale: true, Lag: 5000 } : json }).catch(() => {});
    });
    await go('#/documents/Orders/' + encodeURIComponent('Total >= 118'));
    await page.getByText('The server is asked.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled. An index that is being built goes on.').waitFor();
    release();
    await page.getByRole('button', { name: 'Filter' }).click();
    for (let i = 0; i < 500 && asked < 3; i++) await new Promise(done => setTimeout(done, 20));
    assert.equal(asked, 3);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('1–2 of 2').waitFor();
});

test('a filter shows results while its index is being built, and all of them afterwards', async () => {
    const waits = [];
    let isBuilding = true, whole = 0;
    await page.route('**/queries', async route => {
        waits.push(JSON.parse(route.request().postData()).WaitForNonStaleResultsTimeout);
        const answer = await route.fetch(), json = await answer.json();
        if (!isBuilding) whole++;
        await route.fulfill({ response: answer, json: isBuilding ? { ...json, Results: json.Results.slice(0, 1), TotalResults: 1, IsStale: true, Lag: 5000 } : { ...json, IsStale: false, Lag: 0 } });
    });
    await page.route('**/indexes/stats*', async route => {
        const answer = await route.fetch(), json = await answer.json();
        await route.fulfill({ response: answer, json: isBuilding ? { Results: json.Results.map(i => ({ ...i, IsStale: true, Position: 10, DatabasePosition: 1000 })) } : json });
    });
    await go('#/documents/Orders/' + encodeURIComponent('Total >= 118 and Total < 200'));
    await page.getByText('1–1 of 1 so far').waitFor();
    await page.getByText('Results so far: the index is being built.').waitFor();
    isBuilding = false;
    await page.getByText('1–2 of 2', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    assert.deepEqual([...new Set(waits)], ['00:00:00.3']);
    // Once it has all of them, it asks no more.
    assert.equal(whole, 1);
});

test('columns are chosen and kept; their numbers have all digits', async () => {
    for (let i = 1; i <= 3; i++) await put(`people/${i}`, `{ "Name": "n${i}", "Salary": 900719925474099${i}.10, "Address": { "City": "Rome", "Zip": 1e400 }, "@metadata": { "@collection": "People" } }`);
    await go('#/documents/People');
    await page.getByRole('cell', { name: '9007199254740991.10', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel('Name', { exact: true }).uncheck();
    await dialog.getByLabel('Address.Zip').check();
    await check('columns');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('columnheader', { name: 'Address.Zip' }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: '1e400', exact: true }).first().waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Name', exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await dialog.getByRole('button', { name: 'Usual columns' }).click();
    await page.getByRole('columnheader', { name: 'Name', exact: true }).waitFor();
});

test('marked documents are exported with every digit, and deleted after a question', async () => {
    await go('#/documents/People');
    await page.getByLabel('Mark people/1').check();
    await page.getByLabel('Mark people/2').check();
    await page.getByText('2 documents marked').waitFor();
    await check('marked');
    const exported = async kind => {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: `Export ${kind}` }).click();
        return readFile(await (await download).path(), 'utf8');
    };
    const lines = (await exported('JSON lines')).trimEnd().split('\n');
    assert.equal(lines.length, 2);
    assert.ok(lines.every(line => line.includes('"Zip":1e400') && /"Salary":900719925474099[12]\.10/.test(line)));
    assert.match(await exported('CSV'), /^@id,.*\r\npeople\/[12],/);

    asked.length = 0;
    answers.push(false);
    await page.getByRole('button', { name: 'Delete' }).click();
    assert.deepEqual(asked, ['Delete 2 documents?']);
    assert.ok(await read('people/1'));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 2 documents.').waitFor();
    assert.deepEqual([await read('people/1'), await read('people/2')], [null, null]);
    await page.getByText('1–1 of 1').waitFor();
});

test('a document that changed since the list was loaded is not deleted, nor any other', async () => {
    await put('people/4', '{ "Name": "n4", "@metadata": { "@collection": "People" } }');
    await go('#/documents/People');
    await page.reload();
    await page.getByText('1–2 of 2').waitFor();
    await page.getByLabel('Mark all of this page').check();
    await put('people/4', '{ "Name": "changed", "@metadata": { "@collection": "People" } }');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing was deleted, because a document changed').waitFor();
    assert.ok(await read('people/3'));
    assert.match(await read('people/4'), /changed/);
});

test('versions are compared, and one is stored again letter by letter', async () => {
    await go('#/document/notes%2F1');
    await page.locator('main').getByRole('link', { name: 'Revisions' }).click();
    await page.getByText('3 versions').waitFor();
    await page.locator('.diff .gone', { hasText: '"Text": "second"' }).waitFor();
    await page.locator('.diff .added', { hasText: '"Text": "third"' }).waitFor();
    await check('revisions');
    assert.ok(await page.getByRole('button', { name: 'Revert to this version' }).isDisabled());
    await page.locator('.picks button').last().click();
    await page.locator('.diff .added', { hasText: '"Text": "first"' }).waitFor();
    await page.getByLabel('Compare with').selectOption('0');
    await page.locator('.diff .gone', { hasText: '"Text": "third"' }).waitFor();
    await page.getByRole('button', { name: 'Revert to this version' }).click();
    await page.getByText('Reverted notes/1.').waitFor();
    await page.getByText('4 versions').waitFor();
    const text = await read('notes/1');
    assert.ok(text.includes('"Text":"first"') && text.includes('"Rate":1.10'), text);
});

test('a change in between is not lost by a revert', async () => {
    await go('#/revisions/notes%2F1');
    await page.getByText('4 versions').waitFor();
    await page.locator('.picks button').last().click();
    await put('notes/1', '{ "Text": "in between", "@metadata": { "@collection": "Notes" } }');
    await page.getByRole('button', { name: 'Revert to this version' }).click();
    await page.locator('#messages .bad').waitFor();
    assert.match(await read('notes/1'), /in between/);
});

test('a deleted document is found and brought back', async () => {
    await go('#/revisions');
    await page.getByRole('link', { name: 'notes/2' }).click();
    await page.getByText('2 versions').waitFor();
    await page.locator('.picks button').last().click();
    await page.locator('.diff .added', { hasText: '"Text": "gone"' }).waitFor();
    await page.getByRole('button', { name: 'Revert to this version' }).click();
    await page.getByText('Reverted notes/2.').waitFor();
    assert.match(await read('notes/2'), /gone/);
});

test('a patch shows what it would change, then changes it', async () => {
    for (let i = 1; i <= 12; i++) await put(`goods/${i}`, `{ "Price": 9007199254740993.10, "N": ${i}, "@metadata": { "@collection": "Goods" } }`);
    await go('#/patch');
    const text = page.getByLabel('Query with update');
    const run = page.getByRole('button', { name: 'Run' });
    assert.ok(await run.isDisabled());
    await text.fill('from Goods update { if (this.N === 3) throw new Error("not this"); if (this.N < 3) this.Seen = true; }');
    await text.press('Control+Enter');
    await page.getByRole('status').filter({ hasText: 'The query finds 12 documents. The first 10 show what would change' }).waitFor();
    const one = page.getByRole('article', { name: 'goods/1', exact: true });
    await one.locator('.added', { hasText: '"Seen": true' }).waitFor();
    await one.getByText('"Price": 9007199254740993.10').first().waitFor();
    await page.getByRole('article', { name: 'goods/3', exact: true }).getByText('not this').waitFor();
    await page.getByRole('article', { name: 'goods/4', exact: true }).getByText('stays as it is').waitFor();
    await check('patch');
    assert.doesNotMatch(await read('goods/1'), /Seen/);

    await text.fill('from Goods where N > 10 update { this.Seen = true; del("goods/1"); }');
    await page.locator('button.danger:disabled', { hasText: 'Run' }).waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('status').filter({ hasText: 'The query finds 2 documents. Below is what would change' }).waitFor();
    await page.getByText('Also: deletes goods/1.').first().waitFor();
    asked.length = 0;
    answers.push(false);
    await run.click();
    assert.deepEqual(asked, ['Run the script on 2 documents?']);
    assert.ok(await read('goods/1'));
    await run.click();
    await page.getByRole('status').filter({ hasText: 'Done: 2 documents.' }).waitFor();
    assert.equal(await read('goods/1'), null);
    const after = await read('goods/12');
    assert.ok(after.includes('"Seen":true') && after.includes('9007199254740993.10'), after);
    assert.doesNotMatch(await read('goods/10'), /Seen/);
});

test('a fault in a patch is told, and a patch that fails says how far it came', async () => {
    await go('#/patch');
    const text = page.getByLabel('Query with update');
    await text.fill('from Goods');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText("the query has no 'update").waitFor();
    await text.fill('from Goods update { throw new Error("never"); }');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('article').first().getByText('never').waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('#messages .bad', { hasText: 'never' }).waitFor();
});

test('all documents that match are exported or deleted, not those of the page only', async () => {
    const lines = Array.from({ length: 130 }, (_, i) => `{"Number":${i},"Price":1e400,"@metadata":{"@id":"rest/${String(i).padStart(3, '0')}","@collection":"Rest"}}`);
    assert.equal((await fetch(`${server}/import?name=rest.jsonl`, { method: 'POST', body: lines.join('\n') })).status, 200);
    await go('#/documents/Rest/' + encodeURIComponent('Number >= 10'));
    await page.getByText('1–50 of 120').waitFor();
    await page.getByLabel('Mark all of this page').check();
    await page.getByText('50 documents marked').waitFor();
    await page.getByRole('button', { name: 'Select all 120' }).click();
    await page.getByText('all 120 documents that match Number >= 10').waitFor();
    await check('all-matching');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export JSON lines' }).click()]);
    const kept = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n');
    assert.equal(kept.length, 120);
    assert.match(kept[0], /"Price":1e400/);
    const [table] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
    assert.equal((await readFile(await table.path(), 'utf8')).trimEnd().split('\r\n').length, 121);
    // A changed mark is one of single documents again.
    await page.getByLabel('Mark rest/010').uncheck();
    await page.getByText('49 documents marked').waitFor();
    await page.getByLabel('Mark all of this page').check();
    await page.getByRole('button', { name: 'Select all 120' }).click();
    answers.push(false);
    await Promise.all([page.waitForEvent('dialog'), page.getByRole('button', { name: 'Delete' }).click()]);
    assert.match(asked.at(-1), /^Delete all 120 documents that match Number >= 10\?/);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 120 documents.').waitFor();
    await page.getByText('No document has this.').waitFor();
    assert.notEqual(await read('rest/009'), null);
    assert.equal(await read('rest/010'), null);
});

test('a file is checked, imported with progress, and exported packed', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `{"Number":${i},"Price":1e400,"Text":"${'x'.repeat(400)}","@metadata":{"@id":"moved/${i}","@collection":"Moved"}}`);
    const file = { name: 'moved.jsonl.gz', mimeType: 'application/gzip', buffer: gzipSync([...lines, '{ "Number": '].join('\n')) };
    await go('#/transfer');
    await page.getByLabel('File to import').setInputFiles(file);
    await page.getByRole('button', { name: 'Check only' }).click();
    await page.getByText('1 line is refused; nothing was stored.').waitFor();
    await page.getByRole('cell', { name: /^moved\.jsonl\.gz:2001/ }).waitFor();
    assert.equal(await read('moved/7'), null);
    const network = await page.context().newCDPSession(page);
    const throttle = uploadThroughput => network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
    await network.send('Network.enable');
    await throttle(100_000);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(/KiB of [\d.,]+ KiB · .*\/s · .* left/).waitFor();
    await page.locator('main progress').waitFor();
    await throttle(-1);
    await page.getByText('2,000 documents stored, 1 refused.').waitFor();
    assert.match(await read('moved/7'), /"Price":1e400/);
    await check('transfer');
    await page.reload();
    await page.getByLabel('Collection').selectOption('Moved');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
    assert.equal(saved.suggestedFilename(), 'shop-Moved.jsonl.gz');
    const kept = gunzipSync(await readFile(await saved.path())).toString().trimEnd().split('\n');
    assert.equal(kept.length, 2000);
    assert.match(kept[0], /"Price":1e400/);
    await page.getByText(/shop-Moved\.jsonl\.gz: 2,000 documents/).waitFor();
});

test('a cancelled import ends at once and says that stored documents stay', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `{"Text":"${'x'.repeat(100)}","@metadata":{"@id":"halted/${i}","@collection":"Halted"}}`);
    await go('#/transfer');
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 });
    await page.getByLabel('File to import').setInputFiles({ name: 'halted.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('main progress').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled. Documents that were stored stay.').waitFor();
    await network.detach();
    assert.equal(await read('halted/19999'), null);
});

test('the count of a collection stands beside the longest name, and no collection has a name', async () => {
    await put('named/1', `{"@metadata":{"@collection":"${'Collection'.repeat(12)}"}}`);
    await put('named/2', '{"A":1}');
    // By its id: the server may still store what the import before had sent when it was cancelled, and those documents are the newest.
    await go('#/documents//' + encodeURIComponent("id() = 'named/2'"));
    await page.reload();
    const [row, number] = [page.locator('.list a', { hasText: 'CollectionCollection' }), page.locator('.list a', { hasText: 'CollectionCollection' }).locator('.dim')];
    await row.waitFor();
    const [outer, inner] = [await page.locator('.list').boundingBox(), await number.boundingBox()];
    assert.ok(inner.x + inner.width <= outer.x + outer.width, `${inner.x} + ${inner.width} in ${outer.x} + ${outer.width}`);
    await page.locator('tbody tr', { hasText: 'named/2' }).getByRole('cell', { name: '@empty' }).waitFor();
});

test('nothing went wrong in the browser', () => {
    // The browser tells of each answer that is no success; these were asked for.
    assert.deepEqual(faults.filter(f => !/status of (409|400|404)/.test(f)), []);
});
