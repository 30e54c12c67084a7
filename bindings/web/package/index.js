// posenc for JavaScript: calls the C library, compiled to WebAssembly. index.d.ts documents all functions and types.
//
// A call copies rows into the module's memory and back, some at a time, so that this memory stays small. All arguments
// are checked before the caller's arrays are written.

let wasm = null; // the module's exports, once loaded
let compiled = null; // its WebAssembly.Module
let members = null; // members of specs: {encoder, rotary}, each a Map from name to {kind, offset, of}
let structs = null; // structs of C: {rows: {bytes, fields}, ...}, where fields is a Map from name to {kind, offset}
let words = null; // words of enums, by value: {layout: ['interleaved', ...], ...}
let kinds = null; // kinds of statuses, by value: ['ok', 'null', ...]
let types = null; // types of arrays: {float32: 1, ...}

export let version = '';

// ---- constants of C (the module itself has words, kinds, structs and members) ----

const ARRAYS = { float32: Float32Array, bfloat16: Uint16Array, float16: Uint16Array, float64: Float64Array };
const [SIZE, REAL, CHOICE, FLAG, INTEGER, ROWS, OPTIONAL, NAME, LIST, SIZES, PRESENCE, PART] = Array(12).keys();
const [FIELD_WORD, FIELD_INTEGER, FIELD_REAL, FIELD_TEXT] = Array(4).keys(); // wasm/module.h
const OK = 0;
const KIND_BITS = 0xff; // these bits of a status are its kind
const CONFIG_WITHOUT_VALUE = { none: -1, empty: -2, long: -3 }; // kinds of entries that have no value (models_c.h)
const MAX_CONFIG_LEVELS = 64;
const MAX_CONFIG_ITEMS = 32768; // items of a list; posenc reads at most one for each pair or for each layer
const MAX_CONFIG_ENTRIES = 2 ** 24; // a longer list is not even searched for keys
const MAX_POSITION = 2 ** 31;
const MAX_SWAP_IN_PLACE = 1024; // the largest rotaryDim with which the library rotates in place to another pairing
const CHUNK_BYTES = 1 << 20; // bytes of rows in a part; so small that they are still in a cache when they are copied out
const CHUNK_ROWS = 64; // the library computes this many rows at a time
const CHUNK_GROUPS = 64; // the library computes the rows of this many sequences together

// ---- the module ----

function module() {
  if (wasm === null) throw new Error('posenc is not loaded: call await load() first');
  return wasm;
}

// The module's memory as bytes, and as a DataView. When the memory grows, it gets a new buffer.
let memoryBytes = new Uint8Array(0);
let memoryView = new DataView(memoryBytes.buffer);

function bytes() {
  const { buffer } = wasm.memory;
  if (memoryBytes.buffer !== buffer) memoryBytes = new Uint8Array(buffer);
  return memoryBytes;
}

function view() {
  const { buffer } = wasm.memory;
  if (memoryView.buffer !== buffer) memoryView = new DataView(buffer);
  return memoryView;
}

function text(pointer) {
  const memory = bytes();
  let end = pointer;
  while (memory[end] !== 0) ++end;
  return new TextDecoder().decode(memory.subarray(pointer, end));
}

const kindOf = (status) => kinds[status & KIND_BITS];

const TYPE_ERRORS = new Set(['bad_type', 'null']);

// Throws the error for a status. The default sentence is the library's message for the status.
function fail(status, argument, sentence = text(wasm.posenc_status_message(status))) {
  const kind = kindOf(status);
  const Kind = TYPE_ERRORS.has(kind) ? TypeError : RangeError;
  const error = new Kind(argument ? `${argument}: ${sentence}` : sentence);
  error.status = status;
  error.kind = kind;
  throw error;
}

// The same for errors that this file detects, before it calls the module.
const refuse = (kind, argument, sentence) => fail(kinds.indexOf(kind), argument, sentence);

function require(status, argument) {
  if (status !== OK) fail(status, argument);
}

function allocate(size) {
  const pointer = wasm.web_allocate(size);
  if (pointer === 0) refuse('no_memory', '', `the module's memory cannot hold ${size} bytes more`);
  return pointer >>> 0;
}

// Writes a struct of C. Members that are not in `values` become 0.
function put(name, at, values) {
  const { bytes: size, fields } = structs[name];
  bytes().fill(0, at, at + size);
  const v = view();
  for (const field in values) {
    const { kind, offset } = fields.get(field);
    if (kind === FIELD_WORD) v.setUint32(at + offset, values[field], true);
    else if (kind === FIELD_INTEGER) v.setBigInt64(at + offset, values[field], true);
    else v.setFloat64(at + offset, values[field], true);
  }
  return at;
}

// A new struct with these members, in memory from allocateHere.
const struct = (name, allocateHere, values) => put(name, allocateHere(structs[name].bytes), values);

// A member of a struct: a number, or a string if the member is an array of characters.
function get(name, at, field) {
  const { kind, offset } = structs[name].fields.get(field);
  return kind === FIELD_TEXT ? text(at + offset) : view().getInt32(at + offset, true);
}

// The string that a member points to; '' for a null pointer.
function string(name, at, field) {
  const pointer = get(name, at, field) >>> 0;
  return pointer === 0 ? '' : text(pointer);
}

// Returns what work(allocate) returns, and frees the memory that it allocated.
function withMemory(work) {
  const taken = [];
  try {
    return work((size) => {
      const pointer = allocate(size);
      taken.push(pointer);
      return pointer;
    });
  } finally {
    for (const pointer of taken) wasm.web_free(pointer);
  }
}

// The bytes of a view.
const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function copyIn(array, allocateHere) {
  const pointer = allocateHere(array.byteLength || 1);
  bytes().set(bytesOf(array), pointer);
  return pointer;
}

function copyText(string, allocateHere) {
  const encoded = new TextEncoder().encode(string);
  const terminated = new Uint8Array(encoded.length + 1);
  terminated.set(encoded);
  return copyIn(terminated, allocateHere);
}

const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

function readMembers(pointer) {
  const map = new Map();
  for (const v = view(); v.getUint32(pointer, true) !== 0; pointer += 16) {
    const of = text(v.getUint32(pointer + 12, true));
    map.set(camelCase(text(v.getUint32(pointer, true))),
      { kind: v.getInt32(pointer + 4, true), offset: v.getUint32(pointer + 8, true), of });
  }
  return map;
}

function readWords(pointer) {
  const all = {};
  for (const v = view(); v.getUint32(pointer, true) !== 0; pointer += 12) {
    (all[text(v.getUint32(pointer, true))] ??= [])[v.getInt32(pointer + 4, true)] = text(v.getUint32(pointer + 8, true));
  }
  return all;
}

function readFields(pointer) {
  const all = {};
  for (const v = view(); v.getUint32(pointer, true) !== 0; pointer += 16) {
    const [of, name] = [0, 4].map((at) => text(v.getUint32(pointer + at, true)));
    const [kind, offset] = [8, 12].map((at) => v.getUint32(pointer + at, true));
    if (name === '') all[of] = { bytes: offset, fields: new Map() };
    else all[of].fields.set(name, { kind, offset });
  }
  return all;
}

function readNames(pointer) {
  const all = [];
  for (const v = view(); v.getUint32(pointer, true) !== 0; pointer += 4) {
    all.push(text(v.getUint32(pointer, true)).toLowerCase());
  }
  return all;
}

// The bytes of a WebAssembly module from a script that the build made, which has it compressed, as base64.
async function unpacked(script) {
  const { default: base64 } = await script;
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

async function compile(source) {
  let from = await source;
  if (from === undefined) from = await unpacked(import('./posenc.wasm.js'));
  if (from instanceof WebAssembly.Module) return from;
  if (typeof from === 'string' || from instanceof URL) from = await fetch(from);
  if (typeof Response !== 'undefined' && from instanceof Response) {
    if (!from.ok) throw new Error(`posenc: ${from.url}: ${from.status} ${from.statusText}`);
    from = await from.arrayBuffer();
  }
  if (!(from instanceof ArrayBuffer) && !ArrayBuffer.isView(from)) {
    throw new TypeError('source: a URL, Response, ArrayBuffer, Uint8Array or WebAssembly.Module is wanted');
  }
  try {
    return await WebAssembly.compile(from);
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) {
      error.message += ' (posenc needs an engine with WebAssembly SIMD)';
    }
    throw error;
  }
}

let loading = null;

export function load(source) {
  if (wasm !== null) return Promise.resolve();
  loading ??= (async () => {
    try {
      compiled = await compile(source);
      const instance = await WebAssembly.instantiate(compiled, {});
      instance.exports._initialize();
      wasm = instance.exports;
      members = {
        encoder: readMembers(wasm.web_spec_members()),
        rotary: readMembers(wasm.web_rotary_spec_members()),
      };
      words = readWords(wasm.web_words());
      kinds = readNames(wasm.web_kinds());
      structs = readFields(wasm.web_fields());
      types = Object.fromEntries(Object.entries(words.type).map(([value, name]) => [name, Number(value)]));
      const number = wasm.posenc_version();
      version = `${Math.floor(number / 10000)}.${Math.floor(number / 100) % 100}.${number % 100}`;
    } finally {
      loading = null;
    }
  })();
  return loading;
}


// ---- the caller's arrays ----
//
// A class that extends a typed array may replace its constructor and its length. An array may also come from another realm, such
// as a frame. So this file reads arrays with the getters of the language, and works on views that it makes itself.

const VIEWS = { Float32Array, Float64Array, Uint16Array, Int32Array, BigInt64Array };

// tagOf returns the name of the language's class, or undefined if the value is not a typed array.
const [tagOf, lengthOf, bufferOf, offsetOf] = [Symbol.toStringTag, 'length', 'buffer', 'byteOffset'].map((key) =>
  Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), key).get));

// A view of the caller's array; empty if its buffer was transferred. `size` is the length that was checked before. The
// caller's code, which runs when an entry of a list is read, may have changed it since.
function viewOf(array, argument, size = lengthOf(array)) {
  const length = lengthOf(array);
  if (length !== size) refuse('bad_argument', argument, `its length has changed during the call, from ${size} to ${length}`);
  const View = VIEWS[tagOf(array)];
  return length === 0 ? new View(0) : new View(bufferOf(array), offsetOf(array), length);
}

// The entries begin .. end - 1 of a view.
function partOf(array, begin, end = array.length) {
  if (begin === 0 && end === array.length) return array;
  return new VIEWS[tagOf(array)](array.buffer, array.byteOffset + begin * array.BYTES_PER_ELEMENT, end - begin);
}

const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);

// ---- arguments ----
//
// The caller's code may run when an option or an entry of a list is read: a getter, or a proxy. It may dispose of an object or
// change an array. So a call first reads its options and lists. Only then does it take pointers and views, and check them. The
// pointerOf with which a method begins only checks `this`.

// What a message says about a value that is not wanted.
function show(value) {
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 40)}...'` : `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return 'an array';
  const noun = nounOf(value);
  if (noun !== '') return NOUNS[noun].name;
  let name = tagOf(value);
  try {
    name ??= value.constructor.name;
  } catch {
    // an object without a constructor
  }
  if (typeof name !== 'string' || name === '' || name === 'Object') return 'an object';
  if (value instanceof Handle) return `a copy or a Proxy of ${name}`;
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
}

function number(value, argument) {
  if (typeof value !== 'number') refuse('bad_type', argument, `a number is wanted, not ${show(value)}`);
  return value;
}

// Checks a count, and returns it as a number.
function count(value, argument, least = 0) {
  if (typeof value === 'bigint') value = Number(value);
  number(value, argument);
  if (!Number.isInteger(value) || value < least) {
    refuse('bad_argument', argument, `a whole number, ${least} or more, is wanted, not ${show(value)}`);
  }
  return value;
}

// A count as the module takes it, an unsigned 32-bit number. A larger count stays so large that the module refuses it.
const clamped = (value) => Math.min(value, 2 ** 32 - 1);

// Checks an integer, and returns it as a bigint. An integer beyond 64 bits stays far out of the range of positions.
function integer(value, argument, hint = ' (lists may hold fractions)') {
  if (typeof value !== 'bigint') {
    number(value, argument);
    if (!Number.isInteger(value)) {
      refuse('bad_argument', argument, `a whole number is wanted, not ${show(value)}${hint}`);
    }
    value = BigInt(value);
  }
  const limit = 1n << 62n;
  if (value > limit) return limit;
  return value < -limit ? -limit : value;
}

function choice(value, names, argument) {
  const index = names.indexOf(value);
  if (index < 0) {
    refuse(typeof value === 'string' ? 'bad_argument' : 'bad_type', argument,
      `one of ${names.join(', ')} is wanted, not ${show(value)}`);
  }
  return index;
}

function flag(value, argument) {
  if (typeof value !== 'boolean') refuse('bad_type', argument, `true or false is wanted, not ${show(value)}`);
  return value;
}

const TYPES = Object.keys(ARRAYS);
const SUMMANDS = TYPES.slice(0, 3); // types that posenc adds to, and rotates

function typeName(value, argument = 'type', names = TYPES) {
  choice(value, names, argument);
  return value;
}

function options(value, known, where) {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) {
    refuse('bad_type', where, `an object is wanted, not ${show(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (!known.has(name)) {
      refuse('bad_type', where, `there is no option '${name}'; there are ${[...known].join(', ')}`);
    }
  }
  return value;
}

const NO_SUMS = 'posenc does not add doubles';

// The type of the entries of a caller's array. If it is a Uint16Array, the option must name the type. `noDoubles` says
// why doubles are refused; if it is empty, they are accepted.
function typeOf(array, type, argument, noDoubles = '', option = 'type') {
  const tag = tagOf(array);
  if (tag === 'Float64Array' && noDoubles !== '') {
    refuse('bad_type', argument, `a Float32Array or Uint16Array is wanted; ${noDoubles}`);
  }
  if (tag === 'Float32Array' || tag === 'Float64Array') {
    const own = tag === 'Float32Array' ? 'float32' : 'float64';
    if (type !== undefined && typeName(type, option, noDoubles === '' ? TYPES : SUMMANDS) !== own) {
      refuse('bad_type', argument, `a ${tag} holds ${own}, not ${type}`);
    }
    return own;
  }
  if (tag === 'Uint16Array') {
    if (type === undefined) {
      refuse('bad_type', argument, `for a Uint16Array the option ${option} is needed, 'bfloat16' or 'float16'`);
    }
    if (type === 'float32' || type === 'float64') {
      refuse('bad_type', argument, `a Uint16Array holds bfloat16 or float16, not ${type}`);
    }
    return typeName(type, option, ['bfloat16', 'float16']);
  }
  const floats = noDoubles === '' ? 'Float32Array, Float64Array' : 'Float32Array';
  return refuse('bad_type', argument, `a ${floats} or Uint16Array is wanted, not ${show(array)}`);
}

// Kinds of lists: the typed arrays that a call takes, and the array that gets the entries of an array.
const POSITIONS = {
  tags: ['Int32Array', 'BigInt64Array', 'Float32Array', 'Float64Array'],
  words: 'an array of numbers, Int32Array, BigInt64Array, Float32Array or Float64Array',
  Array: Float64Array,
};
const INTEGERS = {
  tags: ['Int32Array', 'BigInt64Array'],
  words: 'an array of whole numbers, Int32Array or BigInt64Array',
  Array: BigInt64Array,
};
const REALS = {
  tags: ['Float32Array', 'Float64Array'],
  words: 'an array of numbers, Float32Array or Float64Array',
  Array: Float64Array,
};
const LIST_TYPES = { Int32Array: 'int32', BigInt64Array: 'int64', Float32Array: 'float32', Float64Array: 'float64' };

// The number of entries of a list. Lists of other kinds are refused.
function sizeOf(values, argument, { tags, words: wanted }) {
  if (Array.isArray(values)) return count(values.length, `${argument}.length`);
  if (!tags.includes(tagOf(values))) refuse('bad_type', argument, `${wanted} is wanted, not ${show(values)}`);
  return lengthOf(values);
}

// Reads the entries of an array into a typed array. A typed array stays as it is, and needs a view when it is used.
function readList(values, argument, kind, size = sizeOf(values, argument, kind)) {
  if (!Array.isArray(values)) return values;
  const array = newArray(kind.Array, size, 1, argument);
  for (let i = 0; i < size; ++i) {
    const value = values[i];
    if (kind === INTEGERS) array[i] = integer(value, `${argument}[${i}]`, '');
    else array[i] = typeof value === 'number' ? value : number(value, `${argument}[${i}]`);
  }
  return array;
}

const isNumber = (value) => typeof value === 'number' || typeof value === 'bigint';

// Reads positions: a number, which stays as it is, or a list, whose length requireSize checks.
function readPositions(positions, requireSize, others = '') {
  if (isNumber(positions)) return positions;
  if (!isList(positions)) {
    const wanted = others === '' ? 'a number or a list of positions' : `a number, a list of positions, ${others}`;
    refuse('bad_type', 'positions', `${wanted} is wanted, not ${show(positions)}`);
  }
  const size = sizeOf(positions, 'positions', POSITIONS);
  requireSize(size);
  return readList(positions, 'positions', POSITIONS, size);
}

// Reads first positions: a number, or a list with one for each of `batch` sequences.
function readFirst(first, batch) {
  if (isNumber(first)) return first;
  if (!isList(first)) refuse('bad_type', 'first', `a number or a list of whole numbers is wanted, not ${show(first)}`);
  return readList(first, 'first', INTEGERS, batch);
}

// ---- specs ----

// Writes an option into the member of a spec.
function setMember(map, spec, name, value, allocateHere) {
  const { kind, offset, of } = map.get(name);
  const at = spec + offset;
  const related = (other) => spec + map.get(camelCase(other)).offset;
  if (kind === LIST) {
    const array = viewOf(readList(value, name, REALS), name);
    const before = of === 'factor_count' ? view().getUint32(related(of), true) : 0;
    if (before !== 0 && before !== array.length) {
      refuse('members_clash', name, `as many as the other factors are wanted, ${before}, not ${array.length}`);
    }
    const pointer = copyIn(array, allocateHere);
    const isFloat = array instanceof Float32Array;
    view().setUint32(at, isFloat ? 0 : pointer, true);
    view().setUint32(related(`${name}F32`), isFloat ? pointer : 0, true);
    view().setUint32(related(of), array.length, true);
  } else if (kind === OPTIONAL) {
    const has = value !== null;
    view().setInt32(related(of), has ? 1 : 0, true);
    view().setBigInt64(at, has ? integer(value, name) : 0n, true);
  } else if (kind === NAME) {
    if (typeof value !== 'string') refuse('bad_type', name, `a name is wanted, not ${show(value)}`);
    const pointer = copyText(value, allocateHere);
    view().setUint32(at, pointer, true);
  } else if (kind === SIZE) {
    view().setUint32(at, clamped(count(value, name)), true);
  } else if (kind === REAL) {
    view().setFloat64(at, number(value, name), true);
  } else if (kind === INTEGER || kind === ROWS) {
    view().setBigInt64(at, integer(value, name), true);
  } else if (kind === SIZES) {
    const wanted = `an array of up to 4 counts is wanted, not ${show(value)}`;
    if (!Array.isArray(value) && tagOf(value) === undefined) refuse('bad_type', name, wanted);
    const size = Array.isArray(value) ? count(value.length, `${name}.length`) : lengthOf(value);
    if (size > 4) refuse('bad_argument', name, `at most 4 counts are wanted, not ${size}`);
    for (let k = 0; k < 4; ++k) {
      const entry = k < size ? clamped(count(value[k], `${name}[${k}]`)) : 0;
      view().setUint32(at + 4 * k, entry, true);
    }
  } else if (kind === FLAG) {
    view().setInt32(at, flag(value, name) ? 1 : 0, true);
  } else {
    // Only outputPairing may be 'same', which is the last word.
    view().setInt32(at, choice(value, name === 'pairing' ? words[of].slice(0, -1) : words[of], name), true);
  }
}

function knownOptions(map, more) {
  const known = new Set(more);
  for (const [name, { kind }] of map) {
    if (kind !== PRESENCE && kind !== PART) known.add(name);
  }
  return known;
}

// ---- configurations ----

const KINDS_OF_KEYS = { number: 'number', bigint: 'number', boolean: 'flag', string: 'string' };
const kindOfValue = (value) => (value === null ? 'null' : KINDS_OF_KEYS[typeof value] ?? 'none');

// The items of a list in a configuration. Detached arrays and DataViews are empty.
function itemsOf(key, list) {
  const length = tagOf(list) === undefined ? list.length ?? 0 : lengthOf(list);
  if (!(length <= MAX_CONFIG_ENTRIES)) {
    refuse('bad_argument', 'config', `the key ${key} is a list of more than ${MAX_CONFIG_ENTRIES} items`);
  }
  return Array.from({ length }, (_, i) => list[i]);
}

// Adds a key and its value to a Map of entries. The keys of an inner dictionary follow its key and a dot. If the dictionary
// is in a list, they follow the key of the list, brackets and a dot.
function addEntries(key, value, entries, levels) {
  const add = (kind, rest) => {
    // Dictionaries in a list have the same keys, which say nothing about the model itself.
    if (entries.has(key) && !key.includes('[].')) {
      refuse('bad_argument', 'config', `the key ${key} is given twice: give it once`);
    }
    entries.set(key, { kind, number: 0, string: null, numbers: null, ...rest });
  };
  const kind = kindOfValue(value);
  if (kind === 'string') {
    add(kind, { string: value });
  } else if (kind === 'number' || kind === 'flag') {
    add(kind, { number: Number(value) });
  } else if (isList(value)) {
    const items = itemsOf(key, value);
    addWithin(key, items, entries, levels + 1);
    const ofItems = new Set(items.map(kindOfValue));
    const [all = 'number'] = ofItems;
    if (items.length > MAX_CONFIG_ITEMS) {
      add('long');
    } else if (ofItems.size > 1 || all === 'none' || all === 'null') {
      add('none');
    } else if (all === 'string') {
      items.forEach((item, i) => addEntries(`${key}.${i}`, item, entries, levels));
    } else {
      add(all === 'flag' ? 'flags' : 'numbers', { numbers: Float64Array.from(items, Number) });
    }
  } else if (typeof value === 'object' && value !== null) {
    addDictionary(`${key}.`, value, entries, levels + 1);
    if (Object.keys(value).length === 0) add('empty');
  } else if (value !== undefined) {
    add(kind);
  }
}

function requireFewLevels(levels) {
  if (levels > MAX_CONFIG_LEVELS) {
    refuse('bad_argument', 'config', `more than ${MAX_CONFIG_LEVELS} levels of objects and lists`);
  }
}

// Adds the entries of a dictionary. A dot within a key is written as \u002e, so that it does not look like a dot between two
// dictionaries. The keys of GGUF metadata have dots themselves.
function addDictionary(prefix, dictionary, entries, levels) {
  requireFewLevels(levels);
  const isGguf = levels === 1 && ('general.architecture' in dictionary || dictionary.general?.architecture !== undefined);
  for (const [name, value] of Object.entries(dictionary)) {
    addEntries(prefix + (isGguf ? name : name.replaceAll('.', '\\u002e')), value, entries, levels);
  }
}

// Adds the dictionaries in a list. Their keys are not keys of the model itself.
function addWithin(key, items, entries, levels) {
  requireFewLevels(levels);
  for (const item of items) {
    if (isList(item)) {
      addWithin(key, itemsOf(key, item), entries, levels + 1);
    } else if (typeof item === 'object' && item !== null) {
      addDictionary(`${key}[].`, item, entries, levels + 1);
    }
  }
}

// Asks the library for the spec of a configuration. In strings, a null character becomes the six characters \u0000, because
// it would end a string of C.
function ask(spec, size, entries, { layer, layerType, modelType, pairing }, allocateHere) {
  const word = (string) => (string === null ? 0 : copyText(string.replaceAll('\0', '\\u0000'), allocateHere));
  const entryBytes = structs.config_entry.bytes;
  const memory = allocateHere(Math.max(1, entries.size) * entryBytes);
  const keys = [...entries.keys()];
  keys.forEach((key, i) => {
    const { kind, number: value, string: ownText, numbers } = entries.get(key);
    put('config_entry', memory + i * entryBytes, {
      key: word(key),
      kind: CONFIG_WITHOUT_VALUE[kind] ?? words.config_kind.indexOf(kind),
      number: value,
      string: word(ownText),
      numbers: numbers === null ? 0 : copyIn(numbers, allocateHere),
      count: numbers === null ? 0 : numbers.length,
    });
  });
  const read = allocateHere(Math.max(1, keys.length));
  const config = struct('config', allocateHere, {
    entries: memory, count: keys.length, layer, layer_type: layerType, model_type: modelType, pairing, read });
  const report = struct('model_report', allocateHere, {});
  const status = wasm.posenc_rotary_spec_from_config(spec, size, config, report);
  const index = get('model_report', report, 'index');
  return {
    status,
    key: string('model_report', report, 'key'),
    isMissing: status !== OK && (entries.get(keys[index])?.kind ?? 'null') === 'null',
    text: get('model_report', report, 'text'),
    read: keys.filter((_, i) => bytes()[read + i] !== 0),
  };
}

// Fills a spec from a configuration. The lists of the spec are in memory from allocateHere. `wanted` are the options of the
// rotary embedding.
function fillFromConfig(spec, size, { config, layer, layerType, modelType }, wanted, allocateHere) {
  if (typeof config !== 'object' || config === null || isList(config)) {
    refuse('bad_type', 'config', `an object is wanted, not ${show(config)}`);
  }
  const name = (value, argument) => {
    if (value === undefined || value === null) return 0;
    if (typeof value !== 'string') refuse('bad_type', argument, `a name is wanted, not ${show(value)}`);
    return copyText(value, allocateHere);
  };
  const question = {
    layer: layer === undefined || layer === null
      ? 0 : copyIn(BigInt64Array.of(integer(count(layer, 'layer'), 'layer')), allocateHere),
    layerType: name(layerType, 'layerType'),
    modelType: name(modelType, 'modelType'),
    pairing: 0,
  };
  if (wanted.pairing !== undefined) {
    const stated = choice(wanted.pairing, words.pairing.slice(0, -1), 'pairing');
    question.pairing = copyIn(Int32Array.of(stated), allocateHere);
  }
  const entries = new Map();
  addDictionary('', config, entries, 1);
  let answer = ask(spec, size, entries, question, allocateHere);
  const lacksBase = () => answer.isMissing && /theta|base/.test(answer.key);
  if (wanted.base !== undefined && lacksBase()) {
    // The configuration lacks the base. Add it as a key, in each part of the configuration from which keys were read.
    const { key, read } = answer;
    for (const prefix of ['', ...read.map((other) => /^.*_config\./.exec(other)?.[0]).filter(Boolean)]) {
      if (!lacksBase()) break;
      entries.set(prefix + key, { kind: 'number', number: number(wanted.base, 'base'), string: null, numbers: null });
      answer = ask(spec, size, entries, question, allocateHere);
    }
  }
  if (answer.status !== OK) fail(answer.status, '', answer.text || undefined);
}

const NOUNS = {
  encoder: {
    name: 'an Encoder',
    gone: 'the Encoder was disposed of',
    size: () => wasm.web_spec_size(),
    init: (spec, size) => wasm.posenc_spec_init(spec, size),
    preset: (...given) => wasm.posenc_spec_preset(...given),
    create: (spec, handle) => wasm.posenc_encoder_create(spec, handle),
    destroy: (handle) => wasm.posenc_encoder_destroy(handle),
    dim: 'dim',
  },
  rotary: {
    name: 'a Rotary',
    gone: 'the Rotary was disposed of',
    size: () => wasm.web_rotary_spec_size(),
    init: (spec, size) => wasm.posenc_rotary_spec_init(spec, size),
    preset: (...given) => wasm.posenc_rotary_spec_preset(...given),
    create: (spec, handle) => wasm.posenc_rotary_create(spec, handle),
    destroy: (handle) => wasm.posenc_rotary_destroy(handle),
    dim: 'headDim',
  },
  angles: {
    name: 'Angles',
    gone: 'these angles were disposed of',
    destroy: (memory) => wasm.web_free(memory),
  },
};

// The message for sections whose sum is wrong, with both numbers; '' if the sum is right.
function unequalPairs(map, spec) {
  const get = (name, k = 0) => view().getUint32(spec + map.get(name).offset + 4 * k, true);
  const rotate = Math.floor((get('rotaryDim') || get('headDim') - get('rotaryOffset')) / 2);
  const pairs = get('sections') + get('sections', 1) + get('sections', 2) + get('sections', 3);
  return get('axes') === 1 || pairs === rotate ? '' : `sections have ${pairs} pairs, and ${rotate} rotate`;
}

// Creates an encoder or a rotary embedding. Returns a pointer to it, and a function that reads members of the spec.
function create(noun, preset, given, where) {
  module();
  const calls = NOUNS[noun];
  const map = members[noun];
  const wanted = { ...options(given, knownOptions(map), where) };
  return withMemory((allocateHere) => {
    const size = calls.size();
    const spec = allocateHere(size);
    if (preset === null) {
      require(calls.init(spec, size));
    } else if (preset.config !== undefined) {
      fillFromConfig(spec, size, preset, wanted, allocateHere);
    } else {
      if (typeof preset.name !== 'string') refuse('bad_type', 'name', `a name is wanted, not ${show(preset.name)}`);
      const name = copyText(preset.name, allocateHere);
      const report = struct('model_report', allocateHere, {});
      const status = calls.preset(spec, size, name, clamped(count(preset.dim, calls.dim)), report);
      if (status !== OK) fail(status, '', get('model_report', report, 'text') || undefined);
    }
    for (const [name, value] of Object.entries(wanted)) {
      if (value !== undefined) setMember(map, spec, name, value, allocateHere);
    }
    const handle = allocateHere(4);
    const status = calls.create(spec, handle);
    if (status !== OK) {
      const isOfSections = kindOf(status) === 'members_clash' && /sections/.test(text(wasm.posenc_status_message(status)));
      fail(status, isOfSections ? unequalPairs(map, spec) : '');
    }
    const member = (name) => {
      const { kind, offset } = map.get(name);
      if (kind === INTEGER) return Number(view().getBigInt64(spec + offset, true));
      return kind === CHOICE || kind === FLAG ? view().getInt32(spec + offset, true) : view().getUint32(spec + offset, true);
    };
    return { pointer: view().getUint32(handle, true), member };
  });
}

const registry = new FinalizationRegistry(({ noun, handle }) => {
  if (handle.pointer !== 0) NOUNS[noun].destroy(handle.pointer);
  handle.pointer = 0;
});

const OWN = Symbol('own'); // no other code has it, so no other code can make a handle

// The base class of Encoder, Rotary and Angles: owns a pointer, which is freed once.
class Handle {
  #noun;
  #handle;

  constructor(own, noun, pointer) {
    if (own !== OWN) throw new TypeError('constructor: make an Encoder or a Rotary, or call rotary.angles(positions, tokens)');
    this.#noun = noun;
    this.#handle = { pointer };
    registry.register(this, { noun, handle: this.#handle }, this);
  }

  dispose() {
    if (nounOf(this) === '') refuse('bad_type', 'this', `an Encoder, a Rotary or Angles are wanted, not ${show(this)}`);
    registry.unregister(this);
    if (this.#handle.pointer !== 0) NOUNS[this.#noun].destroy(this.#handle.pointer);
    this.#handle.pointer = 0;
  }

  // 'encoder', 'rotary' or 'angles'; '' for any other value, also for a Proxy.
  static nounOf(value) {
    return typeof value === 'object' && value !== null && #handle in value ? value.#noun : '';
  }

  // The pointer of an encoder, a rotary embedding or angles. `argument` is the name of the object for messages.
  static pointerOf(that, noun, argument = 'this') {
    const { name, gone } = NOUNS[noun];
    if (nounOf(that) !== noun) refuse('bad_type', argument, `${name} is wanted, not ${show(that)}`);
    const { pointer } = that.#handle;
    if (pointer === 0) refuse('null', argument, gone);
    return pointer;
  }
}
const { nounOf, pointerOf } = Handle;
delete Handle.nounOf;
delete Handle.pointerOf;
if (typeof Symbol.dispose === 'symbol') {
  Handle.prototype[Symbol.dispose] = function dispose() { this.dispose(); };
}

// ---- rows ----

const limits = (offset) => `-2^31 .. 2^31${offset === 0 ? '' : `, also with positionOffset, ${offset}, added`}`;

// Refuses a list of positions with a wrong length: [axes, rows] or [axes, batch, rows] is wanted.
function requirePositions(length, rows, axes, argument, batch) {
  const wanted = axes * rows;
  if (length !== wanted && length !== wanted * batch) {
    const numbers = batch === 1 ? wanted : `${wanted} or ${wanted * batch}`;
    refuse('bad_argument', argument, `${numbers} positions are wanted, not ${length}`);
  }
}

// Checks all positions of a call, a run or a list that was read. There are `batch` sequences with `rows` rows each. A list has
// one part for each axis. A part has positions for the rows of one sequence, which all sequences share, or for the rows of all
// sequences. In the result, `rows` is the number of positions in a part. `extent` is the argument that messages name if
// there are too many rows.
function positionsOf(positions, rows, range, argument, extent, batch = 1) {
  const { offset, nanRows, axes } = range;
  if (!isList(positions)) {
    const first = integer(positions, argument);
    const begin = first + BigInt(offset);
    const limit = BigInt(MAX_POSITION);
    const isOut = begin < -limit || begin > limit;
    if (rows > 0 && (isOut || begin + BigInt(rows) - 1n > limit)) {
      refuse('out_of_range', isOut ? argument : extent, `all positions must be in ${limits(offset)}`);
    }
    return { rows, list: null, first };
  }
  const array = viewOf(positions, argument);
  const { length } = array;
  requirePositions(length, rows, axes, argument, batch);
  for (let i = 0; i < length && !nanRows; ++i) {
    if (!(Math.abs(Number(array[i]) + offset) <= MAX_POSITION)) {
      refuse('out_of_range', `${argument}[${i}]`, `a position must be a number in ${limits(offset)}`);
    }
  }
  return { rows: length / axes, list: { type: types[LIST_TYPES[tagOf(array)]], array }, first: 0n };
}

// The number of sequences: `batch`, or by default the number of first positions, or 1. It must divide `rows`.
function batchOf(batch, first, rows, argument) {
  const listed = isList(first) ? sizeOf(first, 'first', INTEGERS) : undefined;
  const all = batch === undefined ? listed ?? 1 : count(batch, 'batch');
  if (listed !== undefined && listed !== all) {
    refuse('bad_argument', 'first', `${all} positions are wanted, one for each sequence, not ${listed}`);
  }
  if (all === 0 ? rows !== 0 : rows % all !== 0) {
    refuse('bad_argument', argument, `${rows} rows cannot be ${all} sequences of equal length`);
  }
  return all;
}

// The runs of `rows` rows from `first` on: one run for all sequences or, if `first` is a list, one for each of `batch`
// sequences.
function runsOf(first, rows, range, extent, batch) {
  if (!isList(first)) return [positionsOf(first, rows, range, 'first', extent)];
  const run = (one, b) => positionsOf(one, rows, range, `first[${b}]`, `first[${b}]`);
  return Array.from(viewOf(first, 'first', batch), run);
}

// The memory that holds a part of the list's positions: [axes, rows].
function passPositions(positions, pointer, axes, row, rows) {
  const { array } = positions.list;
  for (let k = 0; k < axes; ++k) {
    const begin = k * (array.length / axes) + row;
    bytes().set(bytesOf(partOf(array, begin, begin + rows)), pointer + k * rows * array.BYTES_PER_ELEMENT);
  }
}

// Refuses a call if an array that it reads overlaps the first `entries` entries of `written`.
function requireApart(written, entries, argument, ...read) {
  const begin = written.byteOffset;
  const end = begin + entries * written.BYTES_PER_ELEMENT;
  const overlaps = ({ buffer, byteOffset, byteLength }) =>
    buffer === written.buffer && byteOffset < end && begin < byteOffset + byteLength;
  if (entries > 0 && read.some(overlaps)) refuse('overlap', argument, 'memory that is written must not overlap what is read');
}

// Computes arrays, each [groups, positions.rows, width], in parts. A part has so many groups and rows that it fits a CPU
// cache. Each part is copied into the module's memory if `reads` is true, computed there, and copied out. If `source` is an
// array with its type, parts of this array are copied in instead.
//
// call(row, rows, {memories, read, out, list, group, groups}) computes a part: `rows` rows from `row` on, in `groups` groups
// from `group` on. `memories` has the address of each array's part, `read` is the address of the part of `source`, which is
// memories[0] if the types are the same, unless isApart is true. `out` is a posenc_rows for the first array, and `list` is a
// posenc_list of the positions, [axes, rows], if positions are a list. cut(row, most), if given, returns the number of rows of
// the next part.
function inParts(shape, call) {
  const { positions, axes = 1, groups = 1, width, type, arrays, reads = false, source = null, isApart = false, cut } = shape;
  const { rows, list, begin = 0 } = positions;
  if (rows === 0 || groups === 0) return;
  const from = source?.type ?? type;
  const rowBytes = width * Math.max(ARRAYS[type].BYTES_PER_ELEMENT, ARRAYS[from].BYTES_PER_ELEMENT);
  const fitting = Math.floor(CHUNK_BYTES / Math.max(1, Math.min(rows, CHUNK_ROWS) * rowBytes));
  const together = Math.min(groups, CHUNK_GROUPS, Math.max(1, fitting));
  const bytesOfRows = Math.max(1, together * rowBytes);
  const most = Math.max(CHUNK_ROWS, Math.floor(CHUNK_BYTES / bytesOfRows / CHUNK_ROWS) * CHUNK_ROWS);
  const step = Math.min(rows, rowBytes * CHUNK_ROWS > 2 ** 26 ? Math.max(1, Math.floor(2 ** 26 / rowBytes)) : most);
  withMemory((allocateHere) => {
    const memories = arrays.map(() => allocateHere(step * together * rowBytes));
    const written = arrays.map((array, k) => ({ array, Array: ARRAYS[type], memory: memories[k] }));
    const read = from === type && !isApart ? memories[0] : allocateHere(step * together * rowBytes);
    const copied = source === null ? written : [{ array: source.array, Array: ARRAYS[from], memory: read }];
    const out = struct('rows', allocateHere, { type: types[type], data: memories[0], stride: width });
    const listed = list === null ? 0 : allocateHere(step * axes * list.array.BYTES_PER_ELEMENT);
    const listAt = list === null ? 0 : struct('list', allocateHere, { type: list.type, data: listed });
    const move = (isIn, group, many, row, some) => {
      for (const { array, Array, memory } of isIn ? copied : written) {
        for (let g = 0; g < many; ++g) {
          const part = new Array(wasm.memory.buffer, memory + g * some * width * Array.BYTES_PER_ELEMENT, some * width);
          const at = ((group + g) * rows + row) * width;
          if (isIn) part.set(partOf(array, at, at + some * width));
          else array.set(part, at);
        }
      }
    };
    for (let group = 0; group < groups; group += together) {
      const many = Math.min(together, groups - group);
      for (let row = 0, some; row < rows; row += some) {
        some = cut === undefined ? Math.min(step, rows - row) : cut(row, Math.min(step, rows - row));
        if (reads || source !== null) move(true, group, many, row, some);
        if (list !== null) passPositions(positions, listed, axes, begin + row, some);
        call(row, some, { memories, read, out, list: listAt, group, groups: many });
        move(false, group, many, row, some);
      }
    }
  });
}

function newArray(Array, rows, columns, argument) {
  try {
    return new Array(rows * columns);
  } catch {
    return refuse('no_memory', argument, `there is no memory for ${rows}${columns === 1 ? '' : ` x ${columns}`} entries`);
  }
}

// ---- encoders ----

const ENTRY_OPTIONS = ['type', 'out'];
const SUM_OPTIONS = new Set(['type', 'scale', 'batch']);
const EMBED_OPTIONS = new Set([...SUM_OPTIONS, 'tableType', 'out']);

export class Encoder extends Handle {
  #dim;
  #range;
  #layout;

  constructor(given = {}, preset = null) {
    const { pointer, member } = create('encoder', preset, given, 'options');
    super(OWN, 'encoder', pointer);
    this.#dim = member('dim');
    this.#range = { offset: member('positionOffset'), nanRows: member('nanRows') !== 0, axes: 1 };
    this.#layout = words.layout[member('layout')];
  }

  static preset(name, dim, overrides = {}) {
    return new Encoder(overrides, { name, dim });
  }

  get dim() { return this.#dim; }
  get layout() { return this.#layout; }
  get target() { return text(module().posenc_encoder_target(pointerOf(this, 'encoder'))); }
  get frequencyCount() { return module().posenc_encoder_frequency_count(pointerOf(this, 'encoder')) >>> 0; }

  frequencies() {
    const pointer = pointerOf(this, 'encoder');
    return Float64Array.from({ length: this.frequencyCount }, (_, i) => wasm.posenc_encoder_radians(pointer, i));
  }

  write(first, rows, out, type) {
    pointerOf(this, 'encoder');
    return this.#write(first, count(rows, 'rows'), out, type, 'first');
  }

  writeAt(positions, out, type) {
    pointerOf(this, 'encoder');
    const list = readList(positions, 'positions', POSITIONS);
    return this.#write(list, lengthOf(list), out, type, 'positions');
  }

  #write(positions, rows, out, type, argument) {
    const pointer = pointerOf(this, 'encoder');
    const dim = this.#dim;
    if (typeof out === 'string') [out, type] = [undefined, out];
    const name = out === undefined ? typeName(type ?? 'float32') : typeOf(out, type, 'out');
    const all = positionsOf(positions, rows, this.#range, argument, 'rows');
    if (out !== undefined && lengthOf(out) < rows * dim) {
      refuse('bad_argument', 'out', `${rows} x ${dim} entries are wanted, not ${lengthOf(out)}`);
    }
    const result = out ?? newArray(ARRAYS[name], rows, dim, argument === 'first' ? 'rows' : argument);
    const to = viewOf(result, 'out');
    if (all.list !== null) requireApart(to, rows * dim, 'out', all.list.array);
    inParts({ positions: all, width: dim, type: name, arrays: [to] }, (row, some, { out: rowsOut, list }) => {
      require(all.list === null
        ? wasm.posenc_write(pointer, all.first + BigInt(row), some, rowsOut)
        : wasm.posenc_write_at(pointer, list, some, rowsOut, 0), argument);
    });
    return result;
  }

  add(x, first = 0, given = undefined) {
    pointerOf(this, 'encoder');
    const { pointer, to, type, scale, batch, rows, positions: firsts } = this.#sum(x, first, given, false);
    const dim = this.#dim;
    const runs = runsOf(firsts, rows, this.#range, 'x', batch);
    const positions = isList(firsts) ? { rows, list: null, first: 0n } : runs[0];
    withMemory((allocateHere) => {
      const firstsAt = isList(firsts) ? copyIn(BigInt64Array.from(runs, (run) => run.first), allocateHere) : 0;
      const batchAt = allocateHere(structs.batch.bytes);
      const shape = { positions, groups: batch, width: dim, type, arrays: [to], reads: true };
      inParts(shape, (row, some, { out, group, groups }) => {
        const begin = positions.first + BigInt(row);
        if (batch === 1 && firstsAt === 0) return require(wasm.posenc_add(pointer, begin, some, out, scale), 'first');
        put('batch', batchAt, {
          sequences: groups,
          stride: some * dim,
          'first_positions.type': types.int64,
          'first_positions.data': firstsAt === 0 ? 0 : firstsAt + 8 * group,
        });
        return require(wasm.posenc_add_batch(pointer, batchAt, begin, some, out, scale, 0), 'first');
      });
    });
    return x;
  }

  addAt(x, positions, given = undefined) {
    pointerOf(this, 'encoder');
    const { pointer, to, type, scale, batch, rows, positions: list } = this.#sum(x, positions, given, true);
    const all = this.#spread(list, batch, rows);
    requireApart(to, to.length, 'positions', all.list.array);
    const dim = this.#dim;
    inParts({ positions: all, width: dim, type, arrays: [to], reads: true }, (row, some, { out, list: at }) => {
      require(wasm.posenc_add_at(pointer, at, some, out, scale, 0), 'positions');
    });
    return x;
  }

  // Reads and checks the arguments of add and addAt. In the result, `rows` is the number of rows in a sequence, and `to` is a
  // view of x. `positions` are a list of positions if isAt is true, else first positions.
  #sum(x, positions, given, isAt) {
    const { type, scale = 1, batch } = options(given, SUM_OPTIONS, 'options');
    const dim = this.#dim;
    const name = typeOf(x, type, 'x', NO_SUMS);
    number(scale, 'scale');
    const size = lengthOf(x);
    if (size % dim !== 0) refuse('bad_argument', 'x', `${size} entries are not a multiple of dim, ${dim}`);
    const all = batchOf(batch, isAt ? undefined : positions, size / dim, 'x');
    const rows = size / dim / Math.max(1, all);
    const read = isAt ? this.#readAt(positions, rows, all) : readFirst(positions, all);
    const pointer = pointerOf(this, 'encoder');
    return { pointer, to: viewOf(x, 'x', size), type: name, scale, batch: all, rows, positions: read };
  }

  // Reads the positions of addAt and embedAt.
  #readAt(positions, rows, batch) {
    const size = sizeOf(positions, 'positions', POSITIONS);
    requirePositions(size, rows, 1, 'positions', batch);
    return readList(positions, 'positions', POSITIONS, size);
  }

  // The positions of all rows. If the list has positions for one sequence, they are repeated for all sequences.
  #spread(positions, batch, rows) {
    const all = positionsOf(positions, rows, this.#range, 'positions', '', batch);
    if (all.rows === batch * rows) return all;
    const { type, array } = all.list;
    const repeated = new VIEWS[tagOf(array)](batch * rows);
    for (let b = 0; b < batch; ++b) repeated.set(array, b * rows);
    return { ...all, rows: batch * rows, list: { type, array: repeated } };
  }

  embed(ids, table, first = 0, given = undefined) {
    pointerOf(this, 'encoder');
    return this.#embed(ids, table, first, given, false);
  }

  embedAt(ids, table, positions, given = undefined) {
    pointerOf(this, 'encoder');
    return this.#embed(ids, table, positions, given, true);
  }

  #embed(ids, table, positions, given, isAt) {
    const { type, tableType, out, scale = 1, batch } = options(given, EMBED_OPTIONS, 'options');
    const dim = this.#dim;
    const from = typeOf(table, tableType, 'table', NO_SUMS, 'tableType');
    const ofOut = type ?? (tagOf(out) === 'Uint16Array' && from !== 'float32' ? from : undefined);
    const name = out === undefined ? typeName(type ?? from, 'type', SUMMANDS) : typeOf(out, ofOut, 'out', NO_SUMS);
    if (name !== from && name !== 'float32') {
      const argument = out === undefined ? 'type' : 'out';
      refuse('bad_argument', argument, `the table's type, ${from}, or float32 is wanted, not ${name}`);
    }
    number(scale, 'scale');
    const tableSize = lengthOf(table);
    if (tableSize % dim !== 0) refuse('bad_argument', 'table', `${tableSize} entries are not a multiple of dim, ${dim}`);
    const idCount = sizeOf(ids, 'ids', INTEGERS);
    const all = batchOf(batch, isAt ? undefined : positions, idCount, 'ids');
    const rows = idCount / Math.max(1, all);
    const readIds = readList(ids, 'ids', INTEGERS, idCount);
    const read = isAt ? this.#readAt(positions, rows, all) : readFirst(positions, all);
    const pointer = pointerOf(this, 'encoder');
    const source = viewOf(table, 'table', tableSize);
    const tokens = viewOf(readIds, 'ids', idCount);
    const bad = tokens.findIndex((id) => !(id >= 0 && id < tableSize / dim));
    if (bad >= 0) refuse('out_of_range', `ids[${bad}]`, `an id must be one of the table's rows, 0 .. ${tableSize / dim - 1}`);
    const runs = isAt ? [] : runsOf(read, rows, this.#range, 'ids', all);
    const list = isAt ? this.#spread(read, all, rows) : null;
    if (out !== undefined && lengthOf(out) < idCount * dim) {
      refuse('bad_argument', 'out', `${idCount} x ${dim} entries are wanted, not ${lengthOf(out)}`);
    }
    const result = out ?? newArray(ARRAYS[name], idCount, dim, 'ids');
    const to = viewOf(result, 'out');
    requireApart(to, idCount * dim, 'out', source, tokens, ...(isAt ? [list.list.array] : []));
    withMemory((allocateHere) => {
      let taken = 0; // memory for the rows of the table that a part needs, in the order of its ids: row i is for id i
      let lookup = 0;
      const make = (part, begin) => {
        const written = partOf(to, begin * dim);
        inParts({ positions: part, width: dim, type: name, arrays: [written] }, (row, some, { out: rowsOut, list: at }) => {
          if (taken === 0) { // the first part has the most rows
            taken = allocateHere(some * dim * source.BYTES_PER_ELEMENT);
            lookup = struct('lookup', allocateHere, {
              'ids.type': types.int32,
              'ids.data': copyIn(Int32Array.from({ length: some }, (_, i) => i), allocateHere),
              type: types[from],
              table: taken,
              vocabulary: some,
              stride: dim,
            });
          }
          const copied = new ARRAYS[from](wasm.memory.buffer, taken, some * dim);
          for (let r = 0; r < some; ++r) {
            const id = Number(tokens[begin + row + r]);
            copied.set(partOf(source, id * dim, (id + 1) * dim), r * dim);
          }
          require(isAt
            ? wasm.posenc_embed_at(pointer, lookup, at, some, rowsOut, scale, 0)
            : wasm.posenc_embed(pointer, lookup, part.first + BigInt(row), some, rowsOut, scale, 0),
          isAt ? 'positions' : 'first');
        });
      };
      if (isAt) make(list, 0);
      for (let begin = 0; begin < tokens.length && !isAt; begin += rows) make(runs[begin / rows] ?? runs[0], begin);
    });
    return result;
  }

  // The properties of an encoder that a grid needs.
  static ofAxis(encoder, argument) {
    return { pointer: pointerOf(encoder, 'encoder', argument), dim: encoder.#dim, range: encoder.#range };
  }
}
const ofAxis = Encoder.ofAxis;
delete Encoder.ofAxis;

// Makes an encoder, returns what `use` returns for it, and disposes of it.
function withEncoder(dim, given, use) {
  module();
  const known = knownOptions(members.encoder, [...ENTRY_OPTIONS, 'preset']);
  known.delete('dim');
  const { type, out, preset, ...spec } = options(given, known, 'options');
  const encoder = preset === undefined ? new Encoder({ ...spec, dim }) : Encoder.preset(preset, dim, spec);
  try {
    return use(encoder, out, type);
  } finally {
    encoder.dispose();
  }
}

export function encode(positions, dim, given = undefined) {
  return withEncoder(dim, given, (encoder, out, type) =>
    encoder.writeAt(typeof positions === 'number' ? [positions] : positions, out, type));
}

export function table(rows, dim, given = undefined) {
  return withEncoder(dim, given, (encoder, out, type) => encoder.write(0, rows, out, type));
}

// ---- rotary embeddings ----

const NO_ROTATION = 'doubles are not rotated';
const ROTATE_OPTIONS = new Set(['type', 'heads', 'scale', 'inverse', 'tokenAxis', 'batch', 'first', 'out', 'outType', 'factors']);
const CACHE_OPTIONS = new Set(['layout', 'type']);

// The array that a rotation writes to: the result, a view of it, and its type. `x` has entries of the type `from`, and `source`
// is a view of x.
function resultOf(x, source, from, out, outType) {
  if (out === undefined && outType === undefined) return { result: x, to: source, type: from };
  const { length } = source;
  const ofOut = outType ?? (tagOf(out) === 'Uint16Array' && from !== 'float32' ? from : undefined);
  const type = out === undefined
    ? typeName(outType, 'outType', SUMMANDS) : typeOf(out, ofOut, 'out', NO_ROTATION, 'outType');
  if (type !== from && from !== 'float32') {
    refuse('bad_argument', out === undefined ? 'outType' : 'out', `the type of x, ${from}, is wanted, not ${type}`);
  }
  if (out === undefined) {
    const made = newArray(ARRAYS[type], length, 1, 'x');
    return { result: made, to: made, type };
  }
  const to = viewOf(out, 'out');
  if (to.length < length) refuse('bad_argument', 'out', `${length} elements are wanted, not ${to.length}`);
  const isInPlace = type === from && to.buffer === source.buffer && to.byteOffset === source.byteOffset;
  if (!isInPlace) requireApart(to, length, 'out', source);
  return { result: out, to, type };
}

// Refuses a list of factors with a wrong length: [tokens] or [batch, tokens] is wanted.
function requireFactors(length, tokens, batch) {
  const wanted = tokens * batch;
  if (length !== tokens && length !== wanted) {
    const numbers = batch === 1 ? tokens : `${tokens} or ${wanted}`;
    refuse('bad_argument', 'factors', `${numbers} factors are wanted, not ${length}`);
  }
}

// Reads the factors of tokens: [tokens], which all sequences share, or [batch, tokens].
function readFactors(values, tokens, batch) {
  const size = sizeOf(values, 'factors', REALS);
  requireFactors(size, tokens, batch);
  return readList(values, 'factors', REALS, size);
}

// Factors that were read, as floats.
function factorsOf(read, tokens, batch) {
  const given = viewOf(read, 'factors');
  requireFactors(given.length, tokens, batch);
  const factors = new Float32Array(given.length);
  for (let i = 0; i < factors.length; ++i) {
    factors[i] = given[i];
    if (!(factors[i] >= 2 ** -64 && factors[i] <= 2 ** 64)) {
      refuse('bad_argument', `factors[${i}]`, `a factor must be 2^-64 .. 2^64, not ${given[i]}`);
    }
  }
  return factors;
}

// Refuses a scale, or factors, whose products with the amplitude are out of range: rotates two tokens in scratch memory, by
// the least and the largest factor. A call in parts would otherwise find a wrong product after it has written.
function requireGains(rotary, headDim, scale, factors) {
  if (factors.length === 0) return;
  let [least, largest] = [0, 0];
  for (let i = 1; i < factors.length; ++i) {
    if (factors[i] < factors[least]) least = i;
    if (factors[i] > factors[largest]) largest = i;
  }
  withMemory((allocateHere) => {
    const data = copyIn(new Float32Array(4 * headDim), allocateHere);
    const two = allocateHere(8);
    const tensor = struct('heads', allocateHere, {
      type: types.float32,
      data,
      source: data + 8 * headDim,
      heads: 1,
      token_stride: headDim,
      head_stride: headDim,
      scale,
      token_factors: two,
    });
    const isRefused = (a, b) => {
      new Float32Array(wasm.memory.buffer, two, 2).set([factors[a], factors[b]]);
      return wasm.posenc_rotate(rotary, 0n, 2, tensor, 1) !== OK;
    };
    if (!isRefused(least, largest)) return;
    const amplitude = wasm.posenc_rotary_amplitude(rotary);
    requireScale(scale, amplitude);
    const token = isRefused(least, least) ? least : largest;
    const product = `${factors[token]} * ${scale} * ${amplitude} = ${factors[token] * scale * amplitude}`;
    refuse('bad_argument', `factors[${token}]`, `factor * scale * amplitude must be 2^-64 .. 2^64, not ${product}`);
  });
}

// Refuses a scale whose product with the amplitude is out of range.
function requireScale(scale, amplitude) {
  const product = scale * amplitude;
  if (!(product >= 2 ** -64 && product <= 2 ** 64)) {
    refuse('bad_argument', 'scale', `scale * amplitude must be 2^-64 .. 2^64, not ${scale} * ${amplitude} = ${product}`);
  }
}

// Rotates tensors with `some` tokens, by the positions from `row` on. `list` is a posenc_list of them if they are a list.
function rotateTokens(rotary, { list: all, first, angles, begin = 0 }, row, some, list, tensors, length) {
  if (angles !== undefined) return wasm.posenc_rotate_by_angles(rotary, angles, BigInt(begin + row), some, tensors, length);
  if (all !== null) return wasm.posenc_rotate_at(rotary, list, some, tensors, length, 0);
  return wasm.posenc_rotate(rotary, first + BigInt(row), some, tensors, length);
}

export class Rotary extends Handle {
  #headDim;
  #axes;
  #range;
  #pairs;
  #isApart; // the library cannot rotate in place

  constructor(given = {}, preset = null) {
    const { pointer, member } = create('rotary', preset, given, 'options');
    super(OWN, 'rotary', pointer);
    this.#headDim = member('headDim');
    this.#axes = member('axes');
    this.#range = { offset: 0, nanRows: false, axes: this.#axes };
    this.#pairs = wasm.posenc_rotary_frequency_count(pointer) >>> 0;
    const [from, to] = [member('pairing'), member('outputPairing')];
    this.#isApart = words.pairing[to] !== 'same' && to !== from && 2 * this.#pairs > MAX_SWAP_IN_PLACE;
  }

  static preset(name, headDim, overrides = {}) {
    return new Rotary(overrides, { name, dim: headDim });
  }

  static fromConfig(config, given = {}) {
    module();
    const { layer, layerType, modelType, ...overrides } = options(given, { has: () => true }, 'options');
    if ('headDim' in overrides) refuse('bad_type', 'options', "there is no option 'headDim'; the configuration has it");
    return new Rotary(overrides, { config: config ?? null, layer, layerType, modelType });
  }

  get headDim() { return this.#headDim; }
  get axes() { return this.#axes; }
  get target() { return text(module().posenc_rotary_target(pointerOf(this, 'rotary'))); }
  get frequencyCount() { return this.#pairs; }
  get amplitude() { return module().posenc_rotary_amplitude(pointerOf(this, 'rotary')); }

  frequencies() {
    const pointer = pointerOf(this, 'rotary');
    return Float64Array.from({ length: this.#pairs }, (_, i) => wasm.posenc_rotary_radians(pointer, i));
  }

  cache(positions, tokens, given = undefined) {
    pointerOf(this, 'rotary');
    const { layout = 'cos_sin', type = 'float32' } = options(given, CACHE_OPTIONS, 'options');
    const rows = count(tokens, 'tokens');
    const layoutNumber = choice(layout, words.cache_layout, 'layout');
    const name = typeName(type);
    const read = this.#readPositions(positions, rows);
    const pointer = pointerOf(this, 'rotary');
    const all = positionsOf(read, rows, this.#range, 'positions', 'tokens');
    const isTwo = layout !== 'cos_sin' && layout !== 'pairs';
    const width = layout === 'halves' ? this.#pairs : 2 * this.#pairs;
    const made = Array.from({ length: isTwo ? 2 : 1 }, () => newArray(ARRAYS[name], rows, width, 'tokens'));
    withMemory((allocateHere) => {
      const cache = allocateHere(structs.cache.bytes);
      inParts({ positions: all, axes: this.#axes, width, type: name, arrays: made }, (row, some, { memories, list }) => {
        const [cos, sin = 0] = memories;
        put('cache', cache, { layout: layoutNumber, type: types[name], cos, sin, row_stride: width });
        require(all.list === null
          ? wasm.posenc_write_cache(pointer, all.first + BigInt(row), some, cache)
          : wasm.posenc_write_cache_at(pointer, list, some, cache, 0), 'positions');
      });
    });
    return isTwo ? { cos: made[0], sin: made[1] } : { table: made[0] };
  }

  // Reads the positions of cache and angles.
  #readPositions(positions, rows) {
    return readPositions(positions, (size) => requirePositions(size, rows, this.#axes, 'positions', 1));
  }

  angles(positions, tokens) {
    pointerOf(this, 'rotary');
    const rows = count(tokens, 'tokens');
    const read = this.#readPositions(positions, rows);
    const pointer = pointerOf(this, 'rotary');
    const all = positionsOf(read, rows, this.#range, 'positions', 'tokens');
    return withMemory((allocateHere) => {
      const list = all.list === null ? 0 : struct('list', allocateHere, {
        type: all.list.type, data: copyIn(all.list.array, allocateHere) });
      const result = allocateHere(4);
      require(wasm.posenc_angles_memory_size(pointer, clamped(rows), result), 'tokens');
      const size = view().getUint32(result, true);
      const memory = allocate(size);
      const status = list === 0
        ? wasm.posenc_angles_make(pointer, all.first, rows, memory, size, result)
        : wasm.posenc_angles_make_at(pointer, list, rows, memory, size, result, 0);
      if (status !== OK) {
        wasm.web_free(memory);
        fail(status, 'positions');
      }
      return new Angles(OWN, this, rows, memory, view().getUint32(result, true));
    });
  }

  rotate(x, positions, given = undefined) {
    pointerOf(this, 'rotary');
    const { type, heads = 1, scale = 1, inverse = false, tokenAxis = -3, batch, first, out, outType, factors } =
      options(given, ROTATE_OPTIONS, 'options');
    const axes = this.#axes;
    const headDim = this.#headDim;
    const from = typeOf(x, type, 'x', NO_ROTATION);
    const many = count(heads, 'heads', 1);
    if (!(number(scale, 'scale') >= 2 ** -64 && scale <= 2 ** 64)) {
      refuse('bad_argument', 'scale', `a number from 2^-64 to 2^64 is wanted, not ${scale}`);
    }
    flag(inverse, 'inverse');
    if (number(tokenAxis, 'tokenAxis') !== -3 && tokenAxis !== -2) {
      const shapes = '-3, [batch, tokens, heads, headDim], or -2, [batch, heads, tokens, headDim]';
      refuse('bad_argument', 'tokenAxis', `${shapes}, is wanted, not ${tokenAxis}`);
    }
    const width = many * headDim;
    const size = lengthOf(x);
    if (size % width !== 0) {
      refuse('bad_argument', 'x', `${size} elements are not a multiple of ${many} heads of ${headDim}`);
    }
    if (first !== undefined && positions !== undefined && positions !== null) {
      refuse('bad_argument', '', 'first and positions exclude each other');
    }
    const sequences = batchOf(batch, first, size / width, 'x');
    const tokens = size / width / Math.max(1, sequences);
    let read = positions;
    if (first !== undefined) {
      read = readFirst(first, sequences);
    } else if (!isNumber(positions) && nounOf(positions) !== 'angles') {
      read = readPositions(positions, (length) => requirePositions(length, tokens, axes, 'positions', sequences),
        'Angles or the option first');
    }
    const readGains = factors === undefined ? null : readFactors(factors, tokens, sequences);
    // From here on the caller's code cannot run.
    const pointer = pointerOf(this, 'rotary');
    const source = viewOf(x, 'x', size);
    let all;
    if (first !== undefined) all = this.#from(read, tokens, sequences);
    else if (nounOf(read) === 'angles') all = this.#by(read, tokens, sequences);
    else all = positionsOf(read, tokens, this.#range, 'positions', 'x', sequences);
    let factorList = readGains === null ? null : factorsOf(readGains, tokens, sequences);
    if (factorList !== null) requireGains(pointer, headDim, scale, factorList);
    const { result, to, type: name } = resultOf(x, source, from, out, outType);
    if (all.list !== null) requireApart(to, size, 'positions', all.list.array);
    const isApart = this.#isApart;
    const isByHeads = tokenAxis === -2 && tokens > 1;
    const sharesPositions = all.rows === tokens;
    const sharesFactors = factorList === null || factorList.length === tokens;
    if (!sharesPositions && !isByHeads && sharesFactors && factorList !== null) { // all tokens of the batch are one sequence
      const repeated = new Float32Array(sequences * tokens);
      for (let b = 0; b < sequences; ++b) repeated.set(factorList, b * tokens);
      factorList = repeated;
    }
    withMemory((allocateHere) => {
      const tensorBytes = structs.heads.bytes;
      const tensors = allocateHere(tensorBytes * CHUNK_GROUPS);
      const factorsAt = factorList === null ? 0 : copyIn(factorList, allocateHere);
      // Rotates `groups` sequences, or heads of one layout, from token `begin` of x on. They have the positions `own`.
      const turn = (begin, own, groups) => {
        const columns = isByHeads ? headDim : width;
        const written = partOf(to, begin * width);
        const copied = { array: partOf(source, begin * width), type: from };
        inParts({ positions: own, axes, groups, width: columns, type: name, arrays: [written], source: copied, isApart },
          (row, some, { memories, read, list, group, groups: here }) => {
            const apart = some * columns;
            const length = isByHeads ? 1 : here;
            for (let k = 0; k < length; ++k) {
              const token = row + (sharesFactors ? 0 : begin + (isByHeads ? 0 : (group + k) * tokens));
              put('heads', tensors + tensorBytes * k, {
                type: types[name],
                data: memories[0] + k * apart * to.BYTES_PER_ELEMENT,
                heads: isByHeads ? here : many,
                token_stride: columns,
                head_stride: isByHeads ? apart : headDim,
                scale,
                inverse: inverse ? 1 : 0,
                ...((from !== name || isApart) && {
                  source_type: types[from], source: read + k * apart * source.BYTES_PER_ELEMENT }),
                ...(factorsAt !== 0 && { token_factors: factorsAt + 4 * token }),
              });
            }
            const status = rotateTokens(pointer, own, row, some, list, tensors, length);
            if (status !== OK) {
              requireScale(scale, wasm.posenc_rotary_amplitude(pointer));
              fail(status, row === 0 ? '' : 'positions');
            }
          });
      };
      if (isByHeads && sequences > 1 && !(sharesPositions && sharesFactors)) {
        for (let b = 0; b < sequences; ++b) {
          turn(b * tokens, { ...all, rows: tokens, begin: sharesPositions ? 0 : b * tokens }, many);
        }
      } else if (sharesPositions) {
        turn(0, all, isByHeads ? sequences * many : sequences);
      } else {
        turn(0, all, 1);
      }
    });
    return result;
  }

  // Angles in the place of the positions of `batch` sequences with `tokens` tokens each.
  #by(given, tokens, batch) {
    const { rotary, tokens: rows, at: angles } = ofAngles(given);
    if (rotary !== this) {
      refuse('bad_argument', 'positions', 'these angles were made by another Rotary; only the Rotary that made them takes them');
    }
    if (rows !== tokens && rows !== tokens * batch) {
      const numbers = batch === 1 ? tokens : `${tokens} or ${tokens * batch}`;
      refuse('bad_argument', 'positions', `angles of ${numbers} tokens are wanted, not ${rows}`);
    }
    return { rows, list: null, first: 0n, angles };
  }

  // The positions of `tokens` tokens from `first` on. `first` may be a list with one position for each sequence.
  #from(first, tokens, batch) {
    const runs = runsOf(first, tokens, this.#range, 'x', batch);
    if (!isList(first)) return runs[0];
    const rows = runs.length * tokens;
    const array = newArray(Float64Array, this.#axes, rows, 'first');
    for (let i = 0; i < array.length; ++i) array[i] = Number(runs[Math.floor(i % rows / tokens)].first) + i % tokens;
    return { rows, list: { type: types.float64, array }, first: 0n };
  }
}

// What Rotary.angles returns. It keeps the Rotary alive, because the library needs the Rotary beside the angles.
class Angles extends Handle {
  #rotary;
  #tokens;
  #at;

  constructor(own, rotary, tokens, memory, at) {
    super(own, 'angles', memory);
    this.#rotary = rotary;
    this.#tokens = tokens;
    this.#at = at;
  }

  get tokens() { return this.#tokens; }

  // What a rotation needs.
  static ofAngles(angles) {
    pointerOf(angles, 'angles', 'positions'); // throws if the memory was freed
    return { rotary: angles.#rotary, tokens: angles.#tokens, at: angles.#at };
  }
}
const { ofAngles } = Angles;
delete Angles.ofAngles;

// ---- grids ----

const GRID_OPTIONS = new Set(['prefixRows', 'type', 'out']);
const GRID_SUM_OPTIONS = new Set(['prefixRows', 'type', 'scale']);
const MAX_GRID_AXES = 8;

// Reads and checks the axes of a grid. Returns them with the number of rows and columns.
function gridOf(axes, prefixRows) {
  const wanted = '[encoder, column, count or positions]';
  if (!Array.isArray(axes)) refuse('bad_type', 'axes', `an array of ${wanted} is wanted, not ${show(axes)}`);
  const size = axes.length;
  if (!(size >= 1 && size <= MAX_GRID_AXES)) {
    refuse('bad_argument', 'axes', `1 to ${MAX_GRID_AXES} axes are wanted, not ${show(size)}`);
  }
  const read = Array.from({ length: size }, (_, k) => {
    const name = `axes[${k}]`;
    const axis = axes[k];
    const isAxis = Array.isArray(axis) && axis.length === 3;
    const [encoder, column, given] = isAxis ? axis : [];
    if (!isAxis || nounOf(encoder) !== 'encoder') {
      refuse('bad_type', name, `${wanted} is wanted, not ${show(axis)}`);
    }
    return {
      encoder,
      name,
      column: clamped(count(column, `${name}: column`)),
      given: isList(given) ? readList(given, `${name}: positions`, POSITIONS) : clamped(count(given, `${name}: count`)),
    };
  });
  const prefix = clamped(count(prefixRows, 'prefixRows'));
  const all = read.map(({ encoder, ...axis }) => ({
    ...ofAxis(encoder, axis.name), ...axis, count: isList(axis.given) ? lengthOf(axis.given) : axis.given }));
  const cells = all.reduce((product, axis) => product * axis.count, 1);
  for (const axis of cells === 0 ? [] : all) { // in a grid without cells, positions are not checked
    const { name, given, range } = axis;
    const extent = `${name}: count`;
    const argument = isList(given) ? `${name}: positions` : extent;
    axis.list = positionsOf(isList(given) ? given : 0, axis.count, range, argument, extent).list;
  }
  const columns = Math.max(...all.map((axis) => axis.column + axis.dim));
  const used = all.reduce((sum, axis) => sum + axis.dim, 0);
  return { all, prefix, rows: prefix + cells, columns, hasGaps: used < columns };
}

// Writes a grid to an array whose rows have `width` columns or, if `scale` is not null, adds it.
function makeGrid({ all, prefix, rows, hasGaps }, array, type, width, scale = null) {
  withMemory((allocateHere) => {
    const axisBytes = structs.grid_axis.bytes;
    const axes = allocateHere(axisBytes * all.length);
    const bad = allocateHere(8);
    for (const axis of all) axis.memory = axis.list ? copyIn(axis.list.array, allocateHere) : 0;

    // Sets the axes to the largest part that is itself a grid: all of the last axes, and a part of the axis before them.
    const cut = (row, most) => {
      if (row < prefix) {
        for (const axis of all) [axis.index, axis.some] = [0, 0];
        return Math.min(most, prefix - row);
      }
      let rest = row - prefix;
      for (const axis of [...all].reverse()) {
        [axis.index, axis.some] = [rest % axis.count, 1];
        rest = Math.floor(rest / axis.count);
      }
      let k = all.length - 1;
      let inner = 1;
      for (; k > 0 && inner * all[k].count <= most; --k) {
        all[k].some = all[k].count;
        inner *= all[k].count;
      }
      all[k].some = Math.min(all[k].count - all[k].index, Math.floor(most / inner));
      return inner * all[k].some;
    };
    const positions = { rows, list: null };
    const reads = scale !== null || hasGaps;
    inParts({ positions, width, type, arrays: [array], reads, cut }, (row, some, { out }) => {
      all.forEach(({ pointer, column, index, list, some: count, memory }, k) => {
        put('grid_axis', axes + axisBytes * k, {
          encoder: pointer,
          column,
          count,
          'positions.type': list ? list.type : 0,
          'positions.data': list ? memory + index * list.array.BYTES_PER_ELEMENT : 0,
          first_position: BigInt(list ? 0 : index),
        });
      });
      view().setUint32(bad, all.length, true);
      const before = row < prefix ? some : 0;
      const status = scale === null
        ? wasm.posenc_write_grid(axes, all.length, before, out, bad, bad + 4)
        : wasm.posenc_add_grid(axes, all.length, before, out, scale, bad, bad + 4);
      require(status, all[view().getUint32(bad, true)]?.name ?? 'axes');
    });
  });
}

export function grid(axes, given = undefined) {
  module();
  const { prefixRows = 0, type, out } = options(given, GRID_OPTIONS, 'options');
  const name = out === undefined ? typeName(type ?? 'float32') : typeOf(out, type, 'out');
  const made = gridOf(axes, prefixRows);
  const { rows, columns } = made;
  if (out !== undefined && lengthOf(out) < rows * columns) {
    refuse('bad_argument', 'out', `${rows} x ${columns} entries are wanted, not ${lengthOf(out)}`);
  }
  const result = out ?? newArray(ARRAYS[name], rows, columns, 'axes');
  makeGrid(made, viewOf(result, 'out'), name, columns);
  return result;
}

export function gridAdd(x, axes, given = undefined) {
  module();
  const { prefixRows = 0, type, scale = 1 } = options(given, GRID_SUM_OPTIONS, 'options');
  const name = typeOf(x, type, 'x', NO_SUMS);
  number(scale, 'scale');
  const made = gridOf(axes, prefixRows);
  const { rows, columns } = made;
  const to = viewOf(x, 'x');
  const width = rows === 0 ? columns : to.length / rows;
  if (rows === 0 ? to.length !== 0 : !Number.isInteger(width) || width < columns) {
    refuse('bad_argument', 'x', `${rows} rows of ${columns} columns or more are wanted, not ${to.length} entries`);
  }
  makeGrid(made, to, name, width, scale);
  return x;
}

// ---- lists of targets and presets ----

// Reads an array of structs: `fill` fills it, and `read` converts each struct.
function listed(fill, name, read) {
  module();
  return withMemory((allocateHere) => {
    const many = fill(0, 0) >>> 0;
    const size = structs[name].bytes;
    const rows = allocateHere(many * size);
    fill(rows, many);
    return Array.from({ length: many }, (_, i) => read(rows + i * size));
  });
}

export function targets() {
  return listed((rows, many) => wasm.posenc_targets(rows, many), 'target', (at) => ({
    name: string('target', at, 'name'),
    runnable: get('target', at, 'runnable') !== 0,
    best: get('target', at, 'best') !== 0,
  }));
}

const preset = (at) =>
  Object.fromEntries(['name', 'formula', 'source'].map((member) => [member, string('preset', at, member)]));

export function presets() {
  return listed((rows, many) => wasm.posenc_spec_presets(rows, many), 'preset', (at) => {
    const row = preset(at);
    const rounding = withMemory((allocateHere) => wasm.posenc_spec_preset_rounding(copyText(row.name, allocateHere)));
    return { ...row, phaseRounding: words.phase_rounding[rounding] };
  });
}

export function rotaryPresets() {
  return listed((rows, many) => wasm.posenc_rotary_presets(rows, many), 'preset', preset);
}

// ---- the digest ----

export const goldenDigest = 'e833b82e7f344298';

export async function digest(progress = undefined, given = undefined) {
  module();
  const { target } = options(given, new Set(['target']), 'options');
  if (progress !== undefined && typeof progress !== 'function') {
    refuse('bad_type', 'progress', `a function is wanted, not ${show(progress)}`);
  }
  const all = targets().map((row) => row.name);
  const name = all[choice(target ?? all[0], all, 'target')];
  const [{ compute }, cases] = await Promise.all([import('./digest.js'), unpacked(import('./digest.wasm.js'))]);
  return compute(compiled, cases, name, progress);
}
