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

const quote = 34, comma = 44, colon = 58, backslash = 92;
const opens = code => code === 123 || code === 91;
const closes = code => code === 125 || code === 93;
const isSpace = code => code === 32 || code === 10 || code === 13 || code === 9;

// The functions below find a text's parts without reading its values. They look at character codes: texts may have 10 million characters.

function skipSpace(text, at) {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Where a string ends that starts at `at`: after its closing quote. */
function endOfString(text, at) {
  while ((at = text.indexOf('"', at + 1)) >= 0) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Where a number or a word ends that starts at `at`. */
function endOfWord(text, at) {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === colon || code === quote || isSpace(code) || opens(code) || closes(code)) break;
  }
  return at;
}

/** Where a value ends that starts at `at`. */
function endOfValue(text, at) {
  let depth = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (opens(code)) depth++, at++;
    else if (closes(code)) depth--, at++;
    else if (depth > 0) at++;
    else at = Math.max(at + 1, endOfWord(text, at));
    if (depth <= 0) break;
  }
  return at;
}

/** Where the members of the object at `at` stand in a text: the name, where the member starts (`from`), and where its value starts and ends. */
export function members(text, at = 0) {
  const found = [];
  at = skipSpace(text, at);
  if (text[at] !== '{') return found;
  for (at = skipSpace(text, at + 1); text.charCodeAt(at) === quote; at = skipSpace(text, at + 1)) {
    const from = at, endOfName = endOfString(text, at);
    const start = skipSpace(text, skipSpace(text, endOfName) + 1);
    const end = endOfValue(text, start);
    found.push({ name: JSON.parse(text.slice(from, endOfName)), from, start, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== comma) break;
  }
  return found;
}

/** The text of each item of an array, as it is written. */
export function items(text) {
  const found = [];
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return found;
  for (at = skipSpace(text, at + 1); at < text.length && !closes(text.charCodeAt(at)); at = skipSpace(text, at + 1)) {
    const end = endOfValue(text, at);
    found.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== comma) break;
  }
  return found;
}

const own = ['@id', '@change-vector', '@last-modified', '@attachments', '@flags', '@index-score'];

/** What a user may change: a document's own text, over several lines, without what the database itself keeps in its metadata. */
export function editable(text, parts = members(text)) {
  const metadata = parts.find(m => m.name === '@metadata');
  const kept = metadata ? members(text.slice(metadata.start, metadata.end)).filter(m => !own.includes(m.name)).map(m => text.slice(metadata.start + m.from, metadata.start + m.end)) : [];
  return pretty(`{${[...parts.filter(m => m !== metadata).map(m => text.slice(m.from, m.end)), ...(metadata ? [`"@metadata":{${kept}}`] : [])]}}`);
}

// Above this length the numbers and texts of a list share lines: a line for each would be millions.
const longText = 1 << 20, lineLength = 100;

const isScalar = code => code !== comma && !opens(code) && !closes(code) && !isSpace(code);

/** Where a run of a list's numbers and texts ends that starts at `start`. */
function endOfRun(text, start) {
  let at = endOfValue(text, start);
  while (text.charCodeAt(at) === comma && at - start < lineLength && isScalar(text.charCodeAt(at + 1))) at = endOfValue(text, at + 1);
  return at;
}

/** Writes a text over several lines. Every value stays as it is written, letter by letter. */
export function pretty(text) {
  const lines = [], indents = [''], lists = [], isLong = text.length > longText;
  let line = '', previous = 0;
  const end = depth => {
    lines.push(line);
    line = indents[depth] ??= '  '.repeat(depth);
  };
  for (let at = skipSpace(text, 0), depth = 0; at < text.length; at = skipSpace(text, at)) {
    const code = text.charCodeAt(at), start = at;
    if (closes(code)) {
      depth--;
      if (!opens(previous)) end(depth);
    } else if (opens(previous) || previous === comma) {
      end(depth);
    }
    if (opens(code)) lists[++depth] = text[at] === '[';
    if (isLong && lists[depth] && isScalar(code)) at = endOfRun(text, at);
    else at = code === quote ? endOfString(text, at) : Math.max(at + 1, endOfWord(text, at));
    line += text.slice(start, at);
    if (code === colon) line += ' ';
    previous = code;
  }
  lines.push(line);
  return lines.join('\n');
}

/** What a document's metadata say under a name. */
export const metadataOf = (document, name) => document.get('@metadata')?.get(name);
