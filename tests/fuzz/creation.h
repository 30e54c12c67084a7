// How a handle is made of a spec of the fuzzer's bytes (Input: SpecInput, RotarySpecInput), and what creation
// must say and leave.
#ifndef POSENC_TESTS_FUZZ_CREATION_H_
#define POSENC_TESTS_FUZZ_CREATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "fuzzing.h"
#include "spec_input.h"

namespace posenc {
namespace fuzz {

template <class Input>
struct Made {
  struct Destroy {
    void operator()(typename Input::Handle* handle) const { Input::kDestroy(handle); }
  };
  Parts parts;  // with the handle's memory, if it is the caller's
  std::unique_ptr<typename Input::Handle, Destroy> handle;
};

// So many bytes of what a handle asks for are for the worst alignment: less may or may not do.
constexpr std::size_t kSlack = 256;

// The parts of a creation's memory; lists are the last ones.
enum CreationPart : int { kMemory, kSpec, kHandle, kFirstList };

// How a handle is made: by Input::kCreate, unless the fuzzer says otherwise.
template <class Input>
struct Way {
  static constexpr int kParts = kFirstList + static_cast<int>(Input::kLists);

  Way() = default;
  explicit Way(FuzzedDataProvider& bytes)
      : in_memory(bytes.ConsumeBool()), null_handle(Rarely(bytes)), rounding(MakeRounding(bytes)) {
    if (!in_memory) return;
    null_memory = Rarely(bytes);
    offset = bytes.ConsumeIntegralInRange<std::size_t>(0, 127);
    if (bytes.ConsumeBool())
      missing = bytes.ConsumeIntegralInRange<std::size_t>(0, bytes.ConsumeBool() ? 160 : 65535);
    const int shared = bytes.ConsumeIntegralInRange<int>(kSpec, 7);  // one part that shares the block
    for (int part = kSpec; part < kParts; ++part) places[part] = MakePlace(part != shared, bytes);
  }

  bool in_memory = false, null_handle = false, null_memory = false;
  int rounding = FE_TONEAREST;
  std::size_t offset = 0;   // of the memory
  std::size_t missing = 0;  // bytes of it
  Place places[kParts];
};

// Stands for no handle, and is never followed.
template <class Handle>
Handle* Untouched() {
  static std::uint64_t memory;
  return reinterpret_cast<Handle*>(&memory);
}

// What creation in the caller's memory asks for; some size if the spec is refused.
template <class Input>
std::size_t MemorySize(const Input& input, const char* target) {
  const Faults faults = input.CreationFaults(target, Input::kEstimateError);
  std::size_t size = SIZE_MAX;
  const Memory memory(input.PassedSize());
  input.Pass(target, input.Lists(), memory.data());
  const auto* spec = input.null ? nullptr : reinterpret_cast<const typename Input::Spec*>(memory.data());
  const posenc_status status = Input::kMemorySize(spec, &size);
  POSENC_FUZZ_CHECK(faults.Allow(status) && (status == POSENC_OK) == (size != SIZE_MAX));
  POSENC_FUZZ_CHECK(Input::kMemorySize(spec, nullptr) != POSENC_OK);
  return status == POSENC_OK ? size : 4000;
}

inline std::vector<const std::uint8_t*> ListsIn(const Parts& parts, std::size_t count) {
  std::vector<const std::uint8_t*> lists(count);
  for (std::size_t i = 0; i < count; ++i) lists[i] = parts[kFirstList + i];
  return lists;
}

// The arguments of a creation, the spec with lists that are elsewhere or, of none, in these parts.
template <class Input>
Parts MakeCreationParts(const Input& input, const char* target, const Way<Input>& way,
                        std::size_t memory_size, const std::vector<const std::uint8_t*>& lists) {
  std::vector<Parts::Part> sizes = {
      {memory_size, {}},
      {input.PassedSize(), way.places[kSpec], alignof(typename Input::Spec)},
      {sizeof(typename Input::Handle*), way.places[kHandle], alignof(typename Input::Handle*)}};
  for (std::size_t i = 0; i < Input::kLists; ++i)
    sizes.push_back({input.list(i).size(), way.places[kFirstList + i]});
  Parts parts(sizes, way.offset, {0xC5, 0x5C, 0x17});
  const typename Input::Handle* untouched = Untouched<typename Input::Handle>();
  std::memcpy(parts[kHandle], &untouched, sizeof(untouched));
  input.Pass(target, lists.empty() ? ListsIn(parts, Input::kLists) : lists, parts[kSpec]);
  for (std::size_t i = 0; i < Input::kLists; ++i) {
    const Memory& list = input.list(i);
    if (list.size() != 0) std::memcpy(parts[kFirstList + i], list.data(), list.size());
  }
  return parts;
}

template <class Input>
bool SharesMemory(const Input& input, const Parts& parts, std::size_t size) {
  bool shares = parts.Overlap(size, kSpec, input.PassedSize()) || parts.Overlap(size, kHandle, sizeof(void*));
  for (std::size_t i = 0; i < Input::kLists; ++i)
    shares = shares || parts.Overlap(size, kFirstList + i, input.list(i).size());
  return shares;
}

template <class Input>
Made<Input> Create(const Input& input, const char* target, const Way<Input>& way) {
  using Handle = typename Input::Handle;
  Faults faults = input.CreationFaults(target);
  const std::size_t needed = way.in_memory ? MemorySize(input, target) : 0;
  const std::size_t size = needed - std::min(needed, way.missing);
  Made<Input> made{MakeCreationParts(input, target, way, size, {}), nullptr};
  Parts& parts = made.parts;
  const Parts want = MakeCreationParts(input, target, way, size, ListsIn(parts, Input::kLists));
  faults.AddIf(way.null_handle || way.null_memory, POSENC_NULL_POINTER);
  faults.AddPossible(size < needed, POSENC_MEMORY_TOO_SMALL);
  faults.AddIf(size + kSlack < needed, POSENC_MEMORY_TOO_SMALL);
  faults.AddIf(SharesMemory(input, parts, size), POSENC_BUFFERS_OVERLAP);
  const auto* spec = input.null ? nullptr : reinterpret_cast<const typename Input::Spec*>(parts[kSpec]);
  auto* handle = reinterpret_cast<Handle**>(parts[kHandle]);
  const posenc_status status = WithRounding(way.rounding, [&] {
    Handle** out = way.null_handle ? nullptr : handle;
    if (!way.in_memory) return Input::kCreate(spec, out);
    return Input::kCreateIn(spec, way.null_memory ? nullptr : parts[kMemory], size, out);
  });
  Handle* result = std::exchange(*handle, Untouched<Handle>());
  POSENC_FUZZ_CHECK(faults.Allow(status) && (status == POSENC_OK) == (result != Untouched<Handle>()));
  if (status == POSENC_OK) std::memcpy(want[kMemory], parts[kMemory], size);
  POSENC_FUZZ_CHECK(parts == want);
  if (status != POSENC_OK) return {};
  made.handle.reset(result);
  std::memset(parts[kSpec], 0xEE, input.PassedSize());
  for (std::size_t i = 0; i < Input::kLists; ++i)
    std::memset(parts[kFirstList + i], 0xEE, input.list(i).size());
  if (!way.in_memory) parts = Parts();
  return made;
}

// Handles of one spec, which is gone by then: that of REFERENCE first, one made in any way, of any target,
// and for some inputs those of all targets that run; none if the spec is refused. Checks what creation says,
// and, by check(handle, target), what they say of themselves.
template <class Input, class Check>
std::vector<Made<Input>> MakeHandles(const Input& input, FuzzedDataProvider& bytes, const Check& check) {
  std::vector<Made<Input>> all;
  const auto add = [&](const char* target, const Way<Input>& way) {
    Made<Input> made = Create(input, target, way);
    if (made.handle == nullptr) return;
    check(made.handle.get(), target == nullptr ? BestTarget() : target);
    all.push_back(std::move(made));
  };
  add(input.spec.target, Way<Input>(bytes));
  std::vector<posenc_target> targets = Targets();
  if (!Rarely(bytes, 4)) targets.erase(targets.begin(), targets.end() - 1);
  for (const posenc_target& target : targets) add(target.name, Way<Input>());
  if (!all.empty()) std::swap(all.front(), all.back());  // REFERENCE is the last
  return all;
}

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_CREATION_H_
