#include "fuzzing.h"

namespace posenc {
namespace fuzz {

std::int32_t MakeWildNumber(Bytes& bytes) {
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int32_t>(-1, 12);
  return bytes.ConsumeBool() ? bytes.ConsumeIntegral<std::int32_t>()
                             : bytes.ConsumeIntegralInRange<std::int32_t>(0, 12) | 256;
}

double MakeWildReal(Bytes& bytes) {
  if (bytes.ConsumeBool()) {
    return bytes.PickValueInArray({10000.0, 1.0, 500000.0, 0.5, 1e7, 0.0, -0.0, -1.0, 0x1p-40, 0x1p31, 3.0,
                                   1e300, HUGE_VAL, -HUGE_VAL, std::nan("")});
  }
  if (Rarely(bytes, 3)) {  // about the limits of frequencies and positions
    return bytes.PickValueInArray({0x1p-126, -0x1p-127, 0x0.8p-1022, 1e-320, 0x1p29, 0x1.45f306dc9c882p28,
                                   -0x1p31, 0x1.fffffffffffffp30, 0x1.0000000000001p31,
                                   -0x1.0000000000001p31});
  }
  if (bytes.ConsumeBool()) return bytes.ConsumeFloatingPointInRange(-1e6, 1e6);
  const auto bits = bytes.ConsumeIntegral<std::uint64_t>();
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::int64_t MakePosition(Bytes& bytes) {
  constexpr std::int64_t kMost = kMaxPosition - 4096;
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
  return bytes.ConsumeIntegralInRange<std::int64_t>(-kMost, kMost);
}

double MakeDoublePosition(Bytes& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 7);
  if (choice == 0) return static_cast<double>(MakePosition(bytes));
  if (choice < 4) return bytes.ConsumeIntegral<std::int16_t>() / 16.0;
  return std::ldexp(bytes.ConsumeFloatingPointInRange(-1.0, 1.0),
                    bytes.ConsumeIntegralInRange(choice == 4 ? -1074 : 0, 30));
}

std::int64_t MakeEdge(Bytes& bytes) {
  const auto near = bytes.ConsumeIntegralInRange<std::int64_t>(-130, 130);
  const auto edge =
      bytes.PickValueInArray({INT64_MAX, INT64_MIN, kMaxPosition, -kMaxPosition, std::int64_t{1} << 24});
  std::int64_t sum;
  return __builtin_add_overflow(edge, near, &sum) ? edge : sum;
}

std::vector<posenc_target> Targets() {
  std::vector<posenc_target> targets(POSENC_MAX_TARGETS);
  targets.resize(posenc_targets(targets.data(), targets.size()));
  return targets;
}

double NumberAt(const std::uint8_t* at, posenc_type type) {
  float narrow;
  double value;
  if (type == POSENC_F32) return std::memcpy(&narrow, at, sizeof(narrow)), static_cast<double>(narrow);
  if (type == POSENC_F64) return std::memcpy(&value, at, sizeof(value)), value;
  return static_cast<double>(IntegerAt(at, type));
}

std::int64_t IntegerAt(const std::uint8_t* at, posenc_type type) {
  std::int32_t narrow;
  std::int64_t value;
  if (type == POSENC_I32) return std::memcpy(&narrow, at, sizeof(narrow)), narrow;
  return std::memcpy(&value, at, sizeof(value)), value;
}

void SetNumber(double value, posenc_type type, std::uint8_t* at) {
  const auto narrow = static_cast<float>(value);
  std::memcpy(at, type == POSENC_F32 ? static_cast<const void*>(&narrow) : &value, TypeSize(type));
}

void SetInteger(std::int64_t value, posenc_type type, std::uint8_t* at) {
  const auto narrow = static_cast<std::int32_t>(value);
  std::memcpy(at, type == POSENC_I32 ? static_cast<const void*>(&narrow) : &value, TypeSize(type));
}

std::vector<std::uint8_t> MakeNumbers(std::size_t count, posenc_type type, std::size_t end, Bytes& bytes) {
  const std::size_t size = TypeSize(type), last = end == 0 ? 0 : std::min<std::size_t>(end, 12) - 1;
  const bool is_real = type == POSENC_F32 || type == POSENC_F64, is_wild = Rarely(bytes, 4);
  std::vector<std::uint8_t> numbers(count <= kOwned / 8 ? count * size : 0);
  for (std::size_t i = 0; i < numbers.size() / size; ++i) {
    std::uint8_t* at = &numbers[i * size];
    if (is_wild && Rarely(bytes, 4)) {
      is_real ? SetNumber(MakeWildReal(bytes), type, at) : SetInteger(MakeEdge(bytes), type, at);
    } else if (end != kNoEnd) {
      SetInteger(static_cast<std::int64_t>(MakeSize(last + (is_wild ? 1 : 0), bytes)), type, at);
    } else {
      is_real ? SetNumber(MakeDoublePosition(bytes), type, at) : SetInteger(MakePosition(bytes), type, at);
    }
  }
  return numbers;
}

Memory::Memory(std::size_t size, std::size_t offset, const std::vector<std::uint8_t>& pattern)
    : bytes_(static_cast<std::uint8_t*>(std::malloc(offset + size)), std::free),
      offset_(offset),
      size_(size) {
  for (std::size_t done = 0; done < size; done += pattern.size()) {
    std::memcpy(data() + done, pattern.data(), std::min(pattern.size(), size - done));
  }
}

Place MakePlace(bool apart, Bytes& bytes) {
  const auto side = static_cast<Place::Side>(bytes.ConsumeIntegralInRange(0, 2));
  const std::size_t most = bytes.ConsumeBool() ? 4 : Place::kMaxShift;
  return {apart ? Place::kApart : side, MakeSize(most, bytes)};
}

Parts::Parts(const std::vector<Part>& parts, std::size_t offset, const std::vector<std::uint8_t>& pattern) {
  constexpr std::size_t kShared = 2;  // bytes, or none, or a gap, by the place's shift
  std::size_t front = 0;
  for (const Part& part : parts) {
    if (part.place.side == Place::kBefore)
      front = std::max(front, part.size + Place::kMaxShift + part.alignment);
  }
  const std::size_t size = parts[0].size;
  std::vector<std::size_t> begin = {front + offset};
  std::size_t end = begin[0] + size;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Place& place = parts[i].place;
    begin.push_back(begin[0] + place.shift);
    if (place.side == Place::kApart) continue;
    if (place.side == Place::kBefore) begin[i] = begin[0] + kShared - parts[i].size - place.shift;
    if (place.side == Place::kAfter) begin[i] += size - std::min(size, kShared);
    begin[i] -= begin[i] % parts[i].alignment;
    end = std::max(end, begin[i] + parts[i].size);
  }
  blocks_.emplace_back(end - offset, offset, pattern);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at_.push_back(blocks_[0].data() + begin[i] - offset);
    if (i == 0 || parts[i].place.side != Place::kApart) continue;
    blocks_.emplace_back(parts[i].size, parts[i].place.shift / parts[i].alignment * parts[i].alignment,
                         pattern);
    at_[i] = blocks_.back().data();
  }
}

bool Conflict(const std::vector<Claim>& claims) {
  for (std::size_t a = 0; a < claims.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool touch = claims[a].begin < claims[b].end && claims[b].begin < claims[a].end;
      const bool is_empty = claims[a].begin == claims[a].end || claims[b].begin == claims[b].end;
      if (touch && !is_empty && (claims[a].is_written || claims[b].is_written)) return true;
    }
  }
  return false;
}

long double Extent(std::initializer_list<Step> steps, std::size_t width, std::size_t size) {
  long double extent = static_cast<long double>(width), count = 1.0L;
  for (const Step& step : steps) {
    if (step.count == 0) return 0.0L;
    count *= static_cast<long double>(step.count);
    extent += static_cast<long double>(step.count - 1) * static_cast<long double>(step.stride);
  }
  extent *= static_cast<long double>(size);
  return count > kMostRows ? std::max<long double>(extent, kOwned + 1) : extent;
}

}  // namespace fuzz
}  // namespace posenc
