// make-types.mjs PACKAGE: writes PACKAGE/spec.d.ts, the TypeScript types for the words and members in src/spec and for the
// kinds of status in posenc_c.h.
import { readFileSync, writeFileSync } from 'node:fs';

// The first four fields of each row of a macro in src/spec/FILE.inc.
const rows = (file, macro) => [...readFileSync(new URL(`../../src/spec/${file}.inc`, import.meta.url), 'utf8')
  .matchAll(new RegExp(`^${macro}\\((\\w+), (\\w+), ([^,)]+)(?:, (\\w+))?`, 'gm'))].map((match) => match.slice(1));
const pascal = (name) => name.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase());
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

const words = new Map();
for (const [of, , word] of rows('values', 'POSENC_VALUE')) {
  if (of !== 'type') words.set(of, [...words.get(of) ?? [], word.replaceAll('"', "'")]);
}
const header = readFileSync(new URL('../../include/posenc/posenc_c.h', import.meta.url), 'utf8');
const [, kinds] = /enum POSENC_ENUM\(posenc_kind\) \{(.*?)\};/s.exec(header);
words.set('kind', [...kinds.matchAll(/POSENC_(\w+) = [1-9]/g)].map(([, name]) => `'${name.toLowerCase()}'`));
const TYPES = {
  Size: 'number', Real: 'number', Flag: 'boolean', Integer: 'number | bigint', Rows: 'number | bigint',
  Optional: 'number | bigint | null', Name: 'string', List: 'Reals', Sizes: 'readonly number[]',
};

function type(kind, name, of) {
  if (kind !== 'Choice') return TYPES[kind];
  return name === 'pairing' ? "Exclude<Pairing, 'same'>" : pascal(of);
}

// The first member, dim or headDim, is left out, because it is a separate argument.
const shown = (macro) => rows('members', macro).slice(1).filter(([kind]) => kind in TYPES || kind === 'Choice');
const typed = (members) => members.map(([kind, name, , of]) => `  ${camel(name)}?: ${type(kind, name, of)};\n`).join('');

writeFileSync(`${process.argv[2]}/spec.d.ts`, `import type { Reals } from './index.js';

${[...words].map(([of, all]) => `export type ${pascal(of)} = ${all.join(' | ')};\n`).join('')}
export interface SpecMembers {
${typed(shown('POSENC_SPEC'))}}

export interface RotaryMembers {
${typed(shown('POSENC_ROTARY'))}}
`);
