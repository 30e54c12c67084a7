// Specs of both nouns of the fuzzer's bytes: encoders and rotaries, by one table of members each, and how
// handles are made of them.
#ifndef POSENC_TESTS_FUZZ_NOUNS_H_
#define POSENC_TESTS_FUZZ_NOUNS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace fuzz {

// A member, and values of it that are valid on their own.
template <class S>
struct Member {
  std::variant<std::size_t S::*, double S::*, std::int32_t S::*, std::int64_t S::*, posenc_layout S::*,
               posenc_odd_column S::*, posenc_phase_rounding S::*, posenc_unit S::*, posenc_pairing S::*,
               posenc_arithmetic S::*, posenc_scaling S::*, posenc_axis_order S::*>
      at;
  std::vector<double> usual;
};

// The members of a list: one of two arrays and their length.
template <class S>
struct ListMembers {
  const double* S::*doubles;
  const float* S::*floats;
  std::size_t S::*count;
};

struct List {
  bool is_set = false, as_doubles = false, as_floats = false, is_positive = false;
  bool is_checked = false;         // what is not finite in it is refused
  double wild = 0.0;               // instead of an entry,
  std::size_t wild_at = SIZE_MAX;  // this one
  Memory memory;
};

struct EncoderNoun {
  using Spec = posenc_spec;
  using Handle = posenc_encoder;
  static constexpr auto kInit = &posenc_spec_init;
  static constexpr auto kPreset = &posenc_spec_preset;
  static constexpr auto kPresets = &posenc_spec_presets;
  static constexpr auto kCreate = &posenc_encoder_create;
  static constexpr auto kCreateIn = &posenc_encoder_create_in;
  static constexpr auto kMemorySize = &posenc_encoder_memory_size;
  static constexpr auto kDestroy = &posenc_encoder_destroy;
  static constexpr auto kTarget = &posenc_encoder_target;
  static constexpr auto kSize = &posenc_encoder_dim;
  static constexpr auto kCount = &posenc_encoder_frequency_count;
  static constexpr auto kRadians = &posenc_encoder_radians;
  static constexpr std::size_t kLists = 1;
  static const std::vector<Member<Spec>>& Members();
  static const ListMembers<Spec>& ListAt(std::size_t i);
  // Makes the members agree; what it need not know of is in doubt.
  static void Arrange(Spec* spec, List* lists, Verdict* verdict, Bytes& bytes);
  static std::size_t SizeOf(const Spec& spec) { return spec.dim; }
};

struct RotaryNoun {
  using Spec = posenc_rotary_spec;
  using Handle = posenc_rotary;
  static constexpr auto kInit = &posenc_rotary_spec_init;
  static constexpr auto kPreset = &posenc_rotary_spec_preset;
  static constexpr auto kPresets = &posenc_rotary_presets;
  static constexpr auto kCreate = &posenc_rotary_create;
  static constexpr auto kCreateIn = &posenc_rotary_create_in;
  static constexpr auto kMemorySize = &posenc_rotary_memory_size;
  static constexpr auto kDestroy = &posenc_rotary_destroy;
  static constexpr auto kTarget = &posenc_rotary_target;
  static constexpr auto kSize = &posenc_rotary_head_dim;
  static constexpr auto kCount = &posenc_rotary_frequency_count;
  static constexpr auto kRadians = &posenc_rotary_radians;
  static constexpr std::size_t kLists = 3;
  static const std::vector<Member<Spec>>& Members();
  static const ListMembers<Spec>& ListAt(std::size_t i);
  static void Arrange(Spec* spec, List* lists, Verdict* verdict, Bytes& bytes);
  static std::size_t SizeOf(const Spec& spec) { return spec.head_dim; }
};

// A spec as a caller whose header may be of another version passes it.
template <class Noun>
class SpecInput {
 public:
  using Spec = typename Noun::Spec;

  explicit SpecInput(Bytes& bytes) {
    Noun::kInit(&spec_, sizeof(spec_));
    for (const Member<Spec>& member : Noun::Members()) {
      if (member.usual.empty() || bytes.ConsumeBool()) continue;
      const double value = member.usual[MakeSize(member.usual.size() - 1, bytes)];
      std::visit([&](auto at) { spec_.*at = static_cast<std::decay_t<decltype(spec_.*at)>>(value); },
                 member.at);
    }
    Noun::Arrange(&spec_, lists_, &verdict_, bytes);
    for (int k = 0; k < 3 && Rarely(bytes, 4); ++k) Mutate(bytes);
    RefuseNonsense();
    for (std::size_t i = 0; i < Noun::kLists; ++i) MakeList(i, bytes);
    MakeVersion(bytes);
  }

  // A size that must be refused unseen is not that of the memory, nor is one too small for itself.
  std::size_t PassedSize() const {
    if (spec_.struct_size > kMaxSize) return sizeof(Spec);
    return std::max(spec_.struct_size, sizeof(spec_.struct_size));
  }
  const Memory& list(std::size_t i) const { return lists_[i].memory; }
  const Verdict& verdict() const { return verdict_; }

  // With its lists anywhere.
  Spec WithLists(const char* target, const std::uint8_t* const* lists) const {
    Spec spec = spec_;
    spec.target = target;
    for (std::size_t i = 0; i < Noun::kLists; ++i) {
      const ListMembers<Spec>& at = Noun::ListAt(i);
      if (lists_[i].as_doubles) spec.*at.doubles = reinterpret_cast<const double*>(lists[i]);
      if (lists_[i].as_floats) spec.*at.floats = reinterpret_cast<const float*>(lists[i]);
    }
    return spec;
  }
  void Pass(const Spec& spec, std::uint8_t* at) const {
    std::memset(at, 0, PassedSize());
    std::memcpy(at, &spec, std::min(PassedSize(), sizeof(Spec)));
    if (unknown_member_ != 0) at[unknown_member_] = 1;
  }

  // With lists that live as long as this.
  Spec Own() const {
    const std::uint8_t* lists[Noun::kLists];
    for (std::size_t i = 0; i < Noun::kLists; ++i) lists[i] = lists_[i].memory.data();
    return WithLists(nullptr, lists);
  }

 private:
  static constexpr std::size_t kMaxSize = 4096;  // of any version

  // All enums and flags of specs end below 12, and none of their doubles may be a NaN.
  void RefuseNonsense() {
    const auto is_nonsense = [&](auto at) {
      using T = std::decay_t<decltype(spec_.*at)>;
      if constexpr (std::is_same_v<T, double>) return std::isnan(spec_.*at);
      if constexpr (std::is_same_v<T, std::int32_t> || std::is_enum_v<T>)
        return spec_.*at < 0 || spec_.*at > 11;
      return false;
    };
    for (const Member<Spec>& member : Noun::Members()) verdict_.Refuse(std::visit(is_nonsense, member.at));
  }

  void Mutate(Bytes& bytes) {
    verdict_.Doubt();
    if (Rarely(bytes, 4)) return MutateList(MakeSize(Noun::kLists - 1, bytes), bytes);
    const auto set = [&](auto at) {
      auto& value = spec_.*at;
      using T = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<T, std::size_t>) value = MakeWildSize(value, bytes);
      if constexpr (std::is_same_v<T, double>) value = MakeWildReal(bytes);
      if constexpr (std::is_same_v<T, std::int32_t>) value = MakeWildNumber(bytes);
      if constexpr (std::is_enum_v<T>) value = MakeWildEnum<T>(bytes);
      if constexpr (std::is_same_v<T, std::int64_t>)
        value = bytes.ConsumeBool() ? MakeEdge(bytes) : MakePosition(bytes);
    };
    std::visit(set, Noun::Members()[MakeSize(Noun::Members().size() - 1, bytes)].at);
  }

  void MutateList(std::size_t i, Bytes& bytes) {
    std::size_t& count = spec_.*Noun::ListAt(i).count;
    const int fault = bytes.ConsumeIntegralInRange(0, 5);
    if (fault == 0) count = MakeWildSize(count, bytes);
    if (fault == 1) lists_[i].as_doubles = !lists_[i].as_doubles;
    if (fault == 2) lists_[i].as_floats = !lists_[i].as_floats;
    if (fault < 3 || count == 0 || !lists_[i].is_set) return;
    lists_[i].wild = MakeWildReal(bytes);
    lists_[i].wild_at = MakeSize(count - 1, bytes);
  }

  // As many entries as the spec says, or few where no spec may have as many.
  void MakeList(std::size_t i, Bytes& bytes) {
    List& list = lists_[i];
    const std::size_t count = spec_.*Noun::ListAt(i).count;
    if (!list.as_doubles && !list.as_floats) return;
    const posenc_type type = list.as_doubles ? POSENC_F64 : POSENC_F32;
    list.memory = Memory((count <= kOwned ? count : 1) * TypeSize(type));
    for (std::size_t k = 0; k < list.memory.size() / TypeSize(type); ++k) {
      double value = std::ldexp(bytes.ConsumeIntegral<std::int8_t>(), bytes.ConsumeIntegralInRange(-20, 0));
      if (list.is_positive) value = std::fabs(value) + 0x1p-8;
      if (k == list.wild_at) value = list.wild;
      verdict_.Refuse(list.is_checked && !std::isfinite(value));
      SetNumber(value, type, list.memory.data() + k * TypeSize(type));
    }
  }

  void MakeVersion(Bytes& bytes) {
    const int choice = bytes.ConsumeIntegralInRange(0, 63);
    if (choice >= 6) return;
    spec_.struct_size = MakeSize(sizeof(Spec) + 40, bytes, sizeof(Spec));
    if (choice == 0) spec_.struct_size = bytes.PickValueInArray({kMaxSize, kMaxSize + 1, SIZE_MAX});
    if (choice == 1) spec_.struct_size = MakeSize(sizeof(Spec) - 1, bytes);
    if (PassedSize() > sizeof(Spec) && bytes.ConsumeBool())
      unknown_member_ = MakeSize(PassedSize() - 1, bytes, sizeof(Spec));
    verdict_.Refuse(choice == 1 || spec_.struct_size > kMaxSize || unknown_member_ != 0);
  }

  Spec spec_{};
  List lists_[Noun::kLists];
  Verdict verdict_;
  std::size_t unknown_member_ = 0;  // where one is set, if anywhere
};

// How a handle is made: by Noun::kCreate, unless the fuzzer says otherwise.
enum CreationPart : int { kMemory, kSpec, kHandle, kFirstList };

struct Way {
  Way() = default;
  explicit Way(std::size_t lists, Bytes& bytes)
      : in_memory(bytes.ConsumeBool()), null_spec(Rarely(bytes, 64)), null_handle(Rarely(bytes, 64)) {
    rounding = MakeRounding(bytes);
    asks = in_memory || Rarely(bytes, 4);
    const std::size_t shared =
        in_memory ? kSpec + MakeSize(7, bytes) : 0;  // which part shares the block, if any
    for (std::size_t part = kSpec; part < kFirstList + lists; ++part)
      places[part] = MakePlace(part != shared, bytes);
    if (!in_memory) return;
    null_memory = Rarely(bytes, 64);
    offset = MakeSize(127, bytes);
    if (Rarely(bytes, 4)) missing = MakeSize(bytes.ConsumeBool() ? 260 : 65535, bytes);
  }

  bool in_memory = false, asks = false, null_spec = false, null_handle = false, null_memory = false;
  int rounding = FE_TONEAREST;
  std::size_t offset = 0;   // of the memory
  std::size_t missing = 0;  // bytes of it
  Place places[kFirstList + 3];
};

template <class Noun>
struct Made {
  struct Destroy {
    void operator()(typename Noun::Handle* old) const { Noun::kDestroy(old); }
  };
  Parts parts;  // with the handle's memory, if it is the caller's
  std::unique_ptr<typename Noun::Handle, Destroy> handle;
  posenc_status status;
};

// The arguments of a creation, the spec with the lists of `held` or, of none, of these parts.
template <class Noun>
Parts MakeCreationParts(const SpecInput<Noun>& input, const char* target, const Way& way,
                        std::size_t memory_size, const Parts* held) {
  using Spec = typename Noun::Spec;
  std::vector<Parts::Part> sizes = {{memory_size, {}},
                                    {input.PassedSize(), way.places[kSpec], alignof(Spec)},
                                    {sizeof(void*), way.places[kHandle], alignof(void*)}};
  for (std::size_t i = 0; i < Noun::kLists; ++i)
    sizes.push_back({input.list(i).size(), way.places[kFirstList + i]});
  Parts parts(sizes, way.offset, {0xA5});
  const std::uint8_t* lists[Noun::kLists];
  for (std::size_t i = 0; i < Noun::kLists; ++i) {
    lists[i] = (held == nullptr ? parts : *held)[kFirstList + i];
    if (input.list(i).size() != 0)
      std::memcpy(parts[kFirstList + i], input.list(i).data(), input.list(i).size());
  }
  input.Pass(input.WithLists(target, lists), parts[kSpec]);
  return parts;
}

// So many bytes of what a handle asks for are for the worst alignment: less may or may not do.
constexpr std::size_t kSlack = 256;

// What creation in the caller's memory asks for; some size if the spec is refused.
template <class Noun>
posenc_status AskSize(const SpecInput<Noun>& input, const char* target, std::size_t* size) {
  const Parts parts = MakeCreationParts(input, target, {}, 0, nullptr);
  const auto* spec = reinterpret_cast<const typename Noun::Spec*>(parts[kSpec]);
  *size = SIZE_MAX;
  const posenc_status status = Noun::kMemorySize(spec, size);
  input.verdict().Check(status);
  POSENC_FUZZ_CHECK((status == POSENC_OK) == (*size != SIZE_MAX));
  POSENC_FUZZ_CHECK(Noun::kMemorySize(spec, nullptr) != POSENC_OK);
  if (status != POSENC_OK) *size = 4000;
  return status;
}

// Checks that nothing but the memory and the handle is written, and neither if creation is refused. Handles
// must not depend on the spec and its lists afterwards, which are overwritten.
template <class Noun>
Made<Noun> Create(const SpecInput<Noun>& input, const char* target, const Way& way) {
  using Handle = typename Noun::Handle;
  Verdict verdict = input.verdict();
  std::size_t needed = 0;
  const posenc_status asked_status = way.asks ? AskSize(input, target, &needed) : POSENC_OK;
  const std::size_t size = way.in_memory ? needed - std::min(needed, way.missing) : 0;
  Made<Noun> made{MakeCreationParts(input, target, way, size, nullptr), nullptr, POSENC_OK};
  Parts& parts = made.parts;
  const Parts want = MakeCreationParts(input, target, way, size, &parts);
  const std::size_t lists_end = kFirstList + Noun::kLists;
  std::vector<Claim> claims = {{parts[kMemory], size, true},
                               {parts[kSpec], input.PassedSize(), false},
                               {parts[kHandle], sizeof(void*), false}};
  for (std::size_t i = kFirstList; i < lists_end; ++i)
    claims.emplace_back(parts[i], input.list(i - kFirstList).size(), false);
  verdict.Refuse(way.null_spec || way.null_handle || way.null_memory || Conflict(claims));
  verdict.Refuse(size + kSlack < needed && way.in_memory);
  verdict.Doubt(size < needed && way.in_memory);
  const auto* spec = way.null_spec ? nullptr : reinterpret_cast<const typename Noun::Spec*>(parts[kSpec]);
  auto* handle = reinterpret_cast<Handle**>(parts[kHandle]);
  Handle* const untouched = *handle;
  made.status = WithRounding(way.rounding, [&] {
    Handle** out = way.null_handle ? nullptr : handle;
    if (!way.in_memory) return Noun::kCreate(spec, out);
    return Noun::kCreateIn(spec, way.null_memory ? nullptr : parts[kMemory], size, out);
  });
  verdict.Check(made.status);
  if (way.asks && (made.status == POSENC_OK || !way.in_memory)) {
    // The estimate of a frequency about a limit may pass what creation refuses.
    const bool is_estimate = made.status == POSENC_FREQUENCY_OUT_OF_RANGE && asked_status == POSENC_OK;
    POSENC_FUZZ_CHECK(made.status == asked_status || is_estimate || way.null_spec || way.null_handle);
  }
  Handle* const result = std::exchange(*handle, untouched);
  POSENC_FUZZ_CHECK((made.status == POSENC_OK) == (result != untouched));
  if (made.status == POSENC_OK && size != 0) std::memcpy(want[kMemory], parts[kMemory], size);
  POSENC_FUZZ_CHECK(parts == want);
  if (made.status != POSENC_OK) return made;
  made.handle.reset(result);
  std::memset(parts[kSpec], 0xEE, input.PassedSize());
  for (std::size_t i = kFirstList; i < lists_end; ++i)
    std::memset(parts[i], 0xEE, input.list(i - kFirstList).size());
  if (!way.in_memory) parts = Parts();
  return made;
}

// Handles of one spec, which is gone by then: that of REFERENCE first, one made in any way, of any target,
// and for some inputs those of all targets that run; none if the spec is refused.
template <class Noun>
std::vector<Made<Noun>> MakeHandles(const SpecInput<Noun>& input, Bytes& bytes) {
  std::vector<posenc_target> targets = Targets();
  std::vector<Made<Noun>> all;
  all.push_back(Create(input, targets.back().name, Way()));
  const posenc_status expected = all[0].status;
  const auto add = [&](const char* name, const Way& way, bool is_available) {
    Made<Noun> made = Create(input, name, way);
    POSENC_FUZZ_CHECK(is_available || made.status != POSENC_OK);
    const bool is_usual = is_available && !way.in_memory && !way.null_spec && !way.null_handle;
    POSENC_FUZZ_CHECK(made.status == expected || !is_usual);
    POSENC_FUZZ_CHECK(made.status != POSENC_OK || expected == POSENC_OK);
    if (made.handle == nullptr) return;
    POSENC_FUZZ_CHECK(name == nullptr || std::strcmp(Noun::kTarget(made.handle.get()), name) == 0);
    all.push_back(std::move(made));
  };
  const posenc_target& chosen = targets[MakeSize(targets.size() - 1, bytes)];
  add(Rarely(bytes, 8) ? nullptr : chosen.name, Way(Noun::kLists, bytes), chosen.runnable == 1);
  if (Rarely(bytes, 4)) {
    for (const posenc_target& target : targets) add(target.name, Way(), target.runnable == 1);
  }
  if (expected != POSENC_OK) return {};
  for (const Made<Noun>& made : all) {
    const auto* handle = made.handle.get();
    const auto* reference = all[0].handle.get();
    const std::size_t count = Noun::kCount(reference), i = MakeSize(count, bytes);
    POSENC_FUZZ_CHECK(Noun::kSize(handle) == Noun::SizeOf(input.Own()) && Noun::kCount(handle) == count);
    const double radians = WithRounding(MakeRounding(bytes), [&] { return Noun::kRadians(handle, i); });
    POSENC_FUZZ_CHECK(i == count ? std::isnan(radians) : radians == Noun::kRadians(reference, i));
  }
  return all;
}

// Makes a call on all handles, and compares what they say and write. accept(before, got, want, is_reference)
// says of accepted calls what may have been written: it puts that into `want`.
template <class Noun, class Call, class Accept>
void Compare(const std::vector<Made<Noun>>& handles, const Call& call, const Accept& accept) {
  for (std::size_t part = 0; part < Call::kParts; ++part) {
    const long double extent = call.ExtentOf(part);
    if (!IsOwned(extent) && !ExceedsAddresses(extent)) return;
  }
  const Parts before = call.MakeParts(), want = call.MakeParts();
  const Verdict verdict = call.VerdictOf(before);
  posenc_status expected = POSENC_OK;
  std::size_t expected_index = kNoIndex;
  for (const Made<Noun>& made : handles) {
    const bool is_reference = &made == &handles.front();
    const Parts got = call.MakeParts();
    std::size_t bad_index = kNoIndex;
    const posenc_status status =
        WithRounding(call.rounding, [&] { return call.Run(made.handle.get(), got, &bad_index); });
    verdict.Check(status);
    if (is_reference) expected = status, expected_index = bad_index;
    POSENC_FUZZ_CHECK(status == expected && bad_index == expected_index);
    const bool is_listed = status == POSENC_ID_OUT_OF_RANGE || status == POSENC_POSITION_OUT_OF_RANGE;
    POSENC_FUZZ_CHECK(bad_index == kNoIndex || (is_listed && bad_index == call.FirstBad(before)));
    POSENC_FUZZ_CHECK(bad_index != kNoIndex || call.null_bad_index || status != POSENC_ID_OUT_OF_RANGE);
    if (status == POSENC_OK) accept(before, got, want, is_reference);
    POSENC_FUZZ_CHECK(got == want);
  }
}

// What takes no spec: defaults, and presets by any name, mostly one that there is.
template <class Noun>
void CheckPresets(Bytes& bytes) {
  using Spec = typename Noun::Spec;
  const std::size_t struct_size = Rarely(bytes, 3) ? MakeSize(4200, bytes) : sizeof(Spec);
  const bool is_size = struct_size >= sizeof(Spec) && struct_size <= 4096;
  const Memory untouched(struct_size), defaults(struct_size), preset(struct_size);
  auto* spec = reinterpret_cast<Spec*>(defaults.data());
  POSENC_FUZZ_CHECK(Noun::kInit(nullptr, struct_size) == POSENC_NULL_POINTER);
  POSENC_FUZZ_CHECK((Noun::kInit(spec, struct_size) == POSENC_OK) == is_size);
  POSENC_FUZZ_CHECK(is_size ? spec->struct_size == struct_size : defaults == untouched);
  for (std::size_t i = sizeof(Spec); is_size && i < struct_size; ++i)
    POSENC_FUZZ_CHECK(defaults.data()[i] == 0);

  const std::size_t count = Noun::kPresets(nullptr, bytes.ConsumeIntegral<std::size_t>());
  const std::size_t capacity = MakeSize(count + 3, bytes), filled = std::min(capacity, count);
  const Memory memory(capacity * sizeof(posenc_preset));
  auto* presets = reinterpret_cast<posenc_preset*>(memory.data());
  POSENC_FUZZ_CHECK(Noun::kPresets(presets, capacity) == count);
  for (std::size_t i = 0; i < filled; ++i)
    POSENC_FUZZ_CHECK(presets[i].formula[0] != '\0' && presets[i].source[0] != '\0');
  for (std::size_t i = filled * sizeof(posenc_preset); i < memory.size(); ++i)
    POSENC_FUZZ_CHECK(memory.data()[i] == 0xA5);
  const bool is_known = filled != 0 && !Rarely(bytes, 4);
  const std::string name =
      is_known ? presets[MakeSize(filled - 1, bytes)].name : bytes.ConsumeRandomLengthString(20);
  const std::size_t size = bytes.PickValueInArray<std::size_t>({64, 128, 1, 0, 80, SIZE_MAX});
  spec = reinterpret_cast<Spec*>(preset.data());
  POSENC_FUZZ_CHECK(Noun::kPreset(nullptr, struct_size, name.c_str(), size) != POSENC_OK);
  POSENC_FUZZ_CHECK(Noun::kPreset(spec, struct_size, nullptr, size) != POSENC_OK);
  const posenc_status status = Noun::kPreset(spec, struct_size, name.c_str(), size);
  Verdict verdict;
  verdict.Refuse(!is_size || size == 0 || size == SIZE_MAX);
  verdict.Doubt(!is_known || size != 128);
  // One is for heads of 192 elements only.
  if (status != POSENC_BAD_HEAD_DIM) verdict.Check(status);
  if (status != POSENC_OK) {
    POSENC_FUZZ_CHECK(preset == untouched);
    return;
  }
  POSENC_FUZZ_CHECK(spec->struct_size == struct_size && Noun::SizeOf(*spec) == size);
  typename Noun::Handle* handle = nullptr;
  const posenc_status created = Noun::kCreate(spec, &handle);  // some need lists and lengths
  POSENC_FUZZ_CHECK(created == POSENC_OK || created == POSENC_BAD_FACTOR_LIST ||
                    created == POSENC_BAD_LENGTH || created == POSENC_BAD_FREQUENCIES);
  Noun::kDestroy(handle);
}

template <class Noun>
void CheckNull(Bytes& bytes) {
  Noun::kDestroy(nullptr);
  POSENC_FUZZ_CHECK(Noun::kSize(nullptr) == 0 && Noun::kCount(nullptr) == 0);
  POSENC_FUZZ_CHECK(Noun::kTarget(nullptr)[0] == '\0');
  POSENC_FUZZ_CHECK(std::isnan(Noun::kRadians(nullptr, bytes.ConsumeIntegral<std::size_t>())));
}

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_NOUNS_H_
