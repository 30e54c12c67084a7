/// <reference lib="esnext.disposable" />
/**
 * Position encodings of Transformers and rotary embeddings. Every entry is correctly rounded, and has the same bits as in
 * posenc's C library, on every machine. Call `await load()` first.
 *
 * Shapes are in brackets; arrays are flat, and the last axis varies fastest. Positions are in steps. An argument of a wrong
 * type throws TypeError, and so does an object that was disposed of. A wrong value throws RangeError. The message names the
 * argument, and none of the caller's arrays has been written. Except for errors of load, they have the properties of Refusal.
 *
 * Typed arrays may be of a class that extends Float32Array or another class, or of another realm.
 */

import type { CacheLayout, Kind, Layout, PhaseRounding, RotaryMembers, SpecMembers } from './spec.js';

/** An error about an argument: besides the message it has a kind and a status. */
export interface Refusal extends Error {
  /** The kind of error, for programs: a posenc_kind (posenc_c.h), for example 'out_of_range'. */
  kind: Kind;
  /** The posenc_status: the kind and, if the library found the error, the rule that was broken. */
  status: number;
}

/** Types of entries. Entries of bfloat16 and float16 are bits in a Uint16Array. */
export type Type = 'float32' | 'bfloat16' | 'float16' | 'float64';
/** Types to which encodings can be added, and which can be rotated. */
export type SummandType = Exclude<Type, 'float64'>;
export type Entries = Float32Array | Float64Array | Uint16Array;
/** Positions are integers or fractions from -2^31 to 2^31, in steps. */
export type Positions = readonly number[] | Int32Array | BigInt64Array | Float32Array | Float64Array;
/** Ids, or first positions: integers. */
export type Integers = readonly (number | bigint)[] | Int32Array | BigInt64Array;
/** An array of a SummandType: floats, or bits of bfloat16 or float16. */
export type Summands = Float32Array | Uint16Array;
/** Frequencies or factors. */
export type Reals = readonly number[] | Float32Array | Float64Array;
export * from './spec.js';

/**
 * Loads the WebAssembly module; further calls do nothing. Without an argument it loads the module that is part of the
 * script. `source` is another place for it: the package's file posenc.wasm as a URL, Response, bytes or compiled module.
 */
export function load(source?: string | URL | Response | BufferSource | WebAssembly.Module
  | Promise<Response | BufferSource | WebAssembly.Module>): Promise<void>;

/** The version of the library, for example "0.1.0". Empty until the module is loaded. */
export let version: string;

/**
 * Describes an encoding, with frequencies w_i = positionScale * base^(-2i / exponentDim). posenc_c.h describes the members
 * of posenc_spec, and their defaults.
 */
export interface SpecOptions extends SpecMembers {}

export interface EncodeOptions<T extends Type = Type> extends SpecOptions {
  /** The name of a preset (presets()); other options change it. */
  preset?: string;
  /** The type of the result, 'float32' by default; needed if `out` is a Uint16Array. */
  type?: T;
  /** An array to write to, instead of a new one. */
  out?: Entries;
}

type ArrayOf<T extends Type> = T extends 'float32' ? Float32Array : T extends 'float64' ? Float64Array : Uint16Array;

/** Returns the encoding at each position: [positions, dim]. */
export function encode<A extends Entries>(positions: number | Positions, dim: number, options: EncodeOptions & { out: A }): A;
export function encode<T extends Type = 'float32'>(positions: number | Positions, dim: number,
  options?: EncodeOptions<T> & { out?: undefined }): ArrayOf<T>;
export function encode(positions: number | Positions, dim: number, options?: EncodeOptions): Entries;

/** Returns the encoding at the positions 0 .. rows - 1: [rows, dim]. */
export function table<A extends Entries>(rows: number, dim: number, options: EncodeOptions & { out: A }): A;
export function table<T extends Type = 'float32'>(rows: number, dim: number,
  options?: EncodeOptions<T> & { out?: undefined }): ArrayOf<T>;
export function table(rows: number, dim: number, options?: EncodeOptions): Entries;

export interface SumOptions {
  /** The type of x; needed if x is a Uint16Array. */
  type?: SummandType;
  /** Multiplies x before the encoding is added; 1 by default. */
  scale?: number;
  /** The number of sequences, which follow one another. The default is the number of first positions, or 1. */
  batch?: number;
}

export interface EmbedOptions<T extends SummandType = SummandType> extends SumOptions {
  /** The type of the result: the table's type (the default) or 'float32'. */
  type?: T;
  /** The type of the table; needed if it is a Uint16Array. */
  tableType?: SummandType;
  /** An array to write to, instead of a new one. */
  out?: Summands;
}

/**
 * Writes the rows of an encoding, or adds them. dispose() frees the memory; otherwise it is freed some time after the last
 * reference is gone.
 */
export class Encoder {
  constructor(options: SpecOptions & { dim: number });
  /** Makes the encoder of a preset (presets()). `overrides` change its members. */
  static preset(name: string, dim: number, overrides?: SpecOptions): Encoder;
  /** The number of columns. */
  readonly dim: number;
  readonly layout: Layout;
  /** The instruction set in use. */
  readonly target: string;
  /** The number of pairs. */
  readonly frequencyCount: number;
  /** Returns the frequencies w_i, in radians per step: [frequencyCount]. */
  frequencies(): Float64Array;
  /**
   * Returns the encoding at the positions first .. first + rows - 1, [rows, dim], as a new array of `type`. With `out`, it
   * writes to the beginning of `out` and returns it; `type` is needed if `out` is a Uint16Array.
   */
  write<T extends Type = 'float32'>(first: number | bigint, rows: number, type?: T): ArrayOf<T>;
  write<A extends Entries>(first: number | bigint, rows: number, out: A, type?: Type): A;
  write(first: number | bigint, rows: number, out?: Entries | Type, type?: Type): Entries;
  /** The same at each of the positions: [positions, dim]. */
  writeAt<T extends Type = 'float32'>(positions: Positions, type?: T): ArrayOf<T>;
  writeAt<A extends Entries>(positions: Positions, out: A, type?: Type): A;
  writeAt(positions: Positions, out?: Entries | Type, type?: Type): Entries;
  /**
   * Adds the encoding in place: x[b][r] = x[b][r] * scale + PE(first + r). x is [batch, rows, dim], and is returned.
   * `first` is the position of the first row, 0 by default, or a list with one position for each sequence (left padding).
   */
  add<A extends Summands>(x: A, first?: number | bigint | Integers, options?: SumOptions): A;
  /** The same, at positions [rows] or [batch, rows]. */
  addAt<A extends Summands>(x: A, positions: Positions, options?: SumOptions): A;
  /**
   * Returns table[ids] * scale + PE(first + r), [batch, rows, dim], computed in one pass. ids are [batch, rows], table is
   * [vocabulary, dim], and `first` is the same as in add(). The result is a new array of `type`, or the beginning of `out`.
   */
  embed<A extends Summands>(ids: Integers, table: Summands, first: number | bigint | Integers | undefined,
    options: EmbedOptions & { out: A }): A;
  embed<T extends SummandType>(ids: Integers, table: Summands, first: number | bigint | Integers | undefined,
    options: EmbedOptions<T> & { type: T }): ArrayOf<T>;
  embed<A extends Summands>(ids: Integers, table: A, first?: number | bigint | Integers,
    options?: EmbedOptions & { type?: undefined; out?: undefined }): A;
  embed(ids: Integers, table: Summands, first?: number | bigint | Integers, options?: EmbedOptions): Summands;
  /** The same, at positions [rows] or [batch, rows]. */
  embedAt<A extends Summands>(ids: Integers, table: Summands, positions: Positions,
    options: EmbedOptions & { out: A }): A;
  embedAt<T extends SummandType>(ids: Integers, table: Summands, positions: Positions,
    options: EmbedOptions<T> & { type: T }): ArrayOf<T>;
  embedAt<A extends Summands>(ids: Integers, table: A, positions: Positions,
    options?: EmbedOptions & { type?: undefined; out?: undefined }): A;
  embedAt(ids: Integers, table: Summands, positions: Positions, options?: EmbedOptions): Summands;
  dispose(): void;
  /** The same as dispose(), for `using`. Only engines with Symbol.dispose have it. */
  [Symbol.dispose](): void;
}

/**
 * An axis of a grid: the encoder writes the columns from `column` on. The axis has cells at the positions 0 .. count - 1, or
 * at the positions of a list.
 */
export type GridAxis = readonly [encoder: Encoder, column: number, countOrPositions: number | Positions];

export interface GridOptions<T extends Type = Type> {
  /** The number of rows of zeros before the cells (class tokens); 0 by default. */
  prefixRows?: number;
  /** The type of the result or of x; needed if that is a Uint16Array of the caller. */
  type?: T;
}

/**
 * Returns the encoding of an image or a video, with a row for each cell: [prefixRows + cells, columns]. The last axis varies
 * fastest. The result is a new array of `type`, or the beginning of `out`. Columns of `out` that no axis writes keep their
 * entries.
 */
export function grid<A extends Entries>(axes: readonly GridAxis[], options: GridOptions & { out: A }): A;
export function grid<T extends Type = 'float32'>(axes: readonly GridAxis[],
  options?: GridOptions<T> & { out?: undefined }): ArrayOf<T>;
export function grid(axes: readonly GridAxis[], options?: GridOptions & { out?: Entries }): Entries;

/** Adds a grid in place: x = x * scale + grid(axes). x is [prefixRows + cells, columns or more], and is returned. */
export function gridAdd<A extends Summands>(x: A, axes: readonly GridAxis[],
  options?: GridOptions<SummandType> & { scale?: number }): A;

/** Describes a rotary embedding. rotary_c.h describes the members of posenc_rotary_spec, and their defaults. */
export interface RotaryOptions extends RotaryMembers {}

/** `layer` or `layerType` is needed if layers of the model have different rotary embeddings. */
export interface ConfigOptions {
  /** The number of the layer, from 0 on. */
  layer?: number;
  /** The type of the layer, for example 'sliding_attention'. */
  layerType?: string;
  /** Replaces the model type or architecture in the configuration. */
  modelType?: string;
}

export interface RotateOptions {
  /** The type of x; needed if x is a Uint16Array. */
  type?: SummandType;
  /** The number of heads; 1 by default. */
  heads?: number;
  /** Multiplies the elements that rotate, 2^-64 .. 2^64; 1 by default. scale * amplitude must also be 2^-64 .. 2^64. */
  scale?: number;
  /** Rotates backwards. */
  inverse?: boolean;
  /** -3 for [batch, tokens, heads, headDim], the default; -2 for [batch, heads, tokens, headDim]. */
  tokenAxis?: -3 | -2;
  /** The number of sequences, which follow one another. The default is the number of first positions, or 1. */
  batch?: number;
  /** Instead of positions: the position of the first token, or a list with one for each sequence (left padding). */
  first?: number | bigint | Integers;
  /**
   * A factor for each token, 2^-64 .. 2^64: [tokens], or [batch, tokens]. It multiplies all elements of the token's heads, also
   * those that do not rotate. factor * scale * amplitude must also be 2^-64 .. 2^64. Factors are rounded to float32.
   */
  factors?: Reals;
  /** The type of `out`, or of a new array; needed if x is a Float32Array and `out` a Uint16Array. */
  outType?: SummandType;
  /**
   * The array of the result, if the rotation is not in place. It may be longer than x: the result is written to its beginning.
   * Its memory must not overlap x, unless both begin at the same byte and have the same type.
   */
  out?: Summands;
}

/** Positions, or their angles. They are null or undefined if the option `first` has positions. */
export type RotatePositions = number | bigint | Positions | Angles | null | undefined;

/**
 * The cosines and sines of some tokens, made by Rotary.angles. Call dispose() after the last layer of each step: garbage
 * collection frees them too, but not before a loop without `await` has ended.
 */
export interface Angles {
  /** The number of tokens. */
  readonly tokens: number;
  dispose(): void;
  /** The same as dispose(), for `using`. Only engines with Symbol.dispose have it. */
  [Symbol.dispose](): void;
}

/**
 * Rotates q and k (rotary embeddings, RoPE), and makes their caches of cosines and sines. Memory is freed as for an Encoder.
 * Positions are a number, the position of the first token, or a list [axes, tokens] or [axes, batch, tokens].
 */
export class Rotary {
  constructor(options: RotaryOptions & { headDim: number });
  /** Makes the rotary embedding of a preset, a family of models (rotaryPresets()). `overrides` change its members. */
  static preset(name: string, headDim: number, overrides?: RotaryOptions): Rotary;
  /**
   * Makes the rotary embedding of a layer of a model from its configuration: a parsed config.json, or the metadata of a GGUF
   * file. Other options replace what the configuration says. `pairing` is needed if posenc does not know the model, and
   * `base` if neither the configuration nor the model's code has one. posenc never guesses: a configuration that it does not
   * understand, or a layer that does not rotate, throws RangeError. The message names the key, and says what would be right.
   */
  static fromConfig(config: object, options?: RotaryOptions & ConfigOptions): Rotary;
  /** The number of elements in a head. */
  readonly headDim: number;
  /** The number of axes of a position. */
  readonly axes: number;
  /** The instruction set in use. */
  readonly target: string;
  /** The number of pairs that rotate. */
  readonly frequencyCount: number;
  /** The factor that the scaling applies to the elements that rotate. */
  readonly amplitude: number;
  /** Returns the scaled frequencies w_i, in radians per step: [frequencyCount]. */
  frequencies(): Float64Array;
  /**
   * Returns cosines and sines, times the amplitude, [tokens, columns], as new arrays of `type`. There are two tables, cos and
   * sin, with one column per pair ('halves') or per element ('duplicated', 'halves_twice'); or one table, with cosines before
   * sines ('cos_sin', the default) or interleaved ('pairs').
   */
  cache<T extends Type = 'float32'>(positions: number | bigint | Positions, tokens: number,
    options: { layout: 'halves' | 'duplicated' | 'halves_twice'; type?: T }): { cos: ArrayOf<T>; sin: ArrayOf<T> };
  cache<T extends Type = 'float32'>(positions: number | bigint | Positions, tokens: number,
    options?: { layout?: 'cos_sin' | 'pairs'; type?: T }): { table: ArrayOf<T> };
  cache<T extends Type = 'float32'>(positions: number | bigint | Positions, tokens: number,
    options?: { layout?: CacheLayout; type?: T }): { cos: ArrayOf<T>; sin: ArrayOf<T> } | { table: ArrayOf<T> };
  /**
   * Makes the cosines and sines of tokens, which are the same in all layers of a model. Pass them to rotate in the place of the
   * positions: the result has the same bits as with the positions. Only this Rotary takes them. For a batch whose sequences have
   * different positions, [axes, batch, tokens], pass batch * tokens as `tokens`.
   */
  angles(positions: number | bigint | Positions, tokens: number): Angles;
  /**
   * Rotates x [batch, tokens, heads, headDim], and returns the result: x itself, or `out` if it is given, or a new array if only
   * `outType` is given. If x has floats, the result may have another type: each element is rounded once.
   */
  rotate<A extends Summands>(x: Summands, positions: RotatePositions, options: RotateOptions & { out: A }): A;
  rotate<T extends SummandType>(x: Summands, positions: RotatePositions,
    options: RotateOptions & { outType: T; out?: undefined }): ArrayOf<T>;
  rotate<A extends Summands>(x: A, positions: RotatePositions,
    options?: RotateOptions & { outType?: undefined; out?: undefined }): A;
  rotate(x: Summands, positions: RotatePositions, options?: RotateOptions): Summands;
  dispose(): void;
  /** The same as dispose(), for `using`. Only engines with Symbol.dispose have it. */
  [Symbol.dispose](): void;
}

export interface Target { name: string; runnable: boolean; best: boolean }
export interface Preset { name: string; formula: string; source: string }

/** Returns the instruction sets of the module, the best one first. */
export function targets(): Target[];
/** Returns the presets of Encoder. `phaseRounding` is how the source of a preset rounds phases. */
export function presets(): (Preset & { phaseRounding: PhaseRounding })[];
/** Returns the presets of Rotary. */
export function rotaryPresets(): Preset[];

/** The digest that digest() must return on every machine. */
export const goldenDigest: string;
/**
 * Returns the digest of millions of entries, as `posenc verify` computes it. It takes a second or a few, in slices of 40 ms,
 * after which `progress` is called with the share that is done, 0 to 1.
 */
export function digest(progress?: (fraction: number) => void, options?: { target?: string }): Promise<string>;
