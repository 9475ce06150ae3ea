// Buttons that choose how far charts look back. The choice stays in the browser.
import { h } from './dom.js';

const spans = [[300, '5 min'], [900, '15 min'], [3600, '1 hour']];

/** The buttons, and the chosen time in seconds; `changed` draws again. */
export function timeTabs(name, changed) {
  const stored = Number(localStorage.getItem(`${name}/span`));
  let chosen = spans.some(([value]) => value === stored) ? stored : 900;
  const element = h('div', { class: 'tabs', role: 'group', 'aria-label': 'Time' }, spans.map(([value, text]) => h('button', { type: 'button', 'aria-pressed': String(value === chosen), onclick: event => {
    chosen = value;
    localStorage.setItem(`${name}/span`, value);
    for (const button of element.children) button.setAttribute('aria-pressed', String(button === event.currentTarget));
    changed();
  } }, text)));
  return { element, seconds: () => chosen };
}
