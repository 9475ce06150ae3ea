// Four tabs stay open under a trickle of writes: the dashboard, the flow, a list that is loaded again, and one that walks over all pages.
// Each round collects garbage and counts what remains. MINUTES is how long; without it there are a few short rounds. MEMORY is an address
// that collects the worker's garbage and tells its bytes. Variables otherwise as for page.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { launch } from './browser.mjs';

const server = process.env.SERVER, minutes = Number(process.env.MINUTES) || 0;
const rounds = minutes || 6, settled = Math.max(1, Math.floor(rounds / 6)), writesPerSecond = 20, documents = 2000;
const walked = ['query/from Orders', 'patch', 'revisions', 'indexes', 'events', 'tasks', 'tasks/big', 'subscriptions', 'subscriptions/watchers', 'bench/big', 'index/Orders%2FByCity', 'journey/orders%2F1', 'deadletters', 'logs', 'backups', 'storage', 'transfer',
  'databases', 'access', 'settings', 'document/orders%2F1', 'flow', 'dashboard'];
const heading = page => page.locator('main h1').first().waitFor({ state: 'attached' });

test('tabs that stay open do not grow', async () => {
    const browser = await launch();
    const faults = [];
    let isOver = false, written = 0;
    const write = async () => {
        for (let next = Date.now(); !isOver; next += 1000 / writesPerSecond) {
            await pause(Math.max(0, next - Date.now()));
            const i = written++ % documents;
            const answer = await fetch(`${server}/databases/shop/docs?id=orders/${i}`, { method: 'PUT', body: `{"Total":${written % 1000 + 8},"City":"Rome","@metadata":{"@collection":"Orders"}}`, headers: { 'Content-Type': 'application/json' } });
            assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
        }
    };
    const writing = write();
    try {
        const tabs = [];
        for (const name of ['dashboard', 'flow', 'documents/Orders', 'settings']) {
            const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
            page.on('pageerror', error => faults.push(error.message));
            await page.goto(`${server}/#/${name}`);
            await heading(page);
            const cdp = await page.context().newCDPSession(page);
            await cdp.send('Performance.enable');
            tabs.push({ name: name === 'settings' ? 'all pages in turn' : name.split('/')[0], page, cdp });
        }
        const [, , list, walk] = tabs.map(t => t.page);
        const goThrough = async () => {
            for (const address of walked) {
                await walk.evaluate(hash => { location.hash = hash; }, `#/${address}`);
                await heading(walk);
                await list.getByRole('button', { name: 'Filter' }).click();
                await list.locator('tbody tr').first().waitFor();
            }
            // The counts are of the same page each time.
            await walk.evaluate(() => { location.hash = '#/settings'; });
            await walk.getByRole('heading', { name: 'Settings' }).waitFor();
        };
        const seen = [];
        for (let round = 0; round < rounds; round++) {
            const end = Date.now() + 60_000;
            await goThrough();
            if (minutes) await pause(Math.max(0, end - Date.now()));
            const counts = {};
            for (const { name, cdp } of tabs) {
                await cdp.send('HeapProfiler.collectGarbage');
                const { metrics } = await cdp.send('Performance.getMetrics');
                const of = metric => metrics.find(m => m.name === metric).value;
                counts[name] = { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
            }
            counts.worker = await (await fetch(process.env.MEMORY)).json();
            seen.push(counts);
            if (process.env.PIPELINE_STUDIO_LOG) await appendFile(process.env.PIPELINE_STUDIO_LOG, `${JSON.stringify({ round: round + 1, written, ...counts })}\n`);
        }
        assert.deepEqual(faults, []);
        // A single round may catch a page in the middle of a redraw: the least of some rounds at the start and at the end are compared.
        const least = (part, name, figure) => Math.min(...part.map(counts => counts[name][figure]));
        const [first, last] = [seen.slice(settled, settled + Math.max(2, settled)), seen.slice(-Math.max(2, settled))];
        for (const { name } of tabs) {
            for (const [figure, slack] of [['heap', 1_000_000], ['nodes', 200], ['listeners', 50]]) {
                const [from, to] = [least(first, name, figure), least(last, name, figure)];
                assert.ok(to <= from * 1.05 + slack, `${name}: ${figure} grew from ${from} to ${to}`);
            }
        }
        const [from, to] = [least(first, 'worker', 'managed'), least(last, 'worker', 'managed')];
        assert.ok(to <= from * 1.1 + 4_000_000, `the worker's heap grew from ${from} to ${to} bytes`);
    } finally {
        isOver = true;
        await browser.close();
        await writing;
    }
});
