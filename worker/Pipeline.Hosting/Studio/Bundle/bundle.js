// Writes ../Assets/vendor/codemirror.js, one module below its license, and records its hash.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const license = await readFile(new URL('node_modules/@codemirror/view/LICENSE', import.meta.url), 'utf8');
await build({
  entryPoints: ['codemirror.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  banner: { js: `/*! CodeMirror 6 and Lezer, bundled for Pipeline's Studio by Studio/Bundle.\n\n${license.trim()}\n*/` },
  outfile: '../Assets/vendor/codemirror.js',
});
await writeFile('codemirror.sha256', `${createHash('sha256').update(await readFile('../Assets/vendor/codemirror.js')).digest('hex')}\n`);
