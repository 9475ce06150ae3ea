// Results with a place on a map of parallels and meridians. It needs no other server.
import { s } from './chart.js';
import { count, h, telling } from './dom.js';
import { mergeCovered, mostPlaces, placeReader, Places, readPlaces } from './places.js';

const cell = 20, edge = 20, largest = 16, gap = 0.75, closest = 0.0005, kilometersOfDegree = 111.32, kilometersOfMile = 1.609344;
/** Milliseconds between two drawings while places are read. */
const pause = 500;
const few = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 2 });

/** The radius of a dot. */
const radiusOf = many => many === 1 ? 5 : Math.min(largest, 7 + Math.log2(many));

/** The circle that a query searches in, if the text has its numbers. */
function circleOf(text) {
  const found = /spatial\.circle\(\s*([\d.]+)\s*,\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*(?:,\s*['"](\w+)['"]\s*)?\)/i.exec(text);
  return found && { radius: Number(found[1]) * (/^miles$/i.test(found[4] ?? '') ? kilometersOfMile : 1) / kilometersOfDegree, latitude: Number(found[2]), longitude: Number(found[3]) };
}

/** Whether some of the results have a place. */
export const havePlaces = (text, results) => placeReader(text, results) !== null;

/** A map of all places of a query, which grows while its results are read. `first` are the first results, `total` is the number of all. */
export function mapView({ text, first, total, signal }) {
  const read = placeReader(text, first), circle = circleOf(text), places = new Places();
  const drawing = s('svg', { tabindex: '0', role: 'group', 'aria-label': 'Map' });
  const told = h('span', { class: 'dim grow', role: 'status' });
  const stop = new AbortController(), stopButton = h('button', { type: 'button', onclick: () => stop.abort() }, 'Stop');
  let width = 800, height = 420, view = null, isMoved = false, seen = '', isDrawn = false;

  const tell = text => { told.textContent = seen = text; };
  const fit = () => {
    const bounds = { ...places.bounds };
    if (circle) {
      const [high, wide] = [circle.radius, circle.radius / Math.max(0.01, Math.cos(circle.latitude * Math.PI / 180))];
      Object.assign(bounds, { south: Math.min(bounds.south, circle.latitude - high), north: Math.max(bounds.north, circle.latitude + high), west: Math.min(bounds.west, circle.longitude - wide), east: Math.max(bounds.east, circle.longitude + wide) });
    }
    const { west, east, south, north } = places.count === 0 && !circle ? { west: -180, east: 180, south: -90, north: 90 } : bounds;
    const squeeze = Math.max(0.1, Math.cos((south + north) / 2 * Math.PI / 180));
    // Degrees of latitude for a pixel; a degree of longitude is shorter by `squeeze`.
    view = { longitude: (west + east) / 2, latitude: (south + north) / 2, squeeze, scale: Math.max((north - south) / (height * 0.8), (east - west) * squeeze / (width * 0.85), closest / 10) };
  };
  const x = longitude => width / 2 + (longitude - view.longitude) * view.squeeze / view.scale;
  const y = latitude => height / 2 - (latitude - view.latitude) / view.scale;
  const longitudeAt = x => view.longitude + (x - width / 2) * view.scale / view.squeeze;
  const latitudeAt = y => view.latitude - (y - height / 2) * view.scale;
  const lines = () => {
    const least = view.scale * 90, power = 10 ** Math.floor(Math.log10(least));
    const step = Math.min(30, [1, 2, 5, 10].find(n => n * power >= least) * power), digits = Math.max(0, -Math.floor(Math.log10(step)));
    const drawn = [];
    const each = (low, high, most, add) => { for (let n = Math.ceil(Math.max(low, -most) / step); n * step <= Math.min(high, most); n++) add(n * step); };
    const half = [width / 2 * view.scale / view.squeeze, height / 2 * view.scale];
    const line = (x1, y1, x2, y2) => drawn.push(s('line', { x1, y1, x2, y2, stroke: 'var(--line)' }));
    const label = (at, text, end) => drawn.push(s('text', { x: at[0], y: at[1], 'text-anchor': end }, text));
    const name = (value, [plus, minus]) => `${Math.abs(value).toFixed(digits)}°${value > 0 ? plus : value < 0 ? minus : ''}`;
    each(view.longitude - half[0], view.longitude + half[0], 180, value => { line(x(value), y(90), x(value), y(-90)); label([x(value), height - 5], name(value, 'EW'), 'middle'); });
    each(view.latitude - half[1], view.latitude + half[1], 90, value => { line(x(-180), y(value), x(180), y(value)); label([4, y(value) - 3], name(value, 'NS'), 'start'); });
    return drawn;
  };
  const point = ({ key, many, first, x: cx, y: cy }) => {
    const isOne = many === 1 || view.scale <= closest / 10, one = places.at(first), { id } = one;
    const label = many === 1 ? `${id ?? 'no id'} (${one.latitude}, ${one.longitude})` : `${count(many)} places`;
    const dot = s('circle', { cx, cy, r: radiusOf(many) });
    const element = isOne && id ? s('a', { href: `#/document/${encodeURIComponent(id)}`, 'aria-label': label, 'data-key': key }, dot)
      : s('g', { role: 'button', tabindex: '0', 'aria-label': label, 'data-key': key }, dot, s('text', { x: cx, y: cy + 4, 'text-anchor': 'middle', class: 'many' }, many === 1 ? '' : many < 1000 ? many : few.format(many)));
    if (!(isOne && id)) {
      const closer = () => { Object.assign(view, { longitude: longitudeAt(cx), latitude: latitudeAt(cy) }); zoom(0.4); };
      element.addEventListener('click', closer);
      element.addEventListener('keydown', event => { if (event.key === 'Enter') closer(); });
    }
    for (const type of ['pointerenter', 'focus']) element.addEventListener(type, () => { told.textContent = label; });
    for (const type of ['pointerleave', 'blur']) element.addEventListener(type, () => { told.textContent = seen; });
    return element;
  };
  const area = () => circle ? [s('ellipse', { cx: x(circle.longitude), cy: y(circle.latitude), rx: circle.radius / Math.max(0.01, Math.cos(circle.latitude * Math.PI / 180)) * view.squeeze / view.scale, ry: circle.radius / view.scale, class: 'area' })] : [];
  const draw = () => {
    if (!view) return;
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const [high, wide] = [(height / 2 + edge) * view.scale, (width / 2 + edge) * view.scale / view.squeeze];
    const seen = { west: view.longitude - wide, east: view.longitude + wide, south: view.latitude - high, north: view.latitude + high };
    // Places that would cover one another are one dot: those of a cell, and then dots whose circles and their edges meet.
    const cells = places.cells(seen, [cell * view.scale / view.squeeze, cell * view.scale]).map(c => ({ ...c, x: x(c.longitude), y: y(c.latitude) }));
    const dots = mergeCovered(cells, many => radiusOf(many) + gap, largest + gap);
    const focused = drawing.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    // The names of the lines are above the dots: a label must be read.
    const [below, above] = [[], []];
    for (const part of lines()) (part.tagName === 'text' ? above : below).push(part);
    drawing.replaceChildren(...below, ...area(), ...dots.map(point), ...above);
    if (focused !== undefined) (drawing.querySelector(`[data-key="${focused}"]`) ?? drawing).focus();
  };
  /** Draws with the next picture of the browser, so that many moves are one drawing. */
  const redraw = () => {
    if (isDrawn) return;
    isDrawn = true;
    requestAnimationFrame(() => { isDrawn = false; draw(); });
  };
  const zoom = (by, at = { x: width / 2, y: height / 2 }) => {
    const scale = Math.min(180 / height * 1.5, Math.max(closest / 20, view.scale * by));
    const change = view.scale - scale;
    view.longitude += (at.x - width / 2) * change / view.squeeze;
    view.latitude -= (at.y - height / 2) * change;
    view.scale = scale;
    isMoved = true;
    redraw();
  };
  const move = (dx, dy) => {
    view.longitude = Math.min(180, Math.max(-180, view.longitude - dx * view.scale / view.squeeze));
    view.latitude = Math.min(90, Math.max(-90, view.latitude + dy * view.scale));
    isMoved = true;
    redraw();
  };
  drawing.addEventListener('wheel', event => {
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, { x: event.clientX - box.left, y: event.clientY - box.top });
  }, { passive: false });
  let dragged = null;
  drawing.addEventListener('pointerdown', event => { if (event.target === drawing || event.target.tagName === 'line') { dragged = [event.clientX, event.clientY]; drawing.setPointerCapture(event.pointerId); } });
  drawing.addEventListener('pointermove', event => {
    if (!dragged) return;
    move(event.clientX - dragged[0], event.clientY - dragged[1]);
    dragged = [event.clientX, event.clientY];
  });
  drawing.addEventListener('pointerup', () => { dragged = null; });
  drawing.addEventListener('keydown', event => {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (step) move(...step);
    else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 0.7 : 1.4);
    else return;
    event.preventDefault();
  });
  const resized = new ResizeObserver(telling(() => {
    if (!drawing.clientWidth) return;
    width = drawing.clientWidth;
    height = drawing.clientHeight;
    if (!view) fit();
    draw();
  }));
  resized.observe(drawing);
  signal.addEventListener('abort', () => resized.disconnect(), { once: true });
  const load = telling(async () => {
    let drawn = performance.now(), wasShown = false;
    const known = number => `${count(places.count)} places of ${count(number)} results`;
    try {
      const number = await readPlaces(text, read, places, AbortSignal.any([signal, stop.signal]), number => {
        tell(`${known(number)} read; there are ${count(total)}`);
        // Another tab, or another query, has taken the place of this map.
        if (wasShown && !drawing.isConnected) stop.abort();
        wasShown ||= drawing.isConnected;
        if (performance.now() - drawn < pause) return;
        drawn = performance.now();
        if (!isMoved) fit();
        draw();
      });
      tell(stop.signal.aborted ? `stopped: ${known(number)}` : places.count < mostPlaces ? known(number) : `the first ${known(number)}; a map shows no more`);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      tell(`stopped: ${known(total)}`);
    } finally {
      stopButton.remove();
      if (!isMoved && drawing.clientWidth) fit();
      draw();
    }
  });
  tell('reads the places');
  load();
  const button = (text, title, run) => h('button', { type: 'button', title, 'aria-label': title, onclick: run }, text);
  return h('div', { class: 'map' }, h('div', { class: 'bar', style: 'margin:.5rem 0' }, told, stopButton, button('+', 'Closer', () => zoom(0.6)), button('−', 'Farther', () => zoom(1.7)), button('Fit', 'Fit all places', () => { isMoved = false; fit(); draw(); })), drawing);
}
