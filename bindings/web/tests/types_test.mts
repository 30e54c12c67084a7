// Tests the types of the package: this file must compile. install_test.sh compiles it, if there is a TypeScript compiler.
import { encode, grid, table, Encoder, Rotary } from 'posenc';
import type { CacheLayout, EmbedOptions, EncodeOptions, Entries, GridAxis, GridOptions, RotateOptions, Summands, SummandType, Type } from 'posenc';

const encoder = new Encoder({ dim: 4 });
const rotary = new Rotary({ headDim: 4 });
const floats = new Float32Array(8);
const halves = new Uint16Array(8);

// The type of the result follows from the arguments.
export const inPlace: Float32Array = rotary.rotate(floats, 0, { heads: 2 });
export const converted: Uint16Array = rotary.rotate(floats, 0, { outType: 'float16' });
export const written: Uint16Array = rotary.rotate(floats, 0, { outType: 'float16', out: halves });
export const bfloat16: Uint16Array = encode([1], 4, { type: 'bfloat16' });
export const doubles: Float64Array = encode([1], 4, { out: new Float64Array(4) });
export const rows: Float64Array = table(2, 4, { type: 'float64' });
export const looked: Float32Array = encoder.embed([1], halves, 0, { tableType: 'float16', type: 'float32' });
export const same: Uint16Array = encoder.embed([1], halves, 0, { tableType: 'float16' });
export const cells: Float32Array = grid([[encoder, 0, 2]]);
export const { cos } = rotary.cache(0, 2, { layout: 'halves' });

// Options in a variable, and wrappers with options that may be missing.
const options: RotateOptions = { heads: 2 };
export const turned: Summands = rotary.rotate(floats, 0, options);
export function rotated(x: Summands, out?: Summands, outType?: SummandType): Summands {
  return rotary.rotate(x, 0, { heads: 2, out, outType });
}
export function encoded(given: EncodeOptions, out?: Entries): Entries[] {
  return [encode([1], 4, given), table(2, 4, given), encode([1], 4, { ...given, out }), encoder.write(0, 2, out),
    encoder.writeAt([1], out, given.type)];
}
export function embedded(given: EmbedOptions, out?: Summands, type?: SummandType): Summands[] {
  return [encoder.embed([1], floats, 0, given), encoder.embedAt([1], floats, [2], { out, type })];
}
export function made(axes: GridAxis[], given: GridOptions, out?: Entries, type?: Type): Entries[] {
  return [grid(axes, given), grid(axes, { prefixRows: 1, out, type })];
}
export const cached = (layout: CacheLayout) => rotary.cache(0, 2, { layout });

// All objects can be disposed of at the end of a block.
export function step(): Float32Array {
  using angles = rotary.angles(0, 2);
  using other = new Encoder({ dim: 4 });
  using rope = new Rotary({ headDim: other.dim });
  rope.rotate(floats, 0);
  return rotary.rotate(floats, angles);
}

// Mistakes that the compiler finds.
// @ts-expect-error: an option that does not exist
rotary.rotate(floats, 0, { head: 2 });
// @ts-expect-error: doubles are not rotated
rotary.rotate(new Float64Array(8), 0);
// @ts-expect-error: the result may be another array
export const unknown: Float32Array = rotary.rotate(floats, 0, options);
