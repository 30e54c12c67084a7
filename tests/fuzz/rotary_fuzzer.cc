// Every C function of rotaries as C can call it: with null handles, structs of other versions, unknown
// values, strides of every kind, memory that overlaps. Every target that this CPU runs says and writes what
// REFERENCE does; of accepted calls some pairs are what the oracle says, elements that do not turn are
// copied, and not one byte more is written; refused calls write nothing. AddressSanitizer and
// UndefinedBehaviorSanitizer watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "fuzzing.h"
#include "nouns.h"
#include "oracle/format.h"
#include "oracle/rotary_oracle.h"
#include "oracle/rounding.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kTensors = 3;

enum Kind : int { kRotate, kRotateAt, kCached, kWrite, kWriteAt };
enum Part : std::size_t {
  kData,
  kSource = kData + kTensors,
  kCosines = kSource + kTensors,
  kSines,
  kList,
  kAllParts
};

// What a pair of a row of a cache has: columns, and how far behind they are repeated.
struct Columns {
  std::size_t cosine, sine, copy;
};

struct Call {
  static constexpr std::size_t kParts = kAllParts;

  Call(const posenc_rotary_spec& of, Bytes& bytes);

  bool Rotates() const { return kind <= kCached; }
  bool HasCache() const { return kind >= kCached; }
  bool HasList() const { return (kind == kRotateAt || kind == kCached || kind == kWriteAt) && !null[kList]; }
  bool HasTwoTables() const { return layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED; }
  bool IsExact() const { return kind != kCached && spec.arithmetic == POSENC_EXACT; }
  std::size_t Tensors() const { return Rotates() ? tensor_count : 0; }
  std::size_t Listed() const { return kind == kCached ? tokens : spec.axes * tokens; }
  std::size_t RowColumns() const { return layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs; }
  std::size_t CacheRows() const { return Rotates() ? rows : tokens; }
  Columns ColumnsOf(std::size_t pair) const;
  std::size_t ElementOf(posenc_pairing pairing, std::size_t pair, bool is_second) const;
  std::size_t Offset(std::size_t tensor, bool is_source, std::size_t token, std::size_t head) const;
  bool IsInPlace(const Parts& parts, std::size_t tensor) const;

  long double ExtentOf(std::size_t part) const;
  Parts MakeParts() const;
  Verdict VerdictOf(const Parts& parts) const;
  posenc_status Run(const posenc_rotary* rotary, const Parts& parts, std::size_t* bad_index) const;
  std::size_t FirstBad(const Parts& parts) const;  // entry of a list that is no position or row, or Listed()
  double PositionOf(const Parts& parts, std::size_t token, std::size_t axis) const;

  posenc_rotary_spec spec;
  std::size_t pairs;
  Kind kind;
  std::size_t tokens, rows, row_stride, tensor_count;
  std::int64_t first;
  posenc_type type, cache_type, list_type;
  posenc_cache_layout layout;
  posenc_heads tensors[kTensors] = {};
  bool has_source[kTensors], swaps_sines = false;
  bool null_rotary, null_tensors, null_cache, null_bad_index, null[kParts] = {};
  int rounding;
  std::size_t offset;
  Place places[kParts];
  bool is_aligned[kParts];
  Verdict made;  // of these arguments, but for memory
  std::vector<std::uint8_t> list, pattern;

 private:
  void MakeTensor(std::size_t i, Bytes& bytes);
  void MakeStrides(std::size_t heads, std::size_t* token_stride, std::size_t* head_stride,
                   Bytes& bytes) const;
  void Mutate(Bytes& bytes);
};

// What mutations change, besides null pointers.
constexpr std::size_t Call::*kSizes[] = {&Call::tokens, &Call::rows, &Call::row_stride};
constexpr posenc_type Call::*kTypes[] = {&Call::type, &Call::cache_type, &Call::list_type};
constexpr std::size_t posenc_heads::*kTensorSizes[] = {
    &posenc_heads::heads, &posenc_heads::token_stride, &posenc_heads::head_stride,
    &posenc_heads::source_token_stride, &posenc_heads::source_head_stride};
constexpr std::int32_t posenc_heads::*kTensorWords[] = {&posenc_heads::inverse, &posenc_heads::reserved};

Call::Call(const posenc_rotary_spec& of, Bytes& bytes)
    : spec(of), kind(static_cast<Kind>(bytes.ConsumeIntegralInRange<int>(kRotate, kWriteAt))) {
  pairs = (spec.rotary_dim == 0 ? spec.head_dim - spec.rotary_offset : spec.rotary_dim) / 2;
  tokens = MakeSize(5, bytes);
  tensor_count = MakeSize(kTensors, bytes);
  first = MakePosition(bytes);
  type = MakeEnum(POSENC_F32, POSENC_F16, bytes);
  cache_type = MakeEnum(POSENC_F32, Rotates() ? POSENC_F16 : POSENC_F64, bytes);
  list_type = kind == kCached ? bytes.PickValueInArray({POSENC_I32, POSENC_I64}) : MakePositionType(bytes);
  layout = MakeEnum(POSENC_CACHE_HALVES, POSENC_CACHE_PAIRS, bytes);
  row_stride = RowColumns() + (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
  null[kList] = kind == kCached && bytes.ConsumeBool();
  rows = MakeSize(6, bytes, 1);
  if (kind == kCached) {
    rows += HasList() ? 0 : tokens;
    first = HasList()
                ? 0
                : bytes.ConsumeIntegralInRange<std::int64_t>(0, static_cast<std::int64_t>(rows - tokens));
  }
  for (std::size_t i = 0; i < kTensors; ++i) MakeTensor(i, bytes);
  null_rotary = Rarely(bytes, 128);
  null_tensors = Rarely(bytes, 128);
  null_cache = Rarely(bytes, 128);
  null_bad_index = Rarely(bytes, 4);
  for (int k = 0; k < 2 && Rarely(bytes, 4); ++k) Mutate(bytes);
  if (HasList()) list = MakeNumbers(Listed(), list_type, kind == kCached ? rows : kNoEnd, bytes);
  rounding = MakeRounding(bytes);
  offset = bytes.ConsumeBool() ? 0 : MakeSize(63, bytes);
  const std::size_t shared = MakeSize(2 * kParts, bytes);
  for (std::size_t part = 0; part < kParts; ++part) {
    places[part] = MakePlace(part != shared && !Rarely(bytes, 64), bytes);
    is_aligned[part] = bytes.ConsumeBool();
    // Blocks may take turns, which may be refused.
    made.Doubt(part != kData && places[part].side != Place::kApart);
  }
  pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  pattern.push_back(0x3c);
}

// In either order of memory.
void Call::MakeStrides(std::size_t heads, std::size_t* token_stride, std::size_t* head_stride,
                       Bytes& bytes) const {
  const bool has_tokens_first = bytes.ConsumeBool();
  std::size_t* inner = has_tokens_first ? head_stride : token_stride;
  std::size_t* outer = has_tokens_first ? token_stride : head_stride;
  *inner = spec.head_dim + (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
  *outer = std::max<std::size_t>(has_tokens_first ? heads : tokens, 1) * *inner +
           (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
}

void Call::MakeTensor(std::size_t i, Bytes& bytes) {
  posenc_heads& tensor = tensors[i];
  tensor.heads = MakeSize(spec.head_dim > 32 ? 3 : 6, bytes);
  MakeStrides(tensor.heads, &tensor.token_stride, &tensor.head_stride, bytes);
  has_source[i] = bytes.ConsumeBool();
  if (has_source[i] && bytes.ConsumeBool())
    MakeStrides(tensor.heads, &tensor.source_token_stride, &tensor.source_head_stride, bytes);
  if (bytes.ConsumeBool()) tensor.scale = bytes.PickValueInArray({1.0, 0.125, 3.0, 0x1.8p-20, 0x1p40});
  tensor.inverse = bytes.ConsumeBool() ? 1 : 0;
}

void Call::Mutate(Bytes& bytes) {
  made.Doubt();
  posenc_heads& tensor = tensors[MakeSize(kTensors - 1, bytes)];
  switch (bytes.ConsumeIntegralInRange(0, 8)) {
    case 0: {
      std::size_t& size = this->*kSizes[MakeSize(std::size(kSizes) - 1, bytes)];
      size = MakeWildSize(size, bytes);
      break;
    }
    case 1:
      this->*kTypes[MakeSize(std::size(kTypes) - 1, bytes)] = MakeWildEnum<posenc_type>(bytes);
      break;
    case 2:
      null[MakeSize(kParts - 1, bytes)] = true;
      break;
    case 3:
      first = MakeEdge(bytes);
      break;
    case 4:
      tensor.*kTensorWords[MakeSize(std::size(kTensorWords) - 1, bytes)] = MakeWildNumber(bytes);
      break;
    case 5:
      layout = MakeWildEnum<posenc_cache_layout>(bytes);
      break;
    case 6:
      tensor.scale = bytes.ConsumeBool() ? MakeWildReal(bytes) : 0x1p-64;
      break;
    case 7:
      swaps_sines = true;
      break;
    default: {
      std::size_t& size = tensor.*kTensorSizes[MakeSize(std::size(kTensorSizes) - 1, bytes)];
      size = MakeWildSize(size, bytes);
    }
  }
}

std::size_t Call::FirstBad(const Parts& parts) const {
  std::size_t i = 0;
  const auto is_good = [&](const std::uint8_t* at) {
    if (kind != kCached) return std::fabs(NumberAt(at, list_type)) <= static_cast<double>(kMaxPosition);
    const std::int64_t row = IntegerAt(at, list_type);
    return row >= 0 && static_cast<std::size_t>(row) < rows;
  };
  while (i < Listed() && (!HasList() || is_good(parts[kList] + i * TypeSize(list_type)))) ++i;
  return i;
}

Columns Call::ColumnsOf(std::size_t pair) const {
  switch (layout) {
    case POSENC_CACHE_DUPLICATED:
      if (spec.pairing == POSENC_NEIGHBOURS) return {2 * pair, 2 * pair, 1};
      return {pair, pair, pairs};
    case POSENC_CACHE_COS_SIN:
      return {pair, pairs + pair, 0};
    case POSENC_CACHE_PAIRS:
      return {2 * pair, 2 * pair + 1, 0};
    default:
      return {pair, pair, 0};
  }
}

std::size_t Call::ElementOf(posenc_pairing pairing, std::size_t pair, bool is_second) const {
  if (pairing == POSENC_NEIGHBOURS) return spec.rotary_offset + 2 * pair + (is_second ? 1 : 0);
  return spec.rotary_offset + pair + (is_second ? pairs : 0);
}

std::size_t Call::Offset(std::size_t tensor, bool is_source, std::size_t token, std::size_t head) const {
  const posenc_heads& t = tensors[tensor];
  const bool has_own_tokens = is_source && t.source_token_stride != 0,
             has_own_heads = is_source && t.source_head_stride != 0;
  return (token * (has_own_tokens ? t.source_token_stride : t.token_stride) +
          head * (has_own_heads ? t.source_head_stride : t.head_stride)) *
         TypeSize(type);
}

bool Call::IsInPlace(const Parts& parts, std::size_t i) const {
  const std::size_t far = 1;  // token and head
  return !has_source[i] ||
         (parts[kSource + i] == parts[kData + i] && Offset(i, true, far, 0) == Offset(i, false, far, 0) &&
          Offset(i, true, 0, far) == Offset(i, false, 0, far));
}

long double Call::ExtentOf(std::size_t part) const {
  if (part < kCosines) {
    const std::size_t i = part < kSource ? part - kData : part - kSource;
    if (i >= Tensors() || (part >= kSource && !has_source[i])) return 0.0L;
    const posenc_heads& t = tensors[i];
    const bool is_source = part >= kSource;
    return Extent({{tokens, is_source && t.source_token_stride != 0 ? t.source_token_stride : t.token_stride},
                   {t.heads, is_source && t.source_head_stride != 0 ? t.source_head_stride : t.head_stride}},
                  spec.head_dim, TypeSize(type));
  }
  if (part == kList) return HasList() ? Extent({{Listed(), 1}}, 1, TypeSize(list_type)) : 0.0L;
  if (!HasCache() || (part == kSines && !HasTwoTables())) return 0.0L;
  return Extent({{CacheRows(), row_stride}}, RowColumns(), TypeSize(cache_type));
}

Parts Call::MakeParts() const {
  std::vector<Parts::Part> sizes;
  for (std::size_t part = 0; part < kParts; ++part) {
    const posenc_type of = part == kList ? list_type : part >= kCosines ? cache_type : type;
    sizes.push_back({Held(ExtentOf(part)), places[part], is_aligned[part] ? TypeSize(of) : 1});
  }
  sizes[kData] = {sizes[kData].size, {}};
  sizes[kList].size = std::max(list.size(), sizes[kList].size);
  Parts parts(sizes, offset, pattern);
  if (!list.empty()) std::memcpy(parts[kList], list.data(), list.size());
  return parts;
}

Verdict Call::VerdictOf(const Parts& parts) const {
  Verdict verdict = made;
  verdict.Refuse(null_rotary || (null_tensors && Tensors() != 0) || (null_cache && HasCache()));
  verdict.Refuse(Rotates() && !IsEntryType(type, true));
  verdict.Refuse(HasCache() && (!IsEntryType(cache_type, Rotates()) || layout < POSENC_CACHE_HALVES ||
                                layout > POSENC_CACHE_PAIRS || row_stride < RowColumns() ||
                                (swaps_sines && (!HasTwoTables() || CacheRows() != 0))));
  verdict.Refuse(HasList() && !(kind == kCached ? IsIntegerType(list_type) : IsPositionType(list_type)));
  for (std::size_t i = 0; i < Tensors(); ++i) {
    verdict.Refuse(tensors[i].inverse < 0 || tensors[i].inverse > 1 || tensors[i].reserved != 0);
    verdict.Refuse(!(tensors[i].scale == 0.0 || (tensors[i].scale >= 0x1p-64 && tensors[i].scale <= 0x1p64)));
  }
  bool is_held = true;
  for (std::size_t part = 0; part < kParts; ++part) {
    const long double extent = ExtentOf(part);
    const bool is_needed = part < kSource || part == kCosines;
    verdict.Refuse(ExceedsAddresses(extent) || (null[part] && extent != 0.0L && is_needed));
    is_held = is_held && fuzz::IsOwned(extent);
  }
  if (!is_held || verdict.Refused()) return verdict;
  if (tokens != 0) {
    const long double begin = static_cast<long double>(first), end = begin + static_cast<long double>(tokens);
    const auto most = static_cast<long double>(kMaxPosition);
    const bool is_in = kind == kCached ? begin >= 0.0L && end <= static_cast<long double>(rows)
                                       : begin >= -most && end - 1.0L <= most;
    const bool is_run = !HasList() && kind != kRotateAt && kind != kWriteAt;
    verdict.Refuse(null[kList] && (kind == kRotateAt || kind == kWriteAt));
    verdict.Refuse((is_run && !is_in) || FirstBad(parts) < Listed());
  }
  std::vector<Claim> claims = {{parts[kList], list.size(), false}};
  for (std::size_t i = 0; i < Tensors(); ++i) {
    for (std::size_t t = 0; t < tokens && !null[kData + i]; ++t) {
      for (std::size_t h = 0; h < tensors[i].heads; ++h) {
        const std::size_t size = spec.head_dim * TypeSize(type);
        claims.emplace_back(parts[kData + i] + Offset(i, false, t, h), size, true);
        if (!IsInPlace(parts, i))
          claims.emplace_back(parts[kSource + i] + Offset(i, true, t, h), size, false);
      }
    }
  }
  for (std::size_t r = 0; HasCache() && r < CacheRows(); ++r) {
    for (const std::size_t part : {kCosines, kSines}) {
      if (ExtentOf(part) == 0.0L) continue;
      claims.emplace_back(parts[part] + r * row_stride * TypeSize(cache_type),
                          RowColumns() * TypeSize(cache_type), !Rotates());
    }
  }
  verdict.Refuse(Conflict(claims));
  return verdict;
}

posenc_status Call::Run(const posenc_rotary* rotary, const Parts& parts, std::size_t* bad_index) const {
  std::vector<posenc_heads> heads(tensors, tensors + tensor_count);
  for (std::size_t i = 0; i < tensor_count; ++i) {
    heads[i].data = null[kData + i] ? nullptr : parts[kData + i];
    if (has_source[i]) heads[i].source = parts[kSource + i];
  }
  const posenc_cache table = {layout, cache_type, null[kCosines] ? nullptr : parts[kCosines],
                              HasTwoTables() != swaps_sines ? parts[kSines] : nullptr, row_stride};
  const posenc_cache* cache = null_cache ? nullptr : &table;
  const posenc_rotary* r = null_rotary ? nullptr : rotary;
  const posenc_heads* t = null_tensors ? nullptr : heads.data();
  const void* at = null[kList] ? nullptr : parts[kList];
  std::size_t* index = null_bad_index ? nullptr : bad_index;
  switch (kind) {
    case kRotate:
      return posenc_rotate(r, first, tokens, type, t, tensor_count);
    case kRotateAt:
      return posenc_rotate_at(r, list_type, at, tokens, type, t, tensor_count, index);
    case kCached:
      return posenc_rotate_cached(r, cache, rows, first, list_type, at, tokens, type, t, tensor_count, index);
    case kWrite:
      return posenc_rotary_write(r, first, tokens, cache);
    case kWriteAt:
      return posenc_rotary_write_at(r, list_type, at, tokens, cache, index);
  }
  std::abort();
}

// Of a cache the row.
double Call::PositionOf(const Parts& parts, std::size_t token, std::size_t axis) const {
  if (!HasList()) return static_cast<double>(first + static_cast<std::int64_t>(token));
  const std::size_t entry = kind == kCached ? token : axis * tokens + token;
  return NumberAt(parts[kList] + entry * TypeSize(list_type), list_type);
}

double ElementAt(const std::uint8_t* head, std::size_t element, posenc_type type) {
  return oracle::Unpack(type, BitsAt(head + element * TypeSize(type), type));
}

double ToFloat(double x) { return oracle::RoundTo(POSENC_F32, x); }

// An entry of a cache times a scale, rounded once.
double ScaledEntry(double entry, double scale) {
  if (!std::isfinite(entry) || entry == 0.0) return entry * scale;
  oracle::Rounding rounding;
  oracle::RoundExact(POSENC_F32, (oracle::Real(entry, 2 * 53) * scale).number(), &rounding);
  return oracle::Unpack(POSENC_F32, rounding.bits);
}

// A pair of a head as the oracle says. NaNs of POSENC_FAST may have any bits.
void CheckPair(const Call& call, oracle::RotaryOracle* oracle, const Parts& before, const std::uint8_t* from,
               const std::uint8_t* to, std::size_t tensor, std::size_t token, std::size_t pair) {
  const posenc_type type = call.type;
  const posenc_pairing output =
      call.spec.output_pairing == POSENC_SAME_PAIRING ? call.spec.pairing : call.spec.output_pairing;
  const double scale = call.tensors[tensor].scale == 0.0 ? 1.0 : call.tensors[tensor].scale;
  const bool is_inverse = call.tensors[tensor].inverse != 0;
  const double a = ElementAt(from, call.ElementOf(call.spec.pairing, pair, false), type);
  const double b = ElementAt(from, call.ElementOf(call.spec.pairing, pair, true), type);
  oracle::Rounding x, y;
  double c, s;
  if (call.kind == kCached) {
    const auto row = static_cast<std::size_t>(call.PositionOf(before, token, 0));
    const std::size_t begin = row * call.row_stride * TypeSize(call.cache_type);
    const Columns columns = call.ColumnsOf(pair);
    c = ScaledEntry(ElementAt(before[kCosines] + begin, columns.cosine, call.cache_type), scale);
    s = ScaledEntry(
        ElementAt(before[call.HasTwoTables() ? kSines : kCosines] + begin, columns.sine, call.cache_type),
        scale);
    if (is_inverse) s = -s;
  } else {
    oracle::Turn turn(oracle, pair, call.PositionOf(before, token, oracle->axis(pair)), {scale, is_inverse});
    call.IsExact() ? turn.Rotate(type, a, b, &x, &y) : turn.RoundBoth(POSENC_F32, &x, &y);
    c = oracle::Unpack(POSENC_F32, x.bits);
    s = oracle::Unpack(POSENC_F32, y.bits);
  }
  if (!call.IsExact()) {
    x.bits = oracle::Pack(type, oracle::RoundTo(type, ToFloat(ToFloat(a * c) - ToFloat(b * s))));
    y.bits = oracle::Pack(type, oracle::RoundTo(type, ToFloat(ToFloat(b * c) + ToFloat(a * s))));
  }
  for (const bool is_second : {false, true}) {
    const std::uint64_t want = (is_second ? y : x).bits;
    const std::uint64_t got = BitsAt(to + call.ElementOf(output, pair, is_second) * TypeSize(type), type);
    const bool are_nans = std::isnan(oracle::Unpack(type, got)) && std::isnan(oracle::Unpack(type, want));
    POSENC_FUZZ_CHECK(got == want || (are_nans && !call.IsExact()));
  }
}

// Calls visit(tensor, token, head) for each head of a call.
template <class Visit>
void ForHeads(const Call& call, const Visit& visit) {
  for (std::size_t i = 0; i < call.Tensors(); ++i) {
    for (std::size_t t = 0; t < call.tokens; ++t) {
      for (std::size_t h = 0; h < call.tensors[i].heads; ++h) visit(i, t, h);
    }
  }
}

// The oracle's turns take microseconds each, so that only some are looked at.
void CheckOracle(const Call& call, const Parts& before, const Parts& after, std::size_t sample) {
  oracle::RotaryOracle oracle(call.spec);
  const auto is_sampled = [&](std::size_t token, std::size_t pair) {
    return (token * 31 + pair + sample) % (1 + call.tokens * call.pairs / 6) == 0;
  };
  ForHeads(call, [&](std::size_t i, std::size_t t, std::size_t h) {
    const std::uint8_t* from =
        before[(call.has_source[i] ? kSource : kData) + i] + call.Offset(i, call.has_source[i], t, h);
    const std::uint8_t* to = after[kData + i] + call.Offset(i, false, t, h);
    const std::size_t size = TypeSize(call.type), begin = call.spec.rotary_offset * size;
    const std::size_t end = begin + 2 * call.pairs * size, all = call.spec.head_dim * size;
    POSENC_FUZZ_CHECK(std::memcmp(from, to, begin) == 0 && std::memcmp(from + end, to + end, all - end) == 0);
    for (std::size_t pair = 0; pair < call.pairs; ++pair) {
      if (is_sampled(t, pair) && h < 2) CheckPair(call, &oracle, before, from, to, i, t, pair);
    }
  });
  for (std::size_t t = 0; !call.Rotates() && t < call.tokens; ++t) {
    for (std::size_t pair = 0; pair < call.pairs; ++pair) {
      const Columns columns = call.ColumnsOf(pair);
      const std::uint8_t* cosines = after[kCosines] + t * call.row_stride * TypeSize(call.cache_type);
      const std::uint8_t* sines =
          after[call.HasTwoTables() ? kSines : kCosines] + (cosines - after[kCosines]);
      const auto bits = [&](const std::uint8_t* row, std::size_t column) {
        return BitsAt(row + column * TypeSize(call.cache_type), call.cache_type);
      };
      POSENC_FUZZ_CHECK(bits(cosines, columns.cosine) == bits(cosines, columns.cosine + columns.copy) &&
                        bits(sines, columns.sine) == bits(sines, columns.sine + columns.copy));
      if (!is_sampled(t, pair)) continue;
      oracle::Rounding cosine, sine;
      oracle::Turn(&oracle, pair, call.PositionOf(before, t, oracle.axis(pair)), {})
          .RoundBoth(call.cache_type, &cosine, &sine);
      POSENC_FUZZ_CHECK(bits(cosines, columns.cosine) == cosine.bits &&
                        bits(sines, columns.sine) == sine.bits);
    }
  }
}

// What an accepted call may write, from what another wrote.
void TakeWritten(const Call& call, const Parts& from, const Parts& to) {
  ForHeads(call, [&](std::size_t i, std::size_t t, std::size_t h) {
    const std::size_t at = call.Offset(i, false, t, h);
    std::memcpy(to[kData + i] + at, from[kData + i] + at, call.spec.head_dim * TypeSize(call.type));
  });
  for (std::size_t t = 0; !call.Rotates() && t < call.tokens; ++t) {
    for (const std::size_t part : {kCosines, kSines}) {
      if (call.ExtentOf(part) == 0.0L) continue;
      const std::size_t at = t * call.row_stride * TypeSize(call.cache_type);
      std::memcpy(to[part] + at, from[part] + at, call.RowColumns() * TypeSize(call.cache_type));
    }
  }
}

// NaNs of POSENC_FAST, which may differ by target.
void TakeNans(const Call& call, const Parts& got, const Parts& want) {
  if (call.IsExact()) return;
  ForHeads(call, [&](std::size_t i, std::size_t t, std::size_t h) {
    for (std::size_t e = call.spec.rotary_offset; e < call.spec.rotary_offset + 2 * call.pairs; ++e) {
      const std::size_t at = call.Offset(i, false, t, h);
      const std::uint8_t* from = got[kData + i] + at;
      std::uint8_t* to = want[kData + i] + at;
      if (!std::isnan(ElementAt(from, e, call.type)) || !std::isnan(ElementAt(to, e, call.type))) continue;
      std::memcpy(to + e * TypeSize(call.type), from + e * TypeSize(call.type), TypeSize(call.type));
    }
  });
}

void CheckCall(const std::vector<Made<RotaryNoun>>& rotaries, const Call& call, std::size_t sample) {
  Compare(rotaries, call, [&](const Parts& before, const Parts& got, const Parts& want, bool is_reference) {
    if (is_reference) CheckOracle(call, before, got, sample);
    if (is_reference) TakeWritten(call, got, want);
    TakeNans(call, got, want);
  });
}

// Frequencies and the amplitude as the formula says.
void CheckProperties(const posenc_rotary_spec& spec, const posenc_rotary* rotary, Bytes& bytes) {
  const oracle::RotaryFormula formula(spec);
  POSENC_FUZZ_CHECK(posenc_rotary_amplitude(rotary) == formula.Amplitude());
  const std::size_t i = MakeSize(formula.pairs() - 1, bytes);
  if (spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) return;
  oracle::Real radians = formula.Frequency(i, 128);
  if (spec.unit != POSENC_RADIANS)
    radians = radians * oracle::Real::Pi(256) * (spec.unit == POSENC_TURNS ? 2.0 : 1.0);
  POSENC_FUZZ_CHECK(posenc_rotary_radians(rotary, i) == radians.ToDouble());
}

void CheckRest(Bytes& bytes) {
  CheckNull<RotaryNoun>(bytes);
  POSENC_FUZZ_CHECK(std::isnan(posenc_rotary_amplitude(nullptr)));
}

void CheckRotaries(Bytes& bytes) {
  const SpecInput<RotaryNoun> input(bytes);
  const std::vector<Made<RotaryNoun>> rotaries = MakeHandles(input, bytes);
  if (rotaries.empty()) return;
  const posenc_rotary_spec spec = input.Own();
  const std::size_t sample = bytes.ConsumeIntegral<std::uint16_t>();
  if (sample % 8 == 0) CheckProperties(spec, rotaries[sample / 8 % rotaries.size()].handle.get(), bytes);
  CheckCall(rotaries, Call(spec, bytes), sample);
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  constexpr void (*kChecks[])(Bytes&) = {CheckRest, CheckPresets<RotaryNoun>, CheckRotaries};
  Bytes bytes(data, size);
  kChecks[std::min(bytes.ConsumeIntegralInRange(0, 63), 2)](bytes);
  return 0;
}
