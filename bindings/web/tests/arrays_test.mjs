// Tests arrays that are not plain: classes that extend typed arrays, arrays of another realm, and lists and options with code of
// the caller. They give the same results as plain arrays, or throw an error before anything is written.
import assert from 'node:assert/strict';
import { createContext, runInContext } from 'node:vm';
import { posenc } from './package.mjs';

const { Encoder, Rotary } = posenc;
const encoder = new Encoder({ dim: 4 });
const rotary = new Rotary({ headDim: 4 });
const axial = new Rotary({ headDim: 8, axes: 2, sections: [2, 2] });

// ---- classes that extend typed arrays, and other realms ----

// A class whose constructor takes a shape, and whose members give wrong answers.
const shaped = (Base) => class extends Base {
  constructor(...shape) { super(shape.reduce((product, n) => product * n, 1)); }
  static get [Symbol.species]() { return Array; }
  get length() { return 1; }
  get buffer() { return new ArrayBuffer(8); }
  get byteOffset() { return 4; }
  get byteLength() { return 4; }
  get [Symbol.toStringTag]() { return 'Float64Array'; }
  subarray() { return this; }
  set() {}
  findIndex() { return -1; }
};
const realm = createContext({});
const set = (array, values) => {
  Object.getPrototypeOf(Uint8Array.prototype).set.call(array, values);
  return array;
};
const KINDS = [
  ['a class', (Base, values) => set(new (shaped(Base))(1, values.length), values)],
  ['another realm', (Base, values) => set(new (runInContext(Base.name, realm))(values.length), values)],
];
const entries = (array, length) => Array.from({ length }, (_, i) => array[i]);

const some = Array.from({ length: 16 }, (_, i) => i / 4 + 1);
const halves = Array.from(some, (_, i) => 0x3f80 + i); // bits of bfloat16
const CALLS = [
  ['rotate', [Float32Array, some], (x) => rotary.rotate(x, 7)],
  ['rotate, heads first', [Float32Array, some], (x) => rotary.rotate(x, 7, { tokenAxis: -2, heads: 2 })],
  ['rotate, bfloat16', [Uint16Array, halves], (x) => rotary.rotate(x, 7, { type: 'bfloat16' })],
  ['rotate, positions', [Float32Array, [3, 1, 4, 1]], (positions) => rotary.rotate(Float32Array.from(some), positions)],
  ['rotate, axes', [BigInt64Array, [3n, 1n, 4n, 1n]], (positions) => axial.rotate(Float32Array.from(some), positions)],
  ['rotate, first', [Int32Array, [3, 1]], (first) => rotary.rotate(Float32Array.from(some), null, { first })],
  ['rotate, factors', [Float32Array, [3, 1, 4, 1]], (factors) => rotary.rotate(Float32Array.from(some), 0, { factors })],
  ['rotate, out', [Float32Array, Array(17).fill(9)], (out) => rotary.rotate(Float32Array.from(some), 7, { out })],
  ['rotate, out of float16', [Uint16Array, Array(17).fill(9)],
    (out) => rotary.rotate(Float32Array.from(some), 7, { out, outType: 'float16' })],
  ['rotate, out is x', [Float32Array, some], (x) => rotary.rotate(x, 7, { out: x })],
  ['angles', [Float64Array, [3, 1.5, 4, 1]], (positions) => rotary.rotate(Float32Array.from(some), rotary.angles(positions, 4))],
  ['cache', [Float64Array, [3, 1.5, 4, 1]], (positions) => rotary.cache(positions, 4).table],
  ['frequencies', [Float32Array, [3, 1.5]], (frequencies) => new Rotary({ headDim: 4, frequencies }).frequencies()],
  ['sections', [Int32Array, [1, 3]], (sections) => new Rotary({ headDim: 8, axes: 2, sections }).rotate(Float32Array.from(some), [1, 2, 3, 4])],
  ['fromConfig', [Float64Array, [2, 1, 1]], (mrope_section) => Rotary.fromConfig({ model_type: 'qwen2_vl_text', head_dim: 8,
    hidden_size: 32, num_attention_heads: 4, rope_theta: 100, rope_scaling: { type: 'mrope', mrope_section } }).cache(2, 4).table],
  ['write', [Float32Array, Array(17).fill(9)], (out) => encoder.write(1, 4, out)],
  ['writeAt', [Int32Array, [3, 1, 4, 1]], (positions) => encoder.writeAt(positions)],
  ['add', [Float32Array, some], (x) => encoder.add(x, 1)],
  ['add, first', [BigInt64Array, [3n, 1n]], (first) => encoder.add(Float32Array.from(some), first)],
  ['addAt', [Float32Array, some], (x) => encoder.addAt(x, [1, 2], { batch: 2 })],
  ['addAt, positions', [Int32Array, [3, 1]], (positions) => encoder.addAt(Float32Array.from(some), positions, { batch: 2 })],
  ['embed, ids', [Int32Array, [3, 1]], (ids) => encoder.embed(ids, Float32Array.from(some))],
  ['embed, table', [Float32Array, some], (table) => encoder.embed([3, 0], table)],
  ['embed, table of bfloat16', [Uint16Array, halves], (table) => encoder.embed([3, 0], table, 1, { tableType: 'bfloat16' })],
  ['embedAt', [Float64Array, [3, 1]], (positions) => encoder.embedAt([3, 0], Float32Array.from(some), positions)],
  ['embed, out', [Float32Array, Array(17).fill(9)], (out) => encoder.embed([3, 0, 1], Float32Array.from(some), [4], { out })],
  ['grid', [Float64Array, [3, 1]], (positions) => posenc.grid([[encoder, 0, positions], [encoder, 4, 2]])],
  ['grid, out', [Float64Array, Array(33).fill(9)], (out) => posenc.grid([[encoder, 0, 2], [encoder, 4, 2]], { out })],
  ['gridAdd', [Float32Array, some], (x) => posenc.gridAdd(x, [[encoder, 0, 4]])],
];
for (const [name, [Base, values], call] of CALLS) {
  const wanted = call(Base.from(values));
  const { length } = wanted;
  assert.ok(length > 1 && new Set(wanted).size > 1, name);
  for (const [kind, make] of KINDS) {
    assert.deepEqual(entries(call(make(Base, values)), length), [...wanted], `${name}: ${kind}`);
  }
}

// ---- the caller's code runs when options and lists are read ----

// Calls with a hostile argument, which does `harm` when it is read. The array that a call writes keeps its entries if the call
// is refused.
const hostile = (values, harm) => new Proxy(values, {
  get(target, key) {
    if (key === String(values.length - 1)) harm();
    return target[key];
  },
});
const target = () => new Float32Array(8).fill(7);
const shrink = (array) => structuredClone(array, { transfer: [array.buffer] });

for (const [name, call] of [
  ['factors', (r, harm) => r.rotate(target(), 0, { factors: hostile([1, 1], harm) })],
  ['positions', (r, harm) => r.rotate(target(), hostile([1, 1], harm))],
  ['first', (r, harm) => r.rotate(target(), null, { first: hostile([1, 1], harm) })],
  ['scale', (r, harm) => r.rotate(target(), 0, { get scale() { harm(); return 1; } })],
  ['cache', (r, harm) => r.cache(hostile([1, 1], harm), 2)],
  ['cache, type', (r, harm) => r.cache(0, 2, { get type() { harm(); return 'float32'; } })],
  ['angles', (r, harm) => r.angles(hostile([1, 1], harm), 2)],
]) {
  const disposed = new Rotary({ headDim: 4 });
  const harm = () => {
    disposed.dispose();
    new Rotary({ headDim: 4, base: 5 }); // takes the place in memory
  };
  assert.throws(() => call(disposed, harm), { kind: 'null', message: 'this: the Rotary was disposed of' }, name);
}
for (const [name, call] of [
  ['add', (e, harm) => e.add(target(), hostile([1, 1], harm))],
  ['add, scale', (e, harm) => e.add(target(), 0, { get scale() { harm(); return 1; } })],
  ['addAt', (e, harm) => e.addAt(target(), hostile([1, 1], harm))],
  ['writeAt', (e, harm) => e.writeAt(hostile([1, 1], harm))],
  ['embed', (e, harm) => e.embed(hostile([1, 1], harm), target())],
  ['embed, first', (e, harm) => e.embed([1, 1], target(), hostile([1, 1], harm))],
  ['embed, scale', (e, harm) => e.embed([1, 1], target(), 0, { get scale() { harm(); return 1; } })],
  ['embedAt', (e, harm) => e.embedAt([1, 1], target(), hostile([1, 1], harm))],
  ['grid', (e, harm) => posenc.grid([[e, 0, hostile([1, 1], harm)]])],
  ['gridAdd', (e, harm) => posenc.gridAdd(target(), [[e, 0, 1], [encoder, 4, hostile([1], harm)]])],
]) {
  const disposed = new Encoder({ dim: 4 });
  const harm = () => {
    disposed.dispose();
    new Encoder({ dim: 4, base: 5 });
  };
  assert.throws(() => call(disposed, harm), { kind: 'null', message: /^(this|axes\[0\]): the Encoder was disposed of$/ }, name);
}

// Angles that the caller's code disposes of.
const angles = rotary.angles(1000, 2);
assert.throws(() => rotary.rotate(target(), angles, { factors: hostile([1, 1], () => { angles.dispose(); rotary.angles(1, 2); }) }),
  { kind: 'null', message: 'positions: these angles were disposed of' });
// The number of tokens of angles does not change.
const few = rotary.angles(0, 1);
Object.defineProperty(few, 'tokens', { value: 2 });
assert.throws(() => rotary.rotate(target(), few), /^RangeError: positions: angles of 2 tokens are wanted, not 1$/);

// Arrays that the caller's code changes.
for (const [name, call] of [
  ['x', (x, other, harm) => rotary.rotate(x, hostile([1, 1], () => harm(x)))],
  ['positions', (x, other, harm) => rotary.rotate(x, other, { factors: hostile([1, 1], () => harm(other)) })],
  ['out', (x, other, harm) => rotary.rotate(x, hostile([1, 1], () => harm(other)), { out: other })],
  ['first', (x, other, harm) => rotary.rotate(x, null, { first: other, factors: hostile([1, 1], () => harm(other)) })],
  ['x', (x, other, harm) => encoder.addAt(x, hostile([1, 1], () => harm(x)))],
  ['table', (x, other, harm) => encoder.embedAt([1, 1], x, hostile([1, 1], () => harm(x)))],
  ['ids', (x, other, harm) => encoder.embedAt(other, x, hostile([1, 1], () => harm(other)))],
  ['axes\\[0\\]: positions', (x, other, harm) => posenc.gridAdd(x, [[encoder, 0, other], [encoder, 0, hostile([1], () => harm(other))]])],
]) {
  const x = target();
  const other = name === 'out' ? target() : name === 'first' || name === 'ids' ? Int32Array.of(1, 1) : Float64Array.of(1, 1);
  try {
    call(x, other, shrink);
    assert.match(name, /axes/); // the number of cells must be the number of positions
  } catch (error) {
    assert.match(error.message, new RegExp(`^(${name}|x): `), name);
  }
  assert.ok(x.length === 0 || x.every((value) => value === 7), name);
}
const positions = Float64Array.of(1, 2);
const x = target();
assert.throws(() => rotary.rotate(x, positions, { factors: hostile([1, 1], () => positions.fill(NaN)) }),
  /^RangeError: positions\[0\]: a position must be/);
assert.ok(x.every((value) => value === 7));

// A list that tells several lengths is read once.
let asked = 0;
const liar = new Proxy([1, 2], { get: (list, key) => (key === 'length' && ++asked > 1 ? 1e9 : list[key]) });
assert.deepEqual(encoder.writeAt(liar), encoder.writeAt([1, 2]));
asked = 0;
assert.deepEqual(rotary.rotate(target(), 0, { factors: liar }), rotary.rotate(target(), 0, { factors: [1, 2] }));

// Options of a new object are read once.
let reads = 0;
const config = { model_type: 'own', head_dim: 4, rope_theta: 100 };
Rotary.fromConfig(config, { get pairing() { ++reads; return 'half_split'; } });
new Encoder({ get dim() { ++reads; return 4; } });
assert.equal(reads, 2);

// ---- another pairing for the output ----

// With heads of more than 1024 elements that rotate, the library needs other memory for the result. The result is a rotation with
// one pairing, whose elements move.
for (const headDim of [1024, 1026, 3000]) {
  const pairs = headDim / 2;
  const values = Float32Array.from({ length: 6 * headDim }, (_, i) => Math.sin(i));
  const one = new Rotary({ headDim, pairing: 'neighbours' }).rotate(values.slice(), 5, { heads: 2 });
  const wanted = one.map((_, i) => one[i - i % headDim + 2 * (i % headDim % pairs) + Math.floor(i % headDim / pairs)]);
  const both = new Rotary({ headDim, pairing: 'neighbours', outputPairing: 'half_split' });
  const given = { heads: 2 };
  assert.deepEqual(both.rotate(values, 5, { ...given, outType: 'float32' }), wanted, `${headDim}`);
  assert.deepEqual(both.rotate(values, 5, { ...given, out: new Float32Array(values.length) }), wanted, `${headDim}, out`);
  assert.deepEqual(both.rotate(values, both.angles(5, 3), { ...given, factors: [1, 1, 1], outType: 'float32' }), wanted, `${headDim}, factors`);
  assert.deepEqual(both.rotate(values.slice(), 5, given), wanted, `${headDim}, in place`);
}
console.log(`${CALLS.length} calls with arrays of ${KINDS.length} kinds`);
