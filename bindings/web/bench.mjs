// Encodings of 5000 x 512 by posenc and by plain JavaScript: node bindings/web/bench.mjs [FILE]
// FILE gets the times as JSON, which tools/report reads.
//
// The loop has the frequencies precomputed, so that an entry costs it one product and one sine or cosine.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const build = process.env.POSENC_WEB_BUILD ?? new URL('../../build/web', import.meta.url).pathname;
const posenc = await import(pathToFileURL(`${build}/package/index.js`));
await posenc.load();

const rows = 5000;
const dim = 512;
const frequencies = Float64Array.from({ length: dim / 2 }, (_, i) => 10000 ** (-2 * i / dim));

function plain(out) {
  for (let r = 0, at = 0; r < rows; ++r) {
    for (let i = 0; i < dim / 2; ++i, at += 2) {
      const phase = r * frequencies[i];
      out[at] = Math.sin(phase);
      out[at + 1] = Math.cos(phase);
    }
  }
}

const encoder = new posenc.Encoder({ dim });
const out = new Float32Array(rows * dim);
const doubles = new Float64Array(rows * dim);
const halves = new Uint16Array(rows * dim);
const ways = [
  ['plain JavaScript', out, () => plain(out)],
  ['plain, to a new array', out, () => plain(new Float32Array(rows * dim))],
  ['posenc.table, to a new array', out, () => posenc.table(rows, dim)],
  ['write, float32', out, () => encoder.write(0, rows, out)],
  ['write, bfloat16', halves, () => encoder.write(0, rows, halves, 'bfloat16')],
  ['write, double', doubles, () => encoder.write(0, rows, doubles)],
  ['add, float32', out, () => encoder.add(out)],
];
const best = ways.map(() => Infinity);
for (let round = 0; round < 50; ++round) {
  ways.forEach(([, , work], k) => {
    const start = performance.now();
    work();
    best[k] = Math.min(best[k], performance.now() - start);
  });
}
console.log(`5000 x 512, best of 50, Node ${process.versions.node}`);
ways.forEach(([name, array], k) => {
  const rate = array.byteLength / best[k] / 1e6;
  console.log(`${name.padEnd(30)} ${best[k].toFixed(2).padStart(8)} ms ${rate.toFixed(2).padStart(6)} GB/s ` +
    `${(best[0] / best[k]).toFixed(1).padStart(6)} times plain`);
});

// A decode step: a layer rotates one token's q and k, by a position and by angles that were made before.
const [q, k] = [32, 8].map((heads) => [new Float32Array(heads * 128).fill(1), { heads }]);
for (const arithmetic of ['exact', 'fast']) {
  const rotary = new posenc.Rotary({ headDim: 128, base: 500000, arithmetic });
  const angles = rotary.angles(1000, 1);
  const least = [Infinity, Infinity];
  for (let round = 0; round < 200; ++round) {
    [1000, angles].forEach((by, way) => {
      const start = performance.now();
      for (let i = 0; i < 100; ++i) {
        for (const [x, heads] of [q, k]) rotary.rotate(x, by, heads);
      }
      least[way] = Math.min(least[way], 10 * (performance.now() - start));
    });
  }
  console.log(`rotate q and k of a token, ${arithmetic}: ${least[0].toFixed(1)} us by its position, ` +
    `${least[1].toFixed(1)} us by angles`);
}
if (process.argv[2]) {
  const each = (of) => Object.fromEntries(ways.map(([name, array], k) => [name, of(array, k)]));
  writeFileSync(process.argv[2], JSON.stringify({
    versions: `Node ${process.versions.node}`,
    seconds: each((array, k) => best[k] / 1e3),
    bytes: each((array) => array.byteLength),
  }));
}
