// The page of a cluster in a real browser, at a node that follows. Variables as for views.mjs; CONTROL is where the test stops and starts nodes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { open } from './browser.mjs';

const { browser, page, faults, asked, answers } = await open();
const server = process.env.SERVER, control = process.env.CONTROL;

after(() => browser.close());

const status = async () => (await fetch(`${server}/cluster/status`)).json();
const tell = async (action, node) => assert.ok((await fetch(`${control}/${action}/${node}`, { method: 'POST' })).ok);
const go = hash => page.goto(`${server}/${hash}`);
const nodes = () => page.locator('main table').first();
const row = node => nodes().locator(`tr[data-key="${node}"]`);
const roleOf = (node, role) => row(node).getByRole('cell', { name: role, exact: true });

test('the rail leads to the page, which lists three nodes and exactly one leader', async () => {
    await go('');
    await page.locator('#pages').getByRole('link', { name: 'Cluster' }).click();
    await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
    assert.equal(await page.locator('#pages a[aria-current]').innerText(), 'Cluster');
    await row('n3').waitFor();
    assert.deepEqual(await nodes().locator('tbody tr').evaluateAll(rows => rows.map(r => r.dataset.key)), ['n1', 'n2', 'n3']);
    assert.equal(await nodes().getByRole('cell', { name: 'leader', exact: true }).count(), 1);
    assert.equal(await nodes().getByRole('cell', { name: 'follower', exact: true }).count(), 2);
    const { leader, epoch, nodes: all } = await status();
    await roleOf(leader, 'leader').waitFor();
    await page.locator('.figures div', { hasText: 'epoch' }).getByText(String(epoch), { exact: true }).waitFor();
    for (const { node, url, version } of all) {
        await row(node).getByText(url, { exact: true }).waitFor();
        await row(node).getByText(version, { exact: true }).waitFor();
    }
});

test('the lags are drawn, and are there after a reload', async () => {
    const drawn = () => page.waitForFunction(() => [...document.querySelectorAll('.chart')].length === 2 && [...document.querySelectorAll('.chart svg path[stroke]')].filter(p => p.getAttribute('d').includes('L')).length === 6);
    await drawn();
    await page.reload();
    await drawn();
    assert.deepEqual(await page.locator('.chart').first().locator('.values > span').evaluateAll(all => all.map(s => s.innerText.trim().split(' ')[0])), ['n1', 'n2', 'n3']);
});

test('the table keeps focus and selection while it is drawn again', async () => {
    const { nodes: all } = await status();
    const follower = all.find(n => n.role === 'follower').node;
    await row(follower).getByRole('button', { name: 'Hand over' }).focus();
    await row(follower).getByText(/^http/).evaluate(cell => getSelection().selectAllChildren(cell));
    const selected = await page.evaluate(() => getSelection().toString());
    assert.match(selected, /^http/);
    // Two further answers were drawn.
    for (let i = 0; i < 2; i++) await page.waitForResponse(r => r.url().endsWith('/cluster/status'));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await page.evaluate(() => getSelection().toString()), selected);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), `Hand over to ${follower}`);
});

test('a handover is asked for, changes the leader and is an election', async () => {
    const before = await status();
    const to = before.nodes.find(n => n.role === 'follower').node;
    await row(to).getByRole('button', { name: 'Hand over' }).waitFor();
    answers.push(false);
    await row(to).getByRole('button', { name: 'Hand over' }).click();
    assert.equal((await status()).epoch, before.epoch);
    await row(to).getByRole('button', { name: 'Hand over' }).click();
    assert.match(asked.at(-1), new RegExp(`Have '${to}' lead\\?`));
    await page.getByText(`${to} leads; the handover took`).waitFor();
    await roleOf(to, 'leader').waitFor();
    await roleOf(before.leader, 'follower').waitFor();
    assert.equal(await nodes().getByRole('cell', { name: 'leader', exact: true }).count(), 1);
    const elections = page.locator('main table').last();
    await elections.locator('tbody tr').first().getByRole('cell', { name: to, exact: true }).waitFor();
    await elections.locator('tbody tr').nth(1).getByRole('cell', { name: before.leader, exact: true }).waitFor();
});

test('a verification says that the stores are equal, and at which transaction', async () => {
    await page.getByRole('button', { name: 'Verify' }).click();
    assert.match(asked.at(-1), /^Compare the stores/);
    await page.getByText(/^All stores are equal at transaction [\d,]+\.$/).waitFor();
    assert.equal(await page.getByRole('status').getByText(/^SHA-256 [0-9A-F]{16}…$/).count(), 3);
});

test('a node that runs is not removed, and the error says so', async () => {
    const follower = (await status()).nodes.find(n => n.role === 'follower').node;
    // Before the page has seen that the node is back.
    await page.route('**/cluster/status', async route => {
        const answer = await (await route.fetch()).json();
        Object.assign(answer.nodes.find(n => n.node === follower), { role: 'unreachable', lag: null, lagSeconds: null, problem: 'it did not answer within 2 s' });
        await route.fulfill({ json: answer });
    });
    await row(follower).getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`the node '${follower}' still runs`).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await roleOf(follower, 'follower').waitFor();
});

test('a node that is being filled shows how far it is', async () => {
    await page.route('**/cluster/status', async route => {
        const answer = await (await route.fetch()).json();
        Object.assign(answer.nodes.find(n => n.node === 'n3'), { role: 'filling', lag: null, lagSeconds: null, doing: 'is filled from n1: 10.0 of about 40.0 MiB', filledBytes: 10 << 20, copyBytes: 40 << 20 });
        await route.fulfill({ json: answer });
    });
    await row('n3').getByText('is filled from n1: 10.0 of about 40.0 MiB').waitFor();
    assert.equal(await row('n3').locator('progress').evaluate(p => p.value / p.max), 0.25);
    await page.unrouteAll({ behavior: 'wait' });
});

test('a node that is stopped is unreachable, comes back, and is removed when it ends for good', async () => {
    const gone = (await status()).nodes.find(n => n.role === 'follower' && !server.startsWith(n.url)).node;
    await tell('stop', gone);
    await roleOf(gone, 'unreachable').waitFor();
    await row(gone).getByText('It answered last at').waitFor();
    await page.locator('.figures').getByText('2 of 3').waitFor();
    await tell('start', gone);
    await roleOf(gone, 'follower').waitFor();
    await tell('stop', gone);
    await row(gone).getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${gone} is no longer a node.`).waitFor();
    await row(gone).waitFor({ state: 'detached' });
    assert.deepEqual((await status()).nodes.filter(n => n.node === gone), []);
});

test('without a leader the page says so', async () => {
    await page.route('**/cluster/status', async route => {
        const answer = await (await route.fetch()).json();
        for (const node of answer.nodes) Object.assign(node, { role: 'follower', lag: null, lagSeconds: null });
        await route.fulfill({ json: answer });
    });
    await page.getByRole('alert').getByText('No node leads.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('alert').getByText('No node leads.').waitFor({ state: 'detached' });
});

test('nothing went wrong in the browser', () => assert.deepEqual(faults.filter(f => !/status of 409/.test(f)), []));
