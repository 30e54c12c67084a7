// Makes specs from a fuzzer's bytes: usual values, then members that agree with each other, then some wrong
// ones.
#include "specs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "spec/text.h"

namespace posenc {
namespace fuzz {
namespace {

using Encoder = posenc_spec;
using Rotary = posenc_rotary_spec;

constexpr std::size_t kLargestDim = 150, kLargestHead = 160;  // unless the spec is spoilt

using internal::Kind;
using internal::Member;
using internal::MembersOf;

// Usual values of members, each valid alone. It lists members that are not enums or flags, and enums and
// flags with fewer values than all. Members that Arrange sets have none.
using UsualValues = std::map<std::string, std::vector<double>>;

const UsualValues& Usual(const Encoder& /*spec*/) {
  static const UsualValues usual = {
      {"dim", {}},
      {"base", {1e4, 5e5, 1e6, 10.0, 1e7}},
      {"exponent_dim", {0.0, 64.0, 37.5, -512.0}},
      {"position_scale", {1.0, 0.25, 1000.0, 0.1, -3.0}},
      {"min_timescale", {1.0, 0.5, 3.0}},
      {"position_offset", {0.0, 1.0, -5.0, 2048.0}},
      {"padding_position", {0.0, 1.0, -3.0, 9.0}},
      {"table_rows", {0.0, 1.0, 4096.0, 1e9}},
  };
  return usual;
}

const std::vector<ListMembers<Encoder>>& Lists(const Encoder& /*spec*/) {
  static const std::vector<ListMembers<Encoder>> lists = {
      {&Encoder::frequencies, &Encoder::frequencies_f32, &Encoder::frequency_count}};
  return lists;
}

const UsualValues& Usual(const Rotary& /*spec*/) {
  static const std::vector<double> lengths = {8192.0, 4096.0, 131072.0, 32768.0, 100.0};
  static const UsualValues usual = {
      {"head_dim", {}},
      {"rotary_dim", {}},
      {"rotary_offset", {}},
      {"phase_rounding", {0.0, 2.0, 4.0, 5.0, 6.0}},
      {"base", {1e4, 5e5, 1e6, 10.0, 150000.0}},
      {"exponent_dim", {0.0, 128.0, 77.5}},
      {"position_scale", {1.0, 0.25, -1.5}},
      {"factor", {1.0, 8.0, 2.0, 40.0, 0.5, 1.5, 32.0}},
      {"length", lengths},
      {"original_length", lengths},
      {"beta_fast", {32.0, 4.0, 1.0}},
      {"beta_slow", {1.0, 0.5}},
      {"mscale", {1.0, 0.0, 0.7}},
      {"mscale_all_dim", {0.0, 1.0, 0.7}},
      {"amplitude_factor", {1.0, 1.25}},
      {"low_freq_factor", {1.0, 2.5}},
      {"high_freq_factor", {4.0, 2.5}},
      {"proportion", {1.0, 0.25, 0.0, 0.7}},
      {"amplitude", {0.0, 0.0, 1.0, 1.25, 40.0}},
      {"axes", {1.0, 1.0, 2.0, 3.0, 4.0}},
  };
  return usual;
}

template <class S>
std::vector<double> UsualOf(const Member& member, const S& spec) {
  const auto listed = Usual(spec).find(member.name);
  if (listed != Usual(spec).end()) return listed->second;
  std::size_t count = 2;  // a flag has two values
  if (member.kind == Kind::kChoice) count = WordsOf(member).size();
  POSENC_FUZZ_CHECK(member.kind == Kind::kChoice || member.kind == Kind::kFlag ||
                    member.kind == Kind::kPresence);
  std::vector<double> values;
  for (std::size_t value = 0; value < count; ++value) values.push_back(static_cast<double>(value));
  return values;
}

enum RotaryList : std::size_t { kFactors, kLongFactors, kFrequencies };

const std::vector<ListMembers<Rotary>>& Lists(const Rotary& /*spec*/) {
  static const std::vector<ListMembers<Rotary>> lists = {
      {&Rotary::factors, &Rotary::factors_f32, &Rotary::factor_count},
      {&Rotary::long_factors, &Rotary::long_factors_f32, &Rotary::factor_count},
      {&Rotary::frequencies, &Rotary::frequencies_f32, &Rotary::frequency_count}};
  return lists;
}

void Init(Encoder* spec) { POSENC_FUZZ_CHECK(posenc_spec_init(spec, sizeof(*spec)) == POSENC_OK); }
void Init(Rotary* spec) { POSENC_FUZZ_CHECK(posenc_rotary_spec_init(spec, sizeof(*spec)) == POSENC_OK); }

bool ChangesBase(posenc_scaling scaling) { return scaling >= POSENC_NTK && scaling <= POSENC_MIXED_NTK; }

// The rotaries of published models.
const char* const kHeads[] = {
    "head_dim=128",
    "head_dim=64 pairing=neighbours",
    "head_dim=96 rotary_dim=24",
    "head_dim=256 rotary_dim=64 pairing=neighbours",
    "head_dim=512 rotary_dim=64 rotary_offset=448 pairing=neighbours",
    "head_dim=256 rotary_dim=64 rotary_offset=192 base=1e6 pairing=neighbours output_pairing=half_split",
    "head_dim=256 base=1e6 scaling=linear factor=8",
    "head_dim=128 base=1e6 scaling=dynamic_ntk factor=2 length=32768 original_length=32768",
    "head_dim=128 scaling=qwen_ntk length=8192 original_length=8192",
    "head_dim=128 scaling=ntk factor=1000 sections=16:16:16:16",
    "head_dim=128 base=1e6 scaling=yarn factor=4 original_length=32768",
    "head_dim=64 base=150000 scaling=yarn factor=32 original_length=4096 truncate=0",
    "head_dim=192 rotary_dim=64 rotary_offset=128 base=50000 pairing=neighbours output_pairing=half_split "
    "scaling=yarn factor=32 original_length=4096 beta_fast=1 mscale_all_dim=1",
    "head_dim=192 rotary_dim=64 rotary_offset=128 pairing=neighbours scaling=yarn factor=40 "
    "original_length=4096 mscale=0.707 mscale_all_dim=0.707",
    "head_dim=512 rotary_dim=64 rotary_offset=448 base=160000 pairing=neighbours scaling=yarn factor=16 "
    "original_length=65536 amplitude=1",
    "head_dim=128 scaling=yarn_log factor=16 original_length=8192",
    "head_dim=96 scaling=longrope factor=32 length=131072 original_length=4096",
    "head_dim=128 base=500000 scaling=llama3 factor=8 original_length=8192",
    "head_dim=128 base=500000 pairing=neighbours scaling=llama3 factor=16 original_length=8192 "
    "high_freq_factor=1",
    "head_dim=512 base=1e6 scaling=proportional proportion=0.25",
    "head_dim=128 base=1e6 sections=16:24:24",
    "head_dim=256 rotary_dim=64 base=1e7 axis_order=interleaved sections=11:11:10",
    "head_dim=128 base=500000 pairing=neighbours axis_order=alternating sections=20:22:22",
    "head_dim=64 axis_order=split sections=16:16",
    "head_dim=64 base=100 unit=turns axis_order=axial sections=16:16",
    "head_dim=128 pairing=neighbours axis_order=axial sections=8:28:28",
    "head_dim=128 base=2000 pairing=neighbours axis_order=axial sections=16:16:16:16",
    "head_dim=256 rotary_dim=64 base=1e7 axis_order=imrope sections=11:11:10:0",
};

void TakeHead(Rotary* spec, Bytes& bytes) {
  Init(spec);
  internal::SpecData data;  // none of them has a list
  POSENC_FUZZ_CHECK(internal::ParseSpec(bytes.PickValueInArray(kHeads), &data, spec).empty());
}

void MakeShape(Rotary* spec, Bytes& bytes) {
  spec->head_dim = MakeSize(Rarely(bytes, 8) ? kLargestHead : 20, bytes, 2);
  if (bytes.ConsumeBool()) spec->rotary_offset = MakeSize(spec->head_dim / 2, bytes);
  const std::size_t rest = spec->head_dim - spec->rotary_offset;
  if (bytes.ConsumeBool() || rest % 2 != 0)
    spec->rotary_dim = MakeSize(rest / 2, bytes, rest == 1 ? 0 : 1) * 2;
  if (spec->rotary_dim == 0 && rest % 2 != 0) spec->rotary_offset = 0, spec->rotary_dim = 2;
}

// Chooses sections. Some orders of axes limit them, so no section except the one with the rest gets more than
// its share.
void MakeSections(Rotary* spec, std::size_t pairs, Bytes& bytes) {
  const bool is_alike = spec->axis_order == POSENC_ALTERNATING_AXES || spec->axis_order == POSENC_SPLIT_AXES;
  std::size_t left = pairs, section = 0;
  for (std::size_t k = spec->axes; k-- > 1;) {
    if (section == 0 || !is_alike) section = MakeSize(pairs / spec->axes, bytes);
    if (spec->axis_order == POSENC_SPLIT_AXES) section = pairs / spec->axes;
    spec->sections[k] = section;
    left -= section;
  }
  spec->sections[0] = left;
  if (spec->axis_order == POSENC_IMROPE_AXES) std::swap(spec->sections[0], spec->sections[spec->axes - 1]);
  if (spec->axis_order == POSENC_AXIAL_AXES) spec->exponent_dim = 0.0;
  if (Rarely(bytes, 16))
    spec->sections[MakeSize(POSENC_MAX_AXES - 1, bytes)] += bytes.ConsumeBool() ? 1 : SIZE_MAX;
}

}  // namespace

template <>
void OwnedRotarySpec::ArrangeFrequencies(std::size_t pairs, Bytes& bytes);
template <>
void OwnedEncoderSpec::Arrange(Bytes& bytes) {
  spec_.dim = MakeSize(Rarely(bytes, 5) ? kLargestDim : 24, bytes, 1);
  if (internal::IsInterleaved(spec_.layout) && spec_.odd_column == POSENC_ODD_ZERO_MIDDLE)
    spec_.odd_column = POSENC_ODD_ZERO_LAST;
  bool has_list = Rarely(bytes, 3);
  if (bytes.ConsumeBool()) spec_.phase_rounding = POSENC_NO_PHASE_ROUNDING;
  if (spec_.phase_rounding == POSENC_F32_LIST) has_list = true;
  if (has_list && spec_.phase_rounding != POSENC_F32_LIST) spec_.phase_rounding = POSENC_NO_PHASE_ROUNDING;
  const bool rounds = spec_.phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if (rounds) spec_.unit = POSENC_RADIANS;
  if (has_list || (rounds && spec_.phase_rounding != POSENC_F32_LOG_INCREMENT)) spec_.min_timescale = 1.0;
  if (!has_list) return;
  const std::size_t columns = spec_.dim - (spec_.input_first == 1 ? 1 : 0);
  const std::size_t halves = spec_.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0;
  SetList(0, std::max<std::size_t>(columns / 2 + halves, 1), bytes.ConsumeBool());
}

template <>
void OwnedRotarySpec::Arrange(Bytes& bytes) {
  const auto arithmetic = spec_.arithmetic;
  if (Rarely(bytes, 12)) {
    TakeHead(&spec_, bytes);
    spec_.arithmetic = arithmetic;
    if (bytes.ConsumeBool()) spec_.length = 8192.0;
  } else {
    MakeShape(&spec_, bytes);
    if (spec_.length == 0.0) spec_.length = 8192.0;
    if (spec_.original_length == 0.0) spec_.original_length = 4096.0;
  }
  const std::size_t pairs =
      (spec_.rotary_dim == 0 ? spec_.head_dim - spec_.rotary_offset : spec_.rotary_dim) / 2;
  if (!Rarely(bytes, 3)) spec_.phase_rounding = POSENC_NO_PHASE_ROUNDING;
  if (spec_.axes > 1 && spec_.sections[0] + spec_.sections[1] == 0) MakeSections(&spec_, pairs, bytes);
  ArrangeFrequencies(pairs, bytes);
}

template <>
void OwnedRotarySpec::ArrangeFrequencies(std::size_t pairs, Bytes& bytes) {
  const bool rounds = spec_.phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if (rounds) {
    const bool divides =
        spec_.phase_rounding == POSENC_F32_ITERATED && spec_.scaling == POSENC_FREQUENCY_FACTORS;
    if (!divides) spec_.scaling = bytes.ConsumeBool() ? POSENC_LINEAR : POSENC_NO_SCALING;
    spec_.position_scale = 1.0;
    spec_.unit = POSENC_RADIANS;
  }
  if (Rarely(bytes, 4)) {
    if (ChangesBase(spec_.scaling)) spec_.scaling = POSENC_NO_SCALING;
    if (rounds) spec_.phase_rounding = POSENC_F32_INV_FREQ;
    SetList(kFrequencies, pairs, rounds || bytes.ConsumeBool());
  }
  const bool takes_factors = spec_.scaling == POSENC_LONGROPE || spec_.scaling == POSENC_FREQUENCY_FACTORS;
  if (!takes_factors && !Rarely(bytes, 16)) return;
  const bool floats = bytes.ConsumeBool();
  SetList(kFactors, pairs, floats, true);
  if (spec_.scaling == POSENC_LONGROPE) SetList(kLongFactors, pairs, floats, true);
}

template <class S>
void OwnedSpec<S>::SetUsual(Bytes& bytes) {
  Init(&spec_);
  for (const Member& member : MembersOf<S>()) {
    UseNumber(member, &spec_, [&](auto& number) {
      const std::vector<double> usual = UsualOf(member, spec_);
      if (usual.empty() || bytes.ConsumeBool()) return;
      number = static_cast<std::decay_t<decltype(number)>>(usual[MakeSize(usual.size() - 1, bytes)]);
    });
  }
}

template <class S>
OwnedSpec<S>::OwnedSpec(Bytes& bytes) {
  SetUsual(bytes);
  Arrange(bytes);
  for (int k = 0; k < 3 && Rarely(bytes, 4); ++k) Mutate(bytes);
  FillLists(bytes);
  if (Rarely(bytes)) spec_.struct_size = bytes.ConsumeBool() ? MakeSize(sizeof(S) - 1, bytes) : 4097;
}

template <class S>
void OwnedSpec<S>::SetList(std::size_t i, std::size_t count, bool floats, bool is_positive) {
  spec_.*Lists(spec_)[i].count = count;
  (floats ? lists_[i].as_floats : lists_[i].as_doubles) = true;
  lists_[i].is_positive = is_positive;
}

template <class S>
void OwnedSpec<S>::Mutate(Bytes& bytes) {
  const auto set = [&](auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::size_t>)
      value = Rarely(bytes, 4) ? MakeHuge(bytes) : MakeSize(400, bytes);
    if constexpr (std::is_same_v<T, double>) value = MakeWildReal(bytes);
    if constexpr (std::is_same_v<T, std::int32_t>) value = MakeWildEnum(bytes);
    if constexpr (std::is_same_v<T, std::int64_t>)
      value = bytes.ConsumeBool() ? MakeEdge(bytes) : MakePosition(bytes);
  };
  const std::size_t i = MakeSize(Lists(spec_).size() - 1, bytes);
  switch (bytes.ConsumeIntegralInRange(0, 11)) {
    case 0:
      return set(spec_.*Lists(spec_)[i].count);
    case 1:
      lists_[i].as_doubles = !lists_[i].as_doubles;
      return;
    case 2:
      lists_[i].as_floats = !lists_[i].as_floats;
      return;
    default:
      UseNumber(MembersOf<S>().first[MakeSize(MembersOf<S>().count - 1, bytes)], &spec_, set);
  }
}

// Fills each list with the number of entries that the spec says, or with one entry if that number is too
// large for any spec. One list in eight gets a wild entry.
template <class S>
void OwnedSpec<S>::FillLists(Bytes& bytes) {
  for (std::size_t i = 0; i < Lists(spec_).size(); ++i) {
    List& list = lists_[i];
    const std::size_t count = spec_.*Lists(spec_)[i].count;
    if (!list.as_doubles && !list.as_floats) continue;
    for (std::size_t k = 0; k < (count <= 1000 ? count : 1); ++k) {
      const double value =
          std::ldexp(bytes.ConsumeIntegral<std::int8_t>(), bytes.ConsumeIntegralInRange(-20, 0));
      list.doubles.push_back(list.is_positive ? std::fabs(value) + 0x1p-8 : value);
    }
    if (!list.doubles.empty() && Rarely(bytes, 8))
      list.doubles[MakeSize(list.doubles.size() - 1, bytes)] = MakeWildReal(bytes);
    for (const double value : list.doubles) list.floats.push_back(static_cast<float>(value));
  }
  Point();
}

template <class S>
void OwnedSpec<S>::Point() {
  for (std::size_t i = 0; i < Lists(spec_).size(); ++i) {
    spec_.*Lists(spec_)[i].doubles = lists_[i].as_doubles ? lists_[i].doubles.data() : nullptr;
    spec_.*Lists(spec_)[i].floats = lists_[i].as_floats ? lists_[i].floats.data() : nullptr;
  }
}

template class OwnedSpec<posenc_spec>;
template class OwnedSpec<posenc_rotary_spec>;

}  // namespace fuzz
}  // namespace posenc
