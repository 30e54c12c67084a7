// The package that bindings/web/build made, loaded.
import { pathToFileURL } from 'node:url';

const build = process.env.POSENC_WEB_BUILD;
export const folder = `${build}/package`;
export const posenc = await import(pathToFileURL(`${folder}/index.js`));
await posenc.load();

// The bit patterns of an array.
export function bits(array) {
  const copy = array.slice();
  const Bits = { 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[array.BYTES_PER_ELEMENT];
  return new Bits(copy.buffer);
}
