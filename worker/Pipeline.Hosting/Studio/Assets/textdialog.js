// A text to take along: shown, copied, downloaded.
import { h, say } from './dom.js';

/** Shows a text in a dialog. `note` says what to do with it; `name` is the name of the file that it is saved as. */
export function showText(title, text, note, name) {
  const shown = h('pre', { tabindex: '0' }, text);
  const dialog = h('dialog', { class: 'text', 'aria-label': title },
    h('h2', { style: 'margin-top:0' }, title), h('p', { class: 'dim' }, note), shown,
    h('div', { class: 'bar', style: 'margin:.75rem 0 0' },
      h('button', { type: 'button', class: 'main', onclick: copy }, 'Copy'),
      h('button', { type: 'button', onclick: () => download(name, text) }, 'Download'),
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
    } catch {
      // A page without a secure connection may not write to the clipboard, so that the user copies the selection.
      getSelection().selectAllChildren(shown);
    }
  }
}

/** Saves a text as a file. */
export function download(name, ...parts) {
  const url = URL.createObjectURL(new Blob(parts));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
