// Compares posenc's nodes in graphs of ggml (docs/examples/posenc_ggml.h) with ggml's nodes. posenc must have
// the oracle's bits, for the spec that a GGUF file with the same parameters would give, and ggml must be
// near. Prints how far both are from the real numbers and, with --times, how long both take. The exit status
// is 0 on success.
#include "posenc_ggml.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "oracle/format.h"
#include "oracle/oracle.h"
#include "oracle/rotary_oracle.h"
#include "posenc/models.h"
#include "posenc/rotary.h"

namespace posenc {
namespace {

using Context = std::unique_ptr<ggml_context, void (*)(ggml_context*)>;
using oracle::Pack;
using oracle::RoundTo;
using oracle::Unpack;

constexpr std::size_t kTokens = 70;  // more than one call rotates
constexpr std::size_t kHeads = 3, kBatch = 2;

int failures = 0;

void Expect(bool is_right, const std::string& what) {
  if (is_right) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

// The arguments of ggml_rope_multi.
struct Rope {
  const char* name = "";
  int mode = GGML_ROPE_TYPE_NEOX, head_dim = 128, n_dims = 128;
  std::array<int, GGML_MROPE_SECTIONS> sections{};
  bool has_factors = false;
  float freq_base = 1e6f, freq_scale = 1.0f, attn_factor = 1.0f, ext_factor = 0.0f;
  int n_ctx_orig = 4096;
  float beta_fast = 32.0f, beta_slow = 1.0f;
  bool has_sections = true;  // used if the mode has several axes

  bool HasAxes() const { return (mode & GGML_ROPE_TYPE_MROPE) != 0; }
  std::size_t Pairs() const {
    return static_cast<std::size_t>(mode == GGML_ROPE_TYPE_VISION ? n_dims : n_dims / 2);
  }
};

const Rope kRopes[] = {
    {"normal", GGML_ROPE_TYPE_NORMAL, 128, 128, {}, false, 1e4f},
    {"neox", GGML_ROPE_TYPE_NEOX, 128, 128, {}, false, 5e5f},
    {"neox, linear, part", GGML_ROPE_TYPE_NEOX, 128, 64, {}, false, 1e4f, 0.25f},
    {"normal, factors", GGML_ROPE_TYPE_NORMAL, 128, 128, {}, true, 5e5f},
    {"neox, factors, linear, gain, part", GGML_ROPE_TYPE_NEOX, 128, 96, {}, true, 1e4f, 0.5f, 1.25f},
    {"neox, YaRN", GGML_ROPE_TYPE_NEOX, 128, 128, {}, false, 1e6f, 0.25f, 1.0f, 1.0f, 32768},
    {"normal, YaRN, betas, gain, part",
     GGML_ROPE_TYPE_NORMAL,
     128,
     64,
     {},
     false,
     1e4f,
     0.03125f,
     0.75f,
     1.0f,
     4096,
     16.0f,
     2.0f},
    {"mrope", GGML_ROPE_TYPE_MROPE, 128, 128, {16, 24, 24, 0}, false, 1e4f},
    {"mrope, four axes, YaRN",
     GGML_ROPE_TYPE_MROPE,
     128,
     128,
     {14, 20, 20, 10},
     false,
     1e6f,
     0.25f,
     1.0f,
     1.0f},
    {"imrope", GGML_ROPE_TYPE_IMROPE, 128, 128, {24, 20, 20, 0}, false, 5e6f},
    {"vision", GGML_ROPE_TYPE_VISION, 80, 40, {20, 20, 20, 20}, false, 1e4f}};

float Factor(std::size_t i) { return 1.0f + 0.37f * static_cast<float>(i); }

// The spec for a GGUF file with these parameters. For a vision tower it is a preset.
posenc_rotary_spec SpecOf(const Rope& rope, std::vector<double>* lists) {
  posenc_rotary_spec spec;
  if (rope.mode == GGML_ROPE_TYPE_VISION) {
    const Status status = RotaryPreset(&spec, "qwen2_vl_vision", static_cast<std::size_t>(rope.head_dim));
    Expect(status == POSENC_OK, "qwen2_vl_vision");
    return spec;
  }
  const std::string architecture = rope.mode == GGML_ROPE_TYPE_NORMAL  ? "llama"
                                   : rope.mode == GGML_ROPE_TYPE_MROPE ? "qwen2vl"
                                   : rope.mode == GGML_ROPE_TYPE_NEOX  ? "qwen2"
                                                                       : "qwen3vl";
  std::vector<std::string> keys;
  std::vector<ConfigEntry> entries{{"general.architecture", architecture.c_str()}};
  const auto key = [&, prefix = architecture + "."](const char* name) {
    keys.push_back(prefix + name);
    return keys.back().c_str();
  };
  keys.reserve(16);
  entries.push_back({key("attention.key_length"), rope.head_dim});
  entries.push_back({key("rope.dimension_count"), rope.n_dims});
  entries.push_back({key("rope.freq_base"), rope.freq_base});
  lists->assign(rope.sections.begin(), rope.sections.end());
  for (std::size_t i = 0; i < rope.Pairs(); ++i) lists->push_back(Factor(i));
  if (rope.HasAxes()) entries.push_back({key("rope.dimension_sections"), lists->data(), 4});
  const bool has_tensor = rope.has_factors && architecture == "llama";  // other architectures do not read it
  if (has_tensor) entries.push_back({"rope_freqs.weight", lists->data() + 4, rope.Pairs()});
  const bool is_yarn = rope.ext_factor != 0.0f, is_linear = !is_yarn && !rope.has_factors;
  entries.push_back({key("rope.scaling.type"), is_yarn ? "yarn" : is_linear ? "linear" : "none"});
  if (is_yarn || is_linear) entries.push_back({key("rope.scaling.factor"), 1.0 / rope.freq_scale});
  entries.push_back({key("rope.scaling.original_context_length"), rope.n_ctx_orig});
  entries.push_back({key("rope.scaling.attn_factor"), rope.attn_factor});
  const std::vector<posenc_config_entry> all(entries.begin(), entries.end());
  posenc_config config{};
  config.entries = all.data();
  config.count = all.size();
  posenc_model_report report;
  const Status status = RotaryFromConfig(&spec, config, &report);
  Expect(status == POSENC_OK, std::string(rope.name) + ": " + report.text);
  // The models have no keys for these.
  spec.beta_fast = rope.beta_fast;
  spec.beta_slow = rope.beta_slow;
  if (rope.has_factors) spec.position_scale = rope.freq_scale;  // llama.cpp passes this too
  if (rope.has_factors && !has_tensor) {
    spec.scaling = POSENC_FREQUENCY_FACTORS;
    spec.factors = lists->data() + 4;
    spec.factor_count = rope.Pairs();
    spec.amplitude = rope.attn_factor;
  }
  return spec;
}

class Backend {
 public:
  Backend() {
    ggml_backend_load_all();
    backend_ = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr);
    if (backend_ == nullptr) return;
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend_));
    set_threads_ = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads"));
  }
  ~Backend() { ggml_backend_free(backend_); }

  bool exists() const { return backend_ != nullptr && set_threads_ != nullptr; }

  void Compute(ggml_cgraph* graph, int threads) const {
    set_threads_(backend_, threads);
    Expect(ggml_backend_graph_compute(backend_, graph) == GGML_STATUS_SUCCESS, "ggml_backend_graph_compute");
  }

  void Compute(ggml_context* ctx, ggml_tensor* node, int threads) const {
    ggml_cgraph* graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, node);
    Compute(graph, threads);
  }

 private:
  ggml_backend_t backend_ = nullptr;
  ggml_backend_set_n_threads_t set_threads_ = nullptr;
};

Context NewContext(std::size_t bytes = std::size_t{1} << 24) {
  return {ggml_init({bytes, nullptr, false}), ggml_free};
}

// Positions on axis k. Even tokens are near 100, and odd ones near 131071.
std::int32_t Position(std::size_t k, std::size_t token) {
  return (token % 2 == 0 ? 100 : 131071) - static_cast<std::int32_t>(token / 2 + 3 * k);
}

ggml_tensor* Positions(ggml_context* ctx, bool has_axes, std::size_t tokens) {
  const std::size_t axes = has_axes ? 4 : 1;
  ggml_tensor* list = ggml_new_tensor_1d(ctx, GGML_TYPE_I32, static_cast<std::int64_t>(axes * tokens));
  for (std::size_t i = 0; i < axes * tokens; ++i) {
    static_cast<std::int32_t*>(list->data)[i] = Position(i / tokens, i % tokens);
  }
  return list;
}

ggml_tensor* Factors(ggml_context* ctx, const Rope& rope) {
  if (!rope.has_factors) return nullptr;
  ggml_tensor* list = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, static_cast<std::int64_t>(rope.Pairs()));
  for (std::size_t i = 0; i < rope.Pairs(); ++i) static_cast<float*>(list->data)[i] = Factor(i);
  return list;
}

// The result of a function in the header.
struct Answer {
  posenc_status status = POSENC_OK;
  const char* why = "";

  bool IsOk() const { return status == POSENC_OK; }
  bool Is(posenc_kind kind, const char* words) const {
    return posenc_status_kind(status) == kind && std::strstr(why, words) != nullptr;
  }
};

Answer HeaderSpec(const Rope& rope, const ggml_tensor* c, posenc_rotary_spec* spec) {
  posenc_ggml_rope_arguments given{};
  given.head_dim = rope.head_dim;
  given.c = c;
  given.n_dims = rope.n_dims;
  given.sections = rope.HasAxes() && rope.has_sections ? rope.sections.data() : nullptr;
  given.mode = rope.mode;
  given.n_ctx_orig = rope.n_ctx_orig;
  given.freq_base = rope.freq_base;
  given.freq_scale = rope.freq_scale;
  given.ext_factor = rope.ext_factor;
  given.attn_factor = rope.attn_factor;
  given.beta_fast = rope.beta_fast;
  given.beta_slow = rope.beta_slow;
  Answer answer;
  answer.status = posenc_ggml_rope_spec(&given, spec, &answer.why);
  return answer;
}

Answer CreateRotary(const posenc_rotary_spec& spec, Rotary* rotary) {
  const Status status = Rotary::Create(spec, rotary);
  return {status, posenc_status_message(status)};
}

Answer Node(ggml_context* ctx, ggml_tensor* a, ggml_tensor* b, const posenc_rotary* rotary, bool in_place,
            ggml_tensor** node) {
  Answer answer;
  answer.status = posenc_ggml_rope(ctx, a, b, rotary, in_place ? 1 : 0, node, &answer.why);
  return answer;
}

ggml_tensor* Theirs(ggml_context* ctx, const Rope& rope, ggml_tensor* a, ggml_tensor* b, ggml_tensor* c) {
  std::array<int, GGML_MROPE_SECTIONS> sections = rope.sections;
  return ggml_rope_multi(ctx, a, b, c, rope.n_dims, sections.data(), rope.mode, rope.n_ctx_orig,
                         rope.freq_base, rope.freq_scale, rope.ext_factor, rope.attn_factor, rope.beta_fast,
                         rope.beta_slow);
}

struct Type {
  const char* name;
  ggml_type theirs;
  posenc_type ours;
};
constexpr Type kTypes[] = {{"float32", GGML_TYPE_F32, POSENC_F32},
                           {"float16", GGML_TYPE_F16, POSENC_F16},
                           {"bfloat16", GGML_TYPE_BF16, POSENC_BF16}};

std::uint64_t BitsAt(const ggml_tensor* tensor, std::size_t e, std::size_t head, std::size_t token,
                     std::size_t batch) {
  std::uint64_t bits = 0;
  const char* at = static_cast<const char*>(tensor->data) + e * tensor->nb[0] + head * tensor->nb[1] +
                   token * tensor->nb[2] + batch * tensor->nb[3];
  std::memcpy(&bits, at, ggml_type_size(tensor->type));  // little-endian
  return bits;
}

// Elements before and after rotation by the oracle: [kBatch, kTokens, kHeads, head_dim].
class Table {
 public:
  Table(const posenc_rotary_spec& spec, posenc_type type) : Table(spec, type, type) {}
  // The result has another type than the source.
  Table(const posenc_rotary_spec& spec, posenc_type source_type, posenc_type type)
      : dim_(spec.head_dim),
        type_(type),
        before_(kBatch * kTokens * kHeads * dim_),
        after_(before_.size()),
        exact_(before_.size()) {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const auto n = static_cast<std::uint32_t>(i * 2654435761u + 12345u);
      const double element = static_cast<double>(n ^ n >> 15) * 0x1p-31 - 1.0;
      before_[i] = Pack(source_type, RoundTo(source_type, element));
      exact_[i] = Unpack(source_type, before_[i]);
      after_[i] = Pack(type, RoundTo(type, exact_[i]));
    }
    oracle::RotaryOracle oracle(spec);
    const std::size_t pairs = oracle.pairs();
    const bool is_half_split = spec.pairing == POSENC_HALF_SPLIT;
    for (std::size_t t = 0; t < kTokens; ++t) {
      for (std::size_t i = 0; i < pairs; ++i) {
        const auto at = [&](std::size_t k) { return static_cast<double>(Position(k, t)); };
        oracle::Angle angle(&oracle, i, oracle.PositionOf(i, at), {});
        oracle::Rounding c, s, x, y;
        angle.RoundBoth(POSENC_F64, &c, &s);
        const double cosine = Unpack(POSENC_F64, c.bits), sine = Unpack(POSENC_F64, s.bits);
        for (std::size_t row = 0; row < kBatch * kHeads; ++row) {
          const std::size_t first = At(0, row % kHeads, t, row / kHeads);
          const std::size_t j = first + (is_half_split ? i : 2 * i), k = j + (is_half_split ? pairs : 1);
          const double a = Unpack(source_type, before_[j]), b = Unpack(source_type, before_[k]);
          angle.Rotate(type, a, b, &x, &y);
          after_[j] = x.bits;
          after_[k] = y.bits;
          exact_[j] = a * cosine - b * sine;
          exact_[k] = b * cosine + a * sine;
        }
      }
    }
  }

  std::size_t At(std::size_t e, std::size_t head, std::size_t token, std::size_t batch) const {
    return ((batch * kTokens + token) * kHeads + head) * dim_ + e;
  }

  template <class Visit>
  void ForEach(const ggml_tensor* tensor, const Visit& visit) const {
    for (std::size_t b = 0; b < static_cast<std::size_t>(tensor->ne[3]); ++b) {
      for (std::size_t t = 0; t < static_cast<std::size_t>(tensor->ne[2]); ++t) {
        for (std::size_t h = 0; h < static_cast<std::size_t>(tensor->ne[1]); ++h) {
          for (std::size_t e = 0; e < dim_; ++e) visit(e, h, t, b, At(e, h, t, b));
        }
      }
    }
  }

  void Fill(ggml_tensor* tensor) const {
    ForEach(tensor, [&](std::size_t e, std::size_t h, std::size_t t, std::size_t b, std::size_t i) {
      std::memcpy(static_cast<char*>(tensor->data) + e * tensor->nb[0] + h * tensor->nb[1] +
                      t * tensor->nb[2] + b * tensor->nb[3],
                  &before_[i], ggml_type_size(tensor->type));
    });
  }

  std::size_t Mismatches(const ggml_tensor* tensor) const {
    std::size_t count = 0;
    ForEach(tensor, [&](std::size_t e, std::size_t h, std::size_t t, std::size_t b, std::size_t i) {
      if (BitsAt(tensor, e, h, t, b) != after_[i]) ++count;
    });
    return count;
  }

  // The bits of an element of the first batch after rotation.
  std::uint64_t After(std::size_t e, std::size_t head, std::size_t token) const {
    return after_[At(e, head, token, 0)];
  }

  // The largest absolute error at even or odd tokens.
  double Error(const ggml_tensor* tensor, std::size_t parity) const {
    double worst = 0.0;
    ForEach(tensor, [&](std::size_t e, std::size_t h, std::size_t t, std::size_t b, std::size_t i) {
      const double error = std::fabs(Unpack(type_, BitsAt(tensor, e, h, t, b)) - exact_[i]);
      if (t % 2 == parity && !(error <= worst)) worst = error;
    });
    return worst;
  }

 private:
  std::size_t dim_;
  posenc_type type_;
  std::vector<std::uint64_t> before_, after_;
  std::vector<double> exact_;
};

// The ways in which graphs lay out tensors [head_dim, kHeads, tokens, batch].
enum Layout { kContiguous, kInPlace, kHeadsFirst, kFused, kBatched, kLayouts };

ggml_tensor* Heads(ggml_context* ctx, Layout layout, ggml_type type, std::int64_t dim, std::int64_t tokens) {
  const std::int64_t heads = kHeads;
  const std::size_t row = ggml_type_size(type) * static_cast<std::size_t>(dim);
  switch (layout) {
    case kHeadsFirst:
      return ggml_permute(ctx, ggml_new_tensor_3d(ctx, type, dim, tokens, heads), 0, 2, 1, 3);
    case kFused:
      return ggml_view_3d(ctx, ggml_new_tensor_2d(ctx, type, 3 * dim * heads, tokens), dim, heads, tokens,
                          2 * row, 3 * row * kHeads, row);
    case kBatched:
      return ggml_new_tensor_4d(ctx, type, dim, heads, tokens, kBatch);
    default:
      return ggml_new_tensor_3d(ctx, type, dim, heads, tokens);
  }
}

void CompareLayouts(const Backend& backend, const Rope& rope, const Type& type, const posenc_rotary* rotary,
                    const Table& table) {
  for (int layout = kContiguous; layout < kLayouts; ++layout) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{5}, kTokens}) {
      for (const int threads : {1, 2, 4}) {
        const Context ctx = NewContext();
        ggml_tensor* a = Heads(ctx.get(), static_cast<Layout>(layout), type.theirs, rope.head_dim,
                               static_cast<std::int64_t>(tokens));
        table.Fill(a);
        ggml_tensor* node = nullptr;
        ggml_tensor* positions = Positions(ctx.get(), rope.HasAxes(), tokens);
        const Answer answer = Node(ctx.get(), a, positions, rotary, layout == kInPlace, &node);
        if (answer.IsOk()) backend.Compute(ctx.get(), node, threads);
        const bool is_there = answer.IsOk() && (node->data == a->data) == (layout == kInPlace);
        const std::size_t wrong = is_there ? table.Mismatches(node) : 1;
        Expect(wrong == 0, std::string(rope.name) + ", " + type.name + ", layout " + std::to_string(layout) +
                               ", " + std::to_string(tokens) + " tokens, " + std::to_string(threads) +
                               " threads: " + std::to_string(wrong) + " elements; " + answer.why);
      }
    }
  }
}

// Rotates into a cache that is a view, as for ggml_cpy.
void CompareViews(const Backend& backend, const Rope& rope, const Type& from, const Type& to,
                  const posenc_rotary* rotary, const Table& table) {
  for (int layout = kContiguous; layout < kLayouts; ++layout) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{5}, kTokens}) {
      for (const int threads : {1, 4}) {
        const Context ctx = NewContext();
        const auto count = static_cast<std::int64_t>(tokens);
        const bool is_batched = layout == kBatched;
        ggml_tensor* a = Heads(ctx.get(), is_batched ? kBatched : kFused, from.theirs, rope.head_dim, count);
        ggml_tensor* cache = Heads(ctx.get(), static_cast<Layout>(layout), to.theirs, rope.head_dim, count);
        table.Fill(a);
        ggml_tensor* node = nullptr;
        Answer answer;
        answer.status = posenc_ggml_rope_into(ctx.get(), a, Positions(ctx.get(), rope.HasAxes(), tokens),
                                              rotary, cache, nullptr, &node, &answer.why);
        if (answer.IsOk()) backend.Compute(ctx.get(), node, threads);
        const bool is_there = answer.IsOk() && node->data == cache->data;
        const std::size_t wrong = is_there ? table.Mismatches(cache) : 1;
        Expect(wrong == 0, std::string(rope.name) + ", " + from.name + " into a view of " + to.name +
                               ", layout " + std::to_string(layout) + ": " + std::to_string(wrong) +
                               " elements; " + answer.why);
      }
    }
  }
}

// A cache with rows, and how many of them: [head_dim * kHeads, n], [head_dim, kHeads, n], or heads first.
constexpr std::size_t kCacheRows = 150;
enum RowLayout { kFlat, kRowsOfHeads, kHeadsOfRows, kRowLayouts };

ggml_tensor* NewRows(ggml_context* ctx, int layout, ggml_type type, std::int64_t dim) {
  const std::int64_t rows = kCacheRows, heads = kHeads;
  ggml_tensor* cache = layout == kFlat          ? ggml_new_tensor_2d(ctx, type, dim * heads, rows)
                       : layout == kRowsOfHeads ? ggml_new_tensor_3d(ctx, type, dim, heads, rows)
                                                : ggml_new_tensor_3d(ctx, type, dim, rows, heads);
  std::memset(cache->data, 0x55, ggml_nbytes(cache));
  return layout == kHeadsOfRows ? ggml_permute(ctx, cache, 0, 2, 1, 3) : cache;
}

// The row of token t. The ways: ascending; each row once; some tokens without a row, and rows that occur
// twice.
enum RowOrder { kAscending, kShuffled, kRepeated, kRowOrders };

std::int64_t RowOf(int order, std::size_t t) {
  const auto row = static_cast<std::int64_t>(t);
  if (order == kAscending) return 2 * row + 3;
  if (order == kShuffled) return (row * 7 + 5) % static_cast<std::int64_t>(kCacheRows);
  return t % 5 == 3 ? -1 : row * 31 % 11;
}

std::uint64_t BitsInCache(const ggml_tensor* cache, int layout, std::size_t dim, std::size_t e,
                          std::size_t head, std::size_t row) {
  return layout == kFlat ? BitsAt(cache, head * dim + e, row, 0, 0) : BitsAt(cache, e, head, row, 0);
}

// Rotates into rows of a cache, as for ggml_set_rows. Rows of no token keep their bits.
void CompareRows(const Backend& backend, const Rope& rope, const Type& from, const Type& to,
                 const posenc_rotary* rotary, const Table& table) {
  const auto dim = static_cast<std::size_t>(rope.head_dim);
  for (int layout = 0; layout < kRowLayouts; ++layout) {
    for (int order = 0; order < kRowOrders; ++order) {
      for (const std::size_t tokens : {std::size_t{1}, std::size_t{5}, kTokens}) {
        for (const int threads : {1, 2, 4}) {
          const Context ctx = NewContext();
          const auto count = static_cast<std::int64_t>(tokens);
          const bool is_wide = threads != 2;
          ggml_tensor* a = Heads(ctx.get(), kHeadsFirst, from.theirs, rope.head_dim, count);
          ggml_tensor* cache = NewRows(ctx.get(), layout, to.theirs, rope.head_dim);
          ggml_tensor* rows = ggml_new_tensor_1d(ctx.get(), is_wide ? GGML_TYPE_I64 : GGML_TYPE_I32, count);
          std::vector<std::int64_t> token_of(kCacheRows, -1);
          for (std::size_t t = 0; t < tokens; ++t) {
            const std::int64_t row = RowOf(order, t);
            if (is_wide) static_cast<std::int64_t*>(rows->data)[t] = row;
            if (!is_wide) static_cast<std::int32_t*>(rows->data)[t] = static_cast<std::int32_t>(row);
            if (row >= 0) token_of[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(t);
          }
          table.Fill(a);
          ggml_tensor* node = nullptr;
          Answer answer;
          answer.status = posenc_ggml_rope_into(ctx.get(), a, Positions(ctx.get(), rope.HasAxes(), tokens),
                                                rotary, cache, rows, &node, &answer.why);
          if (answer.IsOk()) backend.Compute(ctx.get(), node, threads);
          std::size_t wrong = answer.IsOk() && node->data == cache->data ? 0 : 1;
          for (std::size_t row = 0; row < kCacheRows; ++row) {
            for (std::size_t i = 0; i < kHeads * dim; ++i) {
              const std::size_t head = i / dim, e = i % dim;
              const std::uint64_t untouched = to.theirs == GGML_TYPE_F32 ? 0x55555555 : 0x5555;
              const std::uint64_t want = token_of[row] < 0
                                             ? untouched
                                             : table.After(e, head, static_cast<std::size_t>(token_of[row]));
              if (BitsInCache(cache, layout, dim, e, head, row) != want) ++wrong;
            }
          }
          Expect(wrong == 0, std::string(rope.name) + ", " + from.name + " into rows of " + to.name +
                                 ", layout " + std::to_string(layout) + ", order " + std::to_string(order) +
                                 ", " + std::to_string(tokens) + " tokens, " + std::to_string(threads) +
                                 " threads: " + std::to_string(wrong) + " elements; " + answer.why);
        }
      }
    }
  }
}

// ggml's nodes, ggml_rope_multi and ggml_set_rows, write the same rows, with elements that are near.
void CompareWithSetRows(const Backend& backend, const Rope& rope, const posenc_rotary* rotary) {
  const Context ctx = NewContext();
  const auto dim = static_cast<std::size_t>(rope.head_dim);
  ggml_tensor* a = ggml_new_tensor_3d(ctx.get(), GGML_TYPE_F32, rope.head_dim, kHeads, kTokens);
  ggml_tensor* rows = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_I64, kTokens);
  ggml_tensor* positions = Positions(ctx.get(), rope.HasAxes(), kTokens);
  for (std::size_t i = 0; i < static_cast<std::size_t>(ggml_nelements(a)); ++i) {
    static_cast<float*>(a->data)[i] = 0.001f * static_cast<float>(i * 7919 % 2003) - 1.0f;
  }
  for (std::size_t t = 0; t < kTokens; ++t) {
    static_cast<std::int64_t*>(rows->data)[t] = RowOf(kShuffled, t);
    for (std::size_t k = 0; k < static_cast<std::size_t>(ggml_nelements(positions)) / kTokens; ++k) {
      static_cast<std::int32_t*>(positions->data)[k * kTokens + t] = static_cast<std::int32_t>(t);
    }
  }
  ggml_tensor* ours = NewRows(ctx.get(), kFlat, GGML_TYPE_F16, rope.head_dim);
  ggml_tensor* theirs = NewRows(ctx.get(), kFlat, GGML_TYPE_F16, rope.head_dim);
  ggml_tensor* node = nullptr;
  Expect(posenc_ggml_rope_into(ctx.get(), a, positions, rotary, ours, rows, &node, nullptr) == POSENC_OK,
         "rows");
  ggml_tensor* turned = Theirs(ctx.get(), rope, a, positions, Factors(ctx.get(), rope));
  ggml_tensor* flat =
      ggml_reshape_2d(ctx.get(), turned, rope.head_dim * static_cast<std::int64_t>(kHeads), kTokens);
  backend.Compute(ctx.get(), node, 2);
  backend.Compute(ctx.get(), ggml_set_rows(ctx.get(), theirs, flat, rows), 2);
  std::size_t far = 0;
  for (std::size_t i = 0; i < kCacheRows * kHeads * dim; ++i) {
    const double x = Unpack(POSENC_F16, BitsAt(ours, i % (kHeads * dim), i / (kHeads * dim), 0, 0));
    const double y = Unpack(POSENC_F16, BitsAt(theirs, i % (kHeads * dim), i / (kHeads * dim), 0, 0));
    if (!(std::fabs(x - y) < 4e-3)) ++far;
  }
  Expect(far == 0, std::string(rope.name) + ": ggml_set_rows writes other elements, " + std::to_string(far));
}

void CompareCaches(const Backend& backend, const Rope& rope, const posenc_rotary_spec& spec,
                   const posenc_rotary* rotary) {
  const Type &f32 = kTypes[0], &f16 = kTypes[1], &bf16 = kTypes[2];
  const Type pairs[][2] = {{f32, f32}, {f32, f16}, {f32, bf16}, {f16, f16}, {bf16, bf16}};
  for (const auto& [from, to] : pairs) {
    const Table table(spec, from.ours, to.ours);
    CompareViews(backend, rope, from, to, rotary, table);
    CompareRows(backend, rope, from, to, rotary, table);
  }
  CompareWithSetRows(backend, rope, rotary);
}

// Prints a row with the errors of posenc and of ggml.
void CompareErrors(const Backend& backend, const Rope& rope, const Type& type, const posenc_rotary* exact,
                   const posenc_rotary* fast, const Table& table) {
  const Context ctx = NewContext();
  const auto run = [&](ggml_tensor* node) {
    backend.Compute(ctx.get(), node, 1);
    return node;
  };
  ggml_tensor* a = Heads(ctx.get(), kBatched, type.theirs, rope.head_dim, kTokens);
  ggml_tensor* positions = Positions(ctx.get(), rope.HasAxes(), kTokens);
  table.Fill(a);
  ggml_tensor *node = nullptr, *fast_node = nullptr;
  Expect(Node(ctx.get(), a, positions, exact, false, &node).IsOk(), "a node");
  Expect(Node(ctx.get(), a, positions, fast, false, &fast_node).IsOk(), "a fast node");
  run(node);
  run(fast_node);
  std::printf("| %s, %s |", rope.name, type.name);
  if (type.theirs != GGML_TYPE_BF16) {  // ggml's rope does not take this type
    const ggml_tensor* theirs = run(Theirs(ctx.get(), rope, a, positions, Factors(ctx.get(), rope)));
    const double near = table.Error(theirs, 0), far = table.Error(theirs, 1);
    std::printf(" %.1e | %.1e |", near, far);
    Expect(near < 2e-3 && far < 0.1, std::string(rope.name) + ": ggml's elements differ too much");
  } else {
    std::printf(" | |");
  }
  for (const ggml_tensor* ours : {fast_node, node}) {
    std::printf(" %.1e | %.1e |", table.Error(ours, 0), table.Error(ours, 1));
    const double bound = type.ours == POSENC_F32 ? 1e-6 : type.ours == POSENC_F16 ? 2e-3 : 2e-2;
    Expect(table.Error(ours, 1) < bound, std::string(rope.name) + ": the error of posenc");
  }
  std::printf("\n");
}

void CompareRope(const Backend& backend, const Rope& rope) {
  std::vector<double> lists;
  const posenc_rotary_spec want = SpecOf(rope, &lists);
  const Context ctx = NewContext();
  posenc_rotary_spec spec;
  Rotary exact, fast;
  Answer answer = HeaderSpec(rope, Factors(ctx.get(), rope), &spec);
  if (answer.IsOk()) answer = CreateRotary(spec, &exact);
  spec.arithmetic = POSENC_FAST;
  if (answer.IsOk()) answer = CreateRotary(spec, &fast);
  Expect(answer.IsOk(), std::string(rope.name) + ": " + answer.why);
  if (failures != 0) return;
  for (const Type& type : kTypes) {
    const Table table(want, type.ours);
    CompareLayouts(backend, rope, type, exact.get(), table);
    CompareErrors(backend, rope, type, exact.get(), fast.get(), table);
  }
  CompareCaches(backend, rope, want, exact.get());
}

// One row of positions is for all axes. A model for images uses it for text.
void CompareText(const Backend& backend) {
  const Context ctx = NewContext();
  ggml_tensor* nodes[2] = {};
  for (const int i : {0, 1}) {
    Rope rope;
    if (i == 1) rope.mode = GGML_ROPE_TYPE_IMROPE;
    rope.sections = {24, 20, 20, 0};
    posenc_rotary_spec spec;
    Rotary rotary;
    ggml_tensor* a = ggml_new_tensor_3d(ctx.get(), GGML_TYPE_F32, 128, 1, kTokens);
    std::fill_n(static_cast<float*>(a->data), ggml_nelements(a), 1.0f);
    Expect(HeaderSpec(rope, nullptr, &spec).IsOk() && CreateRotary(spec, &rotary).IsOk(), "text");
    const Answer answer =
        Node(ctx.get(), a, Positions(ctx.get(), false, kTokens), rotary.get(), false, &nodes[i]);
    if (!answer.IsOk()) return Expect(false, "a node of text");
    backend.Compute(ctx.get(), nodes[i], 1);
  }
  const bool are_same = std::memcmp(nodes[0]->data, nodes[1]->data, ggml_nbytes(nodes[0])) == 0;
  Expect(are_same, "one row of positions for axes");
}

void CompareRefusals() {
  const Context ctx = NewContext();
  const auto refuses = [&](posenc_kind want, const char* words, const char* what,
                           const std::function<void(Rope*)>& spoil) {
    Rope rope;
    spoil(&rope);
    posenc_rotary_spec spec;
    Rotary rotary;
    Answer answer = HeaderSpec(rope, Factors(ctx.get(), rope), &spec);
    if (answer.IsOk()) answer = CreateRotary(spec, &rotary);
    Expect(answer.Is(want, words), std::string(what) + ": " + answer.why);
  };
  const auto yarn = [](Rope* r) {
    r->ext_factor = 1.0f;
    r->freq_scale = 0.25f;
  };
  const auto axes = [](Rope* r, int mode, int s0, int s1, int s2, int s3) {
    r->mode = mode;
    r->sections = {s0, s1, s2, s3};
  };
  refuses(posenc_kind{}, "", "nothing", [](Rope*) {});
  refuses(POSENC_BAD_ARGUMENT, "mode must be", "mode 1", [](Rope* r) { r->mode = 1; });
  refuses(POSENC_BAD_ARGUMENT, "n_dims must be positive", "n_dims 0", [](Rope* r) { r->n_dims = 0; });
  refuses(POSENC_BAD_MEMBER, "rotary_dim must be even", "n_dims 63", [](Rope* r) { r->n_dims = 63; });
  refuses(POSENC_MEMBERS_CLASH, "rotary_offset + rotary_dim", "n_dims 130", [](Rope* r) { r->n_dims = 130; });
  refuses(POSENC_BAD_MEMBER, "head_dim must be 2 .. 65536", "head_dim -128",
          [](Rope* r) { r->head_dim = -128; });
  refuses(POSENC_BAD_MEMBER, "base must be positive", "freq_base 0", [](Rope* r) { r->freq_base = 0.0f; });
  refuses(POSENC_BAD_MEMBER, "position_scale must be finite", "freq_scale NaN",
          [](Rope* r) { r->freq_scale = NAN; });
  refuses(POSENC_BAD_ARGUMENT, "freq_scale must not be 0", "freq_scale 0",
          [](Rope* r) { r->freq_scale = 0.0f; });
  refuses(POSENC_BAD_ARGUMENT, "attn_factor must be", "attn_factor 0",
          [](Rope* r) { r->attn_factor = 0.0f; });
  refuses(POSENC_BAD_ARGUMENT, "ext_factor must be 0, or 1", "ext_factor 0.5",
          [](Rope* r) { r->ext_factor = 0.5f; });
  refuses(POSENC_BAD_ARGUMENT, "ext_factor must be 0, or 1", "ext_factor NaN",
          [](Rope* r) { r->ext_factor = NAN; });
  refuses(POSENC_BAD_ARGUMENT, "ext_factor must be 0 with", "YaRN with factors", [&](Rope* r) {
    yarn(r);
    r->has_factors = true;
  });
  refuses(POSENC_BAD_ARGUMENT, "ext_factor must be 0 with", "YaRN of vision", [&](Rope* r) {
    yarn(r);
    axes(r, GGML_ROPE_TYPE_VISION, 32, 32, 0, 0);
    r->n_dims = 64;
  });
  refuses(POSENC_BAD_ARGUMENT, "freq_scale must not be 0", "YaRN, freq_scale 0", [&](Rope* r) {
    yarn(r);
    r->freq_scale = 0.0f;
  });
  refuses(POSENC_BAD_ARGUMENT, "n_ctx_orig must be positive", "YaRN, n_ctx_orig 0", [&](Rope* r) {
    yarn(r);
    r->n_ctx_orig = 0;
  });
  refuses(POSENC_BAD_ARGUMENT, "n_ctx_orig is so small", "YaRN, n_ctx_orig 3", [&](Rope* r) {
    yarn(r);
    r->n_ctx_orig = 3;
  });
  refuses(POSENC_MEMBERS_CLASH, "beta_fast", "YaRN, betas exchanged", [&](Rope* r) {
    yarn(r);
    r->beta_slow = 33.0f;
  });
  refuses(POSENC_BAD_ARGUMENT, "sections must be 0 or more", "a section below 0",
          [&](Rope* r) { axes(r, GGML_ROPE_TYPE_MROPE, -1, 33, 32, 0); });
  refuses(POSENC_MEMBERS_CLASH, "sections must add up", "mrope, 63 pairs",
          [&](Rope* r) { axes(r, GGML_ROPE_TYPE_MROPE, 16, 24, 23, 0); });
  refuses(POSENC_BAD_ARGUMENT, "sections must add up to n_dims / 2", "imrope, 63 pairs",
          [&](Rope* r) { axes(r, GGML_ROPE_TYPE_IMROPE, 24, 20, 19, 0); });
  refuses(POSENC_BAD_ARGUMENT, "sections[0] and sections[1]", "vision, two sizes", [&](Rope* r) {
    axes(r, GGML_ROPE_TYPE_VISION, 31, 33, 0, 0);
    r->n_dims = 64;
  });
  refuses(POSENC_BAD_ARGUMENT, "n_dims must be head_dim / 2", "vision, n_dims", [&](Rope* r) {
    axes(r, GGML_ROPE_TYPE_VISION, 32, 32, 0, 0);
    r->n_dims = 62;
  });

  Rope rope;
  posenc_rotary_spec spec, untouched;
  std::memset(&untouched, 0x55, sizeof(untouched));
  spec = untouched;
  const auto factors = [&](ggml_tensor* c) { return HeaderSpec(rope, c, &spec); };
  Expect(factors(ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F16, 64))
             .Is(POSENC_BAD_TYPE, "the factors c must be F32"),
         "factors of float16");
  Expect(
      factors(ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 63)).Is(POSENC_BAD_ARGUMENT, "n_dims / 2 or more"),
      "63 factors");
  ggml_tensor* empty = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 64);
  empty->data = nullptr;
  Expect(factors(empty).Is(POSENC_NULL, "must have their data"), "factors without data");
  rope.mode = GGML_ROPE_TYPE_MROPE;
  rope.sections = {16, 24, 24, 0};
  rope.has_sections = false;
  Expect(factors(nullptr).Is(POSENC_NULL, "sections must not be null"), "no sections");
  rope.has_sections = true;
  Answer nothing;
  nothing.status = posenc_ggml_rope_spec(nullptr, &spec, &nothing.why);
  Expect(nothing.Is(POSENC_NULL, "the arguments of rope"), "no arguments");
  Expect(std::memcmp(&spec, &untouched, sizeof(spec)) == 0, "a refused spec is written");

  Rotary rotary;
  Expect(HeaderSpec(rope, nullptr, &spec).IsOk() && CreateRotary(spec, &rotary).IsOk(), "mrope");
  ggml_context* c = ctx.get();
  ggml_tensor* a = ggml_new_tensor_3d(c, GGML_TYPE_F32, 128, 3, 5);
  ggml_tensor* b = ggml_new_tensor_1d(c, GGML_TYPE_I32, 20);
  const auto node = [&](posenc_kind want, const char* words, const char* what, ggml_tensor* heads,
                        ggml_tensor* list, const posenc_rotary* by) {
    ggml_tensor* made = a;
    const Answer answer = Node(c, heads, list, by, false, &made);
    Expect(answer.Is(want, words) && (made == a) == (want != posenc_kind{}),
           std::string(what) + ": " + answer.why);
  };
  const posenc_rotary* by = rotary.get();
  node(posenc_kind{}, "", "four rows", a, b, by);
  node(posenc_kind{}, "", "one row", a, ggml_new_tensor_1d(c, GGML_TYPE_I32, 5), by);
  node(POSENC_NULL, "rotary is null", "no rotary", a, b, nullptr);
  node(POSENC_NULL, "the heads a", "no heads", nullptr, b, by);
  node(POSENC_BAD_TYPE, "the heads a must be", "heads of int32",
       ggml_new_tensor_3d(c, GGML_TYPE_I32, 128, 3, 5), b, by);
  node(POSENC_BAD_TYPE, "the positions b must be I32", "positions of float", a,
       ggml_new_tensor_1d(c, GGML_TYPE_F32, 20), by);
  node(POSENC_BAD_ARGUMENT, "the rotary's head_dim", "heads of 64",
       ggml_new_tensor_3d(c, GGML_TYPE_F32, 64, 3, 5), b, by);
  node(POSENC_BAD_ARGUMENT, "the positions b must be a contiguous", "10 positions", a,
       ggml_new_tensor_1d(c, GGML_TYPE_I32, 10), by);
  node(POSENC_BAD_ARGUMENT, "the positions b must be a contiguous", "a matrix of positions", a,
       ggml_new_tensor_2d(c, GGML_TYPE_I32, 5, 4), by);
  ggml_tensor* wide = ggml_new_tensor_3d(c, GGML_TYPE_F32, 5, 128, 3);
  node(POSENC_BAD_STRIDE, "nb[1]", "transposed", ggml_permute(c, wide, 2, 0, 1, 3), b, by);
  node(POSENC_BAD_STRIDE, "nb[1]", "one head for all", ggml_view_3d(c, a, 128, 3, 5, 0, 4 * 384, 0), b, by);
  node(POSENC_BAD_STRIDE, "nb[1]", "a stride of bytes", ggml_view_3d(c, a, 128, 3, 1, 514, 4 * 384, 0),
       ggml_new_tensor_1d(c, GGML_TYPE_I32, 4), by);
  node(POSENC_BAD_STRIDE, "nb[2]", "one token for all", ggml_view_3d(c, a, 128, 3, 5, 512, 0, 0), b, by);
  node(POSENC_BAD_STRIDE, "nb[2]", "tokens that overlap", ggml_view_3d(c, a, 128, 3, 5, 512, 1024, 0), b, by);
  ggml_tensor* two = ggml_new_tensor_4d(c, GGML_TYPE_F32, 128, 3, 5, 2);
  ggml_tensor* twice = ggml_view_4d(c, two, 128, 3, 5, 2, 512, 4 * 384, 0, 0);
  node(posenc_kind{}, "", "one batch twice", twice, b, by);
  ggml_tensor* made = nullptr;
  Expect(Node(c, twice, b, by, true, &made).Is(POSENC_BAD_STRIDE, "nb[3]") && made == nullptr,
         "one batch twice, in place");
  twice->nb[3] = 514;
  node(POSENC_BAD_STRIDE, "nb[3]", "a stride of bytes between batches", twice, b, by);
}

void CompareCacheRefusals() {
  const Context context = NewContext();
  ggml_context* c = context.get();
  posenc_rotary_spec spec;
  Rotary rotary;
  Expect(HeaderSpec(Rope(), nullptr, &spec).IsOk() && CreateRotary(spec, &rotary).IsOk(), "neox");
  ggml_tensor* a = ggml_new_tensor_3d(c, GGML_TYPE_F32, 128, 3, 5);
  ggml_tensor* short_a = ggml_new_tensor_3d(c, GGML_TYPE_F16, 128, 3, 5);
  ggml_tensor* b = ggml_new_tensor_1d(c, GGML_TYPE_I32, 5);
  ggml_tensor* view = ggml_new_tensor_3d(c, GGML_TYPE_F16, 128, 3, 5);
  ggml_tensor* flat = ggml_new_tensor_2d(c, GGML_TYPE_F16, 384, 9);
  ggml_tensor* rows = ggml_new_tensor_1d(c, GGML_TYPE_I64, 5);
  const auto into = [&](posenc_kind want, const char* words, const char* what, ggml_tensor* heads,
                        ggml_tensor* cache, ggml_tensor* list) {
    ggml_tensor* made = a;
    Answer answer;
    answer.status = posenc_ggml_rope_into(c, heads, b, rotary.get(), cache, list, &made, &answer.why);
    Expect(answer.Is(want, words) && (made == a) == (want != posenc_kind{}),
           std::string(what) + ": " + answer.why);
  };
  const auto new_rows = [&](ggml_type type, std::int64_t count) {
    return ggml_new_tensor_1d(c, type, count);
  };
  into(posenc_kind{}, "", "a view", a, view, nullptr);
  into(posenc_kind{}, "", "rows", a, flat, rows);
  into(posenc_kind{}, "", "rows of heads", a, ggml_new_tensor_3d(c, GGML_TYPE_BF16, 128, 3, 9), rows);
  into(POSENC_NULL, "the heads a", "no heads", nullptr, view, nullptr);
  into(POSENC_NULL, "the cache must not be null", "no cache", a, nullptr, rows);
  into(POSENC_BAD_TYPE, "the cache must have the type", "a cache of Q8_0", a,
       ggml_new_tensor_2d(c, GGML_TYPE_Q8_0, 384, 9), rows);
  into(POSENC_BAD_TYPE, "the cache must have the type", "float16 into float32", short_a,
       ggml_new_tensor_3d(c, GGML_TYPE_F32, 128, 3, 5), nullptr);
  into(POSENC_BAD_TYPE, "the cache must have the type", "float16 into bfloat16", short_a,
       ggml_new_tensor_3d(c, GGML_TYPE_BF16, 128, 3, 5), nullptr);
  into(POSENC_BAD_ARGUMENT, "without rows the cache must have the shape", "a cache without rows", a, flat,
       nullptr);
  into(POSENC_BAD_TYPE, "rows must be I64 or I32", "rows of float", a, flat, new_rows(GGML_TYPE_F32, 5));
  into(POSENC_BAD_ARGUMENT, "rows must be a contiguous vector", "4 rows", a, flat,
       new_rows(GGML_TYPE_I64, 4));
  into(POSENC_BAD_ARGUMENT, "rows must be a contiguous vector", "rows of two sequences", a, flat,
       ggml_new_tensor_2d(c, GGML_TYPE_I64, 5, 2));
  into(POSENC_BAD_ARGUMENT, "ne[3] of the heads a", "a batch",
       ggml_new_tensor_4d(c, GGML_TYPE_F32, 128, 3, 5, 2), flat, rows);
  for (ggml_tensor* other :
       {ggml_new_tensor_2d(c, GGML_TYPE_F16, 383, 9), ggml_new_tensor_2d(c, GGML_TYPE_F16, 128, 9),
        ggml_new_tensor_3d(c, GGML_TYPE_F16, 128, 4, 9),
        ggml_new_tensor_4d(c, GGML_TYPE_F16, 128, 3, 9, 2)}) {
    into(POSENC_BAD_ARGUMENT, "with rows the cache must be", "a cache of another shape", a, other, rows);
  }
  into(POSENC_BAD_STRIDE, "nb[1] of the cache", "a transposed cache", a,
       ggml_permute(c, ggml_new_tensor_3d(c, GGML_TYPE_F16, 5, 128, 3), 2, 0, 1, 3), nullptr);
  into(POSENC_BAD_STRIDE, "nb[1] of the cache", "rows that overlap", a, ggml_view_2d(c, flat, 384, 9, 512, 0),
       rows);
  into(POSENC_BAD_STRIDE, "nb[2] of the cache", "tokens that overlap", a,
       ggml_view_3d(c, view, 128, 3, 5, 256, 512, 0), nullptr);
  into(POSENC_BAD_STRIDE, "nb[2] of the cache", "rows of heads that overlap", a,
       ggml_view_3d(c, flat, 128, 3, 9, 256, 512, 0), rows);
  ggml_tensor* batch = ggml_new_tensor_4d(c, GGML_TYPE_F32, 128, 3, 5, 2);
  ggml_tensor* once =
      ggml_view_4d(c, ggml_new_tensor_4d(c, GGML_TYPE_F16, 128, 3, 5, 2), 128, 3, 5, 2, 256, 768, 0, 0);
  into(POSENC_BAD_STRIDE, "nb[3] of the cache must keep batches apart", "one batch for both", batch, once,
       nullptr);
}

void CompareTimesteps(const Backend& backend, int dim) {
  constexpr int kMaxPeriod = 10000, kRows = 9;
  const Context ctx = NewContext();
  ggml_tensor* steps = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, kRows);
  const float values[kRows] = {0.0f, 1.0f, 0.5f, 100.0f, 981.25f, 131071.0f, -7.0f, NAN, 3e9f};
  std::memcpy(steps->data, values, sizeof(values));
  posenc_spec spec;
  Encoder encoder;
  Expect(posenc_ggml_timestep_spec(dim, kMaxPeriod, &spec) == POSENC_OK, "timestep_spec");
  Expect(Encoder::Create(spec, &encoder) == POSENC_OK, "timesteps");
  oracle::Oracle oracle(spec);
  std::vector<double> want(static_cast<std::size_t>(dim));
  for (const int threads : {1, 2, 4}) {
    ggml_tensor* node = nullptr;
    Expect(posenc_ggml_timesteps(ctx.get(), steps, encoder.get(), &node, nullptr) == POSENC_OK,
           "timesteps' node");
    ggml_tensor* theirs = ggml_timestep_embedding(ctx.get(), steps, dim, kMaxPeriod);
    Expect(ggml_are_same_shape(node, theirs), "shape of timesteps");
    backend.Compute(ctx.get(), node, threads);
    backend.Compute(ctx.get(), theirs, threads);
    const auto* got = static_cast<const float*>(node->data);
    const auto* other = static_cast<const float*>(theirs->data);
    double worst = 0.0;
    for (const float value : values) {
      const bool is_nan = std::isnan(value) || value > 0x1p31f;
      if (!is_nan) oracle.Row(value, want.data());
      for (int i = 0; i < dim; ++i, ++got, ++other) {
        const bool is_right = is_nan ? std::isnan(*got) : *got == want[static_cast<std::size_t>(i)];
        Expect(is_right, "timestep " + std::to_string(value) + ", column " + std::to_string(i));
        if (std::fabs(value) < 1000.0f)
          worst = std::max(worst, std::fabs(static_cast<double>(*got - *other)));
      }
    }
    Expect(worst < 1e-3, "ggml's timesteps differ too much");
    if (threads == 1)
      std::printf("Timesteps below 1000, dim %d: ggml's are within %.1e of posenc's.\n", dim, worst);
  }
}

void CompareTimestepRefusals() {
  const Context ctx = NewContext();
  posenc_spec spec;
  Encoder encoder;
  const auto creates = [&](int dim, int max_period) -> Answer {
    Status status = posenc_ggml_timestep_spec(dim, max_period, &spec);
    if (status == POSENC_OK) status = Encoder::Create(spec, &encoder);
    return {status, posenc_status_message(status)};
  };
  Expect(creates(-1, 10000).Is(POSENC_BAD_ARGUMENT, "dim of a preset must be 1"), "timesteps of dim -1");
  Expect(creates(320, 0).Is(POSENC_BAD_MEMBER, "base must be positive"), "max_period 0");
  Expect(creates(320, 10000).IsOk(), "dim 320");
  ggml_tensor* node = nullptr;
  const auto status = [&](ggml_tensor* steps, const posenc_encoder* by) {
    Answer answer;
    answer.status = posenc_ggml_timesteps(ctx.get(), steps, by, &node, &answer.why);
    return answer;
  };
  ggml_tensor* steps = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 4);
  ggml_tensor* matrix = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, 4, 4);
  Expect(status(steps, nullptr).Is(POSENC_NULL, "encoder is null"), "no encoder");
  Expect(status(nullptr, encoder.get()).Is(POSENC_NULL, "timesteps and node"), "no timesteps");
  Expect(status(ggml_new_tensor_1d(ctx.get(), GGML_TYPE_I32, 4), encoder.get())
             .Is(POSENC_BAD_TYPE, "timesteps must be F32"),
         "int32");
  Expect(status(matrix, encoder.get()).Is(POSENC_BAD_STRIDE, "contiguous vector"), "a matrix of timesteps");
  Expect(node == nullptr, "a refused node");
}

// Prints microseconds for a node [128, 32 heads, tokens] in place, on one thread, the best of many. Nodes
// form a chain, as layers do.
void PrintTimes(const Backend& backend) {
  constexpr int kChain = 32;
  std::printf(
      "\n| [128, 32 heads, n], one thread, in place | ggml | exact | fast | exact is faster by | fast by "
      "|\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const Type& type : {kTypes[0], kTypes[1]}) {
    for (const int mode : {GGML_ROPE_TYPE_NEOX, GGML_ROPE_TYPE_NORMAL, GGML_ROPE_TYPE_IMROPE}) {
      for (const int tokens : {1, 512}) {
        Rope rope;
        rope.mode = mode;
        rope.sections = {24, 20, 20, 0};
        const Context ctx = NewContext(std::size_t{1} << 26);
        posenc_rotary_spec spec;
        Rotary rotaries[2];
        Expect(HeaderSpec(rope, nullptr, &spec).IsOk(), "times");
        Expect(Rotary::Create(spec, &rotaries[0]) == POSENC_OK, "times");
        spec.arithmetic = POSENC_FAST;
        Expect(Rotary::Create(spec, &rotaries[1]) == POSENC_OK, "times");
        ggml_tensor* positions = Positions(ctx.get(), rope.HasAxes(), static_cast<std::size_t>(tokens));
        for (std::int64_t i = 0; i < ggml_nelements(positions); ++i) {
          static_cast<std::int32_t*>(positions->data)[i] = static_cast<std::int32_t>(1000 + i % tokens);
        }
        ggml_cgraph* graphs[3];
        for (int way = 0; way < 3; ++way) {
          ggml_tensor* a = ggml_new_tensor_3d(ctx.get(), type.theirs, 128, 32, tokens);
          for (std::int64_t i = 0; i < ggml_nelements(a); ++i) {
            const float x = 0.001f * static_cast<float>(i * 7919 % 2003) - 1.0f;
            if (type.theirs == GGML_TYPE_F32) static_cast<float*>(a->data)[i] = x;
            if (type.theirs == GGML_TYPE_F16) static_cast<ggml_fp16_t*>(a->data)[i] = ggml_fp32_to_fp16(x);
          }
          ggml_tensor* node = a;
          for (int i = 0; i < kChain; ++i) {
            if (way > 0) {
              Expect(Node(ctx.get(), node, positions, rotaries[way - 1].get(), true, &node).IsOk(),
                     "a chain");
            } else {
              node = ggml_rope_multi_inplace(ctx.get(), node, positions, nullptr, rope.n_dims,
                                             rope.sections.data(), rope.mode, 0, 10000.0f, 1.0f, 0.0f, 1.0f,
                                             0.0f, 0.0f);
            }
          }
          graphs[way] = ggml_new_graph(ctx.get());
          ggml_build_forward_expand(graphs[way], node);
        }
        double best[3] = {1e30, 1e30, 1e30};
        for (int repetition = 0; repetition < (tokens == 1 ? 2000 : 30); ++repetition) {
          for (int way = 0; way < 3; ++way) {
            const auto start = std::chrono::steady_clock::now();
            backend.Compute(graphs[way], 1);
            const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
            best[way] = std::min(best[way], time.count() / kChain);
          }
        }
        const char* name = mode == GGML_ROPE_TYPE_NEOX     ? "NEOX"
                           : mode == GGML_ROPE_TYPE_NORMAL ? "NORMAL"
                                                           : "IMROPE";
        std::printf("| %s, %s, n = %d | %.4g us | %.4g us | %.4g us | %.2f | %.2f |\n", name, type.name,
                    tokens, best[0], best[1], best[2], best[0] / best[1], best[0] / best[2]);
      }
    }
  }
}

// Prints microseconds for k [128, 8 heads, tokens] of float32 into rows of a cache of float16, on one thread,
// the best of many: ggml_rope_multi and ggml_set_rows, and posenc's one node. Each layer has its own k and
// cache.
void PrintCacheTimes(const Backend& backend) {
  constexpr int kLayers = 16;
  constexpr std::int64_t kHeadsOfK = 8, kRowsOfCache = 1024;
  std::printf(
      "\n| [128, 8 heads, n] into float16 rows, one thread | ggml, 2 nodes | exact | fast | exact is faster "
      "by | fast by |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const std::int64_t tokens : {1, 512}) {
    const Rope rope;
    const Context ctx = NewContext(std::size_t{1} << 27);
    posenc_rotary_spec spec;
    Rotary rotaries[2];
    Expect(HeaderSpec(rope, nullptr, &spec).IsOk(), "times");
    Expect(Rotary::Create(spec, &rotaries[0]) == POSENC_OK, "times");
    spec.arithmetic = POSENC_FAST;
    Expect(Rotary::Create(spec, &rotaries[1]) == POSENC_OK, "times");
    ggml_tensor* positions = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_I32, tokens);
    ggml_tensor* rows = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_I64, tokens);
    for (std::int64_t t = 0; t < tokens; ++t) {
      static_cast<std::int32_t*>(positions->data)[t] = static_cast<std::int32_t>(1000 + t);
      static_cast<std::int64_t*>(rows->data)[t] = 100 + t;
    }
    ggml_cgraph* graphs[3];
    for (ggml_cgraph*& graph : graphs) graph = ggml_new_graph(ctx.get());
    for (int layer = 0; layer < kLayers; ++layer) {
      ggml_tensor* k = ggml_new_tensor_3d(ctx.get(), GGML_TYPE_F32, 128, kHeadsOfK, tokens);
      ggml_tensor* cache = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F16, 128 * kHeadsOfK, kRowsOfCache);
      std::memset(cache->data, 0, ggml_nbytes(cache));
      for (std::int64_t i = 0; i < ggml_nelements(k); ++i) {
        static_cast<float*>(k->data)[i] = 0.001f * static_cast<float>(i * 7919 % 2003) - 1.0f;
      }
      ggml_tensor* turned = Theirs(ctx.get(), rope, k, positions, nullptr);
      ggml_tensor* flat = ggml_reshape_2d(ctx.get(), turned, 128 * kHeadsOfK, tokens);
      ggml_build_forward_expand(graphs[0], ggml_set_rows(ctx.get(), cache, flat, rows));
      for (int way = 1; way < 3; ++way) {
        ggml_tensor* node = nullptr;
        const posenc_rotary* by = rotaries[way - 1].get();
        Expect(posenc_ggml_rope_into(ctx.get(), k, positions, by, cache, rows, &node, nullptr) == POSENC_OK,
               "times");
        if (node != nullptr) ggml_build_forward_expand(graphs[way], node);
      }
    }
    double best[3] = {1e30, 1e30, 1e30};
    for (int repetition = 0; repetition < (tokens == 1 ? 2000 : 60); ++repetition) {
      for (int way = 0; way < 3; ++way) {
        const auto start = std::chrono::steady_clock::now();
        backend.Compute(graphs[way], 1);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        best[way] = std::min(best[way], time.count() / kLayers);
      }
    }
    std::printf("| NEOX, %d tokens | %.4g us | %.4g us | %.4g us | %.2f | %.2f |\n", static_cast<int>(tokens),
                best[0], best[1], best[2], best[0] / best[1], best[0] / best[2]);
  }
}

int Main(bool prints_times) {
  ggml_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  const Backend backend;
  if (!backend.exists()) {
    std::puts("FAILED: ggml has no CPU backend");
    return 1;
  }
  std::printf("ggml %s\n\nThe largest errors, of elements of -1 .. 1:\n\n", ggml_version());
  std::printf("| | ggml, near 100 | near 131071 | posenc fast | near 131071 | exact | near 131071 |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Rope& rope : kRopes) CompareRope(backend, rope);
  std::puts("");
  CompareText(backend);
  CompareRefusals();
  CompareCacheRefusals();
  for (const int dim : {320, 321, 2}) CompareTimesteps(backend, dim);
  CompareTimestepRefusals();
  if (prints_times) {
    PrintTimes(backend);
    PrintCacheTimes(backend);
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace posenc

int main(int argc, char** argv) { return posenc::Main(argc > 1 && std::strcmp(argv[1], "--times") == 0); }
