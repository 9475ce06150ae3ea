// What the Studio takes from CodeMirror. `npm ci && npm run bundle` writes it to Assets/vendor/codemirror.js.
export { EditorState } from '@codemirror/state';
export { EditorView, keymap, lineNumbers, highlightActiveLine, highlightSpecialChars, drawSelection, dropCursor, placeholder } from '@codemirror/view';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { searchKeymap, highlightSelectionMatches, search } from '@codemirror/search';
export { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
export { setDiagnostics } from '@codemirror/lint';
export { bracketMatching, foldGutter, foldKeymap, foldService, indentUnit, syntaxHighlighting, HighlightStyle, StreamLanguage } from '@codemirror/language';
export { tags } from '@lezer/highlight';
export { json } from '@codemirror/lang-json';
