// Reads the worst cases (tools/verify/worst_cases.inc, which describes its language), and computes their results with posenc.

// The cases in the text of the file. Each case has the words of its group and the words of its line, by name.
export function read(text) {
  const cases = [];
  let group = {};
  for (const [, kind, words] of text.matchAll(/^(GROUP|WORST)\((.*)\)$/gm)) {
    const own = Object.fromEntries(words.split(' ').map((word) => word.split('=')));
    if (kind === 'GROUP') group = own;
    else cases.push({ ...group, ...own });
  }
  return cases;
}

// A number of the file: 0.5, -1e-9 or 0x1.8p-3.
export function number(text) {
  const hex = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([-+]?[0-9]+)$/.exec(text);
  if (hex === null) return Number(text);
  const [, sign, whole, part = '', exponent] = hex;
  const units = Number(`0x${whole}${part}`); // at most 53 bits
  const size = units * 2 ** Math.ceil((exponent - 4 * part.length) / 2) * 2 ** Math.floor((exponent - 4 * part.length) / 2);
  return sign === '-' ? -size : size;
}

const TYPES = { f32: 'float32', bf16: 'bfloat16', f16: 'float16', f64: 'float64' };
const ARRAYS = { f32: Float32Array, bf16: Uint16Array, f16: Uint16Array, f64: Float64Array };
const OWN = new Set(['operation', 'type', 'source_type', 'at', 'row', 'column', 'right', 'wrong', 'by', 'from', 'elements', 'q_heads', 'k_heads']);
const LISTS = new Set(['frequencies', 'factors']);

// The bits of a number of a 16-bit type, and the number with these bits. Floats and doubles stay as they are.
function pack(type, value) {
  if (type === 'bf16') return new Uint16Array(Float32Array.of(value).buffer)[1];
  if (type !== 'f16') return value;
  const size = Math.abs(value);
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  return (value < 0 || Object.is(value, -0) ? 0x8000 : 0) + ((exponent + 14) << 10) + size * 2 ** (10 - exponent);
}
function unpack(type, bits) {
  if (type === 'bf16') return new Float32Array(Uint16Array.of(0, bits).buffer)[0];
  if (type !== 'f16') return bits;
  const exponent = bits >> 10 & 31;
  const size = (exponent === 0 ? bits & 0x3ff : bits & 0x3ff | 0x400) * 2 ** (Math.max(exponent, 1) - 25);
  return bits & 0x8000 ? -size : size;
}

const value = (name, text) => {
  if (LISTS.has(name)) return text.split(':').map(number);
  return /^-?[0-9]/.test(text) ? number(text) : text;
};

// The positions that a case is about: a list, or the first one of a run and their number.
function positionsOf(at) {
  const colon = at.indexOf(':');
  if (colon >= 0) {
    const list = Float64Array.from(at.slice(colon + 1).split(':'), number);
    return { positions: list, rows: list.length };
  }
  const [first, last] = at.split('..').map(Number);
  return { positions: first, rows: last - first + 1 };
}

// What posenc computes for a case. `target` is the name of an instruction set.
export function compute(posenc, words, target) {
  const { operation = 'write', type, source_type: from = type, at, row = 0, column } = words;
  const spec = { target };
  for (const [name, text] of Object.entries(words)) {
    if (!OWN.has(name)) spec[name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())] = value(name, text);
  }
  const { positions, rows } = positionsOf(at);
  const noun = operation === 'write' ? new posenc.Encoder(spec) : new posenc.Rotary(spec);
  let entries;
  if (operation === 'cache') {
    entries = noun.cache(positions, rows, { type: TYPES[type] }).table;
  } else if (operation === 'rotate') {
    const heads = Number(words.q_heads) + Number(words.k_heads);
    const half = spec.headDim / 2; // the first elements of all pairs come before the second ones
    const [first, second] = words.elements.split(':').map((text) => pack(from, number(text)));
    const x = ARRAYS[from].from({ length: rows * heads * spec.headDim }, (_, i) => (i % spec.headDim < half ? first : second));
    entries = noun.rotate(x, positions, { type: TYPES[from], outType: TYPES[type], heads });
  } else {
    entries = typeof positions === 'number' ? noun.write(positions, rows, TYPES[type]) : noun.writeAt(positions, TYPES[type]);
  }
  noun.dispose();
  return unpack(type, entries[Number(row) * (entries.length / rows) + Number(column)]);
}

export const isRight = (words, result) => Object.is(result, number(words.right));
