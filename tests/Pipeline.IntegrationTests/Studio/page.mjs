// The page of the suite in studio.mjs, shared by its files. SERVER is the worker's address, PLAYWRIGHT the path of playwright-core, SHOTS a
// folder for screenshots or empty, FOLDER the worker's folder, whose out has the messages.
import { open } from './browser.mjs';

export const { browser, page, faults, asked, answers } = await open();

// Outside the browser: the server refuses a browser's request that does not say which page sent it, as Playwright's own are.
export const put = (id, body) => fetch(`${process.env.SERVER}/databases/shop/docs?id=${encodeURIComponent(id)}`, { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } });
export const read = id => fetch(`${process.env.SERVER}/databases/shop/docs?id=${encodeURIComponent(id)}`);
export const go = hash => page.goto(`${process.env.SERVER}/${hash}`);
// The finder is a module that is loaded; what is typed before its input has the focus goes to the page.
export const openFinder = async () => {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find', { exact: true }).locator('input:focus').waitFor();
};
export const shot = async name => { if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` }); };
