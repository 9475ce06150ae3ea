// Results of queries in a real browser: bars, a map, the last row of many. Variables as for data.mjs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { open } from './browser.mjs';

const { browser, page, faults } = await open();
const server = process.env.SERVER, axe = await readFile(process.env.AXE, 'utf8'), many = 100_001;

async function store(name, lines) {
    const answer = await fetch(`${server}/import?name=${name}.jsonl`, { method: 'POST', body: lines.join('\n') });
    assert.equal(answer.status, 200, await answer.clone().text());
}

before(async () => {
    await store('places', Array.from({ length: 30 }, (_, i) => `{"Name":"Shop ${i}","City":"${['Rome', "L'Aquila", 'Pisa'][i % 3]}","Lat":${41 + i / 10},"Lng":12.${i + 10},"Stock":${i}.50,"@metadata":{"@id":"places/${i}","@collection":"Places"}}`));
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

test('results with places are a map: it zooms, tells a place and opens its document', async () => {
    await ask('from Places where spatial.within(spatial.point(Lat, Lng), spatial.circle(150, 42, 12.2))', '.map circle');
    await page.getByText(/^\d+ places of \d+ results$/).waitFor();
    await page.locator('.map .area').waitFor();
    await check('query-map');
    const map = page.getByRole('group', { name: 'Map' });
    const first = page.locator('.map a[href="#/document/places%2F0"]');
    for (let i = 0; i < 8 && !await first.isVisible(); i++) await page.getByRole('button', { name: 'Closer' }).click();
    const meridians = await map.locator('text').allTextContents();
    const box = await first.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByText('places/0 (41, 12.1)').waitFor();
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(before => document.querySelector('.map text') && [...document.querySelectorAll('.map text')].map(t => t.textContent).join() !== before, meridians.join());
    await first.click();
    await page.waitForURL('**/#/document/places%2F0');
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
    await table.evaluate(element => { element.scrollTop = element.scrollHeight; });
    await page.locator('.virtual tr[aria-rowindex="100001"]').getByRole('link', { name: 'many/' }).waitFor();
});

test('nothing went wrong in the browser', () => assert.deepEqual(faults, []));
