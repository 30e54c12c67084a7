#include "verify/rotary_calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "api/rotary_handle.h"
#include "call/rotary.h"
#include "command/require.h"
#include "oracle/format.h"
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

// Elements that do not turn.
std::uint64_t RestBits(std::size_t head, std::size_t element) {
  return (0x2911u + 7 * head + element) & 0x3fff;
}

// In POSENC_FAST the sign and the payload of a NaN are the processor's.
void MakeNansOne(posenc_type type, Entries* entries) {
  for (std::size_t i = 0; i < entries->count(); ++i) {
    const double value = oracle::Unpack(type, (*entries)[i]);
    if (std::isnan(value)) entries->Set(i, oracle::Pack(type, value));
  }
}

bool HasTwoTables(posenc_cache_layout layout) {
  return layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
}

}  // namespace

RotaryPtr MakeRotary(posenc_rotary_spec spec, const char* target) {
  spec.target = target;
  posenc_rotary* rotary = nullptr;
  Require(posenc_rotary_create(&spec, &rotary));
  return RotaryPtr(rotary);
}

RotaryCalls::RotaryCalls(const RotaryCase& c) : case_(c) {
  if (c.call == RotaryCall::kWriteCache) return;
  posenc_rotary_spec spec = c.spec;
  spec.amplitude = 1.0;
  turns_ = MakeRotary(spec, nullptr);
}

void RotaryCalls::Prepare(std::size_t row, std::size_t rows) {
  if (row_ == row && rows_ == rows) return;
  row_ = row;
  rows_ = rows;
  for (std::vector<InputPair>& pairs : pairs_) pairs.clear();
  sources_.clear();
  if (turns_ == nullptr) return;
  const std::size_t pairs = case_.pairs();
  cosines_.resize(rows * pairs);
  sines_.resize(rows * pairs);
  const posenc_cache cache{POSENC_CACHE_HALVES, POSENC_F64, cosines_.data(), sines_.data(), pairs};
  const std::vector<unsigned char> list = PassedPositions();
  Require(
      case_.list == 0
          ? posenc_rotary_write(turns_.get(), static_cast<std::int64_t>(case_.Position(0, row)), rows, &cache)
          : posenc_rotary_write_at(turns_.get(), case_.list, list.data(), rows, &cache, nullptr));
}

std::vector<unsigned char> RotaryCalls::PassedPositions() const {
  std::vector<unsigned char> list;
  for (std::size_t k = 0; case_.list != 0 && k < case_.spec.axes; ++k) {
    for (std::size_t r = 0; r < rows_; ++r) AppendAs(case_.list, case_.Position(k, row_ + r), &list);
  }
  return list;
}

const std::vector<InputPair>& RotaryCalls::Pairs(posenc_type type) {
  std::vector<InputPair>& made = pairs_[type - POSENC_F32];
  if (!made.empty()) return made;
  const std::size_t pairs = case_.pairs(), heads = case_.heads();
  made.resize(rows_ * heads * pairs);
  for (std::size_t k = 0; k < made.size(); ++k) {
    const std::size_t r = k / pairs / heads, h = k / pairs % heads, i = k % pairs;
    const double cosine = cosines_[r * pairs + i], sine = sines_[r * pairs + i];
    made[k] = MakeInput(case_.inputs, type, HashOf(case_.seed, row_ + r, h, i), cosine,
                        case_.inverse ? -sine : sine);
  }
  return made;
}

template <class Bits>
void RotaryCalls::ArrangeAs(const std::vector<InputPair>& pairs, posenc_pairing pairing, Bits* out) const {
  const std::size_t count = case_.pairs(), dim = case_.spec.head_dim, offset = case_.spec.rotary_offset;
  const InputPair* next = pairs.data();
  for (std::size_t h = 0; h < rows_ * case_.heads(); ++h, out += dim) {
    for (std::size_t e = 0; 2 * count < dim && e < dim; ++e) {
      out[e] = static_cast<Bits>(RestBits(h % case_.heads(), e));
    }
    for (std::size_t i = 0; i < count; ++i, ++next) {
      const PairPlace place = PlaceOf(pairing, i, count);
      out[offset + place.a] = static_cast<Bits>(next->a);
      out[offset + place.b] = static_cast<Bits>(next->b);
    }
  }
}

void RotaryCalls::Arrange(posenc_type type, const std::vector<InputPair>& pairs, posenc_pairing pairing,
                          Entries* out) const {
  out->Reset(type, rows_ * case_.columns());
  if (type == POSENC_F32) return ArrangeAs(pairs, pairing, static_cast<std::uint32_t*>(out->data()));
  ArrangeAs(pairs, pairing, static_cast<std::uint16_t*>(out->data()));
}

const Entries& RotaryCalls::Source(posenc_type type, posenc_pairing pairing) {
  for (const Arranged& arranged : sources_) {
    if (arranged.type == type && arranged.pairing == pairing) return arranged.entries;
  }
  Arranged& arranged = sources_.emplace_back();
  arranged.type = type;
  arranged.pairing = pairing;
  Arrange(type, Pairs(type), pairing, &arranged.entries);
  return arranged.entries;
}

double RotaryCalls::CacheEntry(std::size_t cache_row, std::size_t e) const {
  const auto hash = static_cast<std::int64_t>(HashOf(case_.seed, cache_row, 0xca, e) >> 32) - 0x80000000;
  return oracle::RoundTo(case_.cache_type, std::ldexp(static_cast<double>(hash), -31));
}

std::size_t RotaryCalls::CacheRow(std::size_t token) const {
  return case_.list == 0 ? token + 3 : (5 * token + 1) % (case_.rows + 7);
}

RotaryCalls::Tensors RotaryCalls::MakeTensors(posenc_type type, posenc_pairing pairing, Entries* out) {
  const std::size_t dim = case_.spec.head_dim, columns = case_.columns();
  const std::size_t k_begins = case_.q_heads * dim * TraitsOf(type).size;
  const Entries& from = Source(type, pairing);
  if (case_.in_place) {
    *out = from;
  } else {
    out->Reset(type, rows_ * columns);
  }
  auto* data = static_cast<unsigned char*>(out->data());
  const auto* source = case_.in_place ? nullptr : static_cast<const unsigned char*>(from.data());
  const auto tensor = [&](std::size_t begin, std::size_t heads, double scale) {
    return posenc_heads{
        data + begin,          heads, columns, dim, source == nullptr ? nullptr : source + begin, 0, 0, scale,
        case_.inverse ? 1 : 0, 0};
  };
  return {{tensor(0, case_.q_heads, case_.scale), tensor(k_begins, case_.k_heads, 1.0)}};
}

void RotaryCalls::CallRotate(const posenc_rotary* rotary, Entries* out, double* seconds) {
  const Tensors tensors = MakeTensors(case_.type, case_.spec.pairing, out);
  const std::vector<unsigned char> list = PassedPositions();
  const auto first = static_cast<std::int64_t>(case_.list == 0 ? case_.Position(0, row_) : 0.0);
  const double start = ThreadSeconds();
  Require(case_.list == 0 ? posenc_rotate(rotary, first, rows_, case_.type, tensors.heads, 2)
                          : posenc_rotate_at(rotary, case_.list, list.data(), rows_, case_.type,
                                             tensors.heads, 2, nullptr));
  *seconds = ThreadSeconds() - start;
}

void RotaryCalls::CallRotateCached(const posenc_rotary* rotary, Entries* out, double* seconds) {
  const std::size_t columns = 2 * case_.pairs(), cache_rows = case_.rows + 7;
  Entries table(case_.cache_type, cache_rows * columns);
  for (std::size_t k = 0; k < table.count(); ++k) {
    table.Set(k, oracle::Pack(case_.cache_type, CacheEntry(k / columns, k % columns)));
  }
  const posenc_cache cache{POSENC_CACHE_COS_SIN, case_.cache_type, table.data(), nullptr, columns};
  std::vector<unsigned char> indices;
  for (std::size_t r = 0; case_.list != 0 && r < rows_; ++r) {
    AppendAs(case_.list, static_cast<double>(CacheRow(row_ + r)), &indices);
  }
  const Tensors tensors = MakeTensors(case_.type, case_.spec.pairing, out);
  const bool is_list = case_.list != 0;
  const double start = ThreadSeconds();
  Require(posenc_rotate_cached(rotary, &cache, cache_rows, static_cast<std::int64_t>(CacheRow(row_)),
                               is_list ? case_.list : POSENC_I64, is_list ? indices.data() : nullptr, rows_,
                               case_.type, tensors.heads, 2, nullptr));
  *seconds = ThreadSeconds() - start;
}

// A row of two tables is that of the cosines, and then that of the sines.
template <class Write>
void RotaryCalls::WriteCache(posenc_type type, const Write& write, Written* written) const {
  const std::size_t columns = case_.columns();
  const bool is_two = HasTwoTables(case_.layout);
  const std::size_t width = is_two ? columns / 2 : columns;
  Entries cosines(type, rows_ * width), sines(type, is_two ? rows_ * width : 0);
  const posenc_cache cache{case_.layout, type, cosines.data(), is_two ? sines.data() : nullptr, width};
  const std::vector<unsigned char> list = PassedPositions();
  const auto first = static_cast<std::int64_t>(case_.list == 0 ? case_.Position(0, row_) : 0.0);
  const double start = ThreadSeconds();
  write(first, list.data(), cache);
  written->seconds = ThreadSeconds() - start;
  if (!is_two) {
    written->entries = std::move(cosines);
    return;
  }
  written->entries.Reset(type, rows_ * columns);
  for (std::size_t k = 0; k < rows_ * columns; ++k) {
    const std::size_t r = k / columns, e = k % columns;
    written->entries.Set(k, e < width ? cosines[r * width + e] : sines[r * width + e - width]);
  }
}

void RotaryCalls::CallWriteCache(const posenc_rotary* rotary, Written* written) const {
  const auto write = [&](std::int64_t first, const void* list, const posenc_cache& cache) {
    Require(case_.list == 0 ? posenc_rotary_write(rotary, first, rows_, &cache)
                            : posenc_rotary_write_at(rotary, case_.list, list, rows_, &cache, nullptr));
  };
  WriteCache(case_.type, write, written);
}

void RotaryCalls::WalkCache(const posenc_rotary* rotary, posenc_type type, Written* written) const {
  const auto walk = [&](std::int64_t first, const void* list, const posenc_cache& cache) {
    written->tally = internal::WalkCache(
        rotary->rotary, {first, internal::List(case_.list, list), case_.spec.axes, rows_}, cache);
  };
  WriteCache(type, walk, written);
}

void RotaryCalls::Call(const posenc_rotary* rotary, Written* written) {
  if (case_.call == RotaryCall::kWriteCache) return CallWriteCache(rotary, written);
  if (case_.call == RotaryCall::kRotate) CallRotate(rotary, &written->entries, &written->seconds);
  if (case_.call == RotaryCall::kRotateCached) CallRotateCached(rotary, &written->entries, &written->seconds);
  const bool is_exact = case_.call == RotaryCall::kRotate && case_.spec.arithmetic == POSENC_EXACT;
  if (!is_exact) MakeNansOne(case_.type, &written->entries);
}

void RotaryCalls::Walk(const posenc_rotary* rotary, posenc_type type, posenc_pairing pairing,
                       Written* written) {
  if (case_.call == RotaryCall::kWriteCache) return WalkCache(rotary, type, written);
  const Tensors tensors = MakeTensors(type, pairing, &written->entries);
  const std::vector<unsigned char> list = PassedPositions();
  const auto first = static_cast<std::int64_t>(case_.list == 0 ? case_.Position(0, row_) : 0.0);
  const double start = ThreadSeconds();
  written->tally = internal::WalkTokens(
      rotary->rotary, {first, internal::List(case_.list, list.data()), case_.spec.axes, rows_},
      {type, tensors.heads, 2});
  written->seconds = ThreadSeconds() - start;
}

}  // namespace tools
}  // namespace posenc
