/**
 * Position encodings and rotary embeddings, every entry correctly rounded: the same bits as posenc's C library, on
 * every machine. `await load()` first. Wrong types are TypeErrors and wrong values RangeErrors, thrown before anything
 * of the caller's is written; each names the argument. Errors about values are Refusals.
 */

import type { Kind, Layout, PhaseRounding, RotaryMembers, SpecMembers } from './spec.js';

/** What an error about a value has besides its message. */
export interface Refusal extends Error {
  /** What programs branch on: posenc_kind (posenc_c.h). */
  kind: Kind;
  /** posenc_status: the kind, with the rule that was broken if the library found it. */
  status: number;
}

/** Types of entries. bfloat16 and float16 are bit patterns in a Uint16Array. */
export type Type = 'float32' | 'bfloat16' | 'float16' | 'float64';
export type SummandType = Exclude<Type, 'float64'>;
export type Entries = Float32Array | Float64Array | Uint16Array;
/** Positions are integers or fractions from -2^31 to 2^31. */
export type Positions = readonly number[] | Int32Array | BigInt64Array | Float32Array | Float64Array;
/** Ids and first positions. */
export type Integers = readonly (number | bigint)[] | Int32Array | BigInt64Array;
/** A Float32Array, or bit patterns of a SummandType. */
export type Summands = Float32Array | Uint16Array;
export type Reals = readonly number[] | Float32Array | Float64Array;
export * from './spec.js';

/** Loads the module, once: the inlined one, or one from elsewhere (posenc.wasm of this package). */
export function load(source?: string | URL | Response | BufferSource | WebAssembly.Module
  | Promise<Response | BufferSource | WebAssembly.Module>): Promise<void>;

/** Of the library, e.g. "0.1.0"; "" until it is loaded. */
export let version: string;

/** w_i = positionScale * base^(-2i / exponentDim); the members of posenc_spec (posenc_c.h), with their defaults. */
export interface SpecOptions extends SpecMembers {}

export interface EncodeOptions<T extends Type = Type> extends SpecOptions {
  preset?: string;
  type?: T;
  out?: Entries;
}

type ArrayOf<T extends Type> = T extends 'float32' ? Float32Array : T extends 'float64' ? Float64Array : Uint16Array;

/** Rows at positions, [positions, dim]. */
export function encode<T extends Type = 'float32'>(positions: number | Positions, dim: number,
  options?: EncodeOptions<T>): ArrayOf<T>;

/** Rows at 0, 1, ..., [rows, dim]. */
export function table<T extends Type = 'float32'>(rows: number, dim: number, options?: EncodeOptions<T>): ArrayOf<T>;

export interface SumOptions {
  /** Of a Uint16Array. */
  type?: SummandType;
  scale?: number;
  /** Sequences, one after the other: 1, or as many as there are first positions. */
  batch?: number;
}

/** Of the result: the table's type, or float32. */
export interface EmbedOptions<T extends SummandType = SummandType> extends SumOptions {
  type?: T;
  /** Of a table that is a Uint16Array. */
  tableType?: SummandType;
}

/** Writes or adds rows. Its memory is freed by dispose(), or some time after the last reference is gone. */
export class Encoder {
  constructor(options: SpecOptions & { dim: number });
  /** A convention by name (presets()); overrides change it. */
  static preset(name: string, dim: number, overrides?: SpecOptions): Encoder;
  readonly dim: number;
  readonly layout: Layout;
  readonly target: string;
  readonly frequencyCount: number;
  /** w_i, radians per step. */
  frequencies(): Float64Array;
  /** Rows at first, first + 1, ...: to a new array of `type`, or to the front of `out`. */
  write<T extends Type = 'float32'>(first: number | bigint, rows: number, type?: T): ArrayOf<T>;
  write<A extends Entries>(first: number | bigint, rows: number, out: A, type?: Type): A;
  writeAt<T extends Type = 'float32'>(positions: Positions, type?: T): ArrayOf<T>;
  writeAt<A extends Entries>(positions: Positions, out: A, type?: Type): A;
  /** x[b][r] = x[b][r] * scale + PE(first + r), in place; x is [batch, rows, dim] and is returned. `first` is a
   * position, or a list of one for each sequence (left padding). */
  add<A extends Summands>(x: A, first?: number | bigint | Integers, options?: SumOptions): A;
  /** The same at positions [rows] or [batch, rows]. */
  addAt<A extends Summands>(x: A, positions: Positions, options?: SumOptions): A;
  /** table[ids] * scale + PE(first + r), [batch, rows, dim], in one pass: ids are [batch, rows], table is [vocabulary,
   * dim], and `first` is as in add(). To a new array of `type`, or to the front of `out`. */
  embed<A extends Summands>(ids: Integers, table: Summands, first: number | bigint | Integers | undefined,
    options: EmbedOptions & { out: A }): A;
  embed<T extends SummandType>(ids: Integers, table: Summands, first: number | bigint | Integers | undefined,
    options: EmbedOptions<T> & { type: T }): ArrayOf<T>;
  embed<A extends Summands>(ids: Integers, table: A, first?: number | bigint | Integers, options?: EmbedOptions): A;
  /** The same at positions [rows] or [batch, rows]. */
  embedAt<A extends Summands>(ids: Integers, table: Summands, positions: Positions,
    options: EmbedOptions & { out: A }): A;
  embedAt<T extends SummandType>(ids: Integers, table: Summands, positions: Positions,
    options: EmbedOptions<T> & { type: T }): ArrayOf<T>;
  embedAt<A extends Summands>(ids: Integers, table: A, positions: Positions, options?: EmbedOptions): A;
  dispose(): void;
}

/** The columns from `column` on get the encoder's rows for the positions 0 .. count - 1, or for those of a list. */
export type GridAxis = readonly [encoder: Encoder, column: number, countOrPositions: number | Positions];

export interface GridOptions<T extends Type = Type> {
  /** Rows of zeros before (class tokens). */
  prefixRows?: number;
  type?: T;
}

/** Encodings of images and video, a row a cell, [prefixRows + cells, columns], to a new array of `type` or to the front
 * of `out`, whose columns of no axis stay. The last axis varies fastest. */
export function grid<A extends Entries>(axes: readonly GridAxis[], options: GridOptions & { out: A }): A;
export function grid<T extends Type = 'float32'>(axes: readonly GridAxis[], options?: GridOptions<T>): ArrayOf<T>;

/** x = x * scale + grid(axes), in place; x is [prefixRows + cells, columns or more] and is returned. */
export function gridAdd<A extends Summands>(x: A, axes: readonly GridAxis[],
  options?: GridOptions<SummandType> & { scale?: number }): A;

/** The members of posenc_rotary_spec (rotary_c.h), with their defaults. */
export interface RotaryOptions extends RotaryMembers {}

export interface ConfigOptions {
  /** The layer's number, or its type ('sliding_attention'): needed if rotaries differ between layers. */
  layer?: number;
  layerType?: string;
  /** The model's type or architecture, if it is not the configuration's. */
  modelType?: string;
}

export interface RotateOptions {
  /** Of a Uint16Array. */
  type?: SummandType;
  heads?: number;
  scale?: number;
  inverse?: boolean;
  /** -3 for [batch, tokens, heads, headDim], the default; -2 for [batch, heads, tokens, headDim]. */
  tokenAxis?: -3 | -2;
  /** Sequences, one after the other: 1, or as many as there are first positions. */
  batch?: number;
  /** Instead of positions: that of the first token, or a list of one for each sequence (left padding). */
  first?: number | bigint | Integers;
}

/** Rotates q and k. Freed as an Encoder. Positions are the first one, or a list [axes, tokens] or [axes, batch,
 * tokens]. */
export class Rotary {
  constructor(options: RotaryOptions & { headDim: number });
  /** A family of models by name (rotaryPresets()); overrides change it. */
  static preset(name: string, headDim: number, overrides?: RotaryOptions): Rotary;
  /** The rotary of a layer of a model by its config.json, parsed, or GGUF metadata. Options change what that makes. For a
   * model that posenc does not know, pairing is needed; base, if neither the configuration nor the model's code has one.
   * What posenc does not understand is a RangeError, and so is a layer that does not rotate. The sentence names the key and says what would be right. */
  static fromConfig(config: object, options?: RotaryOptions & ConfigOptions): Rotary;
  readonly headDim: number;
  readonly axes: number;
  readonly target: string;
  readonly frequencyCount: number;
  readonly amplitude: number;
  /** The scaled w_i, radians per step. */
  frequencies(): Float64Array;
  /** Cosines and sines: of 'cos_sin' and 'pairs' one table, of the others two, [tokens, columns]. */
  cache<T extends Type = 'float32'>(positions: number | bigint | Positions, tokens: number,
    options: { layout: 'halves' | 'duplicated' | 'halves_twice'; type?: T }): { cos: ArrayOf<T>; sin: ArrayOf<T> };
  cache<T extends Type = 'float32'>(positions: number | bigint | Positions, tokens: number,
    options?: { layout?: 'cos_sin' | 'pairs'; type?: T }): { table: ArrayOf<T> };
  /** x [batch, tokens, heads, headDim], in place; it is returned. */
  rotate<A extends Summands>(x: A, positions: number | bigint | Positions | null | undefined,
    options?: RotateOptions): A;
  dispose(): void;
}

export interface Target { name: string; runnable: boolean; best: boolean }
export interface Preset { name: string; formula: string; source: string }

/** The instruction sets of the module, best first. */
export function targets(): Target[];
/** Conventions of encoders; phaseRounding is how their source rounds. */
export function presets(): (Preset & { phaseRounding: PhaseRounding })[];
export function rotaryPresets(): Preset[];

/** What digest() must give on every machine. */
export const goldenDigest: string;
/** The digest of millions of entries, as `posenc verify` makes it; a second or some, in slices of 40 ms. */
export function digest(progress?: (fraction: number) => void, options?: { target?: string }): Promise<string>;
