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

/** A table of columns `{ title, number, wrap, wide, cell }`, where cell gives a row's text or element. `key` names a row, so that a live table keeps it. */
export function table(columns, rows, empty, key) {
  if (rows.length === 0) return h('div', { class: 'sheet empty' }, empty);
  return h('div', { class: 'sheet', tabindex: '0' }, h('table', null,
    h('thead', null, h('tr', null, columns.map(c => h('th', { class: c.number ? 'number' : null, scope: 'col' }, c.title || h('span', { class: 'unseen' }, 'Actions'))))),
    h('tbody', null, rows.map(row => h('tr', { 'data-key': key?.(row) }, columns.map(c => h('td', { class: c.number ? 'number' : c.wide ? 'wrap wide' : c.wrap ? 'wrap' : null }, c.cell(row) ?? '')))))));
}

/**
 * Makes an element show new content and changes only what differs, so that focus, selection and scrolling stay. For live pages: elements that
 * stay keep the listeners that they have.
 */
export function refresh(target, ...children) {
  const wanted = h('div', null, ...children);
  morphChildren(target, wanted);
}

function morph(current, wanted) {
  if (current.nodeType === Node.TEXT_NODE) {
    if (current.data !== wanted.data) current.data = wanted.data;
    return;
  }
  for (const { name } of [...current.attributes]) if (!wanted.hasAttribute(name)) current.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (current.getAttribute(name) !== value) current.setAttribute(name, value);
  morphChildren(current, wanted);
}

const isSame = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.dataset?.key === other.dataset?.key;

function morphChildren(target, wanted) {
  const kept = new Map([...target.children].filter(c => c.dataset.key !== undefined).map(c => [c.dataset.key, c]));
  let at = target.firstChild;
  for (const child of [...wanted.childNodes]) {
    const known = child.dataset?.key === undefined ? undefined : kept.get(child.dataset.key);
    if (known && known !== at) target.insertBefore(known, at);
    const current = known ?? at;
    if (current && isSame(current, child)) {
      morph(current, child);
      at = current.nextSibling;
    } else {
      target.insertBefore(child, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Tabs that show one of `{ title: draw }`; `draw` gives an element, or a promise of one. Resolves when the first is drawn. */
export function tabs(label, parts, chosen = Object.keys(parts)[0]) {
  const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label }), body = h('div', { role: 'tabpanel', class: 'tabpanel' });
  const choose = telling(async title => {
    for (const button of bar.children) {
      button.setAttribute('aria-selected', String(button.textContent === title));
      button.tabIndex = button.textContent === title ? 0 : -1;
    }
    body.setAttribute('aria-label', title);
    const drawn = await parts[title]();
    if (bar.querySelector('[aria-selected="true"]').textContent === title) body.replaceChildren(drawn);
  });
  bar.append(...Object.keys(parts).map(title => h('button', { type: 'button', role: 'tab', onclick: () => choose(title) }, title)));
  bar.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...bar.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  });
  choose(chosen);
  return h('div', null, bar, body);
}

/** How much of something is done, as a bar with words. */
export function progress(done, total, text) {
  return h('span', { class: 'progress' }, h('progress', { value: String(Math.min(done, total)), max: String(Math.max(total, 1)), 'aria-label': text }), h('span', { class: 'dim' }, text));
}

export function figures(entries) {
  return h('div', { class: 'figures' }, entries.map(([title, value]) => h('div', null, h('b', null, value), h('span', null, title))));
}

/** Says something for a while. Errors stay until they are clicked or the page is left; one that is shown already is not shown twice. */
export function say(text, isBad = false) {
  if (isBad && [...document.querySelectorAll('#messages .bad')].some(shown => shown.textContent === text)) return;
  const line = h('p', { class: isBad ? 'bad' : 'good', title: 'Click to close', onclick: () => line.remove() }, text);
  document.getElementById('messages').append(line);
  if (!isBad) setTimeout(() => line.remove(), 4000);
}

/** What went wrong on a page goes with the page. */
export const clearErrors = () => document.querySelectorAll('#messages .bad').forEach(line => line.remove());

/** Shows one banner while the server does not answer. */
export function showUnreachable(isUnreachable) {
  document.getElementById('unreachable').hidden = !isUnreachable;
}

/** Wraps what may fail, so that its error is shown. */
export function telling(action) {
  return async (...given) => {
    try {
      return await action(...given);
    } catch (error) {
      if (error.unreachable) showUnreachable(true);
      else if (error.name !== 'AbortError') say(error.message, true);
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

/** A time of today without its date, any other with it. */
export function when(text) {
  const time = new Date(text);
  return time.toDateString() === new Date().toDateString() ? time.toLocaleTimeString() : time.toLocaleString();
}

export function seconds(value) {
  if (!value) return '0';
  if (value < 1e-3) return `${few.format(value * 1e6)} µs`;
  if (value < 1) return `${few.format(value * 1e3)} ms`;
  if (value < 120) return `${few.format(value)} s`;
  return value < 7200 ? `${few.format(value / 60)} min` : `${few.format(value / 3600)} h`;
}
