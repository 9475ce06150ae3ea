// Makes elements. Text only ever becomes text: nothing that comes from a database is read as markup.

export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name in element && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** A table of columns `{ title, number, wrap, cell }`, where cell gives a row's text or element. */
export function table(columns, rows, empty) {
  if (rows.length === 0) return h('div', { class: 'sheet empty' }, empty);
  return h('div', { class: 'sheet' }, h('table', null,
    h('thead', null, h('tr', null, columns.map(c => h('th', { class: c.number ? 'number' : null, scope: 'col' }, c.title)))),
    h('tbody', null, rows.map(row => h('tr', null, columns.map(c => h('td', { class: c.number ? 'number' : c.wrap ? 'wrap' : null }, c.cell(row) ?? '')))))));
}

export function figures(entries) {
  return h('div', { class: 'figures' }, entries.map(([title, value]) => h('div', null, h('b', null, value), h('span', null, title))));
}

/** Says something for a while; errors stay until they are clicked or the page is left. */
export function say(text, isBad = false) {
  const line = h('p', { class: isBad ? 'bad' : 'good', title: 'Click to close', onclick: () => line.remove() }, text);
  document.getElementById('messages').append(line);
  if (!isBad) setTimeout(() => line.remove(), 4000);
}

/** What went wrong on a page goes with the page. */
export const clearErrors = () => document.querySelectorAll('#messages .bad').forEach(line => line.remove());

/** Wraps what may fail, so that its error is told. */
export function telling(action) {
  return async (...given) => {
    try {
      return await action(...given);
    } catch (error) {
      if (error.name !== 'AbortError') say(error.message, true);
    }
  };
}

const whole = new Intl.NumberFormat();
const few = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export const count = value => value === undefined || value === null ? '' : whole.format(value);
export const rate = value => `${few.format(value ?? 0)}/s`;

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${few.format(value)} ${units[unit]}`;
}

export function seconds(value) {
  if (!value) return '0';
  if (value < 1e-3) return `${few.format(value * 1e6)} µs`;
  if (value < 1) return `${few.format(value * 1e3)} ms`;
  if (value < 120) return `${few.format(value)} s`;
  return value < 7200 ? `${few.format(value / 60)} min` : `${few.format(value / 3600)} h`;
}
