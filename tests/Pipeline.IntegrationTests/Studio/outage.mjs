// Studio while a broker or the worker ends and comes back. CONTROL stops and starts them; other variables are as for studio.mjs.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { open } from './browser.mjs';

const { browser, page, faults } = await open();
const server = process.env.SERVER, control = process.env.CONTROL;
after(() => browser.close());

const set = async (action, what) => assert.ok((await fetch(`${control}/${action}/${what}`, { method: 'POST' })).ok, `${action} ${what}`);
const received = async () => Number(await (await fetch(`${control}/received`)).text());
const put = async id => assert.equal((await fetch(`${server}/databases/shop/docs?id=${id}`, { method: 'PUT', body: '{"Total":1,"@metadata":{"@collection":"Orders"}}', headers: { 'Content-Type': 'application/json' } })).status, 201);
const taskState = async () => (await (await fetch(`${server}/etl/tasks`)).json())[0].state;
const until = async condition => {
    for (let i = 0; i < 1000; i++) {
        if (await condition()) return;
        await new Promise(done => setTimeout(done, 20));
    }
    assert.fail(`it did not come: ${condition}`);
};

test('a broker stops: its edge says so within 2 s of the task; it comes back: what waited drains', async () => {
    await put('orders/1');
    await until(async () => await received() === 1);
    await page.goto(`${server}/#/flow`);
    const task = page.locator('[data-key="task/sender"]'), edge = page.locator('.edges [data-key="task/sender>to/queue"]');
    await task.getByText('nothing waits').waitFor();
    assert.equal(await edge.getAttribute('stroke'), 'var(--good)');

    await set('stop', 'broker');
    await put('orders/2');
    await put('orders/3');
    await until(async () => await taskState() === 'retrying');
    // The page asks each second, and draws what it is told at once. Seconds themselves would count the other tests of this machine, too.
    const asked = text => document.querySelector('[data-key="task/sender"]').textContent.includes(text) && performance.getEntriesByType('resource').filter(r => r.name.endsWith('/etl/tasks')).length;
    const before = await page.evaluate(asked, '');
    const answers = await (await page.waitForFunction(asked, 'retrying')).jsonValue() - before;
    assert.ok(answers <= 2, `it was shown with answer ${answers}`);
    await task.getByText(/^.* · 2 waiting/).waitFor();
    await task.getByText(/next try in|tries now/).waitFor();
    assert.equal(await edge.getAttribute('stroke'), 'var(--warn)');

    await set('start', 'broker');
    await task.getByText('nothing waits').waitFor();
    await page.waitForFunction(() => document.querySelector('.edges [data-key="task/sender>to/queue"]').getAttribute('stroke') === 'var(--good)');
    assert.equal(await received(), 3);
});

test('the worker ends: one banner and no other message; it comes back: the banner goes and the page lives', async () => {
    await page.goto(`${server}/#/tasks`);
    await page.getByRole('cell', { name: 'sender', exact: true }).waitFor();
    const from = faults.length;
    await set('stop', 'worker');
    await page.getByText('The server does not answer.').waitFor();
    await page.locator('#health', { hasText: 'no answer' }).waitFor();
    assert.equal(await page.locator('#messages p').count(), 0);
    assert.equal(await page.getByText('The server does not answer.').count(), 1);
    await set('start', 'worker');
    await page.getByText('The server does not answer.').waitFor({ state: 'hidden' });
    await page.waitForResponse(r => r.url().endsWith('/etl/tasks') && r.ok());
    await page.getByRole('cell', { name: 'sender', exact: true }).waitFor();
    assert.deepEqual(faults.splice(from).filter(f => !/ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|status of 503/.test(f)), []);
});

test('nothing went wrong in the browser', () => assert.deepEqual(faults, []));
