// The presets: the conventions in the field, a row each. A row has only what was read in its source.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "api/versioned.h"
#include "posenc/posenc_c.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

// exponent_dim, of d columns in h = floor(d / 2) pairs. At least what keeps the one frequency of 1, 2 and 3
// columns 1, where sources divide by zero.
enum class Divisor {
  kDim,          // d
  kEvenDim,      // 2 ceil(d / 2)
  kWholePairs,   // 2 h
  kOtherPairs,   // 2 (h - 1): the last frequency is 1 / base
  kMarian,       // 2 (d / 2 - 1), with halves of a pair
  kPowersOfTwo,  // -2: with base 2 the frequencies 1, 2, 4, ...
  kMinusOthers,  // -2 (h - 1): the last frequency is base
};

struct Row {
  posenc_preset preset;
  posenc_layout layout;
  Divisor divisor;
  posenc_odd_column odd_column;
  posenc_phase_rounding rounding;  // the source's, if it is one
  double base = 10000.0;
  double position_scale = 1.0;
  std::int64_t position_offset = 0;
  std::int64_t padding_position = 0;  // of those that have one it is not 0
  bool input_first = false;
  posenc_unit unit = POSENC_RADIANS;
  bool is_listed = false;  // the frequencies are the caller's

  constexpr Row WithBase(double b) const {
    Row row = *this;
    row.base = b;
    return row;
  }
  constexpr Row Scaled(double scale) const {
    Row row = *this;
    row.position_scale = scale;
    return row;
  }
  constexpr Row FromOne() const {
    Row row = *this;
    row.position_offset = 1;
    return row;
  }
  constexpr Row Padded(std::int64_t position) const {
    Row row = *this;
    row.padding_position = position;
    return row;
  }
  constexpr Row AfterInput() const {
    Row row = *this;
    row.input_first = true;
    return row;
  }
  constexpr Row In(posenc_unit u) const {
    Row row = *this;
    row.unit = u;
    return row;
  }
  constexpr Row Listed() const {
    Row row = *this;
    row.is_listed = true;
    return row;
  }
};

constexpr posenc_odd_column kHalfPair = POSENC_ODD_HALF_PAIR, kZeroLast = POSENC_ODD_ZERO_LAST,
                            kCosineLast = POSENC_ODD_COSINE_LAST;
constexpr posenc_phase_rounding kNone = POSENC_NO_PHASE_ROUNDING;

constexpr Row InTurns(const char* name, const char* formula, const char* source, Divisor divisor,
                      posenc_phase_rounding rounding = kNone) {
  return {{name, formula, source}, POSENC_INTERLEAVED, divisor, kHalfPair, rounding};
}

constexpr Row SinesFirst(const char* name, const char* formula, const char* source, Divisor divisor,
                         posenc_odd_column odd_column, posenc_phase_rounding rounding = kNone) {
  return {{name, formula, source}, POSENC_SIN_COS, divisor, odd_column, rounding};
}

constexpr Row CosinesFirst(const char* name, const char* formula, const char* source, Divisor divisor,
                           posenc_phase_rounding rounding = kNone) {
  return {{name, formula, source}, POSENC_COS_SIN, divisor, kZeroLast, rounding};
}

// In the formulas, which are those of w_i, d is dim, h = floor(d / 2).
constexpr Row kRows[] = {
    // Sines and cosines by turns.
    InTurns("attention_is_all_you_need", "10000^(-2i/d)", "Vaswani et al., Attention Is All You Need, 3.5",
            Divisor::kDim),
    InTurns("annotated_transformer", "10000^(-2i/d)", "harvardnlp/annotated-transformer, PositionalEncoding",
            Divisor::kDim, POSENC_F32_EXP),
    InTurns("pytorch_tutorial", "10000^(-2i/d)",
            "pytorch/tutorials, transformer_tutorial.py, PositionalEncoding", Divisor::kDim, POSENC_F32_EXP),
    InTurns("opennmt_py", "10000^(-2i/d)",
            "OpenNMT-py, embeddings.py, PositionalEncoding (SinusoidalInterleaved)", Divisor::kDim,
            POSENC_F32_EXP),
    InTurns("d2l", "10000^(-2i/d)", "d2l-en, d2l/torch.py, PositionalEncoding", Divisor::kDim,
            POSENC_F32_POW_DIV),
    InTurns("keras_hub", "10000^(-2i/d)", "keras-hub, sine_position_encoding.py, SinePositionEncoding",
            Divisor::kDim),
    InTurns("hf_distilbert", "10000^(-2i/d)",
            "transformers, modeling_distilbert.py, create_sinusoidal_embeddings", Divisor::kDim,
            POSENC_F64_POW_DIV),
    InTurns("tatp22", "10000^(-i/ceil(d/2)); of 2-D and 3-D, an axis",
            "tatp22/multidim-positional-encoding, torch_encodings.py, PositionalEncoding1D",
            Divisor::kEvenDim, POSENC_F32_INV_FREQ),
    InTurns("conformer", "10000^(-2i/d), positions T-1 .. -(T-1)",
            "espnet, transformer/embedding.py, RelPositionalEncoding", Divisor::kDim, POSENC_F32_EXP),

    // Sines, then cosines.
    SinesFirst("tensorflow_tutorial", "10000^(-2i/d)",
               "tensorflow/text, tutorials/transformer.ipynb, positional_encoding", Divisor::kDim, kHalfPair),
    SinesFirst("hf_marian", "10000^(-2i/d)",
               "transformers, modeling_marian.py, MarianSinusoidalPositionalEmbedding", Divisor::kDim,
               kHalfPair, POSENC_F64_POW_DIV),
    SinesFirst("transformer_xl", "10000^(-2i/d), positions T-1 .. 0",
               "kimiyoung/transformer-xl, mem_transformer.py, PositionalEmbedding", Divisor::kDim, kHalfPair,
               POSENC_F32_INV_FREQ),
    SinesFirst("tensor2tensor", "10000^(-i/max(h-1, 1)); min_timescale may be set",
               "tensor2tensor, common_attention.py, get_timing_signal_1d", Divisor::kOtherPairs, kZeroLast,
               POSENC_F32_LOG_INCREMENT),
    SinesFirst("tensor2tensor_nd", "10000^(-i/(h-1)), an axis of 2h columns",
               "tensor2tensor, common_attention.py, add_timing_signal_nd", Divisor::kOtherPairs, kZeroLast,
               POSENC_F32_LOG_INCREMENT),
    SinesFirst("maxtext", "10000^(-i/max(h-1, 1))", "maxtext, layers/embeddings.py, PositionalEmbedding",
               Divisor::kOtherPairs, kZeroLast, POSENC_F32_LOG_INCREMENT),
    SinesFirst("flax", "10000^(-i/(h-1))", "flax, examples/wmt/models.py, sinusoidal_init",
               Divisor::kOtherPairs, kZeroLast),
    SinesFirst("opennmt_tf", "10000^(-i/(h-1)), positions from 1",
               "OpenNMT-tf, layers/position.py, SinusoidalPositionEncoder", Divisor::kOtherPairs, kZeroLast,
               POSENC_F32_EXP)
        .FromOne(),
    SinesFirst("ctranslate2", "10000^(-i/(h-1)), positions from 1",
               "CTranslate2, src/layers/common.cc, generate_sinusoidal_position_encoding",
               Divisor::kOtherPairs, kZeroLast, POSENC_F32_LOG_INCREMENT)
        .FromOne(),
    SinesFirst("fairseq", "10000^(-i/(h-1)), position 1 is padding and zero, tokens begin at 2",
               "fairseq, sinusoidal_positional_embedding.py, get_embedding", Divisor::kOtherPairs, kZeroLast,
               POSENC_F32_EXP)
        .Padded(1),
    SinesFirst("hf_speech_to_text", "10000^(-i/(h-1)), position 1 is padding and zero, tokens begin at 2",
               "transformers, modeling_speech_to_text.py, Speech2TextSinusoidalPositionalEmbedding",
               Divisor::kOtherPairs, kZeroLast, POSENC_F32_EXP)
        .Padded(1),
    SinesFirst("hf_m2m_100", "10000^(-i/(h-1)), position 1 is padding and zero, tokens begin at 2",
               "transformers, modeling_m2m_100.py, M2M100SinusoidalPositionalEmbedding", Divisor::kOtherPairs,
               kZeroLast, POSENC_F32_EXP)
        .Padded(1),
    SinesFirst("whisper", "10000^(-i/(h-1))", "openai/whisper, model.py, sinusoids", Divisor::kOtherPairs,
               kZeroLast, POSENC_F32_EXP),
    SinesFirst("gemma_cpp", "10000^(-i/(h-1))", "gemma.cpp, ops-inl.h, AddAbsolutePositionalEmbeddings",
               Divisor::kOtherPairs, kZeroLast, POSENC_F32_LOG_INCREMENT),
    SinesFirst("marian", "10000^(-i/(d/2-1)), h of them; of odd d cos(p) last",
               "marian-dev, cpu/tensor_operators.cpp, SinusoidalPositionEmbeddings", Divisor::kMarian,
               kCosineLast, POSENC_F32_LOG_INCREMENT),

    // Timesteps of diffusion models.
    SinesFirst("ddpm", "10000^(-i/(h-1))", "hojonathanho/diffusion, nn.py, get_timestep_embedding",
               Divisor::kOtherPairs, kZeroLast, POSENC_F32_EXP),
    SinesFirst("diffusers_timestep", "10000^(-i/(h-1))",
               "diffusers, embeddings.py, get_timestep_embedding (its defaults)", Divisor::kOtherPairs,
               kZeroLast, POSENC_F32_LOG_DIV),
    CosinesFirst("diffusers_unet", "10000^(-i/h)",
                 "diffusers, unet_2d_condition.py, UNet2DConditionModel (flip_sin_to_cos, freq_shift 0)",
                 Divisor::kWholePairs, POSENC_F32_LOG_DIV),
    CosinesFirst("guided_diffusion", "10000^(-i/h)", "openai/guided-diffusion, nn.py, timestep_embedding",
                 Divisor::kWholePairs, POSENC_F32_LOG_DIV),
    CosinesFirst("stable_diffusion", "10000^(-i/h)",
                 "CompVis/stable-diffusion, diffusionmodules/util.py, timestep_embedding",
                 Divisor::kWholePairs, POSENC_F32_LOG_DIV),
    CosinesFirst("dit", "10000^(-i/h)", "facebookresearch/DiT, models.py, timestep_embedding",
                 Divisor::kWholePairs, POSENC_F32_LOG_DIV),
    CosinesFirst("flux", "10000^(-i/h), times from 0 to 1 count 1000",
                 "black-forest-labs/flux, modules/layers.py, timestep_embedding", Divisor::kWholePairs)
        .Scaled(1000.0),
    CosinesFirst("ggml_timestep", "10000^(-i/h)", "ggml, ops.cpp, ggml_compute_forward_timestep_embedding",
                 Divisor::kWholePairs, POSENC_F32_LOG_DIV),
    CosinesFirst("stable_diffusion_cpp", "10000^(-i/h)",
                 "stable-diffusion.cpp, ggml_extend.cpp, timestep_embedding", Divisor::kWholePairs,
                 POSENC_F64_INV_FREQ),
    CosinesFirst("edm", "10000^(-i/h)", "NVlabs/edm, networks.py, PositionalEmbedding (DhariwalUNet)",
                 Divisor::kWholePairs),
    SinesFirst("edm_song", "10000^(-i/(h-1))",
               "NVlabs/edm, networks.py, PositionalEmbedding (SongUNet: endpoint, swapped)",
               Divisor::kOtherPairs, kZeroLast),
    CosinesFirst("wan", "10000^(-i/h)", "Wan2.1, modules/model.py, sinusoidal_embedding_1d",
                 Divisor::kWholePairs, POSENC_F64_POW_MUL),

    // Coordinates and noise levels.
    SinesFirst("gaussian_fourier", "2 pi times frequencies of the caller's",
               "score_sde_pytorch, layerspp.py, GaussianFourierProjection", Divisor::kDim, kZeroLast)
        .In(POSENC_TURNS)
        .Listed(),
    CosinesFirst("edm_fourier", "2 pi times frequencies of the caller's",
                 "NVlabs/edm, networks.py, FourierEmbedding", Divisor::kDim)
        .In(POSENC_TURNS)
        .Listed(),
    InTurns("nerf", "2^i, after the coordinate itself", "nerf, run_nerf_helpers.py, get_embedder",
            Divisor::kPowersOfTwo)
        .WithBase(2.0)
        .AfterInput(),
    InTurns("nerf_paper", "2^i pi", "Mildenhall et al., NeRF, equation 4", Divisor::kPowersOfTwo)
        .WithBase(2.0)
        .In(POSENC_HALF_TURNS),
    SinesFirst("pixel_bands", "pi 112^(i/(h-1)), coordinates from -1 to 1; base is half the resolution",
               "timm, pos_embed_sincos.py, pixel_freq_bands (linear_bands=False)", Divisor::kMinusOthers,
               kZeroLast)
        .WithBase(112.0)
        .In(POSENC_HALF_TURNS),
    SinesFirst("linear_pixel_bands", "pi times bands of the caller's, coordinates from -1 to 1",
               "timm, pos_embed_sincos.py, pixel_freq_bands (linspace from 1 to half the resolution)",
               Divisor::kDim, kZeroLast)
        .In(POSENC_HALF_TURNS)
        .Listed(),

    // An axis of a grid, of d columns.
    SinesFirst("mae", "10000^(-i/h), an axis", "facebookresearch/mae, pos_embed.py, get_2d_sincos_pos_embed",
               Divisor::kWholePairs, kZeroLast, POSENC_F32_INV_FREQ),
    SinesFirst("timm", "10000^(-i/h), an axis", "timm, pos_embed_sincos.py, build_sincos2d_pos_embed",
               Divisor::kWholePairs, kZeroLast, POSENC_F32_INV_FREQ),
    SinesFirst("diffusers_2d", "10000^(-i/h), an axis", "diffusers, embeddings.py, get_2d_sincos_pos_embed",
               Divisor::kWholePairs, kZeroLast),
    SinesFirst("diffusers_3d", "10000^(-i/h), an axis; position_scale is 1 / interpolation scale",
               "diffusers, embeddings.py, get_3d_sincos_pos_embed", Divisor::kWholePairs, kZeroLast),
    InTurns("detr", "10000^(-2i/d), an axis, positions from 1",
            "facebookresearch/detr, position_encoding.py, PositionEmbeddingSine (normalize=False)",
            Divisor::kDim, POSENC_F32_POW_DIV)
        .FromOne(),
    InTurns("detr_normalized", "2 pi 10000^(-2i/d), an axis, positions from 0 to 1",
            "facebookresearch/detr, position_encoding.py, PositionEmbeddingSine (normalize=True)",
            Divisor::kDim)
        .In(POSENC_TURNS),
};
constexpr std::size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);

const Row* Find(const char* name) {
  for (const Row& row : kRows) {
    if (std::strcmp(row.preset.name, name) == 0) return &row;
  }
  return nullptr;
}

double ExponentDim(Divisor divisor, std::size_t dim) {
  const auto d = static_cast<double>(dim);
  const std::size_t whole_pairs = dim / 2;
  const auto pairs = static_cast<double>(whole_pairs);
  const double others = std::max(pairs - 1.0, 1.0);
  switch (divisor) {
    case Divisor::kDim:
      return 0.0;  // and so it remains when dim is changed
    case Divisor::kEvenDim:
      return d + static_cast<double>(dim % 2);
    case Divisor::kWholePairs:
      return 2.0 * std::max(pairs, 1.0);
    case Divisor::kOtherPairs:
      return 2.0 * others;
    case Divisor::kMarian:
      return std::max(d - 2.0, 1.0);
    case Divisor::kPowersOfTwo:
      return -2.0;
    case Divisor::kMinusOthers:
      return -2.0 * others;
  }
  return 0.0;
}

posenc_status MakeSpec(const Row& row, std::size_t dim, posenc_spec* spec) {
  if (dim == 0 || dim > POSENC_MAX_DIM) return POSENC_BAD_DIM;
  spec->dim = dim;
  spec->base = row.base;
  spec->exponent_dim = ExponentDim(row.divisor, dim);
  spec->position_scale = row.position_scale;
  spec->layout = row.layout;
  spec->frequency_unit = row.unit;
  spec->odd_column = row.odd_column;
  spec->position_offset = row.position_offset;
  spec->has_padding = row.padding_position != 0 ? 1 : 0;
  spec->padding_position = row.padding_position;
  spec->input_first = row.input_first ? 1 : 0;
  if (row.is_listed) spec->frequency_count = std::max<std::size_t>(dim / 2, 1);
  return POSENC_OK;
}

}  // namespace
}  // namespace internal
}  // namespace posenc

posenc_status posenc_spec_preset(posenc_spec* spec, size_t struct_size, const char* name, size_t dim) {
  using namespace posenc::internal;
  if (spec == nullptr || name == nullptr) return POSENC_NULL_POINTER;
  const Row* row = Find(name);
  if (row == nullptr) return POSENC_UNKNOWN_PRESET;
  posenc_spec made = Default<posenc_spec>();
  const posenc_status status = MakeSpec(*row, dim, &made);
  return status != POSENC_OK ? status : WriteSpec(made, struct_size, spec);
}

posenc_phase_rounding posenc_spec_preset_rounding(const char* name) {
  using namespace posenc::internal;
  const Row* row = name == nullptr ? nullptr : Find(name);
  return row == nullptr ? posenc_phase_rounding{-1} : row->rounding;
}

size_t posenc_spec_presets(posenc_preset* presets, size_t capacity) {
  using namespace posenc::internal;
  for (std::size_t i = 0; presets != nullptr && i < kRowCount && i < capacity; ++i) {
    presets[i] = kRows[i].preset;
  }
  return kRowCount;
}
