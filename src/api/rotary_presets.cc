// The presets: what published models rotate by, a row each. A row has only what was read in its source; a
// checkpoint's own base, factors and lengths (its config.json) are set over it.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "api/versioned.h"
#include "posenc/rotary_c.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

// The elements of a head that turn: a share of them, from the first; or a fixed number, first or last.
struct Part {
  std::size_t numerator, denominator;
  std::size_t fixed;  // 0, or instead of the share
  bool last;
};
constexpr Part kAll = {1, 1, 0, false};
constexpr Part Share(std::size_t numerator, std::size_t denominator) {
  return {numerator, denominator, 0, false};
}
constexpr Part First(std::size_t elements) { return {0, 1, elements, false}; }
constexpr Part Last(std::size_t elements) { return {0, 1, elements, true}; }

// The members of a scaling, in the order of posenc_rotary_spec, with its defaults.
struct Scaling {
  posenc_scaling scaling = POSENC_NO_SCALING;
  double factor = 1.0;
  double length = 0.0;
  double original_length = 0.0;
  double mscale = 1.0;
  double mscale_all_dim = 0.0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;
  double proportion = 1.0;
  std::int32_t truncate = 1;
};
constexpr Scaling kUnscaled;

constexpr Scaling Factor(posenc_scaling scaling, double factor) {
  Scaling s;
  s.scaling = scaling;
  s.factor = factor;
  return s;
}

// For a context as long as that of the training, until the caller sets length.
constexpr Scaling Dynamic(posenc_scaling scaling, double factor, double original_length) {
  Scaling s = Factor(scaling, factor);
  s.length = s.original_length = original_length;
  return s;
}

constexpr Scaling Yarn(double factor, double original_length, double mscale = 1.0,
                       double mscale_all_dim = 0.0) {
  Scaling s = Factor(POSENC_YARN, factor);
  s.original_length = original_length;
  s.mscale = mscale;
  s.mscale_all_dim = mscale_all_dim;
  return s;
}

constexpr Scaling YarnWithoutRounding(double factor, double original_length) {
  Scaling s = Yarn(factor, original_length);
  s.truncate = 0;
  return s;
}

constexpr Scaling LongRope(double original_length, double length) {
  Scaling s = Factor(POSENC_LONGROPE, length / original_length);
  s.length = length;
  s.original_length = original_length;
  return s;
}

constexpr Scaling Llama3(double factor, double low, double high, double original_length) {
  Scaling s = Factor(POSENC_LLAMA3, factor);
  s.low_freq_factor = low;
  s.high_freq_factor = high;
  s.original_length = original_length;
  return s;
}

constexpr Scaling Proportional(double proportion) {
  Scaling s = Factor(POSENC_PROPORTIONAL, 1.0);
  s.proportion = proportion;
  return s;
}

// Axes with equal shares of the pairs (no sections), or with sections that one rotary_dim only has.
struct Axes {
  std::size_t axes = 1;
  posenc_axis_order order = POSENC_CONSECUTIVE_AXES;
  std::size_t sections[POSENC_MAX_AXES] = {};
};
constexpr Axes kOne;
constexpr Axes Equal(posenc_axis_order order, std::size_t axes) { return {axes, order, {}}; }
constexpr Axes Sections(posenc_axis_order order, std::size_t a, std::size_t b, std::size_t c,
                        std::size_t d = 0) {
  return {d == 0 ? std::size_t{3} : std::size_t{4}, order, {a, b, c, d}};
}

struct Row {
  posenc_preset preset;
  posenc_pairing pairing, output_pairing;
  double base;
  Part part;
  Scaling scaling;
  Axes axes;
  posenc_unit unit;
};

constexpr Row Halves(const char* name, const char* formula, const char* source, double base, Part part = kAll,
                     Scaling scaling = kUnscaled, Axes axes = kOne, posenc_unit unit = POSENC_RADIANS) {
  return {{name, formula, source}, POSENC_HALF_SPLIT, POSENC_SAME_PAIRING, base, part, scaling, axes, unit};
}

constexpr Row Neighbours(const char* name, const char* formula, const char* source, double base,
                         Part part = kAll, Scaling scaling = kUnscaled, Axes axes = kOne) {
  Row row = Halves(name, formula, source, base, part, scaling, axes);
  row.pairing = POSENC_NEIGHBOURS;
  return row;
}

// Reads neighbours and writes halves.
constexpr Row NeighboursToHalves(const char* name, const char* formula, const char* source, double base,
                                 Part part, Scaling scaling) {
  Row row = Neighbours(name, formula, source, base, part, scaling);
  row.output_pairing = POSENC_HALF_SPLIT;
  return row;
}

constexpr posenc_axis_order kConsecutive = POSENC_CONSECUTIVE_AXES;
constexpr posenc_axis_order kAxial = POSENC_AXIAL_AXES;

// In the formulas d is head_dim, r rotary_dim, L length, L0 original_length, f factor; w_i but for a scaling.
constexpr Row kRows[] = {
    // The first ones.
    Neighbours("rope", "10000^(-2i/d), neighbours",
               "transformers, modeling_roformer.py, apply_rotary_position_embeddings", 1e4),
    Neighbours("gpt_j", "10000^(-2i/64), neighbours, first 64",
               "transformers, modeling_gptj.py, create_sinusoidal_positions", 1e4, First(64)),
    Neighbours("codegen", "10000^(-2i/64), neighbours, first 64",
               "transformers, modeling_codegen.py, create_sinusoidal_positions", 1e4, First(64)),
    Halves("gpt_neox", "10000^(-2i/r), first quarter",
           "transformers, modeling_gpt_neox.py, GPTNeoXRotaryEmbedding", 1e4, Share(1, 4)),

    // Llama.
    Halves("llama", "10000^(-2i/d)", "transformers, modeling_llama.py, LlamaRotaryEmbedding", 1e4),
    Halves("codellama", "1000000^(-2i/d)", "litgpt, config.py, CodeLlama-7b-hf", 1e6),
    Halves(
        "llama3", "500000^(-2i/d), / 8 beyond a wavelength of 8192, blended from 2048",
        "litgpt, config.py, Llama-3.1-8B; transformers, modeling_rope_utils.py, _compute_llama3_parameters",
        5e5, kAll, Llama3(8, 1, 4, 8192)),
    Halves(
        "llama3_2", "500000^(-2i/d), / 32 beyond a wavelength of 8192, blended from 2048",
        "litgpt, config.py, Llama-3.2-1B; transformers, modeling_rope_utils.py, _compute_llama3_parameters",
        5e5, kAll, Llama3(32, 1, 4, 8192)),
    Neighbours("llama4", "500000^(-2i/d), neighbours", "transformers, modeling_llama4.py, apply_rotary_emb",
               5e5),
    Neighbours("llama4_vision", "10000^(-4j/d) for x + 1, then for y + 1, neighbours",
               "transformers, modeling_llama4.py, Llama4VisionRotaryEmbedding", 1e4, kAll, kUnscaled,
               Equal(kAxial, 2)),

    // Mistral.
    Halves("mistral", "10000^(-2i/d)", "litgpt, config.py, Mistral-7B-v0.1", 1e4),
    Halves("mistral_v0_2", "1000000^(-2i/d)", "litgpt, config.py, Mistral-7B-v0.2", 1e6),
    Halves("mixtral", "1000000^(-2i/d)", "transformers, configuration_mixtral.py, MixtralConfig", 1e6),
    Halves("ministral3", "1000000^(-2i/d), YaRN 16 from 16384, amplitude 1",
           "transformers, configuration_ministral3.py, Ministral3Config", 1e6, kAll, Yarn(16, 16384, 1, 1)),
    NeighboursToHalves(
        "mistral4", "10000^(-2i/64), YaRN 128 from 8192, last 64, neighbours to halves",
        "transformers, configuration_mistral4.py, Mistral4Config, apply_rotary_pos_emb_interleave", 1e4,
        Last(64), Yarn(128, 8192, 1, 1)),
    Halves("pixtral", "10000^(-2i/d), even i for y, odd i for x",
           "transformers, modeling_pixtral.py, PixtralRotaryEmbedding", 1e4, kAll, kUnscaled,
           Equal(POSENC_SPLIT_AXES, 2)),

    // Qwen.
    Halves("qwen", "(10000 a^(d/(d-2)))^(-2i/d), a = 2^ceil(log2(L / 8192) + 1) - 1",
           "Qwen-7B, modeling_qwen.py, get_ntk_alpha; its config.json", 1e4, kAll,
           Dynamic(POSENC_QWEN_NTK, 1, 8192)),
    Halves("qwen2", "1000000^(-2i/d)", "mlx-lm, qwen2.py, ModelArgs; litgpt, config.py, Qwen2.5-7B", 1e6),
    Halves("yarn_qwen2_5", "1000000^(-2i/d), YaRN 4 from 32768",
           "Qwen, docs/source/inference/transformers.md; transformers, modeling_rope_utils.py, "
           "_compute_yarn_parameters",
           1e6, kAll, Yarn(4, 32768)),
    Halves("qwen3", "1000000^(-2i/d)", "litgpt, config.py, Qwen3-8B", 1e6),
    Halves("qwen2_vl", "1000000^(-2i/128), 16 pairs for time, 24 for y, 24 for x",
           "transformers, modeling_qwen2_vl.py, apply_multimodal_rotary_pos_emb; config.json of Qwen2-VL",
           1e6, kAll, kUnscaled, Sections(kConsecutive, 16, 24, 24)),
    Halves("qwen2_vl_vision", "10000^(-4j/d) for y, then for x",
           "transformers, modeling_qwen2_vl.py, VisionRotaryEmbedding", 1e4, kAll, kUnscaled,
           Equal(kAxial, 2)),
    Halves("qwen3_vl", "5000000^(-2i/128), time, y and x by turns, 20 pairs for y and x each, else time",
           "transformers, modeling_qwen3_vl.py, apply_interleaved_mrope; config.json of Qwen3-VL", 5e6, kAll,
           kUnscaled, Sections(POSENC_INTERLEAVED_AXES, 24, 20, 20)),

    // Phi.
    Halves("phi", "10000^(-2i/r), first half", "transformers, configuration_phi.py, PhiConfig", 1e4,
           Share(1, 2)),
    Halves("phi_2", "10000^(-2i/r), first two fifths", "litgpt, config.py, phi-2", 1e4, Share(2, 5)),
    Halves("phi3", "10000^(-2i/d)", "transformers, configuration_phi3.py, Phi3Config", 1e4),
    Halves("phi3_longrope", "10000^(-2i/d) / factors[i], 4096 to 131072, your lists",
           "vLLM, phi3_long_rope_scaled_rope.py, Phi3LongRoPEScaledRotaryEmbedding; mlx-lm, rope_utils.py, "
           "SuScaledRoPE",
           1e4, kAll, LongRope(4096, 131072)),
    Halves("phi4", "250000^(-2i/d)", "litgpt, config.py, phi-4", 2.5e5),

    // Gemma.
    Halves("gemma", "10000^(-2i/d)", "transformers, configuration_gemma.py, GemmaConfig", 1e4),
    Halves("gemma2", "10000^(-2i/d)", "transformers, configuration_gemma2.py, Gemma2Config", 1e4),
    Halves("gemma3_local", "10000^(-2i/d)", "transformers, configuration_gemma3.py, Gemma3TextConfig", 1e4),
    Halves("gemma3_global", "1000000^(-2i/d) / 8",
           "litgpt, config.py, Gemma-3-4b-it; transformers, configuration_gemma3.py, Gemma3TextConfig", 1e6,
           kAll, Factor(POSENC_LINEAR, 8)),
    Halves("gemma4_local", "10000^(-2i/d)", "transformers, configuration_gemma4.py, Gemma4TextConfig", 1e4),
    Halves("gemma4_global", "1000000^(-2i/d) for the first quarter of the pairs, else 0",
           "transformers, configuration_gemma4.py, Gemma4TextConfig; modeling_rope_utils.py, "
           "_compute_proportional_rope_parameters",
           1e6, kAll, Proportional(0.25)),

    // DeepSeek, GPT-OSS, Grok, TeleChat.
    Neighbours("deepseek_v2", "10000^(-2i/64), YaRN 40 from 4096, amplitude 1, last 64, neighbours",
               "transformers, modeling_deepseek_v2.py, apply_rotary_emb; config.json of DeepSeek-V2", 1e4,
               Last(64), Yarn(40, 4096, 0.707, 0.707)),
    NeighboursToHalves("deepseek_v3",
                       "10000^(-2i/64), YaRN 40 from 4096, amplitude 1, last 64, neighbours to halves",
                       "DeepSeek-V3, inference/model.py, ModelArgs; transformers, modeling_deepseek_v3.py, "
                       "apply_rotary_pos_emb_interleave",
                       1e4, Last(64), Yarn(40, 4096, 1, 1)),
    Halves("gpt_oss", "150000^(-2i/d), YaRN 32 from 4096, its ramp not rounded to pairs",
           "transformers, configuration_gpt_oss.py, GptOssConfig", 1.5e5, kAll,
           YarnWithoutRounding(32, 4096)),
    Halves("grok1", "10000^(-2i/d)", "grok-1, model.py, RotaryEmbedding", 1e4),
    Halves("grok1_yarn_log", "10000^(-2i/d) f^(-m_i), your f and L0",
           "vLLM, grok1_scaling_rope.py, Grok1ScalingRotaryEmbedding (yarn_log)", 1e4, kAll,
           Factor(POSENC_YARN_LOG, 1)),
    Halves(
        "telechat3", "1000000^(-2i/d), YaRN 4 from 8192, amplitude 0.07 ln f + 1",
        "vLLM, telechat3_scaling_rope.py, TeleChat3RoPEScaledRotaryEmbedding; config.json of TeleChat3-36B",
        1e6, kAll, Yarn(4, 8192, 0.7)),

    // GLM and ERNIE.
    Neighbours("chatglm", "10000^(-2i/r), neighbours, first half", "vLLM, chatglm.py", 1e4, Share(1, 2)),
    Neighbours("glm", "10000^(-2i/r), neighbours, first half",
               "transformers, modeling_glm.py, apply_rotary_pos_emb", 1e4, Share(1, 2)),
    Neighbours("glm4", "10000^(-2i/r), neighbours, first half",
               "transformers, modeling_glm4.py, apply_rotary_pos_emb", 1e4, Share(1, 2)),
    Neighbours(
        "glm4v", "10000^(-2i/64), neighbours, first half, 8 pairs for time, 12 for y, 12 for x",
        "transformers, modeling_glm4v.py, Glm4vTextRotaryEmbedding, convert_glm4v_mgt_weights_to_hf.py", 1e4,
        Share(1, 2), kUnscaled, Sections(kConsecutive, 8, 12, 12)),
    Neighbours("ernie", "500000^(-2i/d), neighbours",
               "transformers, modeling_ernie4_5.py, apply_rotary_pos_emb", 5e5),
    Neighbours("ernie_vl", "500000^(-2i/128), neighbours, y and x by turns, 22 pairs each, then 20 for time",
               "transformers, modeling_ernie4_5_vl_moe.py, Ernie4_5_VLMoeTextRotaryEmbedding; vLLM, "
               "ernie45_vl_rope.py",
               5e5, kAll, kUnscaled, Sections(POSENC_ALTERNATING_AXES, 20, 22, 22)),

    // Others, by name.
    Halves("baichuan", "10000^(-2i/d)", "vLLM, baichuan.py (7B; 13B has ALiBi)", 1e4),
    Neighbours("cohere", "8000000^(-2i/d), neighbours",
               "transformers, modeling_cohere.py, apply_rotary_pos_emb; mlx-lm, cohere.py, ModelArgs", 8e6),
    Neighbours("cohere2", "50000^(-2i/d), neighbours",
               "transformers, modeling_cohere2.py, apply_rotary_pos_emb; mlx-lm, cohere2.py, ModelArgs", 5e4),
    Halves("dinov3", "2 pi 100^(-4j/d) for y, then for x, both from -1 to 1",
           "transformers, modeling_dinov3_vit.py, DINOv3ViTRopePositionEmbedding", 1e2, kAll, kUnscaled,
           Equal(kAxial, 2), POSENC_TURNS),
    Halves("falcon", "10000^(-2i/d)", "transformers, modeling_falcon.py, FalconRotaryEmbedding", 1e4),
    Halves("falcon3", "1000042^(-2i/d)", "litgpt, config.py, Falcon3-7B", 1000042),
    Halves("granite", "10000^(-2i/d)", "transformers, configuration_granite.py, GraniteConfig", 1e4),
    Neighbours("helium", "100000^(-2i/d), neighbours",
               "transformers, configuration_helium.py, HeliumConfig, rotate_half", 1e5),
    Halves("hunyuan_vl", "(10000 * 1000^(r/(r-2)))^(-2i/128), 16 pairs each for position, x, y, time",
           "vLLM, xdrope.py, XDRotaryEmbedding; mlx-vlm, hunyuan_vl/config.py, TextConfig", 1e4, kAll,
           Factor(POSENC_NTK, 1000), Sections(kConsecutive, 16, 16, 16, 16)),
    Halves("internlm2", "1000000^(-2i/d), dynamic NTK 2 beyond 32768", "config.json of internlm2-chat-7b-sft",
           1e6, kAll, Dynamic(POSENC_DYNAMIC_NTK, 2, 32768)),
    Halves("modernbert_global", "160000^(-2i/d)",
           "transformers, configuration_modernbert.py, ModernBertConfig", 1.6e5),
    Halves("modernbert_local", "10000^(-2i/d)", "transformers, configuration_modernbert.py, ModernBertConfig",
           1e4),
    Halves("nomic_bert", "1000^(-2i/d)", "transformers, configuration_nomic_bert.py, NomicBertConfig", 1e3),
    Halves("olmo", "10000^(-2i/d)", "litgpt, config.py, OLMo-7B-hf", 1e4),
    Halves("olmo2", "500000^(-2i/d)", "litgpt, config.py, OLMo-2-1124-7B", 5e5),
    Halves("smollm3", "2000000^(-2i/d)", "transformers, configuration_smollm3.py, SmolLM3Config", 2e6),
    Halves("stablelm", "10000^(-2i/r), first quarter",
           "transformers, configuration_stablelm.py, StableLmConfig", 1e4, Share(1, 4)),
    Halves("starcoder2", "100000^(-2i/d)", "mlx-lm, starcoder2.py, ModelArgs", 1e5),
};
constexpr std::size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);

const Row* Find(const char* name) {
  for (const Row& row : kRows) {
    if (std::strcmp(row.preset.name, name) == 0) return &row;
  }
  return nullptr;
}

// As int(head_dim * share) in the sources, where it is even.
bool SetPart(const Part& part, std::size_t head_dim, posenc_rotary_spec* spec) {
  const std::size_t r = part.fixed != 0 ? part.fixed : head_dim * part.numerator / part.denominator;
  if (r == 0 || r % 2 != 0 || r > head_dim || r > POSENC_MAX_ROTARY_DIM) return false;
  spec->rotary_dim = r;
  spec->rotary_offset = part.last ? head_dim - r : 0;
  return true;
}

bool SetAxes(const Axes& axes, posenc_rotary_spec* spec) {
  spec->axes = axes.axes;
  spec->axis_order = axes.order;
  if (axes.axes == 1) return true;
  const std::size_t pairs = spec->rotary_dim / 2;
  const bool equal = axes.sections[0] == 0;
  std::size_t sum = 0;
  for (std::size_t k = 0; k < axes.axes; ++k) {
    spec->sections[k] = equal ? pairs / axes.axes : axes.sections[k];
    sum += spec->sections[k];
  }
  return sum == pairs;
}

void SetScaling(const Scaling& scaling, posenc_rotary_spec* spec) {
  spec->scaling = scaling.scaling;
  spec->factor = scaling.factor;
  spec->length = scaling.length;
  spec->original_length = scaling.original_length;
  spec->mscale = scaling.mscale;
  spec->mscale_all_dim = scaling.mscale_all_dim;
  spec->low_freq_factor = scaling.low_freq_factor;
  spec->high_freq_factor = scaling.high_freq_factor;
  spec->proportion = scaling.proportion;
  spec->truncate = scaling.truncate;
}

posenc_status MakeSpec(const Row& row, std::size_t head_dim, posenc_rotary_spec* spec) {
  if (head_dim < 2 || head_dim > POSENC_MAX_HEAD_DIM) return POSENC_BAD_HEAD_DIM;
  spec->head_dim = head_dim;
  if (!SetPart(row.part, head_dim, spec) || !SetAxes(row.axes, spec)) return POSENC_BAD_HEAD_DIM;
  spec->pairing = row.pairing;
  spec->output_pairing = row.output_pairing;
  spec->base = row.base;
  spec->unit = row.unit;
  SetScaling(row.scaling, spec);
  return POSENC_OK;
}

}  // namespace
}  // namespace internal
}  // namespace posenc

posenc_status posenc_rotary_spec_preset(posenc_rotary_spec* spec, size_t struct_size, const char* name,
                                        size_t head_dim) {
  using namespace posenc::internal;
  if (spec == nullptr || name == nullptr) return POSENC_NULL_POINTER;
  const Row* row = Find(name);
  if (row == nullptr) return POSENC_UNKNOWN_PRESET;
  posenc_rotary_spec made = Default<posenc_rotary_spec>();
  const posenc_status status = MakeSpec(*row, head_dim, &made);
  return status != POSENC_OK ? status : WriteSpec(made, struct_size, spec);
}

size_t posenc_rotary_presets(posenc_preset* presets, size_t capacity) {
  using namespace posenc::internal;
  for (std::size_t i = 0; presets != nullptr && i < kRowCount && i < capacity; ++i) {
    presets[i] = kRows[i].preset;
  }
  return kRowCount;
}
