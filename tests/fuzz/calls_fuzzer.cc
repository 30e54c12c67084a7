// Every C function of encoders as C can call it: with null handles, structs of other versions, unknown
// values, memory that overlaps. Every target that this CPU runs says and writes what REFERENCE does; of
// accepted calls some rows are what the oracle says, and not one byte more is written; refused ones write
// nothing. AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "fuzzing.h"
#include "nouns.h"
#include "oracle/format.h"
#include "oracle/oracle.h"

namespace posenc {
namespace fuzz {
namespace {

enum Kind : int { kWrite, kWriteAt, kAdd, kAddAt, kEmbed, kEmbedAt, kAddBatch };
enum Part : std::size_t { kData, kList, kTable, kPlaces, kAllParts };

struct Call {
  static constexpr std::size_t kParts = kAllParts;

  Call(const posenc_spec& spec, Bytes& bytes);

  bool Writes() const { return kind == kWrite || kind == kWriteAt; }
  bool HasTable() const { return kind == kEmbed || kind == kEmbedAt; }
  bool HasBatch() const { return kind == kAddBatch; }
  bool HasPositions() const { return kind == kWriteAt || kind == kAddAt; }
  bool Has(std::size_t part) const {
    return part == kData || (part == kList && (HasPositions() || HasTable() || HasBatch())) ||
           (part == kTable && HasTable()) || (part == kPlaces && kind == kEmbedAt);
  }
  std::size_t Batch() const { return HasBatch() ? batch : 1; }
  std::size_t Entries() const { return HasBatch() ? batch : rows; }  // of lists
  std::size_t RowOffset(std::size_t b, std::size_t r) const {
    return ((HasBatch() ? b * batch_stride : 0) + r * stride) * TypeSize(type);
  }

  long double ExtentOf(std::size_t part) const;
  Parts MakeParts() const;
  Verdict VerdictOf(const Parts& parts) const;
  posenc_status Run(const posenc_encoder* encoder, const Parts& parts, std::size_t* bad_index) const;
  double PositionOf(const Parts& parts, std::size_t b, std::size_t r) const;
  // The first entry of a list that is no position or id, or Entries().
  std::size_t FirstBad(const Parts& parts) const;

  Kind kind;
  std::size_t dim, rows, stride, batch, batch_stride, vocabulary, table_stride;
  posenc_type type, list_type, table_type, at_type;
  std::int64_t first;
  float scale;
  std::int64_t shift;  // the encoder's position_offset
  bool nan_rows, null_encoder, null_bad_index, null[kParts] = {};
  int rounding;
  std::size_t offset;
  Place places[kParts];
  Verdict made;  // of these arguments, but for memory
  std::vector<std::uint8_t> lists[2], pattern;

 private:
  void Mutate(Bytes& bytes);
};

constexpr std::size_t Call::*kSizes[] = {&Call::rows,         &Call::stride,     &Call::batch,
                                         &Call::batch_stride, &Call::vocabulary, &Call::table_stride};
constexpr posenc_type Call::*kTypes[] = {&Call::type, &Call::list_type, &Call::table_type, &Call::at_type};

Call::Call(const posenc_spec& spec, Bytes& bytes)
    : kind(static_cast<Kind>(bytes.ConsumeIntegralInRange<int>(kWrite, kAddBatch))),
      dim(spec.dim),
      shift(spec.position_offset),
      nan_rows(spec.nan_rows != 0) {
  rows = MakeSize(!Rarely(bytes, 8) ? 5 : dim > 32 ? 8 : dim > 8 ? 24 : 70, bytes);
  stride = dim + (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
  batch = MakeSize(4, bytes);
  batch_stride = rows * stride + (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
  vocabulary = MakeSize(5, bytes, 1);
  table_stride = dim + (bytes.ConsumeBool() ? 0 : MakeSize(20, bytes));
  type = MakeEnum(POSENC_F32, Writes() ? POSENC_F64 : POSENC_F16, bytes);
  table_type = type == POSENC_F32 ? MakeEnum(POSENC_F32, POSENC_F16, bytes) : type;
  list_type = HasPositions() ? MakePositionType(bytes) : bytes.PickValueInArray({POSENC_I32, POSENC_I64});
  at_type = MakePositionType(bytes);
  first = HasBatch() ? bytes.ConsumeIntegralInRange(-128, 127) : MakePosition(bytes);
  scale = bytes.ConsumeBool() ? 1.0f : static_cast<float>(MakeWildReal(bytes));
  null_encoder = Rarely(bytes, 128);
  null_bad_index = Rarely(bytes, 4);
  for (int k = 0; k < 2 && Rarely(bytes, 4); ++k) Mutate(bytes);
  if (Has(kList)) {
    // Sequences of a batch often have positions in common.
    const std::size_t end = HasTable() ? vocabulary : HasBatch() && bytes.ConsumeBool() ? rows + 1 : kNoEnd;
    lists[0] = MakeNumbers(Entries(), list_type, end, bytes);
  }
  if (Has(kPlaces)) lists[1] = MakeNumbers(rows, at_type, kNoEnd, bytes);
  rounding = MakeRounding(bytes);
  offset = bytes.ConsumeBool() ? 0 : MakeSize(63, bytes);
  const std::size_t shared = MakeSize(2 * kParts, bytes);
  for (std::size_t part = 0; part < kParts; ++part) places[part] = MakePlace(part != shared, bytes);
  pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  pattern.push_back(0x3c);
}

void Call::Mutate(Bytes& bytes) {
  made.Doubt();
  switch (bytes.ConsumeIntegralInRange(0, 3)) {
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
    default:
      first = MakeEdge(bytes);
  }
}

long double Call::ExtentOf(std::size_t part) const {
  if (!Has(part) || rows == 0 || Batch() == 0) return 0.0L;
  if (part == kList) return Extent({{Entries(), 1}}, 1, TypeSize(list_type));
  if (part == kPlaces) return Extent({{rows, 1}}, 1, TypeSize(at_type));
  if (part == kTable) return Extent({{vocabulary, table_stride}}, dim, TypeSize(table_type));
  return Extent({{Batch(), batch_stride}, {rows, stride}}, dim, TypeSize(type));
}

Parts Call::MakeParts() const {
  std::vector<Parts::Part> sizes;
  for (std::size_t part = 0; part < kParts; ++part) sizes.push_back({Held(ExtentOf(part)), places[part]});
  sizes[kData].place = {};
  sizes[kList].size = std::max(lists[0].size(), sizes[kList].size);
  sizes[kPlaces].size = std::max(lists[1].size(), sizes[kPlaces].size);
  Parts parts(sizes, offset, pattern);
  if (!lists[0].empty()) std::memcpy(parts[kList], lists[0].data(), lists[0].size());
  if (!lists[1].empty()) std::memcpy(parts[kPlaces], lists[1].data(), lists[1].size());
  return parts;
}

Verdict Call::VerdictOf(const Parts& parts) const {
  Verdict verdict = made;
  verdict.Refuse(null_encoder || stride < dim || (HasTable() && table_stride < dim));
  verdict.Refuse(!IsEntryType(type, !Writes()) || (HasTable() && !IsEntryType(table_type, true)));
  verdict.Refuse(HasPositions() ? !IsPositionType(list_type) : Has(kList) && !IsIntegerType(list_type));
  verdict.Refuse(Has(kPlaces) && !IsPositionType(at_type));
  if (rows == 0 || Batch() == 0) return verdict;
  verdict.Refuse(HasBatch() && batch > 1 && batch_stride / rows < stride);
  std::vector<Claim> claims;
  for (std::size_t part = 0; part < kParts; ++part) {
    const long double extent = ExtentOf(part);
    verdict.Refuse(ExceedsAddresses(extent) ||
                   (null[part] && extent != 0.0L && !(HasBatch() && part == kList)));
    if (!null[part]) claims.emplace_back(parts[part], Held(extent), part == kData);
  }
  verdict.Refuse(Conflict(claims));
  verdict.Doubt(HasTable() && vocabulary == 0);
  if (verdict.Refused()) return verdict;
  const auto is_in = [&](long double p) {
    return std::fabs(p + static_cast<long double>(shift)) <= static_cast<long double>(kMaxPosition);
  };
  const bool is_run = kind == kWrite || kind == kAdd || kind == kEmbed || (HasBatch() && null[kList]);
  const long double begin = static_cast<long double>(first), last = static_cast<long double>(rows - 1);
  verdict.Refuse(is_run && !(is_in(begin) && is_in(begin + last)));
  verdict.Refuse(FirstBad(parts) < Entries());
  return verdict;
}

posenc_status Call::Run(const posenc_encoder* encoder, const Parts& parts, std::size_t* bad_index) const {
  const posenc_encoder* e = null_encoder ? nullptr : encoder;
  void* data = null[kData] ? nullptr : parts[kData];
  const void* list = null[kList] ? nullptr : parts[kList];
  const void* table = null[kTable] ? nullptr : parts[kTable];
  const void* at = null[kPlaces] ? nullptr : parts[kPlaces];
  std::size_t* index = null_bad_index ? nullptr : bad_index;
  switch (kind) {
    case kWrite:
      return posenc_write(e, first, rows, type, data, stride);
    case kWriteAt:
      return posenc_write_at(e, list_type, list, rows, type, data, stride, index);
    case kAdd:
      return posenc_add(e, first, rows, type, data, stride, scale);
    case kAddAt:
      return posenc_add_at(e, list_type, list, rows, type, data, stride, scale, index);
    case kEmbed:
      return posenc_embed(e, list_type, list, rows, table_type, table, vocabulary, table_stride, first, type,
                          data, stride, scale, index);
    case kEmbedAt:
      return posenc_embed_at(e, list_type, list, rows, table_type, table, vocabulary, table_stride, at_type,
                             at, type, data, stride, scale, index);
    case kAddBatch:
      return posenc_add_batch(e, first, list_type, list, batch, rows, type, data, batch_stride, stride, scale,
                              index);
  }
  std::abort();
}

double Call::PositionOf(const Parts& parts, std::size_t b, std::size_t r) const {
  if (kind == kEmbedAt) return NumberAt(parts[kPlaces] + r * TypeSize(at_type), at_type);
  if (HasPositions()) return NumberAt(parts[kList] + r * TypeSize(list_type), list_type);
  std::int64_t position = first + static_cast<std::int64_t>(r);
  if (HasBatch() && !null[kList]) position += IntegerAt(parts[kList] + b * TypeSize(list_type), list_type);
  return static_cast<double>(position);
}

std::size_t Call::FirstBad(const Parts& parts) const {
  const auto is_position = [&](double p) {
    return nan_rows || std::fabs(p + static_cast<double>(shift)) <= static_cast<double>(kMaxPosition);
  };
  const auto is_good = [&](std::size_t i) {
    const std::uint8_t* at = parts[kList] + i * TypeSize(list_type);
    if (HasPositions()) return is_position(NumberAt(at, list_type));
    if (HasBatch()) {
      const long double begin = static_cast<long double>(first) + static_cast<long double>(shift) +
                                static_cast<long double>(IntegerAt(at, list_type));
      const auto most = static_cast<long double>(kMaxPosition);
      return begin >= -most && begin + static_cast<long double>(rows - 1) <= most;
    }
    const std::int64_t id = IntegerAt(at, list_type);
    const bool is_id = id >= 0 && static_cast<std::size_t>(id) < vocabulary;
    return is_id &&
           (kind == kEmbed || is_position(NumberAt(parts[kPlaces] + i * TypeSize(at_type), at_type)));
  };
  std::size_t i = 0;
  while (i < Entries() && (!Has(kList) || null[kList] || is_good(i))) ++i;
  return i;
}

// A row as the oracle says. `before` has what the call read.
void CheckRow(const Call& call, const posenc_spec& spec, const Parts& before, const Parts& after,
              std::size_t b, std::size_t r) {
  const posenc_type type = call.type;
  const double position = call.PositionOf(before, b, r);
  std::vector<double> row(call.dim, std::nan(""));
  if (std::fabs(position + static_cast<double>(spec.position_offset)) <= static_cast<double>(kMaxPosition)) {
    oracle::Oracle(spec, call.Writes() ? type : POSENC_F32).Row(position, row.data());
  }
  const std::uint8_t* read = before[kData] + call.RowOffset(b, r);
  const posenc_type read_type = call.HasTable() ? call.table_type : type;
  if (call.HasTable()) {
    const std::int64_t id = IntegerAt(before[kList] + r * TypeSize(call.list_type), call.list_type);
    read = before[kTable] + static_cast<std::size_t>(id) * call.table_stride * TypeSize(read_type);
  }
  const std::uint8_t* wrote = after[kData] + call.RowOffset(b, r);
  for (std::size_t k = 0; k < call.dim; ++k) {
    const std::uint64_t got = BitsAt(wrote + k * TypeSize(type), type);
    double want = row[k];
    if (!call.Writes()) {
      const double x = oracle::Unpack(read_type, BitsAt(read + k * TypeSize(read_type), read_type));
      want += oracle::RoundTo(POSENC_F32, x * static_cast<double>(call.scale));
      want = oracle::RoundTo(type, oracle::RoundTo(POSENC_F32, want));
      const bool keeps = type == POSENC_F32 && std::isfinite(call.scale) && call.scale != 0.0f;
      if (std::isnan(x) && keeps && std::isnan(oracle::Unpack(type, got))) continue;
    }
    POSENC_FUZZ_CHECK(got == oracle::Pack(type, want));
  }
}

// The radians of a pair are what the sine of a tiny angle is.
void CheckRadians(posenc_spec spec, const posenc_encoder* encoder, Bytes& bytes) {
  constexpr double kTiny = 0x1p-60;
  if (spec.phase_rounding != POSENC_NO_PHASE_ROUNDING || spec.dim < 4) return;
  const std::size_t i = MakeSize(spec.dim / 2 - 2, bytes);
  spec.position_offset = 0;
  spec.has_padding = 0;
  if (spec.input_first != 0 || spec.layout != POSENC_INTERLEAVED) return;
  const std::string exact = oracle::Oracle(spec, POSENC_F64).Exact(kTiny, 2 * i);
  const double want = std::ldexp(std::strtod(exact.c_str(), nullptr), 60);
  POSENC_FUZZ_CHECK(std::fabs(posenc_encoder_radians(encoder, i) - want) <= std::fabs(want) * 0x1p-52);
}

void CheckCall(const std::vector<Made<EncoderNoun>>& encoders, const Call& call, const posenc_spec& spec,
               std::size_t sample) {
  Compare(encoders, call, [&](const Parts& before, const Parts& got, const Parts& want, bool is_reference) {
    if (!is_reference) return;
    for (std::size_t b = 0; b < call.Batch(); ++b) {
      for (std::size_t r = 0; r < call.rows; ++r) {
        const std::size_t at = call.RowOffset(b, r);
        std::memcpy(want[kData] + at, got[kData] + at, call.dim * TypeSize(call.type));
      }
    }
    if (call.rows * call.Batch() == 0) return;
    CheckRow(call, spec, before, got, sample % call.Batch(), sample / 8 % call.rows);
  });
}

void CheckTargets(Bytes& bytes) {
  const std::vector<posenc_target> want = Targets();
  const std::size_t capacity = MakeSize(POSENC_MAX_TARGETS, bytes);
  const Memory memory(capacity * sizeof(posenc_target));
  auto* targets = reinterpret_cast<posenc_target*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_version() == POSENC_VERSION);
  POSENC_FUZZ_CHECK(posenc_targets(targets, capacity) == want.size());
  POSENC_FUZZ_CHECK(posenc_targets(nullptr, capacity) == want.size());
  const std::size_t filled = std::min(want.size(), capacity);
  POSENC_FUZZ_CHECK(filled == 0 || std::memcmp(targets, want.data(), filled * sizeof(*targets)) == 0);
  bool better_runs = false;
  for (const posenc_target& target : want) {
    POSENC_FUZZ_CHECK(target.runnable == 0 || target.runnable == 1);
    POSENC_FUZZ_CHECK(target.best == (target.runnable == 1 && !better_runs ? 1 : 0));
    better_runs |= target.runnable == 1;
  }
  POSENC_FUZZ_CHECK(std::strcmp(want.back().name, "REFERENCE") == 0 && want.back().runnable == 1);
  posenc_spec spec;
  posenc_spec_init(&spec, sizeof(spec));
  spec.dim = 8;
  const std::string name = bytes.ConsumeRandomLengthString(12);
  spec.target = name.c_str();
  posenc_encoder* encoder = nullptr;
  const posenc_status status = posenc_encoder_create(&spec, &encoder);
  const bool is_known = std::any_of(want.begin(), want.end(), [&](const posenc_target& target) {
    return std::strcmp(target.name, spec.target) == 0;
  });
  POSENC_FUZZ_CHECK(is_known || (status == POSENC_UNKNOWN_TARGET && encoder == nullptr));
  posenc_encoder_destroy(encoder);
}

void CheckRest(Bytes& bytes) {
  const auto status =
      static_cast<posenc_status>(bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<std::int32_t>(-1, 99)
                                                     : bytes.ConsumeIntegral<std::int32_t>());
  const char* message = posenc_status_message(status);
  POSENC_FUZZ_CHECK(message != nullptr && message[0] != '\0');
  POSENC_FUZZ_CHECK(status >= POSENC_OK ||
                    std::strcmp(message, posenc_status_message(posenc_status{-1})) == 0);
  CheckNull<EncoderNoun>(bytes);
  POSENC_FUZZ_CHECK(posenc_encoder_layout(nullptr) == -1);
  const std::string name = bytes.ConsumeRandomLengthString();
  const posenc_phase_rounding rounding = posenc_spec_preset_rounding(name.c_str());
  POSENC_FUZZ_CHECK(rounding >= -1 && rounding <= POSENC_F32_LOG_INCREMENT);
  POSENC_FUZZ_CHECK(posenc_spec_preset_rounding(nullptr) == -1);
}

void CheckEncoders(Bytes& bytes) {
  const SpecInput<EncoderNoun> input(bytes);
  const std::vector<Made<EncoderNoun>> encoders = MakeHandles(input, bytes);
  if (encoders.empty()) return;
  const posenc_spec spec = input.Own();
  for (const auto& made : encoders)
    POSENC_FUZZ_CHECK(posenc_encoder_layout(made.handle.get()) == spec.layout);
  const std::size_t sample = bytes.ConsumeIntegral<std::uint16_t>();
  if (sample % 16 == 0) CheckRadians(spec, encoders[0].handle.get(), bytes);
  CheckCall(encoders, Call(spec, bytes), spec, sample);
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  constexpr void (*kChecks[])(Bytes&) = {CheckTargets, CheckRest, CheckPresets<EncoderNoun>, CheckEncoders};
  Bytes bytes(data, size);
  kChecks[std::min(bytes.ConsumeIntegralInRange(0, 63), 3)](bytes);
  return 0;
}
