// Results of queries in a real browser: bars, a map, the last row of many. Variables as for data.mjs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { measureWork, open } from './browser.mjs';

const { browser, page, faults } = await open();
const server = process.env.SERVER, axe = await readFile(process.env.AXE, 'utf8'), many = 100_001, sites = 25_000;

async function store(name, lines) {
    const answer = await fetch(`${server}/import?name=${name}.jsonl`, { method: 'POST', body: lines.join('\n') });
    assert.equal(answer.status, 200, await answer.clone().text());
}

before(async () => {
    await store('places', Array.from({ length: 30 }, (_, i) => `{"Name":"Shop ${i}","City":"${['Rome', "L'Aquila", 'Pisa'][i % 3]}","Lat":${41 + i / 10},"Lng":12.${i + 10},"Stock":${i}.50,"@metadata":{"@id":"places/${i}","@collection":"Places"}}`));
    await store('sites', Array.from({ length: sites }, (_, i) => `{"Lat":${35 + i % 250 * 0.1},"Lng":${-9 + Math.floor(i / 250) * 0.3},"@metadata":{"@id":"sites/${i}","@collection":"Sites"}}`));
    await store('shapes', [
        ...[1, 2, 3].map(i => `{"At":{"Place":{"type":"Point","coordinates":[${10 + i},${50 + i}]}},"@metadata":{"@id":"geo/${i}","@collection":"GeoPlaces"}}`),
        ...[1, 2, 3].map(i => `{"Where":"POINT (${10 + i} ${50 + i}.5)","@metadata":{"@id":"wkt/${i}","@collection":"WktPlaces"}}`),
        '{"Where":"unknown","@metadata":{"@id":"wkt/none","@collection":"WktPlaces"}}',
    ]);
    await store('many', Array.from({ length: many }, (_, i) => `{"Number":${i},"Text":"${'word '.repeat(20)}${i}","City":"City ${i % 100}","@metadata":{"@id":"many/${String(i).padStart(6, '0')}","@collection":"Many"}}`));
});
after(() => browser.close());

async function ask(text, sign) {
    await page.goto('about:blank');
    await page.goto(`${server}/#/query/${encodeURIComponent(text)}`);
    await page.locator(`main ${sign}`).first().waitFor();
}

/** No fault of accessibility as it is shown now, and no overflow from 360 to 1920 px. */
async function check(name) {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    assert.deepEqual(violations.map(v => `${name}: ${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`), []);
    const size = page.viewportSize();
    for (const width of [360, 420, 1000, 1400, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`);
    }
    await page.setViewportSize(size);
}

test('facets are bars; a bar leads to its documents', async () => {
    await ask('from Places where Stock >= 0 select facet(City, sum(Stock)), facet(Lat < 42, Lat >= 42)', '.facets');
    const bar = page.locator('.facets tr', { hasText: 'Lat < 42' });
    assert.equal(await bar.locator('td').nth(1).textContent(), '10');
    assert.equal(await bar.locator('.share div').evaluate(d => d.style.width), '50%');
    await page.getByRole('columnheader', { name: 'Sum' }).waitFor();
    await check('query-facets');
    await page.getByRole('link', { name: "l'aquila" }).click();
    await page.getByText('10 of 10 in').waitFor();
    assert.match(decodeURIComponent(page.url()), /from Places where \(Stock >= 0\) and City = 'l\\'aquila'$/);
});

/** The circles of the map that cover one another by more than a pixel. */
const covered = () => page.locator('.map svg').evaluate(svg => {
    const circles = [...svg.querySelectorAll('[data-key] circle')].map(c => ({ x: c.cx.baseVal.value, y: c.cy.baseVal.value, r: c.r.baseVal.value, of: c.parentNode.getAttribute('aria-label') }));
    return circles.flatMap((a, i) => circles.slice(i + 1).filter(b => Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r - 1).map(b => `${a.of} and ${b.of}`));
});

/** Ends when what `act` asked of the map is drawn: the map draws with the browser's next picture. */
async function redrawn(act) {
    const old = await page.locator('.map svg line').first().elementHandle();
    await act();
    await page.waitForFunction(line => !line.isConnected, old);
}

test('results with places are a map: it zooms, tells a place and opens its document', async () => {
    await ask('from Places where spatial.within(spatial.point(Lat, Lng), spatial.circle(150, 42, 12.2))', '.map circle');
    await page.getByText(/^\d+ places of \d+ results$/).waitFor();
    await page.locator('.map .area').waitFor();
    await check('query-map');
    assert.deepEqual(await covered(), []);
    const map = page.getByRole('group', { name: 'Map' });
    const first = page.locator('.map a[href="#/document/places%2F0"]');
    for (let i = 0; i < 8 && !await first.isVisible(); i++) await redrawn(() => page.getByRole('button', { name: 'Closer' }).click());
    const meridians = await map.locator('text').allTextContents();
    const box = await first.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByText('places/0 (41, 12.1)').waitFor();
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(before => document.querySelector('.map text') && [...document.querySelectorAll('.map text')].map(t => t.textContent).join() !== before, meridians.join());
    await first.click();
    await page.waitForURL('**/#/document/places%2F0');
});

test('a map has all places of 25,000, groups them with their number, and stays responsive', async () => {
    await page.goto('about:blank');
    const { worked, end } = await measureWork(page);
    let before = await worked();
    await page.goto(`${server}/#/query/${encodeURIComponent('from Sites')}`);
    await page.getByRole('tab', { name: 'Map' }).click();
    await page.getByText('25,000 places of 25,000 results', { exact: true }).waitFor();
    const showing = await worked() - before;
    const counted = () => page.locator('.map svg').evaluate(svg => [...svg.querySelectorAll('[data-key]')].reduce((sum, dot) => sum + (Number(/^([\d,]+) places$/.exec(dot.getAttribute('aria-label'))?.[1].replaceAll(',', '')) || 1), 0));
    assert.equal(await counted(), sites);
    assert.deepEqual(await covered(), []);
    const dots = await page.locator('.map [data-key]').count();
    assert.ok(dots > 20 && dots <= 1500, `${dots} dots`);
    // The number of dots keeps the page responsive. These bounds are far above what it takes, for slow machines.
    before = await worked();
    for (let i = 0; i < 10; i++) await page.getByRole('button', { name: 'Fit all places' }).click();
    const drawing = (await worked() - before) / 10;
    if (process.env.SHOTS) console.log(`# ${dots} dots, a drawing ${Math.round(drawing)} ms, the page with its map ${Math.round(showing)} ms`);
    assert.ok(drawing < 250, `a drawing takes ${drawing} ms`);
    assert.ok(showing < 1000, `the page with its map takes ${showing} ms`);
    await end();
    await check('query-map-many');
    // A group opens: fewer places are seen, and single ones become links to their documents.
    const groups = page.locator('.map [role=button]');
    for (let i = 0; i < 12 && await page.locator('.map a').count() === 0; i++) {
        await redrawn(async () => groups.nth(Math.floor(await groups.count() / 2)).press('Enter'));
        assert.deepEqual(await covered(), []);
    }
    await page.locator('.map a[href^="#/document/sites%2F"]').first().waitFor();
    assert.ok(await counted() < sites);
    await redrawn(() => page.getByRole('button', { name: 'Fit all places' }).click());
    assert.equal(await counted(), sites);
});

for (const [text, id, place] of [['from GeoPlaces', 'geo/2', '52, 12'], ['from WktPlaces', 'wkt/2', '52.5, 12'], ["from WktPlaces where spatial.within(spatial.wkt(Where), spatial.circle(900, 52, 12))", 'wkt/2', '52.5, 12']]) {
    test(`places are points of GeoJSON and texts in WKT: ${text}`, async () => {
        await ask(text, '.tabs');
        await page.getByRole('tab', { name: 'Map' }).click();
        await page.getByText(/^3 places of \d results$/).waitFor();
        await page.getByRole('link', { name: `${id} (${place})` }).waitFor();
    });
}

test('an export of 200 MB goes to the disk, not through the page', async () => {
    await ask('from Many as m select { Number: m.Number, Text: m.Text.repeat(16) }', '.virtual tbody tr');
    const session = await page.context().newCDPSession(page);
    const heap = async () => (await session.send('Runtime.getHeapUsage')).usedSize;
    await session.send('HeapProfiler.collectGarbage');
    const before = await heap();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
    assert.match(saved.url(), /^http.*\/streams\/queries\?/);
    assert.equal(saved.suggestedFilename(), 'query.csv');
    let isSaved = false, most = 0;
    const path = saved.path().then(path => { isSaved = true; return path; });
    await page.getByText(/^[\d,]+ of 100,001 · .*\/s/).waitFor();
    for (; !isSaved; await new Promise(done => setTimeout(done, 100))) most = Math.max(most, await heap());
    await page.getByText('Exported 100,001 results.').waitFor();
    let lines = 0, head = '';
    for await (const part of createReadStream(await path)) {
        head ||= part.toString('utf8', 0, 100);
        for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++;
    }
    assert.match(head, /^@id,Number,Text\r\nmany\//);
    assert.equal(lines, many + 1);
    assert.ok((await stat(await path)).size > 160_000_000);
    assert.ok(most - before < 20_000_000, `the heap grew by ${most - before} bytes`);
});

test('a cancelled export leaves no file that looks whole', async () => {
    await ask('from Many as m select { Number: m.Number, Text: m.Text.repeat(16) }', '.virtual tbody tr');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export JSON' }).click()]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    assert.notEqual(await saved.failure(), null);
});

test('Ctrl+K finds a document of the whole database by a text that an index has', async () => {
    const find = async text => {
        await page.keyboard.press('Control+k');
        const input = page.getByLabel('Find', { exact: true }).locator('input:focus');
        await input.waitFor();
        await input.fill(text);
    };
    // Queries have made an automatic index of this field and of these words.
    await ask("from Places where City = 'Pisa' and search(Name, 'shop')", '.virtual tbody tr');
    await page.locator('h1').first().click({ force: true });
    await find('shop 29');
    await page.getByRole('option', { name: /places\/29 .*"Shop 29".*\(index Auto\/Places/ }).waitFor();
    await page.keyboard.press('Escape');
    await find('pisa');
    await page.getByRole('option', { name: /places\/\d+ .*\(index Auto\/Places/ }).first().click();
    await page.waitForURL('**/#/document/places%2F*');
});

test('a table reaches row 100,001, and what it has shown does not stay in memory', async () => {
    await ask('from Many', '.virtual tbody tr');
    await page.getByText('100 of 100,001').waitFor();
    const table = page.getByRole('region', { name: 'Results' });
    const scrollTo = async row => {
        await table.evaluate((element, top) => { element.scrollTop = top; }, row * 34);
        await page.locator(`.virtual tr[aria-rowindex="${row + 1}"] a`).waitFor();
    };
    for (let row = 100; row <= 6_000; row += 100) await scrollTo(row);
    assert.ok(await page.locator('.virtual tbody tr').count() < 120);
    // Pages far from the window were given up: the first one is read again.
    const [again] = await Promise.all([page.waitForRequest(r => r.url().endsWith('/queries') && r.postDataJSON().Start === 0), scrollTo(0)]);
    assert.equal(again.postDataJSON().PageSize, 100);
    await table.press('End');
    // A browser scrolls to the end step by step. A scroll by script in the middle can leave the table between both places.
    await page.waitForFunction(() => { const t = document.querySelector('.virtual'); return t.scrollTop + t.clientHeight >= t.scrollHeight - 1; });
    await page.locator('.virtual tr[aria-rowindex="100001"]').getByRole('link', { name: 'many/' }).waitFor();
});

test('nothing went wrong in the browser', () => assert.deepEqual(faults, []));

test('results of an index that is being built stay, and are read again when it is built', async () => {
    let isBuilding = true;
    await page.route('**/queries', async route => {
        const answer = await route.fetch(), json = await answer.json();
        await route.fulfill({ response: answer, json: isBuilding ? { ...json, Results: json.Results.slice(0, 3), TotalResults: 3, IsStale: true, Lag: 5000 } : json });
    });
    await page.route('**/indexes/stats*', async route => {
        const answer = await route.fetch(), json = await answer.json();
        await route.fulfill({ response: answer, json: isBuilding ? { Results: json.Results.map(i => ({ ...i, IsStale: true, Position: 10, DatabasePosition: 1000 })) } : json });
    });
    await ask("from Places where City = 'Pisa'", '.virtual tbody tr');
    await page.getByText('Results so far: the index is being built.').waitFor();
    await page.getByText('3 of 3 in').waitFor();
    isBuilding = false;
    await page.getByRole('button', { name: 'Run again for all results' }).click();
    await page.getByText('10 of 10 in').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
});

test('numbers are shown whole in a narrow window, and the buttons stay together', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1000, height: 800 });
    await store('exact', ['{"A":9007199254740993,"B":0.1234567890123456789012345,"C":"one","D":"two","E":"three","F":12345678901234567890,"@metadata":{"@id":"exact/1","@collection":"Exact"}}']);
    await ask('from Exact', '.virtual tbody tr');
    const cut = await page.locator('.virtual td.number').evaluateAll(cells => cells.filter(c => c.scrollWidth > c.clientWidth).map(c => c.textContent));
    assert.deepEqual(cut, []);
    const tops = await page.getByRole('button', { name: /^Export (CSV|JSON)$/ }).evaluateAll(all => all.map(b => b.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1);
    await page.setViewportSize(size);
});
