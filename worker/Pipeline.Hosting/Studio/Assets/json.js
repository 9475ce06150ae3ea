// JSON whose numbers stay text. JavaScript's own numbers round long integers and decimals, turn 14.0 into 14 and 1e400 into null.

/** A number as its document writes it. */
export class JsonNumber {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const space = /[ \n\r\t]*/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words = [['true', true], ['false', false], ['null', null]];

/** Reads JSON: objects become Maps, whose order no name changes; numbers become JsonNumbers. */
export function parse(text) {
  let at = 0;

  const match = pattern => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const next = () => {
    match(space);
    return text[at];
  };
  const expect = character => {
    if (next() !== character) throw new SyntaxError(`The answer is not JSON: '${character}' expected at character ${at}.`);
    at++;
  };
  const string = () => {
    const start = at;
    expect('"');
    for (; text[at] !== '"'; at++) {
      if (at >= text.length) throw new SyntaxError(`The answer is not JSON: the text at character ${start} has no end.`);
      if (text[at] === '\\') at++;
    }
    return JSON.parse(text.slice(start, ++at));
  };
  const list = (open, close, item) => {
    expect(open);
    if (next() !== close) {
      do item(); while (next() === ',' && ++at);
    }
    expect(close);
  };
  const value = () => {
    switch (next()) {
      case '{': {
        const members = new Map();
        list('{', '}', () => {
          next();
          const name = string();
          expect(':');
          members.set(name, value());
        });
        return members;
      }
      case '[': {
        const items = [];
        list('[', ']', () => items.push(value()));
        return items;
      }
      case '"': return string();
      default: {
        const word = words.find(([written]) => text.startsWith(written, at));
        if (word) {
          at += word[0].length;
          return word[1];
        }
        const digits = match(number);
        if (!digits) throw new SyntaxError(`The answer is not JSON: a value expected at character ${at}.`);
        return new JsonNumber(digits);
      }
    }
  };

  const whole = value();
  if (next() !== undefined) throw new SyntaxError(`The answer is not JSON: unexpected text at character ${at}.`);
  return whole;
}

/** Writes what `parse` reads, each number with its own digits; over several lines where `indent` is given. */
export function format(value, indent = '', depth = '') {
  const inner = depth + indent;
  const join = (open, close, parts) => parts.length === 0 ? open + close
    : indent ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${depth}${close}` : open + parts.join(',') + close;
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return join('[', ']', value.map(item => format(item, indent, inner)));
  if (value instanceof Map)
    return join('{', '}', [...value].map(([name, member]) => `${JSON.stringify(name)}:${indent && ' '}${format(member, indent, inner)}`));
  return JSON.stringify(value);
}

// A text, a bracket, a separator, or a run of anything else: enough to find a text's parts without reading its values.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Where an object's members stand in its text: the name, where the member starts (`from`), and where its value starts and ends. */
export function members(text) {
  const found = [];
  let depth = 0, name = null, from = 0, member = null;
  token.lastIndex = 0;
  for (let match; (match = token.exec(text));) {
    const [part] = match;
    const end = token.lastIndex;
    if (part === '}' || part === ']') depth--;
    if (depth === 1 && member?.opened && (part === '}' || part === ']')) {
      found.push({ ...member, end });
      member = null;
    } else if (depth === 1 && part === ':') {
      member = { name: JSON.parse(name), from, start: -1, opened: false };
    } else if (depth === 1 && member && member.start < 0) {
      member.start = match.index;
      if (part === '{' || part === '[') {
        member.opened = true;
      } else {
        found.push({ ...member, end });
        member = null;
      }
    } else if (depth === 1 && part[0] === '"') {
      name = part;
      from = match.index;
    }
    if (part === '{' || part === '[') depth++;
  }
  return found;
}

/** The text of each item of an array, as it is written. */
export function items(text) {
  const found = [];
  let depth = 0, from = -1;
  token.lastIndex = 0;
  for (let match; (match = token.exec(text));) {
    const [part] = match;
    if (part === '}' || part === ']') depth--;
    if (depth === 0 && from >= 0) found.push(text.slice(from, match.index).trim());
    if (depth === 0) from = -1;
    else if (depth === 1 && part === ',') {
      found.push(text.slice(from, match.index).trim());
      from = -1;
    } else if (from < 0 && depth >= 1) from = match.index;
    if (part === '{' || part === '[') depth++;
  }
  return found;
}

const own = ['@id', '@change-vector', '@last-modified', '@attachments', '@flags', '@index-score'];

/** What a user may change: a document's own text, over several lines, without what the database itself keeps in its metadata. */
export function editable(text) {
  const parts = members(text);
  const metadata = parts.find(m => m.name === '@metadata');
  const kept = metadata ? members(text.slice(metadata.start, metadata.end)).filter(m => !own.includes(m.name)).map(m => text.slice(metadata.start + m.from, metadata.start + m.end)) : [];
  return pretty(`{${[...parts.filter(m => m !== metadata).map(m => text.slice(m.from, m.end)), ...(metadata ? [`"@metadata":{${kept}}`] : [])]}}`);
}

/** Writes a text over several lines. Every value stays as it is written, letter by letter. */
export function pretty(text) {
  const parts = [];
  let depth = 0, previous = '';
  const line = () => parts.push('\n', '  '.repeat(depth));
  token.lastIndex = 0;
  for (let match; (match = token.exec(text));) {
    const [part] = match;
    const closes = part === '}' || part === ']';
    if (closes) depth--;
    if (previous === '{' || previous === '[' ? !closes : closes || previous === ',') line();
    parts.push(part);
    if (part === ':') parts.push(' ');
    if (part === '{' || part === '[') depth++;
    previous = part;
  }
  return parts.join('');
}

/** What a document's metadata say under a name. */
export const metadataOf = (document, name) => document.get('@metadata')?.get(name);
