// native_test.mjs POSENC NATIVE_CALLS: compares the package, bit by bit, with the native library: with the command POSENC, and
// with the program NATIVE_CALLS (native_calls.cc).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bits, posenc } from './package.mjs';

const [, , command, calls] = process.argv;
const scratch = mkdtempSync(join(tmpdir(), 'posenc-'));
let entries = 0;

// The entries, as bytes, of the .npy file that `posenc table` writes. Lists have colons between their numbers.
function native(...args) {
  const file = join(scratch, 'table.npy');
  execFileSync(command, ['table', ...args.map((arg) => [arg].flat().join(':')), '--out', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const npy = readFileSync(file);
  return npy.subarray(10 + npy.readUInt16LE(8));
}

// Calls a C function on the entries of an array, and returns the result.
function called(call, array, ...words) {
  const input = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return execFileSync(calls, [call, ...words.flat(9).map(String)], { input, maxBuffer: 2 ** 28 });
}
const listed = (list) => [list.length, ...list];

const NUMBERS = { float32: 1, bfloat16: 2, float16: 3, float64: 4 }; // values of posenc_type
const SUMMANDS = ['float32', 'bfloat16', 'float16'];
const Made = { float32: Float32Array, bfloat16: Uint16Array, float16: Uint16Array, float64: Float64Array };
let state = 1;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state >>> 8;
}

// Ordinary entries: magnitudes from 0.5 to 2, with both signs.
function someOf(type, length) {
  if (type === 'float64') return Float64Array.from({ length }, () => random() / 2 ** 23);
  const [Bits, base, mask, sign] = {
    float32: [Uint32Array, 0x3f000000, 0xffffff, 2 ** 31],
    bfloat16: [Uint16Array, 0x3f00, 0xff, 2 ** 15],
    float16: [Uint16Array, 0x3800, 0x7ff, 2 ** 15],
  }[type];
  const made = Bits.from({ length }, () => base + (random() & mask) + (random() % 2) * sign);
  return type === 'float32' ? new Float32Array(made.buffer) : made;
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
    expectSame(posenc.table(99, 6, { type, frequencies, unit: 'half_turns' }),
      native('--dim', 6, '--rows', 99, '--dtype', type, '--frequencies', frequencies, '--unit', 'half_turns'), type);
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
      continue; // the preset needs the caller's frequencies, or its frequencies would be out of range for this dim
    }
    const isOf = phaseRounding !== 'none' && phaseRounding !== 'f32_list'; // f32_list needs the caller's list
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
        continue; // the preset needs more arguments, or another head_dim
      }
      if (rotary.axes !== 1) continue;
      expectSame(rotary.cache(7, 5, { type: 'float64' }).table,
        native('--rotary', name, '--dim', dim, '--rows', 5, '--first', 7, '--cache', 'cos_sin', '--dtype', 'float64'), name);
      ++compared;
      break;
    }
  }
  assert.ok(compared > 80, `${compared} presets`);

  // Several calls for parts, at any place in the caller's memory, give the same result as one call.
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

  // Batches: all sequences have one first position, each sequence has its own, all have the same list, or each has its own list.
  // Some batches fit one part of the module's memory, and others need several.
  for (const type of SUMMANDS) {
    for (const [dim, rows, batch] of [[6, 3, 4], [37, 70, 5], [512, 300, 3], [128, 2, 200], [4096, 130, 2]]) {
      const e = posenc.Encoder.preset('fairseq', dim);
      const what = `${type}, ${batch} x ${rows} x ${dim}`;
      const x = someOf(type, batch * rows * dim);
      const wants = (first, firsts) =>
        called('add_batch', x, 'fairseq', dim, NUMBERS[type], 0.75, rows, first, listed(firsts));
      expectSame(e.add(x.slice(), -7, { type, scale: 0.75, batch }), wants(-7, []), what);
      const firsts = Array.from({ length: batch }, (_, b) => (b * 29) % 11 - 4);
      const each = wants(0, firsts);
      for (const list of [firsts, firsts.map(BigInt), Int32Array.from(firsts), BigInt64Array.from(firsts, BigInt)]) {
        expectSame(e.add(x.slice(), list, { type, scale: 0.75 }), each, `${what}, first`);
      }
      const own = firsts.flatMap((first) => Array.from({ length: rows }, (_, r) => first + r));
      expectSame(e.addAt(x.slice(), own, { type, scale: 0.75, batch }), each, `${what}, positions`);
      const same = Float32Array.from({ length: rows }, (_, r) => r - 7);
      expectSame(e.addAt(x.slice(), same, { type, scale: 0.75, batch }), wants(-7, []), `${what}, same positions`);
    }
  }

  // Rows of a table by their ids, in the type of the table and as floats.
  const pairs = SUMMANDS.flatMap((type) => (type === 'float32' ? [[type, type]] : [[type, type], [type, 'float32']]));
  for (const [tableType, type] of pairs) {
    for (const [dim, rows, batch, vocabulary] of [[6, 3, 4, 5], [37, 70, 3, 2], [512, 1100, 2, 300]]) {
      const e = posenc.Encoder.preset('fairseq', dim);
      const what = `${tableType} to ${type}, ${batch} x ${rows} x ${dim}`;
      const weights = someOf(tableType, vocabulary * dim);
      const ids = Array.from({ length: batch * rows }, () => random() % vocabulary);
      const wants = (first, some, positions) => called('embed', weights, 'fairseq', dim, NUMBERS[type], 22.5,
        NUMBERS[tableType], first, listed(some), listed(positions));
      const given = { tableType, type, scale: 22.5 };
      expectSame(e.embed(ids, weights, 9, given), wants(9, ids, []), `${what}, one sequence`);
      const firsts = Array.from({ length: batch }, (_, b) => 3 - 5 * b);
      const sequences = (firstOf) => Buffer.concat(firsts.map((first, b) =>
        wants(firstOf(first), ids.slice(b * rows, (b + 1) * rows), [])));
      expectSame(e.embed(Int32Array.from(ids), weights, firsts, given), sequences((first) => first), `${what}, first`);
      const out = new (type === 'float32' ? Float32Array : Uint16Array)(ids.length * dim + 1);
      const wide = BigInt64Array.from(ids, BigInt);
      assert.equal(e.embed(wide, weights, 4n, { ...given, type: undefined, out, batch }), out);
      expectSame(out.subarray(0, -1), sequences(() => 4), `${what}, batch`);
      assert.equal(out.at(-1), 0);
      const positions = ids.map((_, i) => i / 3 - 4);
      expectSame(e.embedAt(ids, weights, positions, { ...given, batch }), wants(0, ids, positions),
        `${what}, positions`);
      const same = positions.slice(0, rows);
      expectSame(e.embedAt(ids, weights, same, { ...given, batch }),
        wants(0, ids, Array(batch).fill(same).flat()), `${what}, same positions`);
    }
  }
  const half = new posenc.Encoder({ dim: 8 });
  const table = someOf('bfloat16', 24);
  assert.ok(half.embed([2], table, 0, { tableType: 'bfloat16' }) instanceof Uint16Array);

  // Grids with one to four axes, with rows before the cells, with columns that no axis writes, and with a list. The last four
  // grids need several parts.
  for (const type of types) {
    for (const [dim, prefixRows, axes] of [
      [6, 0, [[0, 5]]], [6, 2, [[6, 3], [0, 4]]], [7, 1, [[9, [0.5, -3, 1e6]], [0, 2], [20, 3]]],
      [4, 3, [[0, 0], [4, 5]]],
      [384, 1, [[384, 33], [0, 31]]], [256, 0, [[0, 3], [256, [3, 1.5, -2]], [512, 250]]],
      [8, 70000, [[8, 1], [0, 7], [17, 9], [26, 1000]]], [64, 0, [[0, 1], [64, 3], [128, 3001]]]]) {
      const e = new posenc.Encoder({ dim });
      const given = axes.map(([column, positions]) => [e, column, positions]);
      const words = axes.map(([column, positions]) =>
        (Array.isArray(positions) ? [column, positions.length, ...listed(positions)] : [column, positions, 0]));
      const columns = Math.max(...axes.map(([column]) => column + dim));
      const rows = prefixRows + axes.reduce((cells, [, positions]) => cells * (positions.length ?? positions), 1);
      const what = `${type}, ${JSON.stringify(axes)}`;
      const wants = (x, scale, width) => called('grid', x, dim, NUMBERS[type], scale, prefixRows, width, words.flat());
      expectSame(posenc.grid(given, { prefixRows, type }), wants(new Made[type](rows * columns), 0, columns), what);
      const x = someOf(type, rows * columns);
      expectSame(posenc.grid(given, { prefixRows, type, out: x.slice() }), wants(x, 0, columns), `${what}, out`);
      if (type === 'float64') continue;
      const wide = someOf(type, rows * (columns + 3));
      const sum = posenc.gridAdd(wide.slice(), given, { prefixRows, type, scale: 0.75 });
      expectSame(sum, wants(wide, 0.75, columns + 3), `${what}, sum`);
    }
  }

  // Heads before or after tokens, in batches: with one first position, a first position for each sequence, the same list for all
  // sequences, and a list for each. Each of them without factors, with the same factors for all sequences, and with factors for
  // each. The result has the type of x or, if x has floats, another type. Angles give the same bits as their positions.
  const conversions = [...SUMMANDS.map((type) => [type, type]), ['float32', 'bfloat16'], ['float32', 'float16']];
  const shapes = [['llama3', 64, 2, 3, 5], ['llama3', 128, 3, 2, 1], ['llama3', 64, 2, 40, 70], ['qwen2_vl', 128, 3, 2, 70],
    ['llama3', 64, 70, 1, 2]];
  for (const arithmetic of ['exact', 'fast']) {
    for (const [from, type] of conversions) {
      for (const [name, headDim, batch, heads, tokens] of shapes) {
        if (arithmetic === 'fast' && tokens !== 5) continue; // only the first shape: the other code is the same
        const rope = posenc.Rotary.preset(name, headDim, { arithmetic });
        const x = someOf(from, batch * heads * tokens * headDim);
        const size = heads * tokens * headDim;
        const { axes } = rope;
        const same = Array.from({ length: axes * tokens }, () => (random() % 4000) / 4);
        const own = Int32Array.from({ length: axes * batch * tokens }, () => random() % 4000);
        const ownOf = (b) => Array.from({ length: axes }, (_, k) =>
          [...own.subarray((k * batch + b) * tokens, (k * batch + b + 1) * tokens)]).flat();
        const firsts = Array.from({ length: batch }, (_, b) => 100 * b - 7);
        const angles = { run: rope.angles(11, tokens), same: rope.angles(same, tokens), own: rope.angles(own, batch * tokens) };
        assert.equal(angles.own.tokens, batch * tokens);
        for (const [tokenAxis, perSequence] of [-3, -2].flatMap((axis) => [0, 1, batch].map((some) => [axis, some]))) {
          const strides = tokenAxis === -3 ? [heads * headDim, headDim] : [headDim, tokens * headDim];
          const factors = Array.from({ length: perSequence * tokens }, () => 0.5 + random() / 2 ** 23);
          const factorsOf = (b) => (perSequence === batch ? factors.slice(b * tokens, (b + 1) * tokens) : factors);
          const turned = (part, tensors, first, positions, some) => {
            const all = Array.from({ length: tensors }, (_, b) => [b * size, heads, strides]);
            return called('rotate', part, name, headDim, arithmetic === 'exact' ? 0 : 1, NUMBERS[type], NUMBERS[from], 0.5, 1,
              tokens, listed(all), first, listed(positions), listed(some));
          };
          const each = (firstOf, listOf) => Buffer.concat(Array.from({ length: batch }, (_, b) =>
            turned(x.subarray(b * size, (b + 1) * size), 1, firstOf(b), listOf(b), factorsOf(b))));
          const what = `${arithmetic}, ${from} to ${type}, ${name}, ${batch} x ${heads} x ${tokens}, ${tokenAxis}, ` +
            `${factors.length} factors`;
          const given = { type: from, outType: type, heads, scale: 0.5, inverse: true, tokenAxis,
            ...(perSequence > 0 && { factors: perSequence === 1 ? factors : Float32Array.from(factors) }) };
          const one = turned(x, batch, 11, [], factors);
          const before = x.slice();
          expectSame(rope.rotate(x, 11, { ...given, batch }), one, what);
          expectSame(x, Buffer.from(before.buffer), `${what}, the source`);
          expectSame(rope.rotate(x, undefined, { ...given, batch, first: 11n }), one, `${what}, first`);
          expectSame(rope.rotate(x, angles.run, { ...given, batch }), one, `${what}, angles`);
          const out = new Made[type](x.length + 1);
          assert.equal(rope.rotate(x, 11, { ...given, outType: type === from ? undefined : type, batch, out }), out);
          expectSame(out.subarray(0, -1), one, `${what}, out`);
          assert.equal(out.at(-1), 0);
          if (from === type) {
            const inPlace = x.slice();
            assert.equal(rope.rotate(inPlace, 11, { ...given, outType: undefined, batch }), inPlace);
            expectSame(inPlace, one, `${what}, in place`);
            const alias = x.slice();
            rope.rotate(alias, angles.run, { ...given, batch, out: alias.subarray(0) });
            expectSame(alias, one, `${what}, out is x`);
          }
          const all = turned(x, batch, 0, same, factors);
          expectSame(rope.rotate(x, same, { ...given, batch }), all, `${what}, same positions`);
          expectSame(rope.rotate(x, angles.same, { ...given, batch }), all, `${what}, angles of same positions`);
          if (batch > 9) continue;
          expectSame(rope.rotate(x, null, { ...given, first: firsts }), each((b) => firsts[b], () => []), `${what}, firsts`);
          const different = each(() => 0, ownOf);
          expectSame(rope.rotate(x, own, { ...given, batch }), different, `${what}, positions`);
          expectSame(rope.rotate(x, angles.own, { ...given, batch }), different, `${what}, angles of positions`);
        }
        for (const made of Object.values(angles)) made.dispose();
      }
    }
  }
  console.log(`${entries} entries of ${compared} presets and more have the native library's bits`);
} finally {
  rmSync(scratch, { recursive: true });
}
