// smoke_test.mjs SECONDS [SEED]: calls all functions with random arguments of all kinds. A call may return, or throw a TypeError
// or a RangeError that names the argument. A trap of the module, or any other error, is a failure. Results are compared elsewhere:
// native_test.mjs compares with the C functions, and tests/fuzz compares these with MPFR.
import { posenc } from './package.mjs';

const seconds = Number(process.argv[2] ?? 5);
let seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
function random() { // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];

const e = new posenc.Encoder({ dim: 8 });
const r = new posenc.Rotary({ headDim: 8 });
const angles = r.angles(-3, 1);
const DETACHED = new Float32Array(8);
structuredClone(DETACHED, { transfer: [DETACHED.buffer] });
const VALUES = [0, -0, 1, 3, 8, -1, 0.5, 5e-324, 1e300, 2 ** 53, 2 ** 64, NaN, -Infinity, 7n, -(2n ** 64n), null, undefined,
  true, '', 'float32', 'sin_cos', 'fairseq', 'llama3', '\0', [], {}, [[]], [0, 1], [0.5, NaN], ['1'], DETACHED, Symbol('s'), () => 1,
  new Map(), new ArrayBuffer(8), new BigInt64Array(2), new DataView(new ArrayBuffer(8)), new Proxy([], {}), [[e, 0, 3]], e, r, angles];
const NAMES = ['dim', 'headDim', 'base', 'layout', 'frequencies', 'sections', 'axes', 'scaling', 'factor', 'target', 'nanRows', 'type',
  'out', 'scale', 'batch', 'first', 'heads', 'outType', 'factors', 'tokenAxis', 'inverse', 'prefixRows', 'preset', 'constructor', '__proto__'];
const value = () => (random() < 0.6 ? pick(VALUES) : pick([Float32Array, Float64Array, Uint16Array, Int32Array, Array]).from({ length: pick([0, 1, 3, 8, 24]) }, random));
const options = () => ({ ...pick([{}, { dim: 8 }, { headDim: 8 }]), ...Object.fromEntries([1, 2].slice(random() * 3).map(() => [pick(NAMES), value()])) });
const CALLS = [(...all) => new posenc.Encoder(...all), (...all) => new posenc.Rotary(...all)];
for (const [noun, names] of [[posenc, ['table', 'encode', 'grid', 'gridAdd']], [posenc.Encoder, ['preset']],
  [posenc.Rotary, ['preset', 'fromConfig']], [e, ['write', 'writeAt', 'add', 'addAt', 'embed', 'embedAt', 'frequencies']],
  [r, ['rotate', 'cache', 'angles', 'frequencies']]]) {
  for (const name of names) CALLS.push((...all) => noun[name](...all));
}

let calls = 0;
let refused = 0;
for (const until = performance.now() + 1000 * seconds; performance.now() < until; ++calls) {
  const [call, before, given] = [pick(CALLS), seed, Array.from({ length: pick([0, 1, 2, 3]) }, () => (random() < 0.3 ? options() : value()))];
  try {
    call(...given);
  } catch (error) {
    const isRefusal = (error instanceof TypeError || error instanceof RangeError) && !(error instanceof WebAssembly.RuntimeError);
    // Errors of the JavaScript engine itself do not count as refusals: their messages do not name the argument.
    const isOurs = isRefusal && (error.status !== undefined || (/^[\w'[\].]+( |:)/.test(error.message) && !/(is not a function|is not iterable|Cannot |^Invalid )/.test(error.message)));
    if (!isOurs) {
      console.error(`call ${calls}, seed ${before}`, given);
      throw error;
    }
    ++refused;
  }
}
if (posenc.table(2, 2).join() !== '0,1,0.8414709568023682,0.5403022766113281') throw new Error('the module is broken');
if (refused === 0 || refused === calls) throw new Error('all calls had the same end');
console.log(`${calls} calls, ${refused} refused, no trap`);
