// An editor for JSON and queries. CodeMirror is loaded when a page first needs it.

let loading = null;

/** Texts above this length are checked when they are saved, not while they are written. Only what is seen of them is parsed. */
export const largeText = 1 << 20;
const longestToken = 10_000, longestFold = 5_000;

const keywords = ['from', 'index', 'where', 'order by', 'group by', 'select', 'include', 'load', 'limit', 'offset', 'filter', 'update', 'as', 'and', 'or', 'not', 'in', 'all in', 'between', 'asc', 'desc', 'distinct', 'true', 'false', 'null'];
const functions = ['search', 'startsWith', 'endsWith', 'exact', 'boost', 'fuzzy', 'proximity', 'exists', 'lucene', 'regex', 'intersect', 'moreLikeThis', 'id', 'count', 'sum', 'score', 'random', 'facet', 'suggest', 'highlight',
  'timings', 'explanations', 'spatial.within', 'spatial.contains', 'spatial.intersects', 'spatial.disjoint', 'spatial.point', 'spatial.circle', 'spatial.distance', 'spatial.wkt'];
const words = new Set(keywords.flatMap(k => k.split(' ')));

const scriptWords = new Set(('abstract as async await base bool break byte case catch char const continue decimal default delegate delete do double dynamic else enum export extends false finally fixed float for foreach from function if '
  + 'in instanceof int interface is let long nameof new not null object of or out override params private public readonly ref return sealed short static string struct super switch this throw true try typeof uint ulong undefined using var void when where while with yield').split(' '));

/** C# and JavaScript, close enough to color them. */
function scriptLanguage({ StreamLanguage }) {
  return StreamLanguage.define({
    startState: () => ({ isComment: false }),
    token(stream, state) {
      if (state.isComment) {
        state.isComment = !stream.match(/.*?\*\//);
        if (state.isComment) stream.skipToEnd();
        return 'comment';
      }
      if (stream.eatSpace()) return null;
      if (stream.match('/*')) {
        state.isComment = true;
        return 'comment';
      }
      if (stream.match(/\/\/.*/)) return 'comment';
      if (stream.match(/[$@]*"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?/)) return 'string';
      if (stream.match(/\d[\w.]*/)) return 'number';
      const word = stream.match(/[A-Za-z_]\w*/);
      if (word) return scriptWords.has(word[0]) ? 'keyword' : /^(?:doc|id|metadata|send|load|loadAttachment|isDeleted|collection)$/.test(word[0]) ? 'atom' : 'name';
      stream.next();
      return 'operator';
    },
    languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } },
  });
}

/** JSON, parsed near the lines that are seen. The parser of `json()` reads the whole text, again after each key. */
function largeJson({ StreamLanguage }) {
  return StreamLanguage.define({
    token(stream) {
      if (stream.eatSpace()) return null;
      // A line may have millions of characters: a pattern is tried at its first one only, and a long text takes the line's rest.
      if (stream.eat('"')) {
        for (let c; (c = stream.next()) !== undefined && c !== '"';) {
          if (c === '\\') stream.next();
          if (stream.pos - stream.start > longestToken) stream.skipToEnd();
        }
        return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
      }
      if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
      if (stream.match(/^[a-z]+/)) return 'atom';
      stream.next();
      return 'operator';
    },
    languageData: { closeBrackets: { brackets: ['[', '{', '"'] } },
  });
}

/** Folds what is between a line that opens and the next line of the same depth. */
function foldByIndent(state, start, end) {
  if (!/[{[]/.test(state.sliceDoc(end - 1, end))) return null;
  const { doc } = state;
  const depth = /^ */.exec(state.sliceDoc(start, Math.min(end, start + 1000)))[0].length, { number } = doc.lineAt(start);
  let at = end + 1;
  for (const line of doc.iterLines(number + 1, Math.min(number + longestFold, doc.lines) + 1)) {
    if (line.charCodeAt(depth) !== 32 && line !== '') return /^ *[}\]]/.test(line) && !/\S/.test(line.slice(0, depth)) ? { from: end, to: at + depth } : null;
    at += line.length + 1;
  }
  return null;
}

function queryLanguage({ StreamLanguage }) {
  return StreamLanguage.define({
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(/\/\/.*/)) return 'comment';
      if (stream.match(/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?/)) return 'string';
      if (stream.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number';
      if (stream.match(/[$@][\w-]+/)) return 'atom';
      const word = stream.match(/[A-Za-z_][\w]*/);
      if (word) return words.has(word[0].toLowerCase()) ? 'keyword' : 'name';
      stream.next();
      return 'operator';
    },
    languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } },
  });
}

/** Completes collections after `from`, indexes after `from index`, and fields, functions and keywords elsewhere. */
function completions(known) {
  return async context => {
    const word = context.matchBefore(/[\w@./-]*/);
    const before = context.state.sliceDoc(0, word.from);
    const quoted = /['"]$/.test(before);
    const place = before.replace(/['"]$/, '');
    if (!context.explicit && word.from === word.to && !quoted) return null;
    const option = type => label => ({ label, type });
    const { collections, indexes, fields } = await known(context.state.doc.toString());
    const name = /[^\w@]/;
    const write = (label, type) => ({ label, type, apply: name.test(label) && !quoted ? `'${label}'` : label });
    if (/\bfrom\s+index\s+$/i.test(place)) return { from: word.from, options: indexes.map(i => ({ ...write(i, 'class'), apply: quoted ? i : `'${i}'` })) };
    if (/\bfrom\s+$/i.test(place)) return { from: word.from, options: [...collections.map(c => write(c, 'class')), { label: '@all_docs', type: 'class' }, { label: 'index', type: 'keyword' }] };
    if (quoted) return null;
    return { from: word.from, options: [...fields.map(f => ({ ...write(f, 'property'), boost: 2 })), ...keywords.map(option('keyword')), ...functions.map(f => ({ label: f, type: 'function', apply: `${f}(` }))] };
  };
}

/** Completes collections after `docs.`, and a document's fields after the name of any other variable. */
function scriptCompletions(known) {
  return async context => {
    const word = context.matchBefore(/[\w.]*/);
    if (!word || word.from === word.to && !context.explicit) return null;
    const dot = word.text.lastIndexOf('.');
    const { collections, fields } = await known(context.state.doc.toString());
    const from = word.from + dot + 1;
    if (/^docs\.\w*$/.test(word.text)) return { from, options: collections.filter(c => /^\w+$/.test(c)).map(label => ({ label, type: 'class' })) };
    if (dot >= 0) return { from, options: fields.filter(f => /^\w+$/.test(f)).map(label => ({ label, type: 'property' })) };
    return { from, options: indexWords.map(label => ({ label, type: 'keyword' })) };
  };
}
const indexWords = ['from', 'in', 'docs', 'where', 'select', 'new', 'let', 'group', 'by', 'into', 'results', 'LoadDocument', 'CreateField', 'CreateSpatialField'];

const looks = new Map();

/** Colors and sizes of a language's editors. They are made once: the page keeps the style sheet of each that was ever shown. */
function lookOf(cm, language) {
  if (!looks.has(language)) looks.set(language, makeLook(cm, language));
  return looks.get(language);
}

function makeLook(cm, language) {
  const { tags } = cm;
  return [cm.syntaxHighlighting(cm.HighlightStyle.define([
    { tag: [tags.propertyName, tags.name], color: 'var(--accent)' },
    { tag: tags.string, color: 'var(--good)' },
    { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
    { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
    { tag: tags.comment, color: 'var(--dim)' },
  ])), cm.EditorView.theme({
    '&': { background: 'var(--panel)', border: '1px solid var(--line)', borderRadius: '6px', fontSize: '13px', maxHeight: { json: 'calc(100vh - 13rem)', script: '22rem' }[language] ?? '16rem', minHeight: language === 'json' ? '20rem' : '5rem' },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
    '.cm-scroller': { fontFamily: 'ui-monospace, "Cascadia Mono", Consolas, monospace', lineHeight: '1.5', overflow: 'auto' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { background: 'transparent', color: 'var(--dim)', border: 'none' },
    '.cm-activeLine': { background: 'transparent' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
    '.cm-panels, .cm-tooltip': { background: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--line)' },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--hover)', color: 'var(--text)' },
    '.cm-placeholder': { color: 'var(--dim)' },
    '.cm-foldPlaceholder': { background: 'var(--hover)', color: 'var(--dim)', borderColor: 'var(--line)' },
    '.cm-textfield, .cm-button': { background: 'var(--back)', color: 'var(--text)', borderColor: 'var(--line)', backgroundImage: 'none' },
  })];
}

/**
 * Makes an editor. `language` is 'json', 'query' or 'script' (C# or JavaScript); `known` gives the names of a query or an index for completion; `keys` maps keys such as 'Mod-s' to actions;
 * `onChange` is called after each change; `signal` ends the editor, which otherwise stays in memory: the window knows it. Resolves to its element, its text, and `mark`, which underlines a fault until the next change.
 */
export async function codeEditor({ label, text, language, hint, known, keys = {}, onChange, isReadOnly = false, signal }) {
  const cm = await (loading ??= import('./vendor/codemirror.js').catch(error => { loading = null; throw error; }));
  const { EditorState, EditorView } = cm;
  const isLarge = text.length > largeText;
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        cm.keymap.of(Object.entries(keys).map(([key, run]) => ({ key, preventDefault: true, run: () => { run(); return true; } }))),
        cm.history(), cm.drawSelection(), cm.dropCursor(), cm.highlightSpecialChars(), isLarge ? [] : cm.bracketMatching(), cm.closeBrackets(), cm.search({ top: true }), cm.highlightSelectionMatches(),
        cm.indentUnit.of('  '), lookOf(cm, language),
        isReadOnly ? EditorState.readOnly.of(true) : [],
        language === 'json' ? [cm.lineNumbers(), cm.foldGutter(), isLarge ? [largeJson(cm), cm.foldService.of(foldByIndent)] : cm.json()] : language === 'script' ? [cm.lineNumbers(), scriptLanguage(cm), EditorView.lineWrapping, known ? cm.autocompletion({ override: [scriptCompletions(known)] }) : []] : [queryLanguage(cm), EditorView.lineWrapping, cm.autocompletion({ override: [completions(known)] })],
        cm.keymap.of([...cm.closeBracketsKeymap, ...cm.defaultKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.foldKeymap, ...cm.completionKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        hint ? cm.placeholder(hint) : [],
        EditorView.updateListener.of(update => { if (update.docChanged) onChange?.(); }),
      ],
    }),
  });
  if (signal.aborted) view.destroy();
  else signal.addEventListener('abort', () => view.destroy(), { once: true });
  return {
    element: view.dom,
    get text() { return view.state.doc.toString(); },
    get length() { return view.state.doc.length; },
    set text(value) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }); },
    focus: () => view.contentDOM.focus({ preventScroll: true }),
    /** Underlines the word at a line and a column, both from 1, or nothing where there is none. */
    mark(line, column, message) {
      this.markAll(line ? [{ line, column, message }] : []);
    },
    /** Underlines several words. A fault may have a `severity` of 'warning'. */
    markAll(faults) {
      const { doc } = view.state;
      view.dispatch(cm.setDiagnostics(view.state, faults.filter(f => f.line <= doc.lines).map(({ line, column, message, severity = 'error' }) => {
        const start = doc.line(line);
        const from = Math.min(start.from + Math.max(0, column - 1), start.to);
        const length = /^[\w@.$-]+/.exec(doc.sliceString(from, Math.min(from + 200, start.to)))?.[0].length ?? 1;
        return { from, to: Math.min(from + length, doc.length), severity, message };
      }).sort((a, b) => a.from - b.from)));
    },
  };
}
