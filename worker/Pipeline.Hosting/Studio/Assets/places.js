// The places of a query's results: found in documents, read as they come, kept as numbers, and grouped into cells.
import { queryLines } from './api.js';

/** Places of one map, at most: about 50 MB. */
export const mostPlaces = 400_000;
/** Dots of one drawing, at most; cells grow until they are as few. */
const mostDots = 1500;
/** Milliseconds of work without a pause for the browser, so that a page stays responsive. */
const longestWork = 12;

const latitudes = /^lat(?:itude)?$/i, longitudes = /^(?:lng|lon|long|longitude)$/i;
const wkt = /^\s*POINT\s*\(\s*([-+.\deE]+)\s+([-+.\deE]+)\s*\)\s*$/i;

const memberOf = (value, name) => value instanceof Map ? value.get(name) : value?.[name];
const valueAt = (value, path) => path.split('.').reduce(memberOf, value);
const numberOf = value => value === null || value === undefined || value === '' || typeof value === 'boolean' ? NaN : Number(value);
const checked = (latitude, longitude) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [latitude, longitude] : null;

function ofText(text) {
  const found = typeof text === 'string' ? wkt.exec(text) : null;
  return found && checked(Number(found[2]), Number(found[1]));
}

function ofGeoJson(value) {
  const coordinates = memberOf(value, 'coordinates');
  return memberOf(value, 'type') === 'Point' && Array.isArray(coordinates) ? checked(numberOf(coordinates[1]), numberOf(coordinates[0])) : null;
}

/** Looks for a place in an object: numbers named so, a GeoJSON point, or a text in WKT. */
function search(value, prefix, depth) {
  const names = [...value.keys()].filter(name => name !== '@metadata');
  const latitude = names.find(n => latitudes.test(n)), longitude = names.find(n => longitudes.test(n));
  if (latitude !== undefined && longitude !== undefined) return ofNumbers(prefix + latitude, prefix + longitude);
  for (const name of names) {
    const member = value.get(name), path = prefix + name;
    if (ofGeoJson(member)) return result => ofGeoJson(valueAt(result, path));
    if (ofText(member)) return result => ofText(valueAt(result, path));
    const found = depth > 0 && member instanceof Map && search(member, `${path}.`, depth - 1);
    if (found) return found;
  }
  return null;
}

const ofNumbers = (latitude, longitude) => result => checked(numberOf(valueAt(result, latitude)), numberOf(valueAt(result, longitude)));

/**
 * A function that gives the place of a result, `[latitude, longitude]`, or null. It reads the fields of the query's `spatial.point` or `spatial.wkt`, or
 * those that the first results have. Null where no result has a place.
 */
export function placeReader(text, results) {
  const point = /spatial\.point\(\s*([\w.]+)\s*,\s*([\w.]+)\s*\)/i.exec(text), shape = /spatial\.wkt\(\s*([A-Za-z_][\w.]*)\s*\)/i.exec(text);
  const named = [point && ofNumbers(point[1], point[2]), shape && (result => ofText(valueAt(result, shape[1])))].filter(Boolean);
  for (const read of named) if (results.some(read)) return read;
  for (const result of results) {
    const read = search(result, '', 2);
    if (read && results.some(read)) return read;
  }
  return null;
}

/** Places as numbers, 16 bytes and an id each. */
export class Places {
  #latitudes = new Float64Array(1024);
  #longitudes = new Float64Array(1024);
  #ids = [];
  count = 0;
  bounds = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };

  add(latitude, longitude, id) {
    if (this.count === this.#latitudes.length) [this.#latitudes, this.#longitudes] = [this.#latitudes, this.#longitudes].map(old => { const grown = new Float64Array(old.length * 2); grown.set(old); return grown; });
    this.#latitudes[this.count] = latitude;
    this.#longitudes[this.count] = longitude;
    this.#ids[this.count++] = id;
    this.include(latitude, longitude);
  }

  /** Makes the bounds hold a place. */
  include(latitude, longitude) {
    const b = this.bounds;
    b.west = Math.min(b.west, longitude);
    b.east = Math.max(b.east, longitude);
    b.south = Math.min(b.south, latitude);
    b.north = Math.max(b.north, latitude);
  }

  at(index) {
    return { latitude: this.#latitudes[index], longitude: this.#longitudes[index], id: this.#ids[index] };
  }

  /**
   * Groups the places within a window of degrees into cells: `{ key, many, first, latitude, longitude }`, with the middle of its places. Cells are a grid of
   * the earth, `size` degrees of longitude and latitude wide, so that a moved map keeps its groups; they double until few are left.
   */
  cells({ west, east, south, north }, [wide, high]) {
    const left = Math.floor(west / wide), top = Math.floor(south / high), columns = Math.floor(east / wide) - left + 1, rows = Math.floor(north / high) - top + 1;
    const many = new Uint32Array(columns * rows), first = new Int32Array(columns * rows), sums = new Float64Array(columns * rows * 2), used = [];
    for (let i = 0; i < this.count; i++) {
      const latitude = this.#latitudes[i], longitude = this.#longitudes[i];
      if (longitude < west || longitude > east || latitude < south || latitude > north) continue;
      const cell = (Math.floor(latitude / high) - top) * columns + Math.floor(longitude / wide) - left;
      if (many[cell]++ === 0) {
        first[cell] = i;
        used.push(cell);
      }
      sums[cell * 2] += latitude;
      sums[cell * 2 + 1] += longitude;
    }
    if (used.length > mostDots) return this.cells({ west, east, south, north }, [wide * 2, high * 2]);
    return used.map(cell => ({ key: `${wide} ${left + cell % columns} ${top + Math.floor(cell / columns)}`, many: many[cell], first: first[cell], latitude: sums[cell * 2] / many[cell], longitude: sums[cell * 2 + 1] / many[cell] }));
  }
}

/**
 * Merges dots `{ x, y, many, … }` until no two circles cover one another. A merged dot keeps the members of its largest one, and lies in the middle of all
 * places of both. `radius` gives the radius of a dot from its number of places, and `farthest` is its largest value.
 */
export function mergeCovered(dots, radius, farthest) {
  const wide = farthest * 2, grid = new Map();
  const cellOf = dot => [Math.floor(dot.x / wide), Math.floor(dot.y / wide)];
  const neighbors = dot => {
    const [column, row] = cellOf(dot), found = [];
    for (let c = column - 1; c <= column + 1; c++) for (let r = row - 1; r <= row + 1; r++) found.push(...grid.get(`${c} ${r}`) ?? []);
    return found;
  };
  const placed = new Set();
  // Large dots come first, and small ones join them. A merged dot has moved and grown, so it is compared again.
  for (const one of [...dots].sort((a, b) => b.many - a.many)) {
    let dot = one;
    for (let other; (other = neighbors(dot).find(n => Math.hypot(n.x - dot.x, n.y - dot.y) < radius(n.many) + radius(dot.many)));) {
      placed.delete(other);
      const cell = grid.get(cellOf(other).join(' '));
      cell.splice(cell.indexOf(other), 1);
      const many = dot.many + other.many, mean = name => (dot[name] * dot.many + other[name] * other.many) / many;
      dot = { ...(other.many >= dot.many ? other : dot), many, x: mean('x'), y: mean('y') };
    }
    const key = cellOf(dot).join(' ');
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(dot);
    placed.add(dot);
  }
  return [...placed];
}

const breath = () => new Promise(done => setTimeout(done));

/** Reads the places of all results of a query as they come, until the map is full. `told` is called with the number of results read. Gives that number. */
export async function readPlaces(text, read, places, signal, told) {
  let number = 0, begun = performance.now();
  for await (const line of queryLines(text, signal)) {
    if (!line.startsWith('{"Item":')) continue;
    // Numbers of a drawing need not keep their digits, so that the browser's own reader is exact enough.
    const result = JSON.parse(line).Item, place = read(result);
    number++;
    if (place) places.add(place[0], place[1], result['@metadata']?.['@id']);
    if (places.count >= mostPlaces) break;
    if (number % 50 !== 0 || performance.now() - begun < longestWork) continue;
    told(number);
    await breath();
    if (signal.aborted) break;
    begun = performance.now();
  }
  return number;
}
