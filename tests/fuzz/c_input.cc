#include "c_input.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "to_c.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kSpecSize = sizeof(posenc_spec);
constexpr std::size_t kMaxSpecSize = 4096;  // of any version
constexpr std::size_t kMaxShift = 63;       // of a Place

std::size_t MakeStructSize(FuzzedDataProvider& bytes) {
  switch (bytes.ConsumeIntegralInRange(0, 15)) {
    case 0:
      return bytes.ConsumeIntegralInRange<std::size_t>(0, kSpecSize);
    case 1:
    case 2:
      return bytes.ConsumeIntegralInRange<std::size_t>(kSpecSize, kSpecSize + 40);
    case 3:
      return bytes.PickValueInArray(
          {kMaxSpecSize, kMaxSpecSize + 1, std::numeric_limits<std::size_t>::max()});
    default:
      return kSpecSize;
  }
}

// Mostly `right`, else any number, often one whose low byte is right.
std::int32_t MakeEnum(std::int32_t right, FuzzedDataProvider& bytes) {
  if (!Rarely(bytes)) return right;
  return bytes.ConsumeBool() ? bytes.ConsumeIntegral<std::int32_t>() : right | 256;
}

std::string MakeTarget(FuzzedDataProvider& bytes) {
  if (Rarely(bytes)) return bytes.ConsumeRandomLengthString(12);
  Target targets[kMaxTargets];
  return targets[bytes.ConsumeIntegralInRange<std::size_t>(0, Targets(targets) - 1)].name;
}

// None, or any, mostly one that some parameter takes.
std::optional<posenc_type> MakeOtherType(FuzzedDataProvider& bytes) {
  if (!Rarely(bytes, 8)) return std::nullopt;
  return bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange(0, 7) : bytes.ConsumeIntegral<posenc_type>();
}

bool IsListType(const CallInput& call, posenc_type type) {
  return type == POSENC_I32 || type == POSENC_I64 || (call.TakesDoublePositions() && type == POSENC_F64);
}

bool IsEntryType(const CallInput& call, posenc_type type) {
  return type == POSENC_F32 || type == POSENC_BF16 || type == POSENC_F16 ||
         (call.TakesDoubles() && type == POSENC_F64);
}

bool IsByte(std::int32_t value) { return value >= 0 && value <= 255; }

// Memory that a malloc'd block of struct_size bytes has, but enough for struct_size itself, and not all of a
// size that must be refused unseen.
std::size_t Allocation(std::size_t struct_size) {
  if (struct_size > kMaxSpecSize) return kSpecSize;
  return std::max(struct_size, sizeof(std::size_t));
}

bool Disjoint(std::size_t a, std::size_t a_size, std::size_t b, std::size_t b_size) {
  return a + a_size <= b || b + b_size <= a;
}

}  // namespace

bool Faults::Allow(posenc_status status) const {
  if (None()) return status == POSENC_OK;
  return std::find(statuses_.begin(), statuses_.end(), status) != statuses_.end();
}

CSpec::CSpec(FuzzedDataProvider& bytes)
    : target_(MakeTarget(bytes)),
      input_(MakeSpec(bytes)),
      layout_(MakeEnum(static_cast<posenc_layout>(input_.spec.layout), bytes)),
      recipe_(MakeEnum(static_cast<posenc_recipe>(input_.spec.recipe), bytes)),
      unit_(MakeEnum(static_cast<posenc_unit>(input_.spec.frequencies.unit), bytes)),
      struct_size_(MakeStructSize(bytes)),
      null_(Rarely(bytes, 64)),
      memory_(Allocation(struct_size_), 0, {0}) {
  if (bytes.ConsumeBool()) input_.spec.target = target_.c_str();
  posenc_spec spec = ToC(input_.spec);
  if (spec.exponent_dim == 0.0) input_.spec.exponent_dim.reset();  // so does C say it
  spec.struct_size = struct_size_;
  spec.layout = layout_;
  spec.recipe = recipe_;
  spec.frequency_unit = unit_;
  std::memcpy(memory_.data(), &spec, std::min(sizeof(spec), memory_.size()));
  if (memory_.size() > kSpecSize && Rarely(bytes, 4)) {
    unknown_member_ = true;
    memory_.data()[bytes.ConsumeIntegralInRange(kSpecSize, memory_.size() - 1)] = 1;
  }
}

Memory CSpec::WithListAt(std::uint8_t* list) const {
  std::memcpy(list, input_.list.data(), list_size());
  posenc_spec spec;
  Memory copy(size(), 0, {0});
  std::memcpy(copy.data(), memory_.data(), size());
  if (size() < sizeof(spec)) return copy;  // which is refused
  std::memcpy(&spec, copy.data(), sizeof(spec));
  if (spec.frequencies != nullptr) spec.frequencies = reinterpret_cast<const double*>(list);
  if (spec.frequencies_f32 != nullptr) spec.frequencies_f32 = reinterpret_cast<const float*>(list);
  std::memcpy(copy.data(), &spec, sizeof(spec));
  return copy;
}

Faults CSpec::Create(Encoder* encoder) const {
  Faults faults;
  faults.AddIf(null_, POSENC_NULL_POINTER);
  faults.AddIf(struct_size_ < kSpecSize || struct_size_ > kMaxSpecSize || unknown_member_,
               POSENC_BAD_STRUCT_SIZE);
  faults.AddIf(!IsByte(layout_), POSENC_BAD_LAYOUT);
  faults.AddIf(!IsByte(recipe_), POSENC_BAD_RECIPE);
  faults.AddIf(!IsByte(unit_), POSENC_BAD_FREQUENCIES);
  if (!faults.None()) return faults;
  Spec spec = input_.spec;
  spec.layout = static_cast<Layout>(layout_);
  spec.recipe = static_cast<Recipe>(recipe_);
  spec.frequencies.unit = static_cast<FrequencyUnit>(unit_);
  faults.Add(Encoder::Create(spec, encoder));
  return faults;
}

Parts::Parts(const CallInput& call, std::size_t dim, bool one_block, const Place (&places)[kCount]) {
  const std::vector<std::uint8_t> list = call.ListBytes();
  const std::size_t size[kCount] = {call.DataBytes(dim), list.size(), call.TableBytes(dim)};
  one_block |= call.HasHugeStride();  // where chance has no say
  if (one_block) {
    constexpr std::size_t kShared = 2;  // bytes, or none, or a gap, by the place's shift
    const std::size_t data = std::max(size[kList], size[kTable]) + kMaxShift + call.offset;
    std::size_t begin[kCount] = {data, 0, 0}, end = data + size[kData];
    for (const Part part : {kList, kTable}) {
      const Place& place = places[part];
      begin[part] = data + place.shift;  // within
      if (place.side == Place::kBefore) begin[part] = data + kShared - size[part] - place.shift;
      if (place.side == Place::kAfter) begin[part] += size[kData] - std::min(size[kData], kShared);
      end = std::max(end, begin[part] + size[part]);
    }
    blocks_.emplace_back(end, 0, call.pattern);
    for (const Part part : {kData, kList, kTable}) at_[part] = blocks_[0].data() + begin[part];
  } else {
    for (const Part part : {kData, kList, kTable}) {
      blocks_.emplace_back(size[part], part == kData ? call.offset : places[part].shift, call.pattern);
      at_[part] = blocks_[part].data();
    }
  }
  if (!list.empty()) std::memcpy(at_[kList], list.data(), list.size());
}

bool Parts::Overlap(const CallInput& call, std::size_t dim) const {
  const std::size_t data_size = call.DataSize(dim) * call.ElementSize();
  if (blocks_.size() > 1 || data_size == 0) return false;
  const auto offset = [&](Part part) { return static_cast<std::size_t>(at_[part] - blocks_[0].data()); };
  const auto overlaps = [&](Part part, std::size_t size) {
    return !Disjoint(offset(kData), data_size, offset(part), size);
  };
  return (call.HasList() && overlaps(kList, call.ListBytes().size())) ||
         (call.kind == Kind::kEmbed && overlaps(kTable, call.TableSize(dim) * call.ElementSize()));
}

CCall::CCall(FuzzedDataProvider& bytes)
    : null_encoder(Rarely(bytes, 64)),
      null_bad_index(Rarely(bytes, 4)),
      one_block(bytes.ConsumeBool()),
      other_list_type(MakeOtherType(bytes)),
      other_entry_type(MakeOtherType(bytes)) {
  for (Parts::Place& place : places) {
    place.side = bytes.ConsumeEnum<Parts::Place::Side>();
    place.shift = bytes.ConsumeIntegralInRange<std::size_t>(0, bytes.ConsumeBool() ? 4 : kMaxShift);
  }
}

posenc_type CCall::ListType(const CallInput& call) const {
  constexpr posenc_type kTypes[] = {POSENC_I32, POSENC_I64, POSENC_F64};
  if (other_list_type && !IsListType(call, *other_list_type)) return *other_list_type;
  return kTypes[static_cast<std::size_t>(call.list_type)];
}

posenc_type CCall::EntryType(const CallInput& call) const {
  constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};
  if (other_entry_type && !IsEntryType(call, *other_entry_type)) return *other_entry_type;
  return kTypes[static_cast<std::size_t>(call.type)];
}

bool CCall::HasBadType(const CallInput& call) const {
  return (call.HasList() && !IsListType(call, ListType(call))) || !IsEntryType(call, EntryType(call));
}

}  // namespace fuzz
}  // namespace posenc
