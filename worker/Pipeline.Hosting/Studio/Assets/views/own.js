import { state } from '../api.js';
import { h } from '../dom.js';

/** Says that a page is of the worker's own database, where another one is chosen. */
export function notOwn(main, title) {
  main.replaceChildren(h('h1', null, title), h('div', { class: 'sheet empty' }, state.own
    ? `This page shows the worker's own database, '${state.own}'. Choose it above; '${state.database}' has none of this.`
    : state.isRefused
      ? 'This page needs the right to administer the server, which this browser’s certificate does not have: ‘admin: true’ in server.clients of the configuration gives it.'
      : 'This server has no worker.'));
}
