// Results with a place on a map of parallels and meridians. It needs no other server.
import { s } from './chart.js';
import { count, h, telling } from './dom.js';
import { metadataOf } from './json.js';

const mostPlaces = 2000, cell = 16, closest = 0.0005, kilometersOfDegree = 111.32, kilometersOfMile = 1.609344;
const latitudes = /^lat(?:itude)?$/i, longitudes = /^(?:lng|lon|long|longitude)$/i;

const valueAt = (value, path) => path.split('.').reduce((at, name) => at instanceof Map ? at.get(name) : undefined, value);

/** The paths of latitude and longitude: those of the query's `spatial.point`, or fields that are named so. */
function pathsOf(text, results) {
  const named = /spatial\.point\(\s*([\w.]+)\s*,\s*([\w.]+)\s*\)/i.exec(text);
  if (named && results.some(r => valueAt(r, named[1]) !== undefined)) return [named[1], named[2]];
  const search = (value, prefix, depth) => {
    const names = [...value.keys()];
    const latitude = names.find(n => latitudes.test(n)), longitude = names.find(n => longitudes.test(n));
    if (latitude !== undefined && longitude !== undefined) return [prefix + latitude, prefix + longitude];
    for (const [name, member] of value) {
      const found = depth > 0 && name !== '@metadata' && member instanceof Map && search(member, `${prefix}${name}.`, depth - 1);
      if (found) return found;
    }
    return null;
  };
  for (const result of results) {
    const found = search(result, '', 2);
    if (found) return found;
  }
  return null;
}

function placeOf(result, [latitudePath, longitudePath]) {
  const [latitude, longitude] = [latitudePath, longitudePath].map(path => Number(valueAt(result, path) ?? NaN));
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude, id: metadataOf(result, '@id') } : null;
}

/** The circle that a query searches in, if the text has its numbers. */
function circleOf(text) {
  const found = /spatial\.circle\(\s*([\d.]+)\s*,\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*(?:,\s*['"](\w+)['"]\s*)?\)/i.exec(text);
  return found && { radius: Number(found[1]) * (/^miles$/i.test(found[4] ?? '') ? kilometersOfMile : 1) / kilometersOfDegree, latitude: Number(found[2]), longitude: Number(found[3]) };
}

/** Whether some of the results have a place. */
export const havePlaces = (text, results) => {
  const paths = pathsOf(text, results);
  return paths !== null && results.some(r => placeOf(r, paths));
};

/** A map of the first places of a query. `load` gives the results that start at a number. */
export async function mapView({ text, first, total, load, signal }) {
  const paths = pathsOf(text, first), circle = circleOf(text);
  const found = [...first];
  while (found.length < Math.min(total, mostPlaces)) {
    const more = await load(found.length);
    if (more.length === 0) break;
    found.push(...more);
  }
  const places = found.slice(0, mostPlaces).map(r => placeOf(r, paths)).filter(Boolean);
  const drawing = s('svg', { tabindex: '0', role: 'group', 'aria-label': 'Map' });
  const told = h('span', { class: 'dim grow', role: 'status' });
  const seen = `${count(places.length)} places of ${count(total)} results`;
  told.textContent = seen;
  let width = 800, height = 420, view = null;

  const fit = () => {
    const edge = circle ? [{ latitude: circle.latitude - circle.radius, longitude: circle.longitude }, { latitude: circle.latitude + circle.radius, longitude: circle.longitude }] : [];
    const all = [...places, ...edge].map(p => [p.longitude, p.latitude]);
    const [west, east] = [Math.min(...all.map(p => p[0])), Math.max(...all.map(p => p[0]))], [south, north] = [Math.min(...all.map(p => p[1])), Math.max(...all.map(p => p[1]))];
    const squeeze = Math.max(0.1, Math.cos((south + north) / 2 * Math.PI / 180));
    // Degrees of latitude for a pixel; a degree of longitude is shorter by `squeeze`.
    view = { longitude: (west + east) / 2, latitude: (south + north) / 2, squeeze, scale: Math.max((north - south) / (height * 0.8), (east - west) * squeeze / (width * 0.85), closest / 10) };
  };
  const x = longitude => width / 2 + (longitude - view.longitude) * view.squeeze / view.scale;
  const y = latitude => height / 2 - (latitude - view.latitude) / view.scale;
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
  const point = ({ x: cx, y: cy, all }) => {
    const isOne = all.length === 1 || view.scale <= closest / 10, [{ id }] = all;
    const label = all.length === 1 ? `${id ?? 'no id'} (${all[0].latitude}, ${all[0].longitude})` : `${count(all.length)} places`;
    const dot = s('circle', { cx, cy, r: all.length === 1 ? 5 : Math.min(18, 7 + Math.log2(all.length) * 1.5) });
    const element = isOne && id ? s('a', { href: `#/document/${encodeURIComponent(id)}`, 'aria-label': label }, dot)
      : s('g', { role: 'button', tabindex: '0', 'aria-label': label }, dot, s('text', { x: cx, y: cy + 4, 'text-anchor': 'middle', class: 'many' }, all.length === 1 ? '' : String(all.length)));
    if (!(isOne && id)) {
      const closer = () => { Object.assign(view, { latitude: all[0].latitude, longitude: all[0].longitude }); zoom(0.4); };
      element.addEventListener('click', closer);
      element.addEventListener('keydown', event => { if (event.key === 'Enter') closer(); });
    }
    for (const type of ['pointerenter', 'focus']) element.addEventListener(type, () => { told.textContent = label; });
    for (const type of ['pointerleave', 'blur']) element.addEventListener(type, () => { told.textContent = seen; });
    return element;
  };
  const draw = () => {
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    // Places that would cover one another are one dot.
    const cells = new Map();
    for (const place of places) {
      const at = { x: x(place.longitude), y: y(place.latitude) };
      if (at.x < -20 || at.y < -20 || at.x > width + 20 || at.y > height + 20) continue;
      const key = `${Math.round(at.x / cell)} ${Math.round(at.y / cell)}`;
      const one = cells.get(key);
      if (one) one.all.push(place);
      else cells.set(key, { ...at, all: [place] });
    }
    drawing.replaceChildren(...lines(), ...(circle ? [s('ellipse', { cx: x(circle.longitude), cy: y(circle.latitude), rx: circle.radius / Math.max(0.01, Math.cos(circle.latitude * Math.PI / 180)) * view.squeeze / view.scale, ry: circle.radius / view.scale, class: 'area' })] : []), ...[...cells.values()].map(point));
  };
  const zoom = (by, at = { x: width / 2, y: height / 2 }) => {
    const scale = Math.min(180 / height * 1.5, Math.max(closest / 20, view.scale * by));
    const change = view.scale - scale;
    view.longitude += (at.x - width / 2) * change / view.squeeze;
    view.latitude -= (at.y - height / 2) * change;
    view.scale = scale;
    draw();
  };
  const move = (dx, dy) => {
    view.longitude = Math.min(180, Math.max(-180, view.longitude - dx * view.scale / view.squeeze));
    view.latitude = Math.min(90, Math.max(-90, view.latitude + dy * view.scale));
    draw();
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
  const button = (text, title, run) => h('button', { type: 'button', title, 'aria-label': title, onclick: run }, text);
  return h('div', { class: 'map' }, h('div', { class: 'bar', style: 'margin:.5rem 0' }, told, button('+', 'Closer', () => zoom(0.6)), button('−', 'Farther', () => zoom(1.7)), button('Fit', 'Fit all places', () => { fit(); draw(); })), drawing);
}
