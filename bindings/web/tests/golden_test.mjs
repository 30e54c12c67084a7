// Tests digests, the tables that published notebooks print, configurations, and the ways to load the module.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { folder, posenc } from './package.mjs';

const root = new URL('../../../', import.meta.url);

// The numbers in a golden file. Lines that begin with # are comments.
async function figures(name) {
  const text = await readFile(new URL(`tests/golden/${name}`, root), 'utf8');
  return text.split('\n').filter((line) => !line.startsWith('#')).flatMap((line) => line.split(/\s+/))
    .filter((word) => word !== '');
}

async function expectPrinted(name, table, print) {
  const wanted = await figures(name);
  assert.ok(wanted.length > 0 && wanted.length <= table.length, name);
  wanted.forEach((figure, i) => assert.equal(print(table[i]), figure, `${name}: figure ${i}`));
}

const fixed = (value) => value.toFixed(4);

await expectPrinted('torch_4x5.txt', posenc.table(5, 4), fixed);
await expectPrinted('torch_6x10.txt', posenc.table(10, 6), fixed);
const inputs = { phaseRounding: 'f32_pow_div' };
await expectPrinted('torch_11x5.txt', posenc.table(6, 11, inputs), (value) => {
  const [digits, exponent] = value.toExponential(4).split('e');
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
});

// The sum of embeddings and an encoding that a notebook prints.
const embeddings = Float32Array.from((await figures('torch_4x5_embeddings.txt')).map(Number));
await expectPrinted('torch_4x5_sums.txt', new posenc.Encoder({ dim: 4 }).add(embeddings), fixed);

// A list of frequencies may have different frequencies for each axis.
const sections = [3, 5, 2];
const each = [{ base: 100 }, { scaling: 'ntk', factor: 3, positionScale: 0.5 }, { frequencies: [0.5, 0.25], unit: 'turns' }];
const frequencies = each.flatMap((spec, k) => [...new posenc.Rotary({ headDim: 2 * sections[k], ...spec }).frequencies()]);
const axial = new posenc.Rotary({ headDim: 20, axes: 3, axisOrder: 'axial', sections, frequencies });
assert.deepEqual([...axial.frequencies()], frequencies);
assert.deepEqual(frequencies.filter((_, i) => i === 3 || i > 7), [0.5, Math.PI, Math.PI / 2]);

// Configurations of models, and their rotary embeddings.
const float = (hex) => {
  const [, sign, whole, part, exponent] = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(hex);
  const mantissa = Number(`0x${whole}${(part ?? '').padEnd(13, '0')}`);
  return (sign ? -1 : 1) * mantissa * 2 ** (Number(exponent) - 52);
};
const value = (text) => (/^\[(?!true\b|false\b)[a-z]/.test(text) ? text.slice(1, -1).split(',') : JSON.parse(text));
const pairings = { halves: 'half_split', neighbours: 'neighbours' };
let rotaries = 0;
for (const block of (await readFile(new URL('tests/models/golden/configs.txt', root), 'utf8')).split(/^# /m).slice(1)) {
  const config = {};
  for (const line of block.trim().split('\n').slice(1)) {
    if (!line.startsWith('>')) {
      const [key, text] = line.split(' = ');
      const path = block.includes('general.architecture') ? [key] : key.split('.');
      const last = path.pop();
      path.reduce((inner, name) => (inner[name] ??= {}), config)[last] = value(text);
      continue;
    }
    const [asked, what, results] = line.slice(1).split('|');
    const words = Object.fromEntries(asked.trim().split(' ').filter(Boolean).map((word) => word.split('=')));
    const given = {
      layer: words.layer && Number(words.layer), layerType: words.type, modelType: words.model, pairing: pairings[words.pairing],
    };
    const make = () => posenc.Rotary.fromConfig(config, given);
    if (results === undefined) {
      assert.throws(make, what.includes('BAD_CONFIG_KIND') ? TypeError : RangeError, line);
      continue;
    }
    const rotary = make();
    const frequencies = rotary.frequencies();
    for (const [name, hex] of results.trim().split(' ').map((word) => word.split('='))) {
      assert.equal(name === 'A' ? rotary.amplitude : frequencies[name.slice(1)], float(hex), `${block.split('\n')[0]} ${line}`);
    }
    rotary.dispose();
    ++rotaries;
  }
}
assert.ok(rotaries > 100);
// A caller states the pairing of a model that posenc does not know, and the base that a configuration lacks.
for (const config of [{ head_dim: 4 }, { model_type: 'own', head_dim: 4, rope_theta: null }, { text_config: { head_dim: 4 } }]) {
  for (const pairing of ['half_split', 'neighbours']) {
    const rotary = posenc.Rotary.fromConfig(config, { base: 4, pairing });
    assert.equal(rotary.frequencies()[1], 0.5);
    const x = Float32Array.of(1, 0, 0, 0);
    assert.deepEqual([...rotary.rotate(x, 1)].map(Math.sign), pairing === 'neighbours' ? [1, 1, 0, 0] : [1, 0, 1, 0]);
  }
}
// In a configuration, typed arrays are lists, also arrays of bigints.
const qwen = { model_type: 'qwen2_vl_text', head_dim: 8, hidden_size: 32, num_attention_heads: 4, rope_theta: 100n };
for (const mrope_section of [[2, 1, 1], Int32Array.of(2, 1, 1), BigInt64Array.of(2n, 1n, 1n)]) {
  const rotary = posenc.Rotary.fromConfig({ ...qwen, rope_scaling: { type: 'mrope', mrope_section }, x: undefined, y: null });
  assert.equal(rotary.axes, 3);
}

// The module imports nothing, and the package has the version of the header.
const wasm = await readFile(`${folder}/posenc.wasm`);
assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm)), []);
const manifest = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
assert.equal(posenc.version, manifest.version);
const project = await readFile(new URL('CMakeLists.txt', root), 'utf8');
assert.equal(posenc.version, /project\(posenc VERSION ([0-9.]+)/.exec(project)[1]);

// Names and numbers that JavaScript repeats must be the same as in C.
const digestHeader = await readFile(new URL('tools/verify/digest.h', root), 'utf8');
assert.equal(posenc.goldenDigest, /kGoldenDigest = 0x([0-9a-f]{16})/.exec(digestHeader)[1]);
function refusal(call) {
  try {
    call();
  } catch (error) {
    return error.message;
  }
  return assert.fail('it is not refused');
}
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
for (const [header, type, noun, others] of [
  ['posenc_c.h', 'spec', (o) => new posenc.Encoder(o), { hasPadding: 'paddingPosition' }],
  ['rotary_c.h', 'rotary_spec', (o) => new posenc.Rotary(o), {}]]) {
  const text = (await readFile(new URL(`include/posenc/${header}`, root), 'utf8')).replace(/\/\/.*/g, '');
  const struct = new RegExp(`typedef struct posenc_${type} \\{(.*?)\\}`, 's').exec(text)[1];
  const known = refusal(() => noun({ nothing: 0 })).split('there are ')[1].split(', ');
  for (const [, member] of struct.matchAll(/(\w+)(?:\[\w+\])?;/g)) {
    if (/_f32$|_count$|^struct_size$/.test(member)) continue;
    const name = others[camel(member)] ?? camel(member);
    assert.ok(known.includes(name), `${header}: ${member}`);
  }
  // For each member with an enum type, there is a word for each value.
  for (const [, type, member] of struct.matchAll(/posenc_(\w+) (\w+);/g)) {
    const all = text + await readFile(new URL('include/posenc/posenc_c.h', root), 'utf8');
    const values = new RegExp(`enum POSENC_ENUM\\(posenc_${type}\\) \\{(.*?)\\};`, 's').exec(all.replace(/\/\/.*/g, ''))[1];
    const name = others[camel(member)] ?? camel(member);
    const names = /^\w+: one of (.*) is wanted/.exec(refusal(() => noun({ [name]: 'nothing' })))[1].split(', ');
    const wanted = values.match(/\w+ = \d+/g).length - (member === 'pairing' ? 1 : 0); // only the output may have 'same'
    assert.equal(names.length, wanted, `${header}: ${member}`);
  }
}

// load() accepts bytes and a compiled module. Each case uses a new copy of the package.
for (const source of [wasm, wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length),
  new WebAssembly.Module(wasm), new Response(wasm), `data:application/wasm;base64,${wasm.toString('base64')}`]) {
  const copy = await import(`${folder}/index.js?${Math.random()}`);
  assert.throws(() => copy.table(1, 2), /await load\(\)/);
  assert.equal(copy.version, '');
  await copy.load(source);
  assert.deepEqual(copy.table(3, 4), posenc.table(3, 4));
}

// The digest of REFERENCE is left out, because it takes 20 s.
const all = posenc.targets().map((target) => target.name);
assert.deepEqual(all, ['WASM', 'REFERENCE']);
let last = 0;
const digest = await posenc.digest((fraction) => {
  assert.ok(fraction >= last && fraction <= 1);
  last = fraction;
});
assert.equal(last, 1);
assert.equal(digest, posenc.goldenDigest);
if (process.argv.includes('--reference')) {
  assert.equal(await posenc.digest(undefined, { target: 'REFERENCE' }), posenc.goldenDigest);
}
console.log(`digest ${digest}; posenc.wasm ${wasm.length} bytes`);
