// Figures over time: a line for each series, the value under the pointer, and the last value in the title.
import { bytes, h } from './dom.js';

const namespace = 'http://www.w3.org/2000/svg';
const width = 600, height = 110;

/** Makes an SVG element. */
export function s(tag, properties = {}, ...children) {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(properties)) if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  element.append(...children.flat().filter(Boolean));
  return element;
}

/** The next round number above a value, for the top of an axis. */
function roundUp(value, form) {
  if (!(value > 0)) return 1;
  if (form === bytes && value >= 1024) {
    const unit = 1024 ** Math.floor(Math.log2(value) / 10);
    return roundUp(value / unit) * unit;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find(step => step * power >= value) * power;
}

/**
 * A chart of series `{ name, color }`, whose values `form` writes. `update` takes the points of each series, oldest first, the time of the last one,
 * and the seconds of a point. The chart stays the same element, so that a live page does not flicker.
 */
export function chart(title, form, series) {
  const lines = series.map(({ color }) => s('path', { fill: 'none', stroke: color, 'stroke-width': '1.75', 'vector-effect': 'non-scaling-stroke', 'stroke-linejoin': 'round', 'stroke-linecap': 'round' }));
  const area = s('path', { fill: series[0].color, opacity: '0.12' });
  const cursor = s('line', { y1: 0, y2: height, stroke: 'var(--dim)', 'vector-effect': 'non-scaling-stroke', visibility: 'hidden' });
  const drawing = s('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    [1, 2, 3].map(i => s('line', { x1: 0, x2: width, y1: height * i / 4, y2: height * i / 4, stroke: 'var(--line)', 'vector-effect': 'non-scaling-stroke' })), area, lines, cursor);
  const top = h('span', { class: 'top' }), from = h('span'), to = h('span', null, 'now'), values = h('span', { class: 'values' });
  const element = h('figure', { class: 'chart' }, h('figcaption', null, h('b', null, title), values), h('div', { class: 'plot' }, top, drawing), h('div', { class: 'axis' }, from, to));
  let shown = null, pointed = null;

  const tell = () => {
    const { points, last, secondsPerPoint } = shown;
    const at = pointed ?? points[0].length - 1;
    values.replaceChildren(...series.map(({ name, color }, i) => h('span', null, series.length > 1 ? h('i', { class: 'dot', style: `background:${color}` }) : '', series.length > 1 ? ` ${name} ` : '', points[i][at] === null ? '–' : form(points[i][at]))),
      pointed === null ? '' : h('span', { class: 'dim' }, new Date(Date.parse(last) - (points[0].length - 1 - at) * secondsPerPoint * 1000).toLocaleTimeString()));
  };
  const point = event => {
    if (!shown || shown.points[0].length < 2) return;
    const box = drawing.getBoundingClientRect();
    pointed = Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (shown.points[0].length - 1));
    const x = pointed / (shown.points[0].length - 1) * width;
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
    cursor.setAttribute('visibility', 'visible');
    tell();
  };
  drawing.addEventListener('pointermove', point);
  drawing.addEventListener('pointerleave', () => { pointed = null; cursor.setAttribute('visibility', 'hidden'); if (shown) tell(); });

  return {
    element,
    update(points, last, secondsPerPoint) {
      const length = Math.max(...points.map(p => p.length), 1);
      const padded = points.map(p => [...Array(length - p.length).fill(null), ...p]);
      shown = { points: padded, last, secondsPerPoint };
      if (pointed !== null && pointed >= length) pointed = null;
      const most = roundUp(Math.max(0, ...padded.flat().filter(p => p !== null)), form);
      const x = i => (length === 1 ? 0 : i / (length - 1) * width).toFixed(1);
      const y = value => (height - value / most * (height - 4)).toFixed(1);
      lines.forEach((line, i) => {
        let pen = 'M';
        line.setAttribute('d', padded[i].map((value, at) => {
          if (value === null) {
            pen = 'M';
            return '';
          }
          // A single value between gaps is a dot.
          const part = `${pen}${x(at)} ${y(value)}${pen === 'M' ? 'h0' : ''}`;
          pen = 'L';
          return part;
        }).join('') || 'M0 0');
      });
      let filled = '', open = null;
      padded[0].forEach((value, at) => {
        if (value !== null) {
          filled += open === null ? `M${x(at)} ${height}L${x(at)} ${y(value)}` : `L${x(at)} ${y(value)}`;
          open = at;
        }
        if (open !== null && (value === null || at === length - 1)) {
          filled += `L${x(open)} ${height}Z`;
          open = null;
        }
      });
      area.setAttribute('d', filled || 'M0 0');
      top.textContent = form(most);
      from.textContent = span(length * secondsPerPoint);
      tell();
    },
  };
}

const span = seconds => seconds < 100 ? `${Math.round(seconds)} s ago` : `${Math.round(seconds / 60)} min ago`;
