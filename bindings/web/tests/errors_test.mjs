// Tests errors: what the package refuses itself, and for each kind of mistake that it passes on what the library refuses. Each
// mistake throws an error that names the argument, and changes nothing; memory is freed.
import assert from 'node:assert/strict';
import { posenc } from './package.mjs';

const { Encoder, Rotary } = posenc;
const encoder = new Encoder({ dim: 4 });
const rotary = new Rotary({ headDim: 8 });
const x = new Float32Array(12).fill(7);
const long = new Float32Array(64).fill(7);
const head = x.subarray(4);
const angles = rotary.angles(0, 3);
const shared = new Float32Array(12).fill(7); // a table of three rows; other arguments overlap it
const halves = new Uint16Array(4);
const positionsAndX = new ArrayBuffer(48);
const axial = { headDim: 8, axes: 2, axisOrder: 'axial', sections: [2, 2] };

const llama = { model_type: 'llama', head_dim: 8, num_hidden_layers: 2, a: JSON.parse('['.repeat(63) + ']'.repeat(63)) };
const wrong = [
  [TypeError, /^options: an object/, () => new Encoder(3)],
  [RangeError, /^dim must be/, () => new Encoder({})],
  [RangeError, /^dim must be/, () => new Encoder({ dim: 2 ** 24 + 1 })],
  [RangeError, /^dim: a whole number/, () => new Encoder({ dim: 2.5 })],
  [TypeError, /^dim: a number/, () => new Encoder({ dim: '4' })],
  [TypeError, /^base: a number/, () => new Encoder({ dim: 4, base: null })],
  [TypeError, /no option 'bass'/, () => new Encoder({ dim: 4, bass: 2 })],
  [RangeError, /^layout: one of interleaved/, () => new Encoder({ dim: 4, layout: 'rows' })],
  [TypeError, /^layout: one of interleaved/, () => new Encoder({ dim: 4, layout: 1 })],
  [TypeError, /^nanRows: true or false/, () => new Encoder({ dim: 4, nanRows: 1 })],
  [TypeError, /^target: a name/, () => new Encoder({ dim: 4, target: 1 })],
  [RangeError, /target/, () => new Encoder({ dim: 4, target: 'AVX9' })],
  [TypeError, /^frequencies/, () => new Encoder({ dim: 4, frequencies: 'many' })],
  [TypeError, /^frequencies\[1\]/, () => new Encoder({ dim: 4, frequencies: [1, 'b'] })],
  [RangeError, /^no encoder preset is called "fairsec"; did you mean "fairseq"\?$/, () => Encoder.preset('fairsec', 4)],
  [TypeError, /^name: a name/, () => Encoder.preset(undefined, 4)],
  [RangeError, /^rows: a whole number/, () => encoder.write(0, -1)],
  [RangeError, /^rows/, () => encoder.write(2 ** 31, 2)],
  [RangeError, /^first/, () => encoder.write(2 ** 31 + 1, 1)],
  [RangeError, /^first/, () => encoder.write(10n ** 30n, 1)],
  [RangeError, /^first: a whole number/, () => encoder.write(0.5, 1)],
  [RangeError, /^type: one of float32/, () => encoder.write(0, 1, 'f8')],
  [RangeError, /^out: 4 x 4 entries/, () => encoder.write(0, 4, new Float32Array(15))],
  [TypeError, /^out: for a Uint16Array/, () => encoder.write(0, 4, new Uint16Array(16))],
  [TypeError, /^out: a Float32Array holds float32/, () => encoder.write(0, 1, x, 'float64')],
  [TypeError, /^out: a Float32Array, Float64Array or Uint16Array/, () => encoder.write(0, 1, new Int8Array(4))],
  [TypeError, /^positions: an array of numbers/, () => encoder.writeAt(new Uint8Array(3))],
  [TypeError, /^positions\[1\]/, () => encoder.writeAt([1, '2'])],
  [RangeError, /^positions\[2\]/, () => encoder.addAt(x, [1, 2, NaN])],
  [RangeError, /^positions: 3 positions/, () => encoder.addAt(x, [1, 2])],
  [TypeError, /^x: a Float32Array or Uint16Array is wanted, not an array$/, () => encoder.add([0, 0])],
  [TypeError, /^first: an array of whole numbers, Int32Array or BigInt64Array is wanted, not a Float64Array$/,
    () => encoder.add(x, new Float64Array(3))],
  [TypeError, /^first\[1\]: a number is wanted, not '1'$/, () => encoder.add(x, [0, '1', 2])],
  [RangeError, /^first\[1\]: a whole number is wanted, not 0.5$/, () => encoder.add(x, [0, 0.5, 2])],
  [RangeError, /^first\[2\]: all positions must be in -2\^31 .. 2\^31$/, () => encoder.add(x, [0, 1, 2 ** 31 + 1])],
  [RangeError, /^first\[0\]: all positions must be in -2\^31 .. 2\^31$/, () => encoder.add(x, [2 ** 31 - 1])],
  [RangeError, /^first: 3 positions are wanted, one for each sequence, not 2$/,
    () => encoder.add(x, [0, 1], { batch: 3 })],
  [RangeError, /^x: 3 rows cannot be 2 sequences of equal length$/, () => encoder.add(x, [0, 1])],
  [RangeError, /^x: 3 rows cannot be 0 sequences/, () => encoder.add(x, 0, { batch: 0 })],
  [RangeError, /^batch: a whole number, 0 or more/, () => encoder.add(x, 0, { batch: -1 })],
  [RangeError, /^positions: 1 or 3 positions are wanted, not 2$/, () => encoder.addAt(x, [1, 2], { batch: 3 })],
  [RangeError, /^positions: memory that is written must not overlap what is read$/,
    () => encoder.addAt(new Float32Array(positionsAndX), new Float32Array(positionsAndX, 0, 3))],
  [RangeError, /^out: memory that is written must not overlap what is read$/,
    () => encoder.writeAt(new Float32Array(positionsAndX, 28, 2), new Float32Array(positionsAndX))],
  [RangeError, /^ids\[1\]: an id must be one of the table's rows, 0 .. 2$/, () => encoder.embed([2, 3], shared)],
  [RangeError, /^ids\[0\]: an id must be/, () => encoder.embed(new Int32Array([-1]), shared)],
  [RangeError, /^ids\[0\]: an id must be/, () => encoder.embed([2n ** 64n], shared)],
  [RangeError, /^ids\[0\]: a whole number is wanted, not 0.5$/, () => encoder.embed([0.5], shared)],
  [TypeError, /^ids: an array of whole numbers, Int32Array or BigInt64Array is wanted, not a Float32Array$/,
    () => encoder.embed(new Float32Array(1), shared)],
  [TypeError, /^table: a Float32Array or Uint16Array is wanted, not an array$/, () => encoder.embed([0], [1, 2, 3, 4])],
  [TypeError, /^table: .*posenc does not add doubles$/, () => encoder.embed([0], new Float64Array(4))],
  [TypeError, /^table: for a Uint16Array the option tableType is needed/,
    () => encoder.embed([0], new Uint16Array(4), 0, { type: 'float16' })],
  [TypeError, /^table: a Float32Array holds float32, not float16$/,
    () => encoder.embed([0], shared, 0, { tableType: 'float16' })],
  [RangeError, /^table: 11 entries are not a multiple of dim, 4$/, () => encoder.embed([0], shared.subarray(1))],
  [RangeError, /^type: the table's type, float32, or float32 is wanted, not float16$/,
    () => encoder.embed([0], shared, 0, { type: 'float16' })],
  [RangeError, /^out: the table's type, float16, or float32 is wanted, not bfloat16$/,
    () => encoder.embed([0], halves, 0, { tableType: 'float16', type: 'bfloat16', out: halves.slice() })],
  [RangeError, /^type: .*not 'float64'$/, () => encoder.embed([0], shared, 0, { type: 'float64' })],
  [TypeError, /^out: a Float32Array or Uint16Array/, () => encoder.embed([0], shared, 0, { out: new Float64Array(4) })],
  [RangeError, /^out: 3 x 4 entries are wanted, not 11$/,
    () => encoder.embed([0, 1, 2], shared, 0, { out: x.subarray(1) })],
  [RangeError, /^out: memory that is written must not overlap what is read$/,
    () => encoder.embed([0], shared, 0, { out: shared.subarray(8) })],
  [TypeError, /^scale: a number/, () => encoder.embed([0], shared, 0, { scale: null })],
  [RangeError, /^first: all positions must be in -2\^31 .. 2\^31$/, () => encoder.embed([0], shared, -(2 ** 31) - 1, { out: x })],
  [RangeError, /^ids: all positions must be in -2\^31 .. 2\^31$/, () => encoder.embed([0, 1], shared, 2 ** 31, { out: x })],
  [RangeError, /^ids: 3 rows cannot be 2 sequences/, () => encoder.embed([0, 1, 2], shared, [0, 1], { out: x })],
  [RangeError, /^positions: 3 positions are wanted, not 2$/,
    () => encoder.embedAt([0, 1, 2], shared, [1, 2], { out: x })],
  [RangeError, /^positions\[2\]: a position must be a number in -2\^31 .. 2\^31$/, () => encoder.embedAt([0, 1, 2], shared, [1, 2, NaN], { out: x })],
  [TypeError, /^positions: an array of numbers/, () => encoder.embedAt([0], shared, 0, { out: x })],
  [TypeError, /^axes: an array of \[encoder, column, count or positions\]/, () => posenc.grid(encoder)],
  [RangeError, /^axes: 1 to 8 axes are wanted, not 0$/, () => posenc.grid([])],
  [RangeError, /^axes: 1 to 8 axes are wanted, not 9$/, () => posenc.grid(Array(9).fill([encoder, 0, 1]))],
  [TypeError, /^axes\[1\]: \[encoder, column, count or positions\] is wanted/,
    () => posenc.grid([[encoder, 0, 1], [encoder, 4]])],
  [TypeError, /^axes\[0\]: \[encoder/, () => posenc.grid([[rotary, 0, 1]])],
  [RangeError, /^axes\[0\]: column: a whole number/, () => posenc.grid([[encoder, -1, 1]])],
  [RangeError, /^axes\[0\]: count: a whole number/, () => posenc.grid([[encoder, 0, 1.5]])],
  [TypeError, /^axes\[0\]: count: a number/, () => posenc.grid([[encoder, 0, '3']])],
  [RangeError, /^axes\[0\]: count: all positions must be in -2\^31 .. 2\^31$/, () => posenc.grid([[encoder, 0, 2 ** 31 + 2]], { out: x })],
  [TypeError, /^axes\[1\]: positions: an array of numbers/,
    () => posenc.grid([[encoder, 0, 1], [encoder, 4, new Uint8Array(2)]])],
  [RangeError, /^axes\[1\]: positions\[1\]: a position must be a number in -2\^31 .. 2\^31$/,
    () => posenc.gridAdd(x, [[encoder, 0, 1], [encoder, 4, [0, Infinity]]])],
  [RangeError, /^axes\[1\]: two axes of the grid have columns in common: each axis fills the dim columns/,
    () => posenc.gridAdd(x, [[encoder, 0, 1], [encoder, 3, 1]])],
  [RangeError, /^axes: there is no memory for 1000000000000 x 8/,
    () => posenc.grid([[encoder, 0, 1e6], [encoder, 4, 1e6]])],
  [RangeError, /^prefixRows: a whole number/, () => posenc.grid([[encoder, 0, 1]], { prefixRows: -1 })],
  [RangeError, /^out: 4 x 4 entries are wanted, not 12$/,
    () => posenc.grid([[encoder, 0, 3]], { out: x, prefixRows: 1 })],
  [TypeError, /^x: .*posenc does not add doubles/, () => posenc.gridAdd(new Float64Array(4), [[encoder, 0, 1]])],
  [RangeError, /^x: 3 rows of 8 columns or more are wanted, not 12 entries$/,
    () => posenc.gridAdd(x, [[encoder, 4, 3]])],
  [RangeError, /^x: 5 rows of 4 columns/, () => posenc.gridAdd(x, [[encoder, 0, 5]])],
  [TypeError, /^scale: a number/, () => posenc.gridAdd(x, [[encoder, 0, 3]], { scale: '1' })],
  [TypeError, /no option 'out'/, () => posenc.gridAdd(x, [[encoder, 0, 3]], { out: x })],
  [RangeError, /^x: 11 entries are not a multiple of dim/, () => encoder.add(x.subarray(1))],
  [TypeError, /^x: .*posenc does not add doubles/, () => encoder.add(new Float64Array(4))],
  [TypeError, /^scale: a number/, () => encoder.add(x, 0, { scale: '2' })],
  [TypeError, /^config: an object/, () => Rotary.fromConfig()],
  [TypeError, /^config: an object/, () => Rotary.fromConfig('config.json')],
  [TypeError, /^config: an object/, () => Rotary.fromConfig([])],
  [TypeError, /^options: an object/, () => Rotary.fromConfig(llama, 3)],
  [TypeError, /no option 'bass'/, () => Rotary.fromConfig({}, { bass: 3 })],
  [TypeError, /no option 'headDim'/, () => Rotary.fromConfig(llama, { headDim: 8 })],
  [RangeError, /^model_type is missing/, () => Rotary.fromConfig({})],
  [RangeError, /^head_dim is missing/, () => Rotary.fromConfig({}, { pairing: 'half_split' })],
  [TypeError, /^base: a number/, () => Rotary.fromConfig({ head_dim: 8 }, { pairing: 'half_split', base: '3' })],
  [RangeError, /^pairing: one of half_split, neighbours is wanted, not 'same'/, () => Rotary.fromConfig(llama, { pairing: 'same' })],
  [TypeError, /^pairing: one of/, () => Rotary.fromConfig(llama, { pairing: null })],
  [RangeError, /^head_dim is "8", but must be a number$/, () => Rotary.fromConfig({ ...llama, head_dim: '8' })],
  [RangeError, /^head_dim is true, but must be a number$/, () => Rotary.fromConfig({ ...llama, head_dim: true })],
  [RangeError, /^head_dim is infinity/, () => Rotary.fromConfig({ ...llama, head_dim: 10n ** 400n })],
  [RangeError, /^rope_theta\\u0000x is 7/, () => Rotary.fromConfig({ ...llama, 'rope_theta\0x': 7 })],
  [RangeError, /^\.rope_theta is 7/, () => Rotary.fromConfig({ ...llama, '': { rope_theta: 7 } })],
  [RangeError, /^rope_scaling\\u002efactor is 7/, () => Rotary.fromConfig({ ...llama, 'rope_scaling.factor': 7 })],
  [RangeError, /^x\[\]\.rope_theta is 7/, () => Rotary.fromConfig({ ...llama, x: [[{ rope_theta: 7 }]] })],
  [RangeError, /^rope_scaling is "linear", but must be a dictionary with keys, or null$/, () => Rotary.fromConfig({ ...llama, rope_scaling: 'linear' })],
  [RangeError, /^rope_theta is of mixed kinds/, () => Rotary.fromConfig({ ...llama, rope_theta: [1, null] }, { layer: 0 })],
  [RangeError, /^rope_theta is of mixed kinds/, () => Rotary.fromConfig({ ...llama, rope_theta: [1, true] })],
  [RangeError, /^rope_theta is \[true, true\]/, () => Rotary.fromConfig({ ...llama, rope_theta: [true, true] })],
  [RangeError, /^rope_theta is of mixed kinds/, () => Rotary.fromConfig({ ...llama, rope_theta: () => 3 })],
  [RangeError, /^rope_scaling is an empty dictionary, but must be a dictionary with keys, or null$/,
    () => Rotary.fromConfig({ ...llama, rope_scaling: {} })],
  [RangeError, /^rope_theta is a list of more than 32768 items/,
    () => Rotary.fromConfig({ ...llama, rope_theta: Array(65536).fill(1) })],
  [RangeError, /^config: the key llama\.block_count is given twice/, () => Rotary.fromConfig({
    'general.architecture': 'llama', 'llama.block_count': 2, llama: { block_count: 2 } })],
  [RangeError, /^layer_type must be null or the name/, () => Rotary.fromConfig(llama, { layerType: '' })],
  [RangeError, /^model_type, which replaces/, () => Rotary.fromConfig(llama, { modelType: '' })],
  [RangeError, /^layer is 2, but layers are 0 to 1$/, () => Rotary.fromConfig(llama, { layer: 2 })],
  [RangeError, /^layer: a whole number/, () => Rotary.fromConfig(llama, { layer: -1 })],
  [TypeError, /^layer: a number/, () => Rotary.fromConfig(llama, { layer: '1' })],
  [TypeError, /^layerType: a name/, () => Rotary.fromConfig(llama, { layerType: 1 })],
  [TypeError, /^modelType: a name/, () => Rotary.fromConfig(llama, { modelType: 1 })],
  [RangeError, /^config: more than 64 levels/, () => { const c = {}; c.a = c; Rotary.fromConfig(c); }],
  [RangeError, /^config: more than 64 levels/, () => { const c = []; c.push(c); Rotary.fromConfig({ c }); }],
  [RangeError, /^config: more than 64 levels/, () => Rotary.fromConfig({ ...llama, a: JSON.parse('['.repeat(64) + ']'.repeat(64)) })],
  [RangeError, /^sections\[1\]/, () => new Rotary({ headDim: 8, axes: 2, sections: [2, -2] })],
  [RangeError, /^sections have 5 pairs, and 4 rotate: with several axes their sections must add up/, () => new Rotary({ headDim: 8, axes: 2, sections: [2, 3] })],
  [RangeError, /^axisOrder: one of consecutive, .* is wanted, not 'summed'$/,
    () => new Rotary({ headDim: 4, axes: 2, axisOrder: 'summed', frequencies: [1, 2, 3, 4] })],
  [TypeError, /there is no option 'axisSpecs'; there are /, () => new Rotary({ ...axial, axisSpecs: [{}, {}] })],
  [TypeError, /there is no option 'frequencyUnit'; there are /, () => new Rotary({ headDim: 8, frequencyUnit: 'turns' })],
  [RangeError, /^type: one of float32, .* is wanted, not 'f32'$/, () => posenc.table(3, 4, { type: 'f32' })],
  [RangeError, /^x: 12 elements are not a multiple/, () => rotary.rotate(x, 0)],
  [RangeError, /^heads: a whole number, 1 or more, is wanted, not 0$/, () => rotary.rotate(x, 0, { heads: 0 })],
  [RangeError, /^x: 8 elements are not a multiple of 9007199254740992 heads of 8$/,
    () => rotary.rotate(head, 0, { heads: 2 ** 53 })],
  [RangeError, /^scale: a number from 2\^-64 to 2\^64 is wanted, not 0$/, () => rotary.rotate(head, 0, { scale: 0 })],
  [RangeError, /^scale: .*, not NaN$/, () => rotary.rotate(head, 0, { scale: NaN })],
  [RangeError, /^scale: .*, not -1$/, () => rotary.rotate(head, 0, { scale: -1 })],
  [RangeError, /^scale: scale \* amplitude must be 2\^-64 .. 2\^64, not 18446744073709552000 \* 2 = 36893488147419103000$/,
    () => new Rotary({ headDim: 8, amplitude: 2 }).rotate(head, 0, { scale: 2 ** 64 })],
  [RangeError, /^x: all positions must be in -2\^31 .. 2\^31$/, () => rotary.rotate(long.subarray(0, 16), 2 ** 31)],
  [RangeError, /^x: all positions/, () => rotary.rotate(long.subarray(0, 16), null, { first: 2 ** 31 })],
  [RangeError, /^x: all positions/, () => encoder.add(x, 2 ** 31)],
  [RangeError, /^tokens: all positions/, () => rotary.cache(2 ** 31, 2)],
  [RangeError, /^x: 3 rows cannot be 9007199254740992 sequences/, () => encoder.add(x, 0, { batch: 2 ** 53 })],
  [RangeError, /^positions/, () => rotary.rotate(x.subarray(4), 2 ** 32)],
  [TypeError, /^x: a Float32Array or Uint16Array is wanted, not an array$/, () => rotary.rotate([1, 2], 0)],
  [RangeError, /^tokenAxis: -3, \[batch, tokens, heads, headDim\], or -2, .*, not -1$/,
    () => rotary.rotate(x.subarray(4), 0, { tokenAxis: -1 })],
  [TypeError, /^tokenAxis: a number/, () => rotary.rotate(x.subarray(4), 0, { tokenAxis: '-2' })],
  [RangeError, /^x: 1 rows cannot be 2 sequences/, () => rotary.rotate(x.subarray(4), 0, { batch: 2 })],
  ...[[undefined, 'undefined'], [null, 'null'], [{}, 'an object'], [structuredClone({ ...angles }), 'an object'], [new Map(), 'a Map'],
    [Object.create(angles), 'a copy or a Proxy of Angles'], [new Proxy(angles, {}), 'a copy or a Proxy of Angles'],
    [rotary, 'a Rotary'], [() => 1, 'a function']].map(([positions, what]) => [TypeError,
    new RegExp(`^positions: a number, a list of positions, Angles or the option first is wanted, not ${what}$`),
    () => rotary.rotate(head, positions)]),
  [TypeError, /^positions: an array of numbers, .* is wanted, not a DataView$/,
    () => rotary.rotate(head, new DataView(new ArrayBuffer(8)))],
  [TypeError, /^first: a number or a list of whole numbers is wanted, not an object$/, () => rotary.rotate(head, null, { first: {} })],
  [TypeError, /^first: a number or a list of whole numbers is wanted, not Angles$/, () => encoder.add(x, angles)],
  [RangeError, /^positions: 1 positions are wanted, not 4294967295$/, () => rotary.rotate(head, new Array(2 ** 32 - 1))],
  [RangeError, /^positions: 3 positions are wanted, not 4294967295$/, () => encoder.addAt(x, new Array(2 ** 32 - 1))],
  [RangeError, /^positions: 2 positions are wanted, not 4294967295$/, () => rotary.angles(new Array(2 ** 32 - 1), 2)],
  [RangeError, /^factors: 1 factors are wanted, not 4294967295$/,
    () => rotary.rotate(head, 0, { factors: new Array(2 ** 32 - 1) })],
  [RangeError, /^x: 1 rows cannot be 4294967295 sequences/, () => rotary.rotate(head, null, { first: new Array(2 ** 32 - 1) })],
  [RangeError, /^config: the key x is a list of more than 16777216 items$/,
    () => Rotary.fromConfig({ ...llama, x: new Array(2 ** 32 - 1) })],
  [RangeError, /^first and positions exclude each other$/, () => rotary.rotate(x.subarray(4), 0, { first: 0 })],
  [RangeError, /^first\[0\]: all positions must be in -2\^31 .. 2\^31$/, () => rotary.rotate(x.subarray(4), null, { first: [2 ** 32] })],
  [RangeError, /^first: all positions must be in -2\^31 .. 2\^31$/, () => rotary.rotate(x.subarray(4), null, { first: 2 ** 32 })],
  [RangeError, /^x: 1 rows cannot be 2 sequences/, () => rotary.rotate(x.subarray(4), null, { first: [1, 2] })],
  [RangeError, /^positions: 1 positions are wanted, not 2$/, () => rotary.rotate(x.subarray(4), [1, 2])],
  [RangeError, /^positions: 2 or 4 positions are wanted, not 3$/,
    () => rotary.rotate(long, [1, 2, 3], { tokenAxis: -2, heads: 2, batch: 2 })],
  [RangeError, /^positions\[3\]: a position must be a number in -2\^31 .. 2\^31$/,
    () => rotary.rotate(long, [1, 2, 3, NaN], { tokenAxis: -2, heads: 2, batch: 2 })],
  [RangeError, /^positions: memory that is written must not overlap what is read$/,
    () => rotary.rotate(new Float32Array(positionsAndX, 0, 8), new Float32Array(positionsAndX, 4, 1))],
  [TypeError, /^inverse/, () => rotary.rotate(x.subarray(4), 0, { inverse: 1 })],
  ...['float64', 'bf16'].map((outType) => [RangeError,
    new RegExp(`^outType: one of float32, bfloat16, float16 is wanted, not '${outType}'$`),
    () => rotary.rotate(head, 0, { outType })]),
  [RangeError, /^type: one of float32, bfloat16, float16 is wanted, not 'bf16'$/, () => rotary.rotate(head, 0, { type: 'bf16' })],
  [RangeError, /^type: one of bfloat16, float16 is wanted, not 'bf16'$/, () => encoder.add(halves, 0, { type: 'bf16' })],
  [TypeError, /^out: a Uint16Array holds bfloat16 or float16, not float32$/,
    () => rotary.rotate(head, 0, { out: new Uint16Array(8), outType: 'float32' })],
  [TypeError, /^x: a Uint16Array holds bfloat16 or float16, not float32$/, () => encoder.add(halves, 0, { type: 'float32' })],
  [TypeError, /^outType: one of float32/, () => rotary.rotate(head, 0, { outType: null })],
  [RangeError, /^outType: the type of x, float16, is wanted, not bfloat16$/,
    () => rotary.rotate(new Uint16Array(8), 0, { type: 'float16', outType: 'bfloat16' })],
  [RangeError, /^out: the type of x, bfloat16, is wanted, not float32$/,
    () => rotary.rotate(new Uint16Array(8), 0, { type: 'bfloat16', out: x })],
  [TypeError, /^out: for a Uint16Array the option outType is needed, 'bfloat16' or 'float16'$/,
    () => rotary.rotate(head, 0, { out: new Uint16Array(8) })],
  [TypeError, /^out: a Float32Array holds float32, not float16$/,
    () => rotary.rotate(head, 0, { out: long, outType: 'float16' })],
  [TypeError, /^out: a Float32Array or Uint16Array is wanted; doubles are not rotated$/,
    () => rotary.rotate(head, 0, { out: new Float64Array(8) })],
  [TypeError, /^out: a Float32Array or Uint16Array is wanted, not an array$/, () => rotary.rotate(head, 0, { out: [] })],
  [RangeError, /^out: 64 elements are wanted, not 12$/, () => rotary.rotate(long, 0, { out: x })],
  [RangeError, /^out: memory that is written must not overlap what is read$/,
    () => rotary.rotate(head, 0, { out: x })],
  [RangeError, /^out: memory that is written must not overlap what is read$/,
    () => rotary.rotate(long, 0, { out: new Uint16Array(long.buffer), outType: 'float16' })],
  [RangeError, /^positions: memory that is written must not overlap what is read$/,
    () => rotary.rotate(long.subarray(0, 8), shared.subarray(11), { out: shared.subarray(4) })],
  ...[[2, '2'], [Int32Array.of(1), 'an Int32Array'], [Uint16Array.of(1), 'a Uint16Array']].flatMap(([factors, what]) =>
    [['factors', () => rotary.rotate(head, 0, { factors })], ['frequencies', () => new Rotary({ headDim: 2, frequencies: factors })]]
      .map(([name, call]) => [TypeError,
        new RegExp(`^${name}: an array of numbers, Float32Array or Float64Array is wanted, not ${what}$`), call])),
  [TypeError, /^sections: an array of up to 4 counts is wanted, not a DataView$/,
    () => new Rotary({ headDim: 8, axes: 2, sections: new DataView(new ArrayBuffer(8)) })],
  [TypeError, /^factors\[0\]: a number is wanted, not '1'$/, () => rotary.rotate(head, 0, { factors: ['1'] })],
  [RangeError, /^factors: 1 factors are wanted, not 2$/, () => rotary.rotate(head, 0, { factors: [1, 1] })],
  [RangeError, /^factors: 2 or 8 factors are wanted, not 4$/,
    () => rotary.rotate(long, 0, { batch: 4, factors: [1, 1, 1, 1] })],
  [RangeError, /^factors\[7\]: a factor must be 2\^-64 .. 2\^64, not 0$/,
    () => rotary.rotate(long, 0, { factors: [1, 1, 1, 1, 1, 1, 1, 0] })],
  [RangeError, /^factors\[0\]: .*, not NaN$/, () => rotary.rotate(head, 0, { factors: [NaN] })],
  [RangeError, /^factors\[0\]: .*, not 36893488147419103000$/, () => rotary.rotate(head, 0, { factors: [2 ** 65] })],
  [RangeError, /^factors\[1\]: factor \* scale \* amplitude must be 2\^-64 .. 2\^64, not 1099511627776 \* 1099511627776 \* 1 = 1.2\d*e\+24$/,
    () => rotary.rotate(long.subarray(0, 16), 0, { scale: 2 ** 40, factors: [1, 2 ** 40] })],
  [RangeError, /^factors\[2\]: factor \* scale \* amplitude must be/,
    () => rotary.rotate(long.subarray(0, 24), 0, { scale: 2 ** -40, factors: [1, 2, 2 ** -40] })],
  [RangeError, /^scale: .*, not 36893488147419103000$/, () => rotary.rotate(head, 0, { scale: 2 ** 65, factors: [1] })],
  [RangeError, /^positions: angles of 1 tokens are wanted, not 3$/, () => rotary.rotate(head, angles)],
  [RangeError, /^positions: angles of 4 or 8 tokens are wanted, not 3$/, () => rotary.rotate(long, angles, { batch: 2 })],
  [RangeError, /^positions: these angles were made by another Rotary; only the Rotary that made them takes them$/,
    () => new Rotary({ headDim: 8 }).rotate(long.subarray(0, 24), angles)],
  [RangeError, /^first and positions exclude each other$/, () => rotary.rotate(long.subarray(0, 24), angles, { first: 0 })],
  ...[[undefined, 'undefined'], [angles, 'Angles']].flatMap(([positions, what]) => ['angles', 'cache'].map((name) => [TypeError,
    new RegExp(`^positions: a number or a list of positions is wanted, not ${what}$`), () => rotary[name](positions, 1)])),
  [RangeError, /^positions: 2 positions are wanted, not 1$/, () => rotary.angles([1], 2)],
  [RangeError, /^positions\[1\]: a position must be a number in -2\^31 .. 2\^31$/, () => rotary.angles([1, NaN], 2)],
  [RangeError, /^tokens: all positions must be in -2\^31 .. 2\^31$/, () => rotary.angles(2 ** 31, 2)],
  [RangeError, /^tokens: a whole number, 0 or more/, () => rotary.angles(0, -1)],
  [RangeError, /^tokens: the angles of this number of tokens are too large for the address space$/,
    () => rotary.angles(0, 2 ** 31)],
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
  }, String(call));
}

// An error has a status and the name of its kind. Errors that JavaScript code detects have the same kinds.
for (const [kind, words, call] of [
  ['bad_member', 'base must be positive and finite', () => new Encoder({ dim: 4, base: 0 })],
  ['bad_member', 'head_dim must be 2 .. 65536', () => new Rotary({ headDim: 1 })],
  ['members_clash', 'frequency_count must be the number of pairs', () => new Encoder({ dim: 4, frequencies: [1] })],
  ['members_clash', 'original_length must be positive', () => new Rotary({ headDim: 8, scaling: 'yarn', factor: 4 })],
  ['bad_argument', 'no encoder preset', () => Encoder.preset('fairsec', 4)],
  ['bad_target', 'target', () => new Encoder({ dim: 4, target: 'AVX9' })],
  ['out_of_range', 'positions[0]', () => encoder.writeAt([NaN])],
  ['out_of_range', 'ids[0]', () => encoder.embed([3], shared)],
  ['bad_argument', 'positions: 3 positions', () => encoder.addAt(x, [1])],
  ['bad_argument', 'x: 12 elements', () => rotary.rotate(x, 0)],
  ['bad_argument', 'rows: a whole number', () => encoder.write(0, -1)],
  ['bad_type', 'x: ', () => encoder.add([])],
  ['no_memory', 'there is no memory', () => encoder.write(0, 2 ** 31)],
  ['overlap', 'out', () => encoder.embed([0], shared, 0, { out: shared })],
  ['bad_argument', '1 to 8 axes', () => posenc.grid([])],
  ['bad_argument', 'columns in common', () => posenc.grid([[encoder, 0, 1], [encoder, 3, 1]])],
]) {
  assert.throws(call, (error) => {
    assert.equal(error.kind, kind, `${call}: ${error.message}`);
    assert.ok(error.message.includes(words), `${call}: ${error.message}`);
    assert.ok(error.status > 0, String(call));
    return true;
  }, String(call));
}
await assert.rejects(posenc.digest(undefined, { target: 'AVX2' }), RangeError);
await assert.rejects(posenc.digest(3), TypeError);
await assert.rejects((await import(`${process.env.POSENC_WEB_BUILD}/package/index.js?other`)).load(7), TypeError);
for (const array of [x, shared, long]) assert.ok(array.every((value) => value === 7), 'a refused call has written');
assert.ok(new Float32Array(positionsAndX).every((value) => value === 0), 'a refused call has written');

// A call that needs many parts, and is refused, has not written any of them.
const longer = new Float32Array(4 * 100000).fill(7);
const positions = new Float64Array(100000);
positions[99999] = NaN;
assert.throws(() => encoder.addAt(longer, positions), /^RangeError: positions\[99999\]/);
assert.throws(() => encoder.embedAt(new Int32Array(100000), shared, positions, { out: longer }),
  /^RangeError: positions\[99999\]/);
assert.throws(() => encoder.add(longer, [...Array(99999).fill(0), 2 ** 32]), /^RangeError: first\[99999\]/);
assert.throws(() => posenc.gridAdd(longer, [[encoder, 0, positions]]), /^RangeError: axes\[0\]: positions\[99999\]/);
assert.ok(longer.every((value) => value === 7));
const rows = new Encoder({ dim: 4, nanRows: true }).writeAt(positions);
assert.ok(rows.subarray(-4).every(Number.isNaN) && rows[rows.length - 5] === 1);

// A detached array is empty, also in a configuration.
const detached = new Float32Array(3);
structuredClone(detached, { transfer: [detached.buffer] });
assert.equal(Rotary.fromConfig({ ...llama, other: detached }).headDim, 8);

// A call in parts with a wrong factor, or with a wrong product, at the end has not written either.
const factors = new Float32Array(longer.length / 8).fill(1);
factors[factors.length - 1] = 2 ** 40;
assert.throws(() => rotary.rotate(longer, 0, { factors, scale: 2 ** 40 }), /^RangeError: factors\[49999\]: factor \* scale/);
factors[factors.length - 1] = Infinity;
assert.throws(() => rotary.rotate(longer, 0, { factors }), /^RangeError: factors\[49999\]: .*, not Infinity/);
assert.ok(longer.every((value) => value === 7));

// Angles are freed once. They keep their Rotary, but not a Rotary that was disposed of.
const turned = rotary.rotate(long.slice(0, 24), 0);
assert.deepEqual(rotary.rotate(long.slice(0, 24), angles), turned);
angles.dispose();
angles.dispose();
assert.throws(() => rotary.rotate(long.slice(0, 24), angles), /^TypeError: positions: these angles were disposed of$/);
const other = new Rotary({ headDim: 8 });
const orphans = other.angles(0, 3);
other.dispose();
assert.throws(() => other.rotate(long.slice(0, 24), orphans), /^TypeError: this: the Rotary was disposed of$/);
assert.throws(() => other.angles(0, 3), { name: 'TypeError', kind: 'null', message: 'this: the Rotary was disposed of' });
assert.equal(orphans.tokens, 3);

const gone = new Encoder({ dim: 4 });
gone.dispose();
gone.dispose();
assert.throws(() => gone.write(0, 1), /^TypeError: this: the Encoder was disposed of$/);
assert.throws(() => posenc.grid([[gone, 0, 1]]), /^TypeError: axes\[0\]: the Encoder was disposed of$/);

// An object of another class, a copy or a Proxy cannot take the place of an object.
const Handle = Object.getPrototypeOf(Encoder);
for (const make of [() => new angles.constructor(rotary, 0, 2), () => new angles.constructor(Symbol('own'), rotary, 2, 64, 64),
  () => new Handle('rotary', 64)]) {
  assert.throws(make, /^TypeError: constructor: make an Encoder or a Rotary, or call rotary.angles/);
}
for (const call of [() => Encoder.prototype.frequencies.call(rotary), () => Reflect.get(Encoder.prototype, 'target', rotary),
  () => Reflect.get(Rotary.prototype, 'amplitude', encoder), () => rotary.rotate.call(encoder, head, 0), () => encoder.dispose.call({}),
  () => new Proxy(encoder, {}).add(x), () => Object.create(rotary).angles(0, 1), () => encoder.writeAt.call(angles, [0])]) {
  assert.throws(call, /^TypeError: this: (an Encoder|a Rotary|an Encoder, a Rotary or Angles) (is|are) wanted, not /);
}
assert.throws(() => posenc.grid([[Object.create(encoder), 0, 1]]), /^TypeError: axes\[0\]: \[encoder/);
assert.throws(() => Reflect.get(Encoder.prototype, 'dim', {}), TypeError);

// For encoders, the first loop makes 0.8 GB, and frees them with dispose(). The second loop only forgets its encoders, so garbage
// collection must free them. The module could not hold all of them together. The same holds for angles.
for (const large of [() => new Encoder({ dim: 1 << 16, base: 1e4 }), () => rotary.angles(0, 10000)]) {
  for (let i = 0; i < 200; ++i) large().dispose();
  for (let i = 0; i < 800; ++i) {
    large();
    if (i % 50 === 0) {
      globalThis.gc?.();
      await new Promise((resolve) => { setTimeout(resolve); });
    }
  }
}
console.log(`${wrong.length} mistakes refused`);
