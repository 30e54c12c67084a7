#include "rotary_expected.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace posenc {
namespace fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Format {
  int digits, exponents;  // bits of them, the leading digit included
};
Format FormatOf(posenc_type type) {
  return type == POSENC_F32 ? Format{24, 8} : type == POSENC_BF16 ? Format{8, 8} : Format{11, 5};
}

std::uint64_t BitsAt(const std::uint8_t* at, posenc_type type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, TypeSize(type));
  return bits;
}

std::uint64_t InfinityOf(posenc_type type) {
  const Format format = FormatOf(type);
  return ((std::uint64_t{1} << format.exponents) - 1) << (format.digits - 1);
}

bool IsNan(std::uint64_t bits, posenc_type type) {
  return (bits & ~(std::uint64_t{1} << (8 * TypeSize(type) - 1))) > InfinityOf(type);
}

// Also of doubles.
long double ValueAt(const std::uint8_t* at, posenc_type type) {
  if (type == POSENC_F64) {
    double value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  const Format format = FormatOf(type);
  const std::uint64_t bits = BitsAt(at, type),
                      digits = bits & ((std::uint64_t{1} << (format.digits - 1)) - 1);
  const auto exponent = static_cast<int>(bits >> (format.digits - 1)) & ((1 << format.exponents) - 1);
  const bool is_negative = (bits >> (8 * TypeSize(type) - 1)) != 0;
  if (exponent == (1 << format.exponents) - 1) return digits == 0 ? HUGE_VALL : std::nanl("");
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << (format.digits - 1);
  const int least = 3 - (1 << (format.exponents - 1)) - format.digits;
  const long double value =
      std::ldexp(static_cast<long double>(digits | hidden), least + (exponent == 0 ? 0 : exponent - 1));
  return is_negative ? -value : value;
}

// The elements of a pair in a head.
std::size_t ElementOf(const RotaryShape& shape, posenc_pairing pairing, std::size_t pair, bool second) {
  if (pairing == POSENC_NEIGHBOURS) return shape.offset + 2 * pair + (second ? 1 : 0);
  return shape.offset + pair + (second ? shape.pairs : 0);
}

// A cache of one row: halves, apart and aligned.
class OneRow {
 public:
  OneRow(const RotaryShape& shape, posenc_type type)
      : type_(type), cosines_(shape.pairs * TypeSize(type)), sines_(cosines_) {}

  posenc_cache Cache() {
    return {POSENC_CACHE_HALVES, type_, cosines_.data(), sines_.data(), cosines_.size() / TypeSize(type_)};
  }
  std::uint8_t* cosine(std::size_t pair) { return &cosines_[pair * TypeSize(type_)]; }
  std::uint8_t* sine(std::size_t pair) { return &sines_[pair * TypeSize(type_)]; }
  long double Cosine(std::size_t pair) { return ValueAt(cosine(pair), type_); }
  long double Sine(std::size_t pair) { return ValueAt(sine(pair), type_); }

  void Write(const posenc_rotary* rotary, const std::vector<double>& position) {
    const posenc_cache cache = Cache();
    POSENC_FUZZ_CHECK(posenc_rotary_write_at(rotary, POSENC_F64, position.data(), 1, &cache, nullptr) ==
                      POSENC_OK);
  }

 private:
  posenc_type type_;
  Bytes cosines_, sines_;
};

std::vector<double> PositionOf(const RotaryCall& call, std::size_t token) {
  std::vector<double> position;
  for (std::size_t k = 0; k < call.shape.axes; ++k) position.push_back(call.PositionOf(token, k));
  return position;
}

// Of phases that long double knows well enough.
void CheckTurns(const RotaryShape& shape, const std::vector<double>& position, OneRow& row) {
  for (std::size_t i = 0; i < shape.pairs && !shape.is_rounded; ++i) {
    const long double phase = position[shape.axis[i]] * shape.radians[i], error = shape.amplitude * 1e-9L;
    if (!(std::fabs(phase) <= 0x1p20L)) continue;
    POSENC_FUZZ_CHECK(std::fabs(row.Cosine(i) - shape.amplitude * std::cos(phase)) <= error);
    POSENC_FUZZ_CHECK(std::fabs(row.Sine(i) - shape.amplitude * std::sin(phase)) <= error);
  }
}

// The turns of a token: a row of the caller's, or doubles, as they are without the scale.
OneRow TurnsOf(const RotaryCall& call, const posenc_rotary* rotary, const Parts& before, std::size_t token) {
  if (call.kind != RotaryKind::kCached) {
    OneRow row(call.shape, POSENC_F64);
    row.Write(rotary, PositionOf(call, token));
    CheckTurns(call.shape, PositionOf(call, token), row);
    return row;
  }
  OneRow row(call.shape, call.cache_type);
  const std::size_t size = TypeSize(call.cache_type), begin = call.RowOf(token) * call.row_stride;
  const std::uint8_t* cosines = before[kCosines];
  const std::uint8_t* sines = call.HasTwoTables() ? before[kSines] : cosines;
  for (std::size_t i = 0; i < call.shape.pairs; ++i) {
    const CachePlace place = call.PlaceOf(i);
    std::memcpy(row.cosine(i), cosines + (begin + place.cosine) * size, size);
    std::memcpy(row.sine(i), sines + (begin + place.sine) * size, size);
  }
  return row;
}

void RotateHead(const RotaryCall& call, const posenc_rotary* rotary, std::size_t tensor, std::size_t token,
                OneRow& turns, Bytes* head) {
  posenc_heads one{};
  one.data = head->data();
  one.heads = 1;
  one.token_stride = one.head_stride = call.shape.head_dim;
  one.scale = call.tensors[tensor].scale;
  one.inverse = call.tensors[tensor].inverse;
  posenc_status status;
  if (call.kind == RotaryKind::kCached) {
    const posenc_cache cache = turns.Cache();
    status = posenc_rotate_cached(rotary, &cache, 1, 0, POSENC_I64, nullptr, 1, call.type, &one, 1, nullptr);
  } else {
    const std::vector<double> position = PositionOf(call, token);
    status = posenc_rotate_at(rotary, POSENC_F64, position.data(), 1, call.type, &one, 1, nullptr);
  }
  POSENC_FUZZ_CHECK(status == POSENC_OK);
}

// Rotated by the formula, to some units in the last place; the rest as it was.
void CheckHead(const RotaryCall& call, std::size_t tensor, OneRow& turns, const Bytes& before,
               const Bytes& after) {
  const RotaryShape& shape = call.shape;
  const std::size_t size = TypeSize(call.type), begin = shape.offset * size,
                    end = begin + 2 * shape.pairs * size;
  POSENC_FUZZ_CHECK(std::memcmp(&before[0], &after[0], begin) == 0);
  POSENC_FUZZ_CHECK(std::memcmp(before.data() + end, after.data() + end, before.size() - end) == 0);
  const posenc_heads& heads = call.tensors[tensor];
  const long double scale = heads.scale == 0.0 ? 1.0L : heads.scale, sign = heads.inverse != 0 ? -1.0L : 1.0L;
  const Format format = FormatOf(call.type);
  const long double ulp = std::ldexp(1.0L, 1 - format.digits);
  const int most = 1 << (format.exponents - 1);
  for (std::size_t i = 0; i < shape.pairs; ++i) {
    const auto element = [&](const Bytes& x, posenc_pairing pairing, bool second) {
      return ValueAt(&x[ElementOf(shape, pairing, i, second) * size], call.type);
    };
    const long double a = element(before, shape.from, false), b = element(before, shape.from, true);
    const long double cosine = scale * turns.Cosine(i), sine = sign * scale * turns.Sine(i);
    const long double x = a * cosine - b * sine, y = b * cosine + a * sine;
    const long double length = std::hypot(a, b) * std::hypot(cosine, sine);
    if (!(length < std::ldexp(1.0L, most - 1))) continue;  // nor of what may overflow
    // Sines and cosines, too, may be subnormal floats.
    const long double error = (call.shape.is_exact ? ulp : 2.0L * ulp) * length +
                              std::ldexp(1.0L, 3 - most - format.digits) + 0x1p-148L * std::hypot(a, b);
    POSENC_FUZZ_CHECK(std::fabs(element(after, shape.to, false) - x) <= error);
    POSENC_FUZZ_CHECK(std::fabs(element(after, shape.to, true) - y) <= error);
  }
}

void CheckNans(const RotaryCall& call, const Bytes& head) {
  const std::size_t size = TypeSize(call.type);
  const std::uint64_t infinity = InfinityOf(call.type);
  for (std::size_t e = call.shape.offset; e < call.shape.offset + 2 * call.shape.pairs; ++e) {
    const std::uint64_t bits = BitsAt(&head[e * size], call.type);
    POSENC_FUZZ_CHECK(!IsNan(bits, call.type) || bits == (infinity | (infinity & (0 - infinity)) >> 1));
  }
}

void PerformRotation(const RotaryCall& call, const posenc_rotary* rotary, const Parts& before,
                     const Parts& want) {
  for (std::size_t t = 0; t < call.tokens; ++t) {
    OneRow turns = TurnsOf(call, rotary, before, t);
    for (std::size_t i = 0; i < call.tensor_count; ++i) {
      for (std::size_t h = 0; h < call.tensors[i].heads; ++h) {
        const std::uint8_t* source = before[call.SourcePart(i)] + call.SourceOffset(i, t, h);
        const Bytes old(source, source + call.shape.head_dim * TypeSize(call.type));
        Bytes head = old;
        RotateHead(call, rotary, i, t, turns, &head);
        CheckHead(call, i, turns, old, head);
        if (call.shape.is_exact && call.kind != RotaryKind::kCached) CheckNans(call, head);
        std::memcpy(want[kFirstData + i] + call.DataOffset(i, t, h), head.data(), head.size());
      }
    }
  }
}

void PerformWriting(const RotaryCall& call, const posenc_rotary* rotary, const Parts& want) {
  const std::size_t size = TypeSize(call.cache_type);
  std::uint8_t* cosines = want[call.CosPart()];
  std::uint8_t* sines = call.HasTwoTables() ? want[kSines] : cosines;
  for (std::size_t t = 0; t < call.tokens; ++t) {
    OneRow row(call.shape, call.cache_type), exact(call.shape, POSENC_F64);
    row.Write(rotary, PositionOf(call, t));
    exact.Write(rotary, PositionOf(call, t));
    CheckTurns(call.shape, PositionOf(call, t), exact);
    for (std::size_t i = 0; i < call.shape.pairs; ++i) {
      const CachePlace place = call.PlaceOf(i);
      for (const std::size_t copy : {std::size_t{0}, place.copy}) {
        const std::size_t begin = t * call.row_stride + copy;
        std::memcpy(cosines + (begin + place.cosine) * size, row.cosine(i), size);
        std::memcpy(sines + (begin + place.sine) * size, row.sine(i), size);
      }
      const long double error = std::ldexp(call.shape.amplitude, call.cache_type == POSENC_BF16 ? -8 : -11);
      const bool is_huge = call.cache_type == POSENC_F16 && call.shape.amplitude > 60000.0;
      POSENC_FUZZ_CHECK(is_huge || std::fabs(row.Cosine(i) - exact.Cosine(i)) <= error + 0x1p-24L);
      POSENC_FUZZ_CHECK(is_huge || std::fabs(row.Sine(i) - exact.Sine(i)) <= error + 0x1p-24L);
    }
  }
}

}  // namespace

void Perform(const RotaryCall& call, const posenc_rotary* rotary, const Parts& before, const Parts& want) {
  call.Rotates() ? PerformRotation(call, rotary, before, want) : PerformWriting(call, rotary, want);
}

void TakeNans(const RotaryCall& call, const Parts& got, const Parts& want) {
  if (call.shape.is_exact && call.kind != RotaryKind::kCached) return;
  const std::size_t size = TypeSize(call.type);
  for (std::size_t i = 0; i < call.TensorCount(); ++i) {
    for (std::size_t head = 0; head < call.tokens * call.tensors[i].heads; ++head) {
      const std::size_t begin =
          call.DataOffset(i, head / call.tensors[i].heads, head % call.tensors[i].heads) +
          call.shape.offset * size;
      for (std::size_t at = begin; at < begin + 2 * call.shape.pairs * size; at += size) {
        std::uint8_t* to = want[kFirstData + i] + at;
        const std::uint8_t* from = got[kFirstData + i] + at;
        if (IsNan(BitsAt(to, call.type), call.type) && IsNan(BitsAt(from, call.type), call.type))
          std::memcpy(to, from, size);
      }
    }
  }
}

}  // namespace fuzz
}  // namespace posenc
