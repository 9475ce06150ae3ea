// Every page: no fault of accessibility, no overflow, a picture for the docs; and what the first view costs. Variables as for views.mjs;
// with SHOTS, a folder, the pictures are left there. PAGES, if it is set, has other pages than these.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { keepVersions, launch } from './browser.mjs';
import { shrink } from './pictures.mjs';

const axe = await readFile(process.env.AXE, 'utf8');
const server = process.env.SERVER, shots = process.env.SHOTS;
let browser, page;

// Each page: its name in the docs, its address, and what shows that it is there.
const pages = process.env.PAGES ? JSON.parse(process.env.PAGES) : [
    ['documents', '#/documents/Orders', 'tbody tr'],
    ['document', '#/document/orders%2F100', '.cm-line'],
    ['query', '#/query/from Orders where Total > 100 order by Total as long desc', '.virtual tbody tr'],
    ['query-facets', '#/query/from Orders select facet(City, sum(Total)), facet(Total < 40, Total >= 40 and Total < 80, Total >= 80)', '.facets tbody tr'],
    ['query-map', '#/query/from Places where spatial.within(spatial.point(Lat, Lng), spatial.circle(300, 42.5, 12.5))', '.map circle'],
    ['patch', '#/patch/from Orders where Total > 100 update { this.Total = 0; }', '.diff'],
    ['revisions', '#/revisions/notes%2F1', '.diff'],
    ['deleted', '#/revisions', 'tbody tr'],
    ['indexes', '#/indexes', 'tbody tr'],
    ['index', '#/indexes/Orders%2FFailing', '.figures'],
    ['index-edit', '#/index/Orders%2FByCity', 'details'],
    ['events', '#/events', 'tbody tr'],
    ['actor', '#/events/order-17', 'details'],
    ['flow', '#/flow', '.edges path'],
    ['tasks', '#/tasks', 'tbody tr'],
    ['task', '#/tasks/big', 'details'],
    ['subscriptions', '#/subscriptions', 'tbody tr'],
    ['subscription', '#/subscriptions/watchers', 'tbody tr'],
    ['subscription-new', '#/subscription/', 'tbody tr'],
    ['bench', '#/bench/big', '.picks button'],
    ['journey', '#/journey/orders%2F100', '.timeline li'],
    ['dead-letters', '#/deadletters', 'tbody tr'],
    ['dashboard', '#/dashboard', '.chart path'],
    ['log', '#/logs', '.log p'],
    ['backups', '#/backups', 'tbody tr'],
    ['backup', '#/backups/nightly', '.calendar'],
    ['storage', '#/storage', 'tbody tr'],
    ['transfer', '#/transfer', 'select'],
    ['databases', '#/databases', 'tbody tr'],
    ['access', '#/access', '.alert'],
    ['settings', '#/settings', 'tbody tr'],
];

before(async () => {
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1080, height: 620 }, bypassCSP: true });
    await keepVersions(server);
    const places = Array.from({ length: 60 }, (_, i) => `{"Name":"Shop ${i}","Lat":${(40.5 + i * 37 % 40 / 10).toFixed(2)},"Lng":${(10 + i * 53 % 50 / 10).toFixed(2)},"@metadata":{"@id":"places/${i}","@collection":"Places"}}`);
    if (!process.env.PAGES) await fetch(`${server}/import?name=places.jsonl`, { method: 'POST', body: places.join('\n') });
    await fetch(`${server}/backups/nightly/run?kind=full`, { method: 'POST' });
    await fetch(`${server}/backups/nightly/drill`, { method: 'POST' });
});

after(() => browser?.close());

const open = async (address, sign) => {
    await page.goto(`${server}/${address}`);
    await page.locator(`main ${sign}`).first().waitFor();
};

// The folder of the test in texts of the page: in the pictures it is another one.
function hideFolder() {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\/\S*\/pipeline-(studio|worker|test)-[^/\s]+/g, '/srv/shop');
}

// A theme changes colours alone.
for (const [theme, rules] of [
    ['light', ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']],
    ['dark', { type: 'rule', values: ['color-contrast'] }],
]) {
    test(`no page has a fault of accessibility, ${theme}`, async () => {
        await page.setViewportSize({ width: 1080, height: 620 });
        await page.goto(server);
        await page.evaluate(wanted => localStorage.setItem('theme', wanted), theme);
        await page.reload();
        const found = [];
        for (const [name, address, sign] of pages) {
            await open(address, sign);
            if (shots) {
                await page.reload();
                await page.locator(`main ${sign}`).first().waitFor();
                await page.evaluate(hideFolder);
            }
            if (shots) await writeFile(`${shots}/${name}-${theme}.png`, shrink(await page.screenshot({ animations: 'disabled' })));
            if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe);
            const { violations } = await page.evaluate(runOnly => axe.run(document, { runOnly }), rules);
            found.push(...violations.map(v => `${name}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`));
        }
        assert.deepEqual(found, []);
    });
}

test('no page is wider than the window', async () => {
    const found = [];
    for (const width of [360, 420, 1000, 1400, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        for (const [name, address, sign] of pages) {
            await open(address, sign);
            const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            if (over > 0) found.push(`${name} at ${width}: ${over} px`);
        }
    }
    assert.deepEqual(found, []);
});

test('no table of the backups is cut at 1080 px', async () => {
    await page.setViewportSize({ width: 1080, height: 620 });
    for (const [, address, sign] of pages.filter(([name]) => name.startsWith('backup'))) {
        await open(address, sign);
        await page.locator('main tbody tr').first().waitFor();
        for (const [inner, outer] of await page.locator('main .sheet').evaluateAll(all => all.map(s => [s.scrollWidth, s.clientWidth]))) assert.ok(inner <= outer, `${address}: ${inner} of ${outer} px`);
    }
});

test('each page is reached and left with the keyboard', async () => {
    await page.setViewportSize({ width: 1080, height: 620 });
    await page.goto('about:blank');
    await page.goto(`${server}/#/settings/no-such`);
    await page.getByText('No setting has this.').waitFor();
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        seen.add(await page.evaluate(() => document.activeElement?.hash ?? ''));
    }
    for (const hash of await page.locator('#pages a').evaluateAll(links => links.map(l => l.hash))) assert.ok(seen.has(hash), hash);
});

test('the first view is below 100 KB packed, and interactive within a second', async () => {
    const context = await browser.newContext();
    const first = await context.newPage();
    let packed = 0;
    const loaded = [];
    // The other pages load after a timer; they are no part of the first view.
    await first.addInitScript(() => {
        const setTimeout = window.setTimeout;
        window.setTimeout = (run, delay, ...rest) => delay >= 500 ? 0 : setTimeout(run, delay, ...rest);
    });
    first.on('response', response => { if (/\/(studio\/.*)?$/.test(new URL(response.url()).pathname)) loaded.push(response.body()); });
    await first.goto(server);
    await first.getByText('All documents').waitFor();
    for (const body of await Promise.all(loaded)) packed += gzipSync(body, { level: 6 }).length;
    assert.ok(packed < 100_000, `${packed} bytes`);
    // The time until the list is there, measured by the page itself. The machine may be busy with other tests, so one of ten loads counts.
    let took = Infinity;
    for (let load = 0; load < 10 && took >= 1000; load++) {
        const second = await context.newPage();
        await second.goto(server);
        await second.getByText('All documents').waitFor();
        took = Math.min(took, await second.evaluate(() => performance.getEntriesByType('resource').filter(r => r.name.includes('collections/stats')).at(-1).responseEnd));
        await second.close();
    }
    assert.ok(took < 1000, `${took} ms`);
    if (shots) console.log(`# packed ${packed} bytes, interactive after ${Math.round(took)} ms`);
    await context.close();
});
