// make.mjs PACKAGE OUT: writes the page as one file, OUT/index.html. It needs no server, because it contains the modules that it
// imports, as data URLs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [, , folder, out] = process.argv;
const page = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const imports = {};
for (const name of ['index.js', 'posenc.wasm.js', 'digest.js', 'digest.wasm.js']) {
  // A module in a data URL has no folder, so its own imports must be names, too.
  const text = readFileSync(`${folder}/${name}`, 'utf8').replaceAll("import('./", "import('posenc/");
  imports[name === 'index.js' ? 'posenc' : `posenc/${name}`] =
    `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}
imports['posenc/worst_cases.mjs'] = `data:text/javascript;base64,${Buffer.from(page('worst_cases.mjs')).toString('base64')}`;
const html = page('index.html')
  .replace('<script type="importmap">{}', () => `<script type="importmap">${JSON.stringify({ imports })}`)
  .replace('<script type="text/plain" id="worst">', () => `<script type="text/plain" id="worst">\n${page('../../../tools/verify/worst_cases.inc')}`)
  .replace('<script type="module" src="page.js">', () => `<script type="module">\n${page('page.js')}`);
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/index.html`, html);
