#include "number/exact.h"

#include "verify/calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>

#include "command/require.h"
#include "oracle/format.h"
#include "posenc/rotary_slots_c.h"
#include "verify/thread_seconds.h"

namespace posenc {
namespace tools {
namespace {

template <class Value>
void Append(double value, std::vector<unsigned char>* bytes) {
  const auto typed = static_cast<Value>(value);
  const std::size_t at = bytes->size();
  bytes->resize(at + sizeof(typed));
  std::memcpy(bytes->data() + at, &typed, sizeof(typed));
}

void AppendAs(posenc_type type, double value, std::vector<unsigned char>* bytes) {
  switch (type) {
    case POSENC_I32:
      return Append<std::int32_t>(value, bytes);
    case POSENC_I64:
      return Append<std::int64_t>(value, bytes);
    case POSENC_F32:
      return Append<float>(value, bytes);
    default:
      return Append<double>(value, bytes);
  }
}

// The bits of special values: first for bfloat16, and as the upper half of float32; then for float16. From
// kNans on they are NaNs of all kinds.
constexpr std::uint32_t kSpecials[2][14] = {{0x7F80, 0xFF80, 0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F7F, 0xFF7F,
                                             0x0001, 0x7FC0, 0xFFC0, 0x7F81, 0xFFFF, 0xFFA5},
                                            {0x7C00, 0xFC00, 0x0000, 0x8000, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF,
                                             0x0001, 0x7E00, 0xFE00, 0x7C01, 0xFFFF, 0xFD55}};
constexpr std::size_t kNans = 9;

std::uint64_t Special(posenc_type type, double scale, std::uint32_t hash) {
  // The product of a float NaN and a number has other bits on other processors.
  const bool is_float = type == POSENC_F32;
  const bool has_nans = !is_float || scale == 0.0 || !std::isfinite(scale);
  const std::uint32_t bits =
      kSpecials[type == POSENC_F16 ? 1 : 0][(hash >> 8) % (has_nans ? std::size(kSpecials[0]) : kNans)];
  return is_float ? std::uint64_t{bits} << 16 : bits;
}

// Whether a rotation is in plain float arithmetic.
bool IsPlain(const Case& c) {
  return c.operation == Operation::kRotateCached || c.rotary.arithmetic != POSENC_EXACT;
}

// Replaces every NaN by the same NaN: in plain arithmetic the sign and the payload depend on the processor.
void MakeNansOne(posenc_type type, Entries* entries) {
  for (std::size_t i = 0; i < entries->count(); ++i) {
    const double value = oracle::Unpack(type, (*entries)[i]);
    if (std::isnan(value)) entries->Set(i, oracle::Pack(type, value));
  }
}

// A paged cache, and a slot in it for each row. The slots are not in order.
class PagedKeys {
 public:
  PagedKeys(const Case& as, std::size_t rows)
      : dim_(as.rotary.head_dim), heads_(as.k_heads), are_heads_first_(as.slots == 2) {
    std::size_t count = kBlockSize;
    while (count < rows) count *= 2;
    for (std::size_t r = 0; r < rows; ++r) list_.push_back(static_cast<std::int64_t>((5 * r + 2) % count));
    cache_.Reset(as.type, count * heads_ * dim_);
    slots_ = {{POSENC_I64, list_.data()},
              count,
              kBlockSize,
              kBlockSize * heads_ * dim_,
              are_heads_first_ ? dim_ : heads_ * dim_};
  }
  PagedKeys(const PagedKeys&) = delete;
  PagedKeys& operator=(const PagedKeys&) = delete;

  // Makes a tensor [rows, heads, head_dim], which has a source, go to the slots.
  void Redirect(posenc_heads* heads) {
    heads->source_token_stride = heads->token_stride;
    heads->source_head_stride = heads->head_stride;
    heads->data = cache_.data();
    heads->head_stride = HeadStride();
    heads->slots = &slots_;
  }

  // Element e of a head in the slot of a row.
  std::uint64_t At(std::size_t row, std::size_t head, std::size_t e) const {
    const auto slot = static_cast<std::size_t>(list_[row]);
    return cache_[slot / kBlockSize * slots_.block_stride + slot % kBlockSize * slots_.offset_stride +
                  head * HeadStride() + e];
  }

 private:
  static constexpr std::size_t kBlockSize = 4;

  std::size_t HeadStride() const { return are_heads_first_ ? kBlockSize * dim_ : dim_; }

  std::size_t dim_, heads_;
  bool are_heads_first_;
  std::vector<std::int64_t> list_;
  Entries cache_;
  posenc_slots slots_;
};

}  // namespace

Calls::Calls(const Case& c) : case_(c) {
  if (c.operation != Operation::kRotate && c.operation != Operation::kRotateCached) return;
  Case unscaled = c;
  unscaled.rotary.amplitude = 1.0;
  unscaled_ = std::make_unique<Handle>(unscaled, nullptr);
  MakeWeights();
}

void Calls::Prepare(std::size_t row, std::size_t rows) {
  if (row_ == row && rows_ == rows) return;
  row_ = row;
  rows_ = rows;
  elements_.clear();
  sources_.clear();
  if (unscaled_ == nullptr) return;
  const std::size_t pairs = case_.pairs();
  cosines_.resize(rows * pairs);
  sines_.resize(rows * pairs);
  const posenc_cache cache{POSENC_CACHE_HALVES, POSENC_F64, cosines_.data(), sines_.data(), pairs};
  const auto first = static_cast<std::int64_t>(case_.Position(0, row));
  const std::vector<unsigned char> list = PassedPositions(case_);
  const posenc_list positions{case_.list, list.data()};
  Require(case_.list == 0 ? posenc_write_cache(unscaled_->rotary(), first, rows, &cache)
                          : posenc_write_cache_at(unscaled_->rotary(), &positions, rows, &cache, nullptr));
}

std::vector<unsigned char> Calls::PassedPositions(const Case& as) const {
  std::vector<unsigned char> list;
  for (std::size_t k = 0; as.list != 0 && k < as.axes(); ++k) {
    for (std::size_t r = 0; r < rows_; ++r) AppendAs(as.list, as.Position(k, row_ + r), &list);
  }
  return list;
}

std::vector<unsigned char> Calls::PassedRows(const Case& as) const {
  std::vector<unsigned char> list;
  for (std::size_t r = 0; as.list != 0 && r < rows_; ++r) {
    AppendAs(as.list, static_cast<double>(CacheRow(row_ + r)), &list);
  }
  return list;
}

// A number in [-4, 4] from a hash of row and column, or a special value.
std::uint64_t Calls::AddInput(posenc_type type, std::size_t row, std::size_t column) const {
  const std::uint32_t hash =
      static_cast<std::uint32_t>(row) * 2654435761u ^ static_cast<std::uint32_t>(column) * 2246822519u;
  if (case_.inputs == Inputs::kSpecial) return Special(type, case_.scale, hash);
  const auto value = static_cast<float>(static_cast<std::int32_t>(hash));
  return oracle::Pack(type, oracle::RoundTo(type, std::ldexp(static_cast<double>(value), -29)));
}

const std::vector<InputPair>& Calls::Pairs(posenc_type type) { return ElementsOf(type).pairs; }

const std::vector<std::uint64_t>& Calls::Rest(posenc_type type) { return ElementsOf(type).rest; }

Calls::HeadElements& Calls::ElementsOf(posenc_type type) {
  HeadElements& made = elements_[type];
  if (!made.pairs.empty()) return made;
  const posenc_type from = SourceType(type);
  const std::size_t pairs = case_.pairs(), heads = case_.heads();
  const double amplitude = case_.rotary.amplitude == 0.0 ? 1.0 : case_.rotary.amplitude;
  made.pairs.resize(rows_ * heads * pairs);
  if (!case_.elements.empty() && !case_.HasNorm()) {
    const InputPair given{oracle::Pack(from, case_.elements[0]), oracle::Pack(from, case_.elements[1])};
    std::fill(made.pairs.begin(), made.pairs.end(), given);
    return made;
  }
  for (std::size_t k = 0; k < made.pairs.size(); ++k) {
    const std::size_t r = k / pairs / heads, h = k / pairs % heads;
    const double scale = case_.scale * static_cast<double>(case_.Factor(row_ + r));
    made.pairs[k] = MakePair(type, r, h, k % pairs, h < case_.q_heads ? amplitude * scale : amplitude);
  }
  if (case_.HasNorm()) MakeForNorm(type, &made);
  return made;
}

// Makes pair i of head h of a prepared row.
InputPair Calls::MakePair(posenc_type type, std::size_t r, std::size_t h, std::size_t i, double gain) const {
  const double cosine = cosines_[r * case_.pairs() + i], sine = sines_[r * case_.pairs() + i];
  const Inputs inputs = (row_ + r + h + i) % case_.rare == 0 ? case_.inputs : Inputs::kNormal;
  return MakeInput(inputs, SourceType(type), type, HashOf(case_.seed, row_ + r, h, i), cosine,
                   case_.inverse ? -sine : sine, gain);
}

// The bits of an element of a head that is not rotated, before or after the call: any bits if it is converted
// or multiplied.
std::uint64_t Calls::RestBits(posenc_type type, std::size_t row, std::size_t head, std::size_t element,
                              bool is_result) const {
  const auto number = static_cast<std::uint32_t>(0x2911 + 7 * head + element);
  if (!case_.IsConverted() && case_.token_factors.empty()) return number & 0x3fff;
  const posenc_type from = SourceType(type);
  const std::uint64_t bits = HashOf(case_.seed, 0, head, number) >> (64 - 8 * TraitsOf(from).size);
  const float factor = head < case_.q_heads ? case_.Factor(row) : 1.0f;
  const double product = oracle::Unpack(from, bits) * static_cast<double>(factor);  // exact
  const bool is_copied = from == type && factor == 1.0f && !(IsPlain(case_) && std::isnan(product));
  if (!is_result || is_copied) return bits;
  return oracle::Pack(type, oracle::RoundTo(type, product));
}

template <class Bits>
void Calls::ArrangeAs(posenc_type type, const std::vector<InputPair>& pairs,
                      const std::vector<std::uint64_t>& rest, posenc_pairing pairing, bool is_result,
                      Bits* out) const {
  const std::size_t count = case_.pairs(), dim = case_.rotary.head_dim, offset = case_.rotary.rotary_offset;
  const InputPair* next = pairs.data();
  const std::uint64_t* next_rest = rest.data();
  for (std::size_t h = 0; h < rows_ * case_.heads(); ++h, out += dim) {
    for (std::size_t n = 2 * count; !rest.empty() && n < dim; ++n) {
      out[PlaceInHead(pairing, n)] = static_cast<Bits>(*next_rest++);
    }
    for (std::size_t e = 0; rest.empty() && 2 * count < dim && e < dim; ++e) {
      out[e] = static_cast<Bits>(RestBits(type, row_ + h / case_.heads(), h % case_.heads(), e, is_result));
    }
    for (std::size_t i = 0; i < count; ++i, ++next) {
      const PairPlace place = PlaceOf(pairing, i, count);
      out[offset + place.a] = static_cast<Bits>(next->a);
      out[offset + place.b] = static_cast<Bits>(next->b);
    }
  }
}

std::size_t Calls::PlaceInHead(posenc_pairing pairing, std::size_t n) const {
  const std::size_t count = case_.pairs(), offset = case_.rotary.rotary_offset;
  if (n >= 2 * count) return n - 2 * count < offset ? n - 2 * count : n;
  const PairPlace place = PlaceOf(pairing, n / 2, count);
  return offset + (n % 2 == 0 ? place.a : place.b);
}

void Calls::Arrange(posenc_type type, const std::vector<InputPair>& pairs,
                    const std::vector<std::uint64_t>& rest, posenc_pairing pairing, bool is_result,
                    Entries* out) const {
  out->Reset(type, rows_ * case_.columns());
  if (type == POSENC_F32)
    return ArrangeAs(type, pairs, rest, pairing, is_result, static_cast<std::uint32_t*>(out->data()));
  ArrangeAs(type, pairs, rest, pairing, is_result, static_cast<std::uint16_t*>(out->data()));
}

const Entries& Calls::SourceOf(posenc_type type, posenc_pairing pairing) {
  for (const Source& source : sources_) {
    if (source.type == type && source.pairing == pairing) return source.entries;
  }
  Source& source = sources_.emplace_back();
  source.type = type;
  source.pairing = pairing;
  Arrange(SourceType(type), Pairs(type), Rest(type), pairing, false, &source.entries);
  return source.entries;
}

double Calls::CacheEntry(std::size_t cache_row, std::size_t e) const {
  const auto hash = static_cast<std::int64_t>(HashOf(case_.seed, cache_row, 0xca, e) >> 32) - 0x80000000;
  return oracle::RoundTo(case_.cache_type, std::ldexp(static_cast<double>(hash), -31));
}

std::size_t Calls::CacheRow(std::size_t token) const {
  return case_.list == 0 ? token + 3 : (5 * token + 1) % (case_.rows + 7);
}

Entries Calls::CacheToRotateBy() const {
  const std::size_t columns = 2 * case_.pairs();
  Entries table(case_.cache_type, (case_.rows + 7) * columns);
  for (std::size_t k = 0; k < table.count(); ++k) {
    table.Set(k, oracle::Pack(case_.cache_type, CacheEntry(k / columns, k % columns)));
  }
  return table;
}

void Calls::With(const Case& as, const std::function<void(const Arguments&)>& call, Entries* out,
                 double* seconds) {
  const std::size_t columns = as.columns(), dim = as.rotary.head_dim;
  const bool is_rotation = unscaled_ != nullptr, is_cached = as.operation == Operation::kRotateCached;
  const bool is_in_place = as.in_place && !as.IsConverted();
  if (is_rotation && is_in_place) {
    *out = SourceOf(as.type, as.rotary.pairing);
  } else {
    out->Reset(as.type, rows_ * columns);
  }
  for (std::size_t i = 0; as.operation == Operation::kAdd && i < rows_ * columns; ++i) {
    out->Set(i, AddInput(as.type, row_ + i / columns, i % columns));
  }
  const std::vector<unsigned char> list = is_cached ? PassedRows(as) : PassedPositions(as);
  const posenc_list passed{as.list, as.list == 0 ? nullptr : list.data()};
  Arguments arguments{0, passed, rows_, {as.type, out->data(), columns}, {}, {}};
  if (as.list == 0) arguments.first = static_cast<std::int64_t>(as.Position(0, row_));
  if (is_cached) arguments.first = static_cast<std::int64_t>(CacheRow(row_));

  std::vector<float> factors;
  for (std::size_t r = 0; !as.token_factors.empty() && r < rows_; ++r) factors.push_back(as.Factor(row_ + r));
  const auto* source = is_rotation && !is_in_place
                           ? static_cast<const unsigned char*>(SourceOf(as.type, as.rotary.pairing).data())
                           : nullptr;
  PassedNorm norms[2];
  for (const bool is_k : {false, true}) {
    const std::size_t begin = is_k ? as.q_heads * dim : 0;
    posenc_heads& heads = arguments.heads[is_k ? 1 : 0];
    heads.type = as.type;
    heads.source_type = as.source_type;
    heads.data = static_cast<unsigned char*>(out->data()) + begin * TraitsOf(as.type).size;
    heads.heads = is_k ? as.k_heads : as.q_heads;
    heads.token_stride = columns;
    heads.head_stride = dim;
    heads.source = source == nullptr ? nullptr : source + begin * TraitsOf(SourceType(as.type)).size;
    heads.scale = is_k ? 1.0 : as.scale;
    heads.inverse = as.inverse ? 1 : 0;
    heads.token_factors = is_k || factors.empty() ? nullptr : factors.data();
    if (!is_rotation || !as.HasNorm(is_k) || heads.heads == 0) continue;
    SetNorm(as, is_k, &norms[is_k ? 1 : 0]);
    heads.norm = &norms[is_k ? 1 : 0].norm;
  }
  std::optional<PagedKeys> keys;
  if (is_rotation && as.slots != 0) {
    posenc_heads& k = arguments.heads[1];
    const Entries& sources = SourceOf(as.type, as.rotary.pairing);
    k.source = static_cast<const unsigned char*>(sources.data()) +
               as.q_heads * dim * TraitsOf(SourceType(as.type)).size;
    keys.emplace(as, rows_).Redirect(&k);
  }

  // If a cache is two tables, a row here is the row of cosines followed by the row of sines.
  const bool is_two = as.operation == Operation::kWriteCache && as.cache_layout != POSENC_CACHE_COS_SIN &&
                      as.cache_layout != POSENC_CACHE_PAIRS;
  const std::size_t width = is_two ? columns / 2 : columns;
  Entries table, sines;
  if (is_cached) table = CacheToRotateBy();
  if (is_two) table.Reset(as.type, rows_ * width);
  if (is_two) sines.Reset(as.type, rows_ * width);
  arguments.cache =
      is_cached ? posenc_cache{POSENC_CACHE_COS_SIN, as.cache_type, table.data(), nullptr, 2 * as.pairs()}
      : is_two  ? posenc_cache{as.cache_layout, as.type, table.data(), sines.data(), width}
                : posenc_cache{as.cache_layout, as.type, out->data(), nullptr, width};
  const double start = ThreadSeconds();
  call(arguments);
  *seconds = ThreadSeconds() - start;
  for (std::size_t k = 0; is_two && k < rows_ * columns; ++k) {
    const std::size_t r = k / columns, e = k % columns;
    out->Set(k, e < width ? table[r * width + e] : sines[r * width + e - width]);
  }
  for (std::size_t k = 0; keys.has_value() && k < rows_ * as.k_heads * dim; ++k) {
    const std::size_t r = k / dim / as.k_heads, h = k / dim % as.k_heads, e = k % dim;
    out->Set(r * columns + (as.q_heads + h) * dim + e, keys->At(r, h, e));
  }
}

void Calls::Call(const Case& as, const Handle& handle, Entries* out, double* seconds) {
  const posenc_encoder* encoder = handle.encoder();
  const posenc_rotary* rotary = handle.rotary();
  const auto scale = static_cast<float>(as.scale);
  const auto is_run = [](const Arguments& a) { return a.list.data == nullptr; };
  const auto call = [&](const Arguments& a) -> posenc_status {
    switch (as.operation) {
      case Operation::kWrite:
        return is_run(a) ? posenc_write(encoder, a.first, a.rows, &a.out)
                         : posenc_write_at(encoder, &a.list, a.rows, &a.out, nullptr);
      case Operation::kAdd:
        return is_run(a) ? posenc_add(encoder, a.first, a.rows, &a.out, scale)
                         : posenc_add_at(encoder, &a.list, a.rows, &a.out, scale, nullptr);
      case Operation::kRotate:
        return is_run(a) ? posenc_rotate(rotary, a.first, a.rows, a.heads, 2)
                         : posenc_rotate_at(rotary, &a.list, a.rows, a.heads, 2, nullptr);
      case Operation::kRotateCached: {
        const posenc_const_cache cache{a.cache.layout, a.cache.type,       a.cache.cos,
                                       a.cache.sin,    a.cache.row_stride, case_.rows + 7};
        return is_run(a) ? posenc_rotate_cached(rotary, &cache, a.first, a.rows, a.heads, 2)
                         : posenc_rotate_cached_at(rotary, &cache, &a.list, a.rows, a.heads, 2, nullptr);
      }
      default:
        return is_run(a) ? posenc_write_cache(rotary, a.first, a.rows, &a.cache)
                         : posenc_write_cache_at(rotary, &a.list, a.rows, &a.cache, nullptr);
    }
  };
  With(
      as, [&](const Arguments& a) { Require(call(a)); }, out, seconds);
  if (unscaled_ != nullptr && IsPlain(as)) MakeNansOne(as.type, out);
}

}  // namespace tools
}  // namespace posenc
