// The same bits as the native library: native_test.mjs POSENC, the command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bits, posenc } from './package.mjs';

const command = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), 'posenc-'));
let entries = 0;

// The data of the .npy file that `posenc table` makes, as bytes.
function native(...args) {
  const file = join(scratch, 'table.npy');
  execFileSync(command, ['table', ...args.map(String), '--out', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const npy = readFileSync(file);
  return npy.subarray(10 + npy.readUInt16LE(8));
}

function expectSame(array, wanted, what) {
  const got = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  assert.equal(got.length, wanted.length, what);
  assert.ok(got.equals(wanted), what);
  entries += array.length;
}

try {
  const types = ['float32', 'bfloat16', 'float16', 'float64'];
  for (const type of types) {
    expectSame(posenc.table(1100, 512, { type }), native('--dim', 512, '--rows', 1100, '--dtype', type), type);
    const fractions = [0, 0.5, -77.25, 1e9 + 0.25, 2 ** 31, -(2 ** 31), 3e-30];
    expectSame(posenc.encode(fractions, 37, { type, layout: 'cos_sin', base: 500000 }),
      native('--dim', 37, '--positions', fractions, '--dtype', type, '--layout', 'cos_sin', '--base', 500000), type);
    const frequencies = [1, 0.25, -0.001];
    expectSame(posenc.table(99, 6, { type, frequencies, frequencyUnit: 'half_turns' }),
      native('--dim', 6, '--rows', 99, '--dtype', type, '--frequencies', frequencies, '--unit', 'half-turns'), type);
    const odd = { type, oddColumn: 'zero_last', positionOffset: 2, paddingPosition: 3, layout: 'sin_cos' };
    expectSame(posenc.table(9, 7, odd), native('--dim', 7, '--rows', 9, '--dtype', type, '--odd-column', 'zero_last',
      '--position-offset', 2, '--padding-position', 3, '--layout', 'sin_cos'), `${type}, odd`);
    for (const layout of ['halves', 'cos_sin', 'pairs', 'duplicated', 'halves_twice']) {
      const tables = posenc.Rotary.preset('llama3', 128, { factor: 8 }).cache(100, 333, { layout, type });
      const wanted = native('--rotary', 'llama3', '--dim', 128, '--rows', 333, '--first', 100, '--factor', 8,
        '--cache', layout, '--dtype', type);
      if (tables.table) {
        expectSame(tables.table, wanted, `${type}, ${layout}`);
      } else {
        expectSame(tables.cos, wanted.subarray(0, wanted.length / 2), `${type}, ${layout}, cos`);
        expectSame(tables.sin, wanted.subarray(wanted.length / 2), `${type}, ${layout}, sin`);
      }
    }
  }
  let compared = 0;
  for (const { name, phaseRounding } of posenc.presets()) {
    try {
      posenc.Encoder.preset(name, 66).dispose();
    } catch (error) {
      if (error.status === undefined) throw error;
      continue; // its frequencies are the caller's, or too high for so many columns
    }
    const isOf = phaseRounding !== 'none' && phaseRounding !== 'f32_list'; // a list is the caller's
    const options = { preset: name, type: types[compared % 4], ...(isOf && { phaseRounding }) };
    expectSame(posenc.table(70, 66, options), native('--preset', name, '--dim', 66, '--rows', 70, '--dtype',
      options.type, '--phase-rounding', isOf ? 'source' : 'none'), name);
    ++compared;
  }
  for (const { name } of posenc.rotaryPresets()) {
    for (const dim of [64, 128, 96]) {
      let rotary;
      try {
        rotary = posenc.Rotary.preset(name, dim);
      } catch (error) {
        if (error.status === undefined) throw error;
        continue; // what it lacks, or the size of its heads, is the caller's
      }
      if (rotary.axes !== 1) continue;
      expectSame(rotary.cache(7, 5, { type: 'float64' }).table,
        native('--rotary', name, '--dim', dim, '--rows', 5, '--first', 7, '--cache', 'cos_sin', '--dtype', 'float64'), name);
      ++compared;
      break;
    }
  }
  assert.ok(compared > 80, `${compared} presets`);

  // Calls in parts, at any place in a caller's memory, give what one call gives.
  const encoder = new posenc.Encoder({ dim: 130 });
  const whole = encoder.write(-5, 3000);
  const parts = new Float32Array(3000 * 130);
  for (let row = 0; row < 3000; row += 77) {
    encoder.write(row - 5, Math.min(77, 3000 - row), parts.subarray(row * 130));
  }
  assert.deepEqual(bits(parts), bits(whole));
  assert.deepEqual(bits(encoder.writeAt(Int32Array.from({ length: 3000 }, (_, r) => r - 5))), bits(whole));
  const sums = new Float32Array(3000 * 130).map((_, i) => Math.fround(i / 7));
  const wanted = sums.map((x, i) => Math.fround(Math.fround(x * 2.5) + whole[i]));
  assert.deepEqual(bits(encoder.add(sums, -5, { scale: 2.5 })), bits(wanted));
  const rotary = new posenc.Rotary({ headDim: 64 });
  const q = Float32Array.from({ length: 900 * 3 * 64 }, (_, i) => Math.sin(i));
  const one = rotary.rotate(q.slice(), 11, { heads: 3 });
  const many = q.slice();
  for (let t = 0; t < 900; ++t) rotary.rotate(many.subarray(t * 192, (t + 1) * 192), [t + 11], { heads: 3 });
  assert.deepEqual(bits(many), bits(one));
  const back = rotary.rotate(one, 11, { heads: 3, inverse: true });
  assert.ok(back.every((x, i) => Math.abs(x - q[i]) < 1e-6));
  console.log(`${entries} entries of ${compared} presets and more have the native library's bits`);
} finally {
  rmSync(scratch, { recursive: true });
}
