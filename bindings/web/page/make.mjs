// make.mjs PACKAGE OUT: the page as one file, OUT/index.html, which needs no server: what it imports is in it, as data.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [, , folder, out] = process.argv;
const page = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const imports = {};
for (const name of ['index.js', 'posenc.wasm.js', 'digest.js', 'digest.wasm.js']) {
  // A module that is data has no folder: its own imports go by names too.
  const text = readFileSync(`${folder}/${name}`, 'utf8').replaceAll("import('./", "import('posenc/");
  imports[name === 'index.js' ? 'posenc' : `posenc/${name}`] =
    `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}
const html = page('index.html')
  .replace('<script type="importmap">{}', () => `<script type="importmap">${JSON.stringify({ imports })}`)
  .replace('<script type="module" src="page.js">', () => `<script type="module">\n${page('page.js')}`);
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/index.html`, html);
