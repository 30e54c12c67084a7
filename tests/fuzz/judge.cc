// Compares results of accepted calls with the oracle: rows of encoders, rotated heads, and caches.
#include "judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "fuzzing.h"
#include "oracle/format.h"
#include "oracle/norm_oracle.h"
#include "oracle/oracle.h"
#include "oracle/rotary_oracle.h"
#include "oracle/rounding.h"
#include "spec/text.h"

namespace posenc {
namespace fuzz {
namespace {

std::uint64_t BitsAt(const unsigned char* elements, std::size_t k, posenc_type type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, elements + k * SizeOfType(type), SizeOfType(type));
  return bits;
}

double ElementAt(const unsigned char* elements, std::size_t k, posenc_type type) {
  return oracle::Unpack(type, BitsAt(elements, k, type));
}

// The entry k of a list.
double NumberAt(const Buffer& list, std::size_t k) {
  const std::uint64_t bits = BitsAt(list.content.data(), k, list.type);
  if (list.type == POSENC_I32) return static_cast<std::int32_t>(bits);
  if (list.type == POSENC_I64) return static_cast<double>(static_cast<std::int64_t>(bits));
  return oracle::Unpack(list.type, bits);
}

double ToFloat(double x) { return oracle::RoundTo(POSENC_F32, x); }

// Checks the columns of one encoder in a row of the first buffer. Without a position, the row is the one
// before a grid's cells.
void CheckRow(const Call& call, const unsigned char* results, std::size_t row, std::size_t column,
              const double* position) {
  const Buffer& data = call.buffers[0];
  const posenc_spec& spec = call.setting.spec;
  const bool writes = call.function.Is("_write"), embeds = call.function.Is("_embed");
  std::vector<double> want(spec.dim, std::nan(""));
  if (position == nullptr) {
    std::fill(want.begin(), want.end(), 0.0);
  } else if (std::fabs(*position + static_cast<double>(spec.position_offset)) <=
             double{POSENC_MAX_POSITION}) {
    oracle::Oracle(spec, writes ? data.type : POSENC_F32).Row(*position, want.data());
  }
  std::size_t begin = row * data.counts[2] + column;
  const unsigned char *wrote = results + begin * data.size, *read = &data.content[begin * data.size];
  const posenc_type read_type = embeds ? call.a.table_type : data.type;
  if (embeds) {
    const Buffer& table = call.buffers[2];
    read = &table.content[static_cast<std::size_t>(NumberAt(call.buffers[1], row)) * spec.dim * table.size];
  }
  for (std::size_t k = 0; k < spec.dim; ++k) {
    const std::uint64_t got = BitsAt(wrote, k, data.type);
    if (!writes) {
      const double x = ElementAt(read, k, read_type);
      want[k] += ToFloat(x * static_cast<double>(call.a.scale));
      want[k] = oracle::RoundTo(data.type, ToFloat(want[k]));
      const bool keeps = data.type == POSENC_F32 && std::isfinite(call.a.scale) && call.a.scale != 0.0f;
      if (std::isnan(x) && keeps && std::isnan(oracle::Unpack(data.type, got))) continue;
    }
    POSENC_FUZZ_CHECK(got == oracle::Pack(data.type, want[k]));
  }
}

void CheckEncoded(Call* call, const unsigned char* results, std::size_t sample) {
  const Buffer& data = call->buffers[0];
  const std::size_t row = sample % (data.counts[0] * data.counts[1]);
  const Buffer* positions = call->Find(Values::kPositions);
  if (call->a.axis_count != 0) {
    const posenc_grid_axis* axes = call->a.axes;
    const bool is_cell = row != 0;  // row 0 comes before the cells
    const std::size_t cell = is_cell ? row - 1 : 0;
    const double at[] = {static_cast<double>(axes[0].first_position) + static_cast<double>(cell / 2),
                         NumberAt(*positions, cell % 2)};
    for (const std::size_t k : {0u, 1u})
      CheckRow(*call, results, row, axes[k].column, is_cell ? &at[k] : nullptr);
    return;
  }
  double position = static_cast<double>(call->a.first) + static_cast<double>(row % call->a.rows);
  if (positions != nullptr) position = NumberAt(*positions, row);
  if (const Buffer* firsts = call->Find(Values::kFirstPositions))
    position += NumberAt(*firsts, row / call->a.rows);
  CheckRow(*call, results, row, 0, &position);
}

// The columns of a pair in a row of a cache. `copy` is the distance to the second copy, or 0.
struct Columns {
  std::size_t cosine, sine, copy;
};

Columns ColumnsOf(posenc_cache_layout layout, posenc_pairing pairing, std::size_t pair, std::size_t pairs) {
  if (layout == POSENC_CACHE_COS_SIN) return {pair, pairs + pair, 0};
  if (layout == POSENC_CACHE_PAIRS) return {2 * pair, 2 * pair + 1, 0};
  if (layout == POSENC_CACHE_HALVES) return {pair, pair, 0};
  if (layout == POSENC_CACHE_HALVES_TWICE) return {pair, pair, pairs};
  return pairing == POSENC_NEIGHBOURS ? Columns{2 * pair, 2 * pair, 1} : Columns{pair, pair, pairs};
}

std::size_t ElementOf(posenc_pairing pairing, std::size_t pair, std::size_t pairs, bool is_second) {
  return pairing == POSENC_NEIGHBOURS ? 2 * pair + (is_second ? 1 : 0) : pair + (is_second ? pairs : 0);
}

// The product of a cache entry and a scale, rounded once.
double ScaledEntry(double entry, double scale) {
  if (!std::isfinite(entry) || entry == 0.0) return entry * scale;
  oracle::Rounding rounding;
  oracle::RoundExact(POSENC_F32, (oracle::Real(entry, 2 * 53) * scale).number(), &rounding);
  return oracle::Unpack(POSENC_F32, rounding.bits);
}

// Checks the calls of one rotary.
class RotaryJudge {
 public:
  RotaryJudge(Call* call, const Bits& results)
      : call_(*call), results_(results), spec_(call->setting.rotary_spec), oracle_(spec_) {
    list_ = call->Find(Values::kPositions);
    if (list_ == nullptr) list_ = call->Find(Values::kRowIndices);
    is_cached_ = call->function.Is("_cached");
  }

  void CheckHeads(std::size_t sample) {
    for (std::size_t i = 0, k = 0; k < call_.buffers.size(); ++k) {
      const Buffer& data = call_.buffers[k];
      const posenc_heads& tensor = call_.a.tensors[i];
      if (!(data.are_heads || tensor.slots != nullptr) || !data.IsWritten()) continue;
      const Buffer& source = call_.setting.from_source ? call_.buffers[k + 1] : data;
      const std::vector<std::size_t> sources = SourcesOf(data, tensor);
      const std::size_t head = spec_.head_dim * data.size, begin = spec_.rotary_offset * data.size,
                        end = begin + 2 * pairs() * data.size;
      for (std::size_t h = 0; h < sources.size(); ++h) {
        const unsigned char* const to = &results_[k][h * head];
        if (sources[h] == kNoSource) {
          POSENC_FUZZ_CHECK(std::memcmp(&data.content[h * head], to, head) == 0);
          continue;
        }
        const unsigned char* const from = &source.content[sources[h] * head];
        POSENC_FUZZ_CHECK(tensor.norm != nullptr || (std::memcmp(from, to, begin) == 0 &&
                                                     std::memcmp(from + end, to + end, head - end) == 0));
      }
      for (std::size_t n = 0; n < 3; ++n, sample = sample * 31 + 7) {
        const std::size_t which = sample % sources.size(), from = sources[which];
        if (from == kNoSource) continue;
        const std::vector<double> elements = ElementsOf(source, tensor, from);
        const unsigned char* const to = &results_[k][which * head];
        CheckPair(data, tensor, from / tensor.heads, sample / 5 % pairs(),
                  elements.data() + spec_.rotary_offset, to + begin);
        const std::size_t e = sample / 7 % spec_.head_dim;
        if (tensor.norm != nullptr && (e * data.size < begin || e * data.size >= end))
          CheckRest(data.type, elements[e], BitsAt(to, e, data.type));
      }
      ++i;
    }
  }

  void CheckCache(std::size_t sample) {
    const Buffer& cosines = call_.buffers[0];
    const std::size_t row = sample % cosines.counts[1], pair = sample / 8 % pairs();
    const Columns columns = ColumnsOfPair(pair);
    oracle::Rounding cosine, sine;
    oracle::Angle(&oracle_, pair, PositionOf(row, pair), {}).RoundBoth(cosines.type, &cosine, &sine);
    const std::size_t begin = row * cosines.counts[2];
    for (const std::size_t copy : {std::size_t{0}, columns.copy}) {
      POSENC_FUZZ_CHECK(BitsAt(results_[0].data(), begin + columns.cosine + copy, cosines.type) ==
                        cosine.bits);
      POSENC_FUZZ_CHECK(BitsAt(results_[SinesAt()].data(), begin + columns.sine + copy, cosines.type) ==
                        sine.bits);
    }
  }

 private:
  static constexpr std::size_t kNoSource = static_cast<std::size_t>(-1);

  // For each head of a tensor's data: the head of its source that comes there. A tensor with slots has one
  // head.
  std::vector<std::size_t> SourcesOf(const Buffer& data, const posenc_heads& tensor) const {
    std::vector<std::size_t> sources(data.counts[0] * data.counts[1], kNoSource);
    if (tensor.slots == nullptr) {
      std::iota(sources.begin(), sources.end(), std::size_t{0});
      return sources;
    }
    for (const Buffer& list : call_.buffers) {
      if (list.values != Values::kSlots) continue;
      for (std::size_t t = 0; t < call_.a.rows; ++t) {
        if (const double slot = NumberAt(list, t); slot >= 0.0) sources[static_cast<std::size_t>(slot)] = t;
      }
    }
    return sources;
  }

  std::size_t pairs() const { return oracle_.pairs(); }
  std::size_t SinesAt() const { return call_.a.cache.sin != nullptr ? 1 : 0; }
  Columns ColumnsOfPair(std::size_t pair) const {
    return ColumnsOf(call_.a.cache.layout, spec_.pairing, pair, pairs());
  }
  // The position of a token on an axis. For a cache it is the row, which all axes share.
  double PositionAt(std::size_t token, std::size_t axis) const {
    const std::int64_t before = call_.function.Is("_by_angles") ? call_.setting.first : 0;
    if (list_ == nullptr) return static_cast<double>(before + call_.a.first) + static_cast<double>(token);
    return NumberAt(*list_, (is_cached_ ? 0 : axis * call_.a.rows) + token);
  }
  double PositionOf(std::size_t token, std::size_t pair) const {
    return oracle_.PositionOf(pair, [&](std::size_t axis) { return PositionAt(token, axis); });
  }

  // The elements of a head of the source, after the norm if there is one.
  std::vector<double> ElementsOf(const Buffer& source, const posenc_heads& tensor, std::size_t head) const {
    const std::size_t dim = spec_.head_dim;
    const bool is_over_heads = tensor.norm != nullptr && tensor.norm->over_heads != 0;
    const std::size_t together = is_over_heads ? tensor.heads : 1, first = head / together * together;
    std::vector<double> all(together * dim);
    for (std::size_t n = 0; n < all.size(); ++n)
      all[n] = ElementAt(source.content.data(), first * dim + n, source.type);
    const auto begin = static_cast<std::ptrdiff_t>((head - first) * dim);
    std::vector<double> elements(all.begin() + begin, all.begin() + begin + static_cast<std::ptrdiff_t>(dim));
    if (tensor.norm == nullptr) return elements;
    const posenc_norm& norm = *tensor.norm;
    oracle::NormOracle exact(all.data(), all.size(), norm.epsilon);
    const double inverse = spec_.arithmetic == POSENC_FAST ? FastInverse(all, norm.epsilon) : 0.0;
    for (std::size_t e = 0; e < dim; ++e) {
      const std::size_t n = is_over_heads ? (head - first) * dim + e : e;
      const double weight = norm.weight == nullptr ? 1.0
                                                   : ElementAt(static_cast<const unsigned char*>(norm.weight),
                                                               n, norm.weight_type);
      const bool is_plus_one = norm.plus_one != 0;
      elements[e] =
          spec_.arithmetic == POSENC_FAST
              ? ToFloat(ToFloat(elements[e] * inverse) * (is_plus_one ? ToFloat(1.0 + weight) : weight))
              : oracle::Unpack(POSENC_F32, exact.Normalize(elements[e], weight, is_plus_one).bits);
    }
    return elements;
  }

  // 1 / sqrt(mean + epsilon) in POSENC_FAST, where each step is rounded to float.
  double FastInverse(const std::vector<double>& x, double epsilon) const {
    double sum = 0.0;
    for (std::size_t head = 0; head < x.size(); head += spec_.head_dim) {
      double sums[16] = {};
      for (std::size_t e = 0; e < spec_.head_dim; ++e)
        sums[e % 16] = ToFloat(sums[e % 16] + ToFloat(x[head + e] * x[head + e]));
      for (std::size_t apart = 8; apart > 0; apart /= 2) {
        for (std::size_t k = 0; k < apart; ++k) sums[k] = ToFloat(sums[k] + sums[k + apart]);
      }
      sum = ToFloat(sum + sums[0]);
    }
    const double mean = ToFloat(sum / static_cast<double>(x.size()));
    return ToFloat(1.0 / ToFloat(std::sqrt(ToFloat(mean + ToFloat(epsilon)))));
  }

  // Checks an element that is normalized, but not rotated.
  void CheckRest(posenc_type type, double element, std::uint64_t got) const {
    const bool are_nans = std::isnan(element) && std::isnan(oracle::Unpack(type, got));
    POSENC_FUZZ_CHECK(got == oracle::Pack(type, oracle::RoundTo(type, element)) ||
                      (are_nans && HasFastNans(call_)));
  }

  // Checks one pair of a head. The elements that rotate begin at `from` and `to`.
  void CheckPair(const Buffer& data, const posenc_heads& tensor, std::size_t token, std::size_t pair,
                 const double* from, const unsigned char* to) {
    const posenc_type type = data.type;
    const posenc_pairing output =
        spec_.output_pairing == POSENC_SAME_PAIRING ? spec_.pairing : spec_.output_pairing;
    const double scale = tensor.scale == 0.0 ? 1.0 : tensor.scale;
    const double a = from[ElementOf(spec_.pairing, pair, pairs(), false)];
    const double b = from[ElementOf(spec_.pairing, pair, pairs(), true)];
    oracle::Rounding x, y;
    double c, s;
    if (is_cached_) {
      const Buffer &cosines = call_.buffers[0], &sines = call_.buffers[SinesAt()];
      const std::size_t begin = static_cast<std::size_t>(PositionAt(token, 0)) * cosines.counts[2];
      const Columns columns = ColumnsOfPair(pair);
      c = ScaledEntry(ElementAt(cosines.content.data(), begin + columns.cosine, cosines.type), scale);
      s = ScaledEntry(ElementAt(sines.content.data(), begin + columns.sine, sines.type), scale);
      if (tensor.inverse != 0) s = -s;
    } else {
      oracle::Angle angle(&oracle_, pair, PositionOf(token, pair), {scale, tensor.inverse != 0});
      HasFastNans(call_) ? angle.RoundBoth(POSENC_F32, &x, &y) : angle.Rotate(type, a, b, &x, &y);
      c = oracle::Unpack(POSENC_F32, x.bits);
      s = oracle::Unpack(POSENC_F32, y.bits);
    }
    if (HasFastNans(call_)) {
      x.bits = oracle::Pack(type, oracle::RoundTo(type, ToFloat(ToFloat(a * c) - ToFloat(b * s))));
      y.bits = oracle::Pack(type, oracle::RoundTo(type, ToFloat(ToFloat(b * c) + ToFloat(a * s))));
    }
    for (const bool is_second : {false, true}) {
      const std::uint64_t want = (is_second ? y : x).bits;
      const std::uint64_t got = BitsAt(to, ElementOf(output, pair, pairs(), is_second), type);
      const bool are_nans = std::isnan(oracle::Unpack(type, got)) && std::isnan(oracle::Unpack(type, want));
      POSENC_FUZZ_CHECK(got == want || (are_nans && HasFastNans(call_)));
    }
  }

  const Call& call_;
  const Bits& results_;
  const posenc_rotary_spec& spec_;
  oracle::RotaryOracle oracle_;
  const Buffer* list_;
  bool is_cached_;
};

struct Judged {
  explicit Judged(std::function<std::string()> tell) { judged = std::move(tell); }
  ~Judged() { judged = nullptr; }
};

}  // namespace

bool HasFastNans(const Call& call) {
  if (!call.function.Is("posenc_rotate")) return false;
  return call.function.Is("_cached") || call.setting.rotary_spec.arithmetic == POSENC_FAST;
}

void ForgetNans(posenc_type type, unsigned char* elements, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double value = ElementAt(elements, k, type);
    const std::uint64_t bits = oracle::Pack(type, value);
    if (std::isnan(value)) std::memcpy(elements + k * SizeOfType(type), &bits, SizeOfType(type));
  }
}

void CheckByOracle(Call* call, std::size_t sample) {
  const Function& function = call->function;
  const Bits& results = call->Results();
  const bool rotates = function.Is("posenc_rotate"), caches = function.Is("posenc_write_cache");
  const Judged tells([&] {
    const Setting& setting = call->setting;
    return std::string(function.name) + ", " +
           (rotates || caches ? internal::PrintSpec(setting.rotary_spec) : internal::PrintSpec(setting.spec));
  });
  if (rotates) return RotaryJudge(call, results).CheckHeads(sample);
  if (caches) return RotaryJudge(call, results).CheckCache(sample);
  if (!function.Is("posenc_write") && !function.Is("posenc_add") && !function.Is("posenc_embed")) return;
  for (std::size_t n = 0; n < 4; ++n, sample = sample * 31 + 7) CheckEncoded(call, results[0].data(), sample);
}

}  // namespace fuzz
}  // namespace posenc
