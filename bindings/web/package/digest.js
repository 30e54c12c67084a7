// Computes the digest of posenc.wasm. Another module, digest.wasm, has the cases. It calls the functions of a second instance
// of posenc.wasm, and uses the memory of this instance from 8 MiB on.

const PAGES = 256; // 16 MiB, for the data and the stack of the cases, and for their first allocations
const SLICE = 40; // in ms; between slices the page can react

function link(exports, cases) {
  const imports = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(cases)) {
    imports[module] ??= {};
    imports[module][name] = exports[name] ?? (kind === 'function'
      ? () => { throw new Error(`digest: ${name} was called`); }
      : undefined);
  }
  return imports;
}

export async function compute(library, bytes, target, progress) {
  const { exports } = await WebAssembly.instantiate(library, {});
  exports._initialize();
  exports.memory.grow(Math.max(0, PAGES - exports.memory.buffer.byteLength / 65536));
  const cases = await WebAssembly.compile(bytes);
  const digest = (await WebAssembly.instantiate(cases, link(exports, cases))).exports;
  digest._initialize();
  const name = new TextEncoder().encode(`${target}\0`);
  new Uint8Array(exports.memory.buffer).set(name, digest.web_digest_target());
  digest.web_digest_start();
  for (let fraction = 0; fraction < 1;) {
    const until = performance.now() + SLICE;
    while (fraction < 1 && performance.now() < until) fraction = digest.web_digest_step();
    progress?.(fraction);
    await new Promise((resolve) => { setTimeout(resolve); });
  }
  return BigInt.asUintN(64, digest.web_digest_value()).toString(16).padStart(16, '0');
}
