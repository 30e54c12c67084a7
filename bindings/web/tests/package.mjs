// Loads the package that bindings/web/build has made, for the tests.
import { pathToFileURL } from 'node:url';

const build = process.env.POSENC_WEB_BUILD;
export const folder = `${build}/package`;
export const posenc = await import(pathToFileURL(`${folder}/index.js`));
await posenc.load();

// The entries of an array as bits.
export function bits(array) {
  const copy = array.slice();
  const Bits = { 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[array.BYTES_PER_ELEMENT];
  return new Bits(copy.buffer);
}
