// fuzz_test.mjs SECONDS [SEED]: calls all functions with arguments of all kinds. A call may return, or throw a TypeError or a
// RangeError with a message of one line. A trap of the module, or any other error, is a failure.
import { readFileSync } from 'node:fs';
import { folder, posenc } from './package.mjs';

const seconds = Number(process.argv[2] ?? 5);
let seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

function random() { // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const NUMBERS = [0, -0, 1, 2, 3, 4, 7, 8, 64, 67, 128, 512, -1, -5, 0.5, -77.25, 1e-300, 5e-324, 1e300, 10000, 5e5, 2 ** 24,
  2 ** 31, -(2 ** 31), 2 ** 31 - 1, 2 ** 31 + 1, 2 ** 32, 2 ** 33, 2 ** 53, 2 ** 63, 2 ** 64, -(2 ** 63), NaN, Infinity,
  -Infinity];
const DETACHED = new Float32Array(3);
structuredClone(DETACHED, { transfer: [DETACHED.buffer] });
const ODD = [null, undefined, true, false, '', 'f32', '7', 7n, -1n, 2n ** 31n, 2n ** 63n, -(2n ** 64n), [], {}, [[]],
  DETACHED, Symbol('s'), () => 1, new Map(), new Date(0), new ArrayBuffer(8), new Uint8Array(5), new BigUint64Array(2),
  new DataView(new ArrayBuffer(8)), Object.create(null), { length: 3 }, new Proxy([], {}), 'x'.repeat(1000)];
const ENCODERS = posenc.presets().map((row) => row.name);
const ROTARIES = posenc.rotaryPresets().map((row) => row.name);
// The members and words of specs, from spec.d.ts, which make-types.mjs has made.
const types = readFileSync(`${folder}/spec.d.ts`, 'utf8');
const wordsIn = (text) => [...text.matchAll(/'(\w+)'/g)].map((match) => match[1]);
const CHOICES = new Map([...types.matchAll(/^export type (\w+) = (.*);$/gm)].map(([, name, all]) => [name, wordsIn(all)]));
const KINDS = {
  type: ['float32', 'bfloat16', 'float16', 'float64'], inverse: [true, false], axes: [1, 2, 3, 4],
  heads: [1, 2, 3], tokenAxis: [-3, -2], tableType: ['float32', 'bfloat16', 'float16'], batch: [0, 1, 2, 3, 5],
};
function membersOf(name) {
  const all = new RegExp(`interface ${name} \\{(.*?)\\n\\}`, 's').exec(types)[1].matchAll(/(\w+)\?: (?:Exclude<)?(\w+)/g);
  return [...all].map(([, member, type]) => {
    if (CHOICES.has(type)) KINDS[member] = CHOICES.get(type);
    if (type === 'boolean') KINDS[member] = [true, false];
    return member;
  });
}
const ROTARY = membersOf('RotaryMembers');
const SPEC = membersOf('SpecMembers');
const ENCODE = [...SPEC, 'type', 'type', 'out', 'preset'];
Object.assign(KINDS, {
  layout: [...KINDS.layout, 'pairs', 'halves'], target: ['WASM', 'WASM', 'WASM', 'REFERENCE'], preset: ENCODERS,
  phaseRounding: ['none', 'none', ...KINDS.phaseRounding],
});
const WORDS = [...wordsIn(types), ...KINDS.type, 'WASM', 'REFERENCE', 'constructor', '__proto__'];
const SUM = ['type', 'scale', 'batch'];
const EMBED = [...SUM, 'tableType', 'out'];
const GRID = ['type', 'out', 'prefixRows', 'scale'];
const ROTATE = ['type', 'heads', 'scale', 'inverse', 'tokenAxis', 'batch', 'first'];
const CACHE = ['layout', 'type'];
const size = () => (below(200) === 0 ? 5000 : pick([0, 1, 2, 3, 4, 8, 16, 31, 64, 128, 134]));
const real = () => (below(3) === 0 ? pick(NUMBERS) : (random() - 0.3) * 10 ** below(8));
const whole = () => (below(4) === 0 ? pick(NUMBERS) : below(3000) - 20);

function array() {
  const length = size();
  const Type = pick([Float32Array, Float64Array, Uint16Array, Int32Array, BigInt64Array, Array, Float32Array, Float64Array]);
  if (Type === Array) return Array.from({ length }, below(9) === 0 ? anything : real);
  if (Type === BigInt64Array) return Type.from({ length }, () => BigInt(below(4000) - 5));
  const made = Type.from({ length: length + 3 }, real).subarray(below(4));
  if (below(30) === 0) structuredClone(made, { transfer: [made.buffer] }); // detached
  return made;
}

function anything() {
  return [() => pick(NUMBERS), () => pick(ODD), () => pick(WORDS), real, whole, array][below(6)]();
}

function option(name) {
  if (name === 'dim' || name === 'headDim') return notLarge(below(12) === 0 ? anything() : size() + below(2));
  if (name === 'prefixRows') return below(12) === 0 ? rows() : below(20);
  if (below(12) === 0) return anything();
  if (KINDS[name]) return pick(KINDS[name]);
  if (/^(frequencies|factors|longFactors|out)$/.test(name)) return array();
  if (name === 'first') return firsts();
  if (name === 'sections') return Array.from({ length: below(6) }, () => below(30));
  return below(2) === 0 ? real() : whole();
}

// An object with some of the known options, and now and then others.
function options(known, ...more) {
  if (below(25) === 0) return anything();
  const made = {};
  for (const name of more) made[name] = option(name);
  for (let i = below(4); i > 0; --i) {
    const name = below(40) === 0 ? pick(['nothing', ...ROTARY, ...ENCODE]) : pick(known);
    made[name] = option(name);
  }
  return made;
}

// A value, unless it is a valid number of columns that would take minutes to fill.
function notLarge(value) {
  const large = typeof value === 'bigint' ? Number(value) : value;
  return typeof large === 'number' && large > 600 && large <= 2 ** 24 ? 7 : value;
}
const dim = () => (below(10) === 0 ? notLarge(anything()) : pick([1, 2, 3, 4, 8, 16, 31, 64, 128, 134]));
const WRONG = [...ODD, -1, 0.5, NaN, 2 ** 40, 2 ** 33].filter((v) => v !== 2n ** 31n);
const rows = () => (below(10) === 0 ? pick(WRONG) : size());
const positions = () => pick([array, array, whole, anything])();
const firsts = () => (below(2) ? whole() : Array.from({ length: below(6) }, () => below(9999)));
const someIds = () => pick([Array, Int32Array]).from({ length: below(40) }, () => below(5));
const ids = () => (below(6) === 0 ? positions() : someIds());
const type = () => (below(2) === 0 ? pick(WORDS) : pick([undefined, array(), anything()]));

let encoders = [new posenc.Encoder({ dim: 8 })];
let rotaries = [new posenc.Rotary({ headDim: 8 })];
function keep(list, made) {
  list.push(made);
  if (list.length > 40) list.splice(below(30), 1)[0][below(3) === 0 ? 'dispose' : 'toString']();
}

// The axes of a grid with at most 9^4 cells. In most cases, their columns are side by side.
function axes() {
  if (below(20) === 0) return anything();
  let column = below(3);
  return Array.from({ length: below(12) ? 1 + below(4) : pick([0, 9, 10]) }, () => {
    const encoder = below(50) ? pick(encoders) : anything();
    const few = pick([Array, Int32Array, Float64Array]).from({ length: below(9) }, () => below(9) * 1000);
    const axis = [encoder, column, pick([below(9), few, few, below(9) ? 9 : pick(WRONG)])];
    column += below(30) ? encoder?.dim ?? 0 : below(9);
    return axis;
  });
}

// In most cases, an array with some number of rows, and the same number of positions.
function withRows(noun, use) {
  if (below(5) === 0) return use(noun, array(), positions());
  const rows = below(40);
  const Type = pick([Float32Array, Float32Array, Uint16Array]);
  const x = Type.from({ length: rows * (noun.dim ?? noun.headDim) }, real);
  return use(noun, x, Array.from({ length: rows * (noun.axes ?? 1) }, below(9) ? () => below(9999) : real));
}

const CALLS = [
  () => posenc.table(rows(), dim(), options(ENCODE)),
  () => posenc.encode(positions(), dim(), options(ENCODE)),
  () => keep(encoders, new posenc.Encoder(options(SPEC, 'dim'))),
  () => keep(encoders, posenc.Encoder.preset(below(9) ? pick(ENCODERS) : anything(), dim(), options(SPEC))),
  () => keep(rotaries, new posenc.Rotary(options(ROTARY, 'headDim'))),
  () => keep(rotaries, posenc.Rotary.preset(below(9) ? pick(ROTARIES) : anything(), pick([dim(), 64, 128, 128]),
    options(ROTARY))),
  () => pick(encoders).write(whole(), rows(), type(), type()),
  () => pick(encoders).writeAt(positions(), type(), type()),
  () => withRows(pick(encoders), (e, x) => e.add(x, firsts(), options(SUM))),
  () => withRows(pick(encoders), (e, x, list) => e.addAt(x, list, options(SUM))),
  () => withRows(pick(encoders), (e, x) => e.embed(ids(), x, firsts(), options(EMBED))),
  () => withRows(pick(encoders), (e, x, list) => e.embedAt(
    Array.isArray(list) ? list.map((_, i) => i % 3) : ids(), x, list, options(EMBED))),
  () => posenc.grid(axes(), options(GRID)),
  () => withRows(pick(encoders), (e, x) => posenc.gridAdd(x, [[e, 0, x.length / e.dim]], options(GRID))),
  () => posenc.gridAdd(array(), axes(), options(GRID)),
  () => pick(encoders).frequencies(),
  () => pick(rotaries).cache(positions(), rows(), options(CACHE)),
  () => withRows(pick(rotaries), (r, x, list) => r.rotate(x, pick([list, list, whole(), null]), options(ROTATE))),
  () => pick(rotaries).frequencies() && pick(rotaries).amplitude + pick(rotaries).target.length,
];

const until = performance.now() + 1000 * seconds;
let calls = 0;
let refused = 0;
while (performance.now() < until) {
  const before = seed;
  const started = performance.now();
  const call = pick(CALLS);
  ++calls;
  try {
    call();
  } catch (error) {
    const isDisposed = error?.constructor === Error && /disposed/.test(error.message);
    if (isDisposed) {
      encoders = encoders.filter((e) => { try { return e.target; } catch { return false; } });
      rotaries = rotaries.filter((r) => { try { return r.target; } catch { return false; } });
      continue;
    }
    const isRefusal = error instanceof TypeError || error instanceof RangeError;
    // Errors of the JavaScript engine itself do not count as refusals: their messages do not name the argument.
    const isOurs = error?.status !== undefined || isRefusal && /^[\w'[\].]+( |:)/.test(error.message) && !/(is not a function|is not iterable|Cannot |^Invalid )/.test(error.message)
      && !(error instanceof WebAssembly.RuntimeError);
    if (!isOurs) {
      console.error(`call ${calls}, seed ${before}: ${call}`);
      throw error;
    }
    ++refused;
  }
  if (performance.now() - started > 20000) throw new Error(`call ${calls}, seed ${before}, took too long: ${call}`);
}
if (posenc.table(2, 2).join() !== '0,1,0.8414709568023682,0.5403022766113281') throw new Error('the module is broken');
console.log(`${calls} calls, ${refused} refused, no trap`);
