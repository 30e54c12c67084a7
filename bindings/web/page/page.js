// The page: draws the encoding that the form describes, shows the entry under the pointer, and verifies the browser.
import * as posenc from 'posenc';
import { compute, isRight, read } from 'posenc/worst_cases.mjs';

const $ = (id) => document.getElementById(id);
const canvas = $('map');
const COLOURS = [[0x21, 0x66, 0xac], [0xf7, 0xf7, 0xf7], [0xb2, 0x18, 0x2b]]; // for -1, 0 and 1
let shown = null; // {rows, dim, first, entries}

// The base that the slider chooses: 10^(value / 20), rounded. At 0 it is undefined: the preset's base, or 10000.
function base() {
  const value = Number($('base').value);
  return value === 0 ? undefined : Number((10 ** (value / 20)).toPrecision(3));
}

function colour(entry, pixels, at) {
  const clipped = Math.max(-1, Math.min(1, entry));
  const [from, to] = clipped < 0 ? [COLOURS[0], COLOURS[1]] : [COLOURS[1], COLOURS[2]];
  const part = clipped < 0 ? clipped + 1 : clipped;
  for (let k = 0; k < 3; ++k) pixels[at + k] = from[k] + (to[k] - from[k]) * part;
  pixels[at + 3] = 255;
}

function draw() {
  const dim = Number($('dim').value);
  const rows = Number($('positions').value);
  const first = Number($('first').value);
  const name = $('preset').value;
  for (const id of ['dim', 'first', 'positions']) $(id).nextElementSibling.value = $(id).value;
  $('base').nextElementSibling.value = base() ?? (name === '' ? 10000 : "the preset's");
  const options = base() === undefined ? {} : { base: base() };
  $('error').textContent = '';
  let encoder;
  try {
    encoder = name === '' ? new posenc.Encoder({ dim, ...options }) : posenc.Encoder.preset(name, dim, options);
    const entries = encoder.write(first, rows);
    shown = { rows, dim, first, entries };
  } catch (error) {
    $('error').textContent = error.message;
    return;
  } finally {
    encoder?.dispose();
  }
  canvas.width = dim;
  canvas.height = rows;
  const image = new ImageData(dim, rows);
  shown.entries.forEach((entry, i) => colour(entry, image.data, 4 * i));
  canvas.getContext('2d').putImageData(image, 0, 0);
}

function point(event) {
  if (shown === null) return;
  const { rows, dim, first, entries } = shown;
  const box = canvas.getBoundingClientRect();
  const column = Math.min(dim - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * dim)));
  const row = Math.min(rows - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * rows)));
  $('entry').value = `position ${first + row}, column ${column}: ${entries[row * dim + column]}`;
}

async function verify() {
  $('verify').disabled = true;
  const verdict = $('verdict');
  verdict.value = '';
  try {
    const digest = await posenc.digest((fraction) => { $('progress').value = fraction; });
    const isRight = digest === posenc.goldenDigest;
    verdict.innerHTML = `<code>${digest}</code> <span id="${isRight ? 'right' : 'wrong'}">${isRight
      ? 'right: every bit is as it must be' : `wrong: it must be ${posenc.goldenDigest}`}</span>`;
  } catch (error) {
    verdict.innerHTML = '<span id="wrong"></span>';
    verdict.firstChild.textContent = error.message;
  }
  $('verify').disabled = false;
}

// Computes the worst cases. Shows how many are right, the wrong ones, and the first one of each kind.
function showWorstCases() {
  const shown = new Set();
  const hidden = ['right', 'wrong', 'by', 'from'];
  const cases = read($('worst').textContent);
  let right = 0;
  for (const words of cases) {
    const result = compute(posenc, words);
    const passed = isRight(words, result);
    right += passed ? 1 : 0;
    const kind = `${words.from} ${words.type} ${words.operation}`;
    if (passed && shown.has(kind)) continue;
    shown.add(kind);
    const input = Object.entries(words).filter(([name]) => !hidden.includes(name)).map((word) => word.join('=')).join(' ');
    const row = $('worst_cases').insertRow();
    for (const cell of [input, words.by.replaceAll(':', ' '), words.wrong, words.right, passed ? 'right' : result]) {
      row.insertCell().textContent = cell;
    }
  }
  $('worst_verdict').value = `This browser computes ${right} of ${cases.length} rightly.`;
}

try {
  await posenc.load();
  $('about').textContent = `version ${posenc.version}, instruction set ${posenc.targets()[0].name}`;
  const presets = posenc.presets();
  $('preset').append(new Option('none: the paper', ''), ...presets.map(({ name }) => new Option(name)));
  $('preset').addEventListener('input', () => {
    const chosen = presets.find(({ name }) => name === $('preset').value);
    $('formula').textContent = chosen ? `${chosen.formula}: ${chosen.source}` : '';
  });
  document.querySelector('form').addEventListener('input', draw);
  canvas.addEventListener('pointermove', point);
  $('verify').addEventListener('click', verify);
  draw();
  showWorstCases();
} catch (error) {
  $('error').textContent = error.message;
}
document.body.dataset.ready = 'true';
