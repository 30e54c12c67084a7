// Tests the page in headless Chromium: it draws the right picture, and verifies the browser. A screenshot is saved as
// build/web/page.png. Without Chromium the exit status is 77.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { posenc } from './package.mjs';

const build = process.env.POSENC_WEB_BUILD;
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
if (browser === undefined) {
  console.log('skipped: there is no chromium');
  process.exit(77);
}

const profile = mkdtempSync(join(tmpdir(), 'posenc-chromium-'));
const child = spawn(browser, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
  '--no-first-run', '--window-size=1000,1100', `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'],
{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const gone = new Promise((resolve) => { child.on('exit', resolve); });

// Messages of Chromium's protocol are JSON, and each ends with a zero byte.
const waiting = new Map();
const faults = [];
let next = 1;
let received = Buffer.alloc(0);
child.stdio[4].on('data', (data) => {
  received = Buffer.concat([received, data]);
  for (let end = received.indexOf(0); end >= 0; end = received.indexOf(0)) {
    const message = JSON.parse(received.subarray(0, end).toString());
    received = received.subarray(end + 1);
    if (message.method === 'Runtime.exceptionThrown') faults.push(JSON.stringify(message.params));
    const take = waiting.get(message.id);
    waiting.delete(message.id);
    take?.(message);
  }
});

let session;
async function send(method, params = {}) {
  const id = next++;
  const answer = new Promise((resolve) => { waiting.set(id, resolve); });
  child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
  const { result, error } = await answer;
  assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
  return result;
}

async function evaluate(expression) {
  const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  assert.equal(exceptionDetails, undefined, `${expression}: ${JSON.stringify(exceptionDetails)}`);
  return result.value;
}

async function until(expression, seconds) {
  for (let k = 0; k < 20 * seconds; ++k) {
    if (await evaluate(expression)) return;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  assert.fail(`not within ${seconds} s: ${expression}`);
}

const watchdog = setTimeout(() => {
  child.kill('SIGKILL');
  console.error('FAILED: Chromium does not answer');
  process.exit(1);
}, 240000);

try {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  session = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  await send('Runtime.enable');
  await send('Page.enable');
  await send('Page.navigate', { url: pathToFileURL(`${build}/page/index.html`).href });
  await until('document.body?.dataset.ready === "true"', 30);
  assert.equal(await evaluate('document.getElementById("error").textContent'), '');
  assert.match(await evaluate('document.getElementById("about").textContent'), /version 0\.1\.0, instruction set WASM/);
  assert.equal(await evaluate('document.getElementById("preset").length'), 1 + posenc.presets().length);

  // Choose another picture, and point at an entry.
  await evaluate(`for (const [id, value] of Object.entries({ preset: 'fairseq', dim: 64, positions: 100, first: 7 })) {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  assert.deepEqual(await evaluate('[document.getElementById("map").width, document.getElementById("map").height]'), [64, 100]);
  const wanted = posenc.Encoder.preset('fairseq', 64).write(7, 100);
  const box = await evaluate('(({ left, top, width, height }) => ({ left, top, width, height }))(document.getElementById("map").getBoundingClientRect())');
  for (const [row, column] of [[0, 0], [41, 33], [99, 63]]) {
    const [x, y] = [box.left + box.width * (column + 0.5) / 64, box.top + box.height * (row + 0.5) / 100];
    await evaluate(`document.getElementById('map').dispatchEvent(new PointerEvent('pointermove', { clientX: ${x}, clientY: ${y} }))`);
    assert.equal(await evaluate('document.getElementById("entry").value'),
      `position ${7 + row}, column ${column}: ${wanted[row * 64 + column]}`);
    const [red, , blue] = await evaluate(
      `[...document.getElementById('map').getContext('2d').getImageData(${column}, ${row}, 1, 1).data]`);
    const entry = wanted[row * 64 + column];
    assert.ok(entry > 0.1 ? red > blue : entry < -0.1 ? blue > red : true, `colour of ${entry}`);
  }

  // The page shows the error for an impossible choice.
  await evaluate(`document.getElementById('preset').value = 'gaussian_fourier';
    document.getElementById('preset').dispatchEvent(new Event('input', { bubbles: true }))`);
  assert.match(await evaluate('document.getElementById("error").textContent'), /frequencies/);
  await evaluate(`document.getElementById('preset').value = 'fairseq';
    document.getElementById('preset').dispatchEvent(new Event('input', { bubbles: true }))`);
  assert.equal(await evaluate('document.getElementById("error").textContent'), '');

  const verdictOfWorst = await evaluate('document.getElementById("worst_verdict").value');
  assert.match(verdictOfWorst, /^This browser computes (\d{3}) of \1 rightly\.$/);

  await evaluate('document.getElementById("verify").click()');
  await until('document.querySelector("#right, #wrong") !== null', 120);
  const verdict = await evaluate('document.getElementById("verdict").textContent');
  assert.match(verdict, new RegExp(`^${posenc.goldenDigest} right`));
  assert.equal(await evaluate('document.getElementById("progress").value'), 1);
  const { data } = await send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(`${build}/page.png`, Buffer.from(data, 'base64'));
  assert.deepEqual(faults, []);
  const { product } = await send('Browser.getVersion');
  console.log(`${product}: ${verdict}; screenshot ${build}/page.png`);
} finally {
  clearTimeout(watchdog);
  child.kill();
  await gone;
  rmSync(profile, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
}
