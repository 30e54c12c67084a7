// Tests that the package computes the worst cases (tools/verify/worst_cases.inc) as the page shows them: each has the right result.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compute, isRight, number, read } from '../page/worst_cases.mjs';
import { posenc } from './package.mjs';

const text = readFileSync(new URL('../../../tools/verify/worst_cases.inc', import.meta.url), 'utf8');
const cases = read(text);
assert.equal(cases.length, text.split('\n').filter((line) => line.startsWith('WORST')).length);
assert.ok(cases.length > 300);
for (const { name } of posenc.targets()) {
  for (const words of cases) {
    const result = compute(posenc, words, name);
    assert.ok(isRight(words, result), `${name}: ${result}: ${JSON.stringify(words)}`);
    assert.ok(!isRight({ ...words, right: words.wrong }, result), JSON.stringify(words));
  }
}
assert.deepEqual(['0x1p0', '-0x1.8p-3', '0x1.fffffffffffffp30', '-0x1.8p-594', '-0x0p+0', '1e-3', '-12'].map(number),
  [1, -0.1875, 2147483647.9999998, -1.5 * 2 ** -594, -0, 1e-3, -12]);
console.log(`${cases.length} worst cases`);
