// The version, and the sentence of each status.

#include "posenc/posenc_c.h"

int32_t posenc_version(void) { return POSENC_VERSION; }

const char* posenc_status_message(posenc_status status) {
  switch (status) {
    case POSENC_OK:
      return "success";
    case POSENC_NULL_POINTER:
      return "a pointer is null although there is something to read or write";
    case POSENC_NOT_CREATED:
      return "the object is null or has not been created";
    case POSENC_BAD_DIM:
      return "dim must be between 1 and 16777216";
    case POSENC_BAD_BASE:
      return "base must be positive and finite, with a phase rounding as a float too, and above 1 with YaRN";
    case POSENC_BAD_EXPONENT_DIM:
      return "exponent_dim must be finite, with a phase rounding neither 0 nor infinite as a float, and 0 "
             "with axial axes";
    case POSENC_BAD_POSITION_SCALE:
      return "position_scale must be finite, and with a phase rounding neither 0 nor infinite as a float (of "
             "a rotary: 1)";
    case POSENC_BAD_LAYOUT:
      return "layout is not a posenc_layout";
    case POSENC_BAD_PHASE_ROUNDING:
      return "phase_rounding is not a posenc_phase_rounding, or not one for that unit or for rotation";
    case POSENC_FREQUENCY_OUT_OF_RANGE:
      return "a frequency is outside 2^-126 .. 2^31 radians per step and not zero";
    case POSENC_UNKNOWN_TARGET:
      return "no compiled target has that name";
    case POSENC_UNAVAILABLE_TARGET:
      return "this CPU cannot run that target";
    case POSENC_OUT_OF_MEMORY:
      return "out of memory";
    case POSENC_STRIDE_TOO_SMALL:
      return "a stride is too small: row_stride or table_stride for a row (column + dim of an axis, or ids), "
             "batch_stride for rows * row_stride, or token_stride or head_stride, so that heads overlap";
    case POSENC_SIZE_OVERFLOW:
      return "a matrix, batch, tensor or list, by its counts and strides, exceeds the address space";
    case POSENC_POSITION_OUT_OF_RANGE:
      return "a position is outside -2^31 .. 2^31 or not a number, or a row is none of the cache";
    case POSENC_ID_OUT_OF_RANGE:
      return "a token id is outside the vocabulary";
    case POSENC_BUFFERS_OVERLAP:
      return "memory that is written overlaps other memory of the call";
    case POSENC_MEMORY_TOO_SMALL:
      return "the memory for the object is smaller than it needs";
    case POSENC_BAD_TYPE:
      return "the type is not a posenc_type that this parameter takes";
    case POSENC_BAD_STRUCT_SIZE:
      return "struct_size is not the size of the struct, or members that this version lacks are set";
    case POSENC_BAD_FREQUENCIES:
      return "the frequencies need one of doubles and floats, as many finite ones as there are pairs, a "
             "unit, and no phase rounding but that of a list, which needs them";
    case POSENC_BAD_FLAG:
      return "a flag (nan_rows, lists_only, has_padding, input_first, truncate, inverse) is neither 0 nor 1, "
             "or reserved is not 0";
    case POSENC_BAD_HEAD_DIM:
      return "head_dim must be between 2 and 65536, and suit the preset";
    case POSENC_BAD_ROTARY_DIM:
      return "rotary_dim must be even, between 2 and 1024, and end with the head: rotary_offset + rotary_dim "
             "<= head_dim";
    case POSENC_BAD_PAIRING:
      return "pairing or output_pairing is not a posenc_pairing";
    case POSENC_BAD_ARITHMETIC:
      return "arithmetic is not a posenc_arithmetic";
    case POSENC_BAD_SCALING:
      return "scaling is not a posenc_scaling, or not one for that phase_rounding or a list of frequencies";
    case POSENC_BAD_FACTOR:
      return "factor must be positive and finite, and so must be what a dynamic scaling makes of it";
    case POSENC_BAD_LENGTH:
      return "length and original_length must be positive and finite where the scaling uses them, and "
             "original_length of LongRoPE above 1";
    case POSENC_BAD_BETA:
      return "beta_fast and beta_slow must be positive and finite, beta_fast not the smaller one";
    case POSENC_BAD_MSCALE:
      return "mscale and mscale_all_dim must be finite and not negative";
    case POSENC_BAD_FREQ_FACTOR:
      return "low_freq_factor must be positive and not above high_freq_factor, both finite";
    case POSENC_BAD_PROPORTION:
      return "proportion must be between 0 and 1";
    case POSENC_BAD_FACTOR_LIST:
      return "the factors need one of doubles and floats, rotary_dim / 2 positive and finite ones, and "
             "LongRoPE two lists";
    case POSENC_BAD_AXES:
      return "axes must be 1 to 4, sections add up to rotary_dim / 2 and suit axis_order; of one axis there "
             "are none";
    case POSENC_BAD_AMPLITUDE:
      return "amplitude, scale and their product must be between 2^-64 and 2^64";
    case POSENC_UNKNOWN_PRESET:
      return "no preset has that name";
    case POSENC_BAD_MIN_TIMESCALE:
      return "min_timescale must be positive and finite, and 1 with a list of frequencies or a phase "
             "rounding other than f32_log_increment";
    case POSENC_BAD_ODD_COLUMN:
      return "odd_column is not a posenc_odd_column, or a middle of columns in turns";
    case POSENC_BAD_POSITION_OFFSET:
      return "position_offset is outside -2^31 .. 2^31";
    case POSENC_BAD_PADDING_POSITION:
      return "padding_position, with position_offset added, is outside -2^31 .. 2^31";
    case POSENC_BAD_CACHE:
      return "layout is not a posenc_cache_layout, or cos and sin are not the tables that it has";
    case POSENC_BAD_GRID:
      return "a grid needs 1 to 8 axes, no two of them with columns in common";
    case POSENC_BAD_NORMALIZATION:
      return "normalization is not a posenc_normalization, or its scale or offset is a NaN or outside "
             "-2^31 .. 2^31";
    default:
      return "unknown status";
  }
}
