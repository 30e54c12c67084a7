#include "fuzzing.h"

namespace posenc {
namespace fuzz {

Place MakePlace(bool apart, FuzzedDataProvider& bytes) {
  const auto side = static_cast<Place::Side>(bytes.ConsumeIntegralInRange(0, 2));
  const std::size_t most = bytes.ConsumeBool() ? 4 : Place::kMaxShift;
  return {apart ? Place::kApart : side, bytes.ConsumeIntegralInRange<std::size_t>(0, most)};
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

bool Parts::Overlap(std::size_t size, std::size_t part, std::size_t part_size) const {
  const auto a = reinterpret_cast<std::uintptr_t>(at_[0]), b = reinterpret_cast<std::uintptr_t>(at_[part]);
  return size != 0 && part_size != 0 && b < a + size && a < b + part_size;
}

}  // namespace fuzz
}  // namespace posenc
