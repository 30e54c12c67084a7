// Each mistake has an error that names the argument, and changes nothing; memory comes back.
import assert from 'node:assert/strict';
import { posenc } from './package.mjs';

const { Encoder, Rotary } = posenc;
const encoder = new Encoder({ dim: 4 });
const rotary = new Rotary({ headDim: 8 });
const x = new Float32Array(12).fill(7);
const axial = { headDim: 8, axes: 2, axisOrder: 'axial', sections: [2, 2] };

const wrong = [
  [TypeError, /^options: an object/, () => new Encoder(3)],
  [RangeError, /^dim must be/, () => new Encoder({})],
  [RangeError, /^dim must be/, () => new Encoder({ dim: 2 ** 24 + 1 })],
  [RangeError, /^dim: a whole number/, () => new Encoder({ dim: 2.5 })],
  [TypeError, /^dim: a number/, () => new Encoder({ dim: '4' })],
  [RangeError, /^base/, () => new Encoder({ dim: 4, base: 0 })],
  [TypeError, /^base: a number/, () => new Encoder({ dim: 4, base: null })],
  [TypeError, /no option 'bass'/, () => new Encoder({ dim: 4, bass: 2 })],
  [RangeError, /^layout: one of interleaved/, () => new Encoder({ dim: 4, layout: 'rows' })],
  [TypeError, /^layout: one of interleaved/, () => new Encoder({ dim: 4, layout: 1 })],
  [TypeError, /^nanRows: true or false/, () => new Encoder({ dim: 4, nanRows: 1 })],
  [TypeError, /^target: a name/, () => new Encoder({ dim: 4, target: 1 })],
  [RangeError, /target/, () => new Encoder({ dim: 4, target: 'AVX9' })],
  [TypeError, /^frequencies/, () => new Encoder({ dim: 4, frequencies: 'many' })],
  [TypeError, /^frequencies\[1\]/, () => new Encoder({ dim: 4, frequencies: [1, 'b'] })],
  [RangeError, /frequencies/, () => new Encoder({ dim: 4, frequencies: [1] })],
  [RangeError, /^'fairsec': no preset/, () => Encoder.preset('fairsec', 4)],
  [TypeError, /^name: a name/, () => Encoder.preset(undefined, 4)],
  [RangeError, /^rows: a whole number/, () => encoder.write(0, -1)],
  [RangeError, /^rows/, () => encoder.write(2 ** 31, 2)],
  [RangeError, /^first/, () => encoder.write(2 ** 31 + 1, 1)],
  [RangeError, /^first/, () => encoder.write(10n ** 30n, 1)],
  [RangeError, /^first: a whole number/, () => encoder.write(0.5, 1)],
  [RangeError, /^type: one of float32/, () => encoder.write(0, 1, 'f8')],
  [RangeError, /^out: 4 x 4 entries/, () => encoder.write(0, 4, new Float32Array(15))],
  [TypeError, /^out: of a Uint16Array/, () => encoder.write(0, 4, new Uint16Array(16))],
  [TypeError, /^out: a Float32Array holds float32/, () => encoder.write(0, 1, x, 'f64')],
  [TypeError, /^out: a Float32Array, Float64Array or Uint16Array/, () => encoder.write(0, 1, new Int8Array(4))],
  [TypeError, /^positions: an array of numbers/, () => encoder.writeAt(new Uint8Array(3))],
  [TypeError, /^positions\[1\]/, () => encoder.writeAt([1, '2'])],
  [RangeError, /^positions\[2\]/, () => encoder.addAt(x, [1, 2, NaN])],
  [RangeError, /^positions: 3 positions/, () => encoder.addAt(x, [1, 2])],
  [TypeError, /^first: a whole number is wanted; addAt/, () => encoder.add(x, [0, 1, 2])],
  [RangeError, /^x: 11 entries are no rows/, () => encoder.add(x.subarray(1))],
  [TypeError, /^x: .*no sums of doubles/, () => encoder.add(new Float64Array(4))],
  [TypeError, /^scale: a number/, () => encoder.add(x, 0, { scale: '2' })],
  [RangeError, /head_dim/, () => new Rotary({ headDim: 1 })],
  [TypeError, /^config: an object/, () => Rotary.fromConfig()],
  [TypeError, /^config: an object/, () => Rotary.fromConfig('config.json')],
  [TypeError, /^config: an object/, () => Rotary.fromConfig([])],
  [TypeError, /^options: an object/, () => Rotary.fromConfig({ head_dim: 8 }, 3)],
  [TypeError, /no option 'bass'/, () => Rotary.fromConfig({ head_dim: 8 }, { bass: 3 })],
  [TypeError, /no option 'headDim'/, () => Rotary.fromConfig({ head_dim: 8 }, { headDim: 8 })],
  [RangeError, /^head_dim: the rotary needs/, () => Rotary.fromConfig({})],
  [TypeError, /^head_dim: the key's value is of another kind/, () => Rotary.fromConfig({ head_dim: '8' })],
  [RangeError, /^rope_x: no key/, () => Rotary.fromConfig({ head_dim: 8, rope_x: 1 })],
  [RangeError, /^rope_scaling.type: the key's value is none/, () => Rotary.fromConfig({ head_dim: 8, rope_scaling: { type: 'x' } })],
  [TypeError, /^rope_theta: the key's value/, () => Rotary.fromConfig({ head_dim: 8, rope_theta: [1, null] }, { layer: 0 })],
  [TypeError, /^rope_theta: the key's value/, () => Rotary.fromConfig({ head_dim: 8, rope_theta: () => 3 })],
  [RangeError, /^the model has no layer/, () => Rotary.fromConfig({ head_dim: 8, num_hidden_layers: 2 }, { layer: 2 })],
  [RangeError, /^layer: a whole number/, () => Rotary.fromConfig({ head_dim: 8 }, { layer: -1 })],
  [TypeError, /^layer: a number/, () => Rotary.fromConfig({ head_dim: 8 }, { layer: '1' })],
  [TypeError, /^layerType: a name/, () => Rotary.fromConfig({ head_dim: 8 }, { layerType: 1 })],
  [TypeError, /^modelType: a name/, () => Rotary.fromConfig({ head_dim: 8 }, { modelType: 1 })],
  [RangeError, /^config: objects within/, () => { const c = {}; c.a = c; Rotary.fromConfig(c); }],
  [RangeError, /^sections\[1\]/, () => new Rotary({ headDim: 8, axes: 2, sections: [2, -2] })],
  [RangeError, /^sections have 5 pairs, and 4 rotate: axes/, () => new Rotary({ headDim: 8, axes: 2, sections: [2, 3] })],
  [RangeError, /^axes must be 1 to 4.*of summed ones/,
    () => new Rotary({ headDim: 8, axes: 2, axisOrder: 'summed', sections: [2, 3] })],
  [TypeError, /^axisSpecs: an array of up to 4/, () => new Rotary({ ...axial, axisSpecs: {} })],
  [TypeError, /^axisSpecs\[1\]: an object/, () => new Rotary({ ...axial, axisSpecs: [{}, 3] })],
  [TypeError, /^axisSpecs\[1\]: there is no option 'axes'/, () => new Rotary({ ...axial, axisSpecs: [{}, { axes: 1 }] })],
  [TypeError, /^axisSpecs\[0\].base: a number/, () => new Rotary({ ...axial, axisSpecs: [{ base: '1' }, {}] })],
  [RangeError, /^axisSpecs: an object for each/, () => new Rotary({ ...axial, axisSpecs: [{}] })],
  [RangeError, /one amplitude/, () => new Rotary({ ...axial, axisSpecs: [{ amplitude: 2 }, {}] })],
  [RangeError, /^axis_specs need axial axes/, () => new Rotary({ ...axial, axisOrder: 'split', axisSpecs: [{}, {}] })],
  [RangeError, /^axisSpecs\[0\].longFactors: as many as the other factors are wanted, 2, not 3/,
    () => new Rotary({ ...axial, axisSpecs: [{ factors: [1, 2], longFactors: [1, 2, 3] }, {}] })],
  [RangeError, /^x: 12 elements are no tokens/, () => rotary.rotate(x, 0)],
  [RangeError, /^x: /, () => rotary.rotate(x, 0, { heads: 0 })],
  [RangeError, /scale/, () => rotary.rotate(x.subarray(4), 0, { scale: 0 })],
  [RangeError, /scale/, () => rotary.rotate(x.subarray(4), 0, { scale: NaN })],
  [RangeError, /^positions/, () => rotary.rotate(x.subarray(4), 2 ** 32)],
  [TypeError, /^inverse/, () => rotary.rotate(x.subarray(4), 0, { inverse: 1 })],
  [RangeError, /^layout: one of halves/, () => rotary.cache(0, 3, { layout: 'rows' })],
  [RangeError, /^positions\[0\]/, () => rotary.cache([Infinity], 1)],
  [TypeError, /no option 'dim'/, () => posenc.table(3, 4, { dim: 4 })],
  [TypeError, /no option 'rows'/, () => posenc.encode([3], 4, { rows: 4 })],
];
for (const [kind, message, call] of wrong) {
  assert.throws(call, (error) => {
    assert.equal(error.constructor, kind, `${call}: ${error.stack}`);
    assert.match(error.message, message);
    return true;
  });
}
await assert.rejects(posenc.digest(undefined, { target: 'AVX2' }), RangeError);
await assert.rejects(posenc.digest(3), TypeError);
await assert.rejects((await import(`${process.env.POSENC_WEB_BUILD}/package/index.js?other`)).load(7), TypeError);
assert.ok(x.every((value) => value === 7), 'a refused call has written');

// A refused list of many chunks has written nothing either.
const long = new Float32Array(4 * 100000).fill(7);
const positions = new Float64Array(100000);
positions[99999] = NaN;
assert.throws(() => encoder.addAt(long, positions), /^RangeError: positions\[99999\]/);
assert.ok(long.every((value) => value === 7));
const rows = new Encoder({ dim: 4, nanRows: true }).writeAt(positions);
assert.ok(rows.subarray(-4).every(Number.isNaN) && rows[rows.length - 5] === 1);

const gone = new Encoder({ dim: 4 });
gone.dispose();
gone.dispose();
assert.throws(() => gone.write(0, 1), /disposed/);
assert.throws(() => Reflect.get(Encoder.prototype, 'dim', {}), TypeError);

// 0.8 GB of encoders, freed by hand; the module could not hold them together with what the next loop makes. Nor does
// what is forgotten stay: garbage collection finds it.
const large = () => new Encoder({ dim: 1 << 16, base: 1e4 });
for (let i = 0; i < 200; ++i) large().dispose();
for (let i = 0; i < 800; ++i) {
  large();
  if (i % 50 === 0) {
    globalThis.gc?.();
    await new Promise((resolve) => { setTimeout(resolve); });
  }
}
console.log(`${wrong.length} mistakes refused`);
