// A page of Chromium for the suites of this folder. PLAYWRIGHT is the path of playwright-core.
import { afterEach } from 'node:test';
import { pathToFileURL } from 'node:url';

const { chromium } = (await import(pathToFileURL(process.env.PLAYWRIGHT))).default;

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/**
 * Opens a page. `faults` are the errors that it shows. `asked` are its questions, and `answers` what the next ones are answered:
 * false, or a text; yes where nothing is said. What the page shows when a test fails is told.
 */
export async function open() {
    const faults = [], asked = [], answers = [];
    const browser = await launch();
    const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => { if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`); });
    page.on('dialog', dialog => { asked.push(dialog.message()); const answer = answers.shift(); return answer === false ? dialog.dismiss() : dialog.accept(answer); });
    afterEach(async test => {
        if (test.passed) return;
        const shown = await page.locator('body').innerText({ timeout: 5000 }).catch(error => error.message);
        test.diagnostic(`${page.url()}, asked ${JSON.stringify(asked)}, faults ${JSON.stringify(faults)}, shows:\n${shown.slice(0, 4000)}`);
    });
    return { browser, page, faults, asked, answers };
}

/** Measures the time of the page's own thread, in milliseconds: other programs of this machine do not count. */
export async function measureWork(page) {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return { worked: async () => (await session.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value * 1000, end: () => session.detach() };
}

/** Keeps versions of the collection Notes; notes/1 has three, and notes/2 is deleted. */
export async function keepVersions(server) {
    const send = async (path, method, body) => {
        const answer = await fetch(`${server}/databases/shop/${path}`, { method, body, headers: { 'Content-Type': 'application/json' } });
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    };
    await send('admin/revisions/config', 'POST', '{ "Collections": { "Notes": { "Disabled": false } } }');
    const note = (id, text) => send(`docs?id=notes/${id}`, 'PUT', `{ "Text": "${text}", "Rate": 1.10, "@metadata": { "@collection": "Notes" } }`);
    for (const text of ['first', 'second', 'third']) await note(1, text);
    await note(2, 'gone');
    await send('docs?id=notes/2', 'DELETE');
}
