// A posenc_spec of the fuzzer's bytes, right or wrong, and what the documentation says of it; and what specs
// of all nouns are made of.
#ifndef POSENC_TESTS_FUZZ_SPEC_INPUT_H_
#define POSENC_TESTS_FUZZ_SPEC_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

// All targets, as posenc_targets lists them.
std::vector<posenc_target> Targets();

// The name of the one in use where none is asked for.
const char* BestTarget();

// The name of one, or hardly ever any other.
std::string MakeTarget(FuzzedDataProvider& bytes);

// Whether creation must refuse a target, null or a name.
void AddTargetFaults(const char* target, Faults* faults);

// Mostly one of the first numbers, else any, often one whose low byte is right.
std::int32_t MakeEnum(std::int32_t count, FuzzedDataProvider& bytes);

// Any double, often one that is a limit or not a number.
double MakeReal(FuzzedDataProvider& bytes);

// A spec as a caller whose header may be of another version passes it.
template <class S>
class VersionedInput {
 public:
  // A size that must be refused unseen is not that of the memory, nor is one too small for itself.
  std::size_t PassedSize() const {
    if (spec.struct_size > kMaxSize) return sizeof(S);
    return std::max(spec.struct_size, sizeof(spec.struct_size));
  }

  S spec{};
  bool null = false;  // pass a null pointer

 protected:
  static constexpr std::size_t kMaxSize = 4096;  // of any version

  void MakeVersion(FuzzedDataProvider& bytes) {
    null = Rarely(bytes, 64);
    const int choice = bytes.ConsumeIntegralInRange(0, 31);
    spec.struct_size = bytes.ConsumeIntegralInRange(sizeof(S), sizeof(S) + (choice < 5 ? 40 : 0));
    if (choice == 0) spec.struct_size = bytes.PickValueInArray({kMaxSize, kMaxSize + 1, SIZE_MAX});
    if (choice == 1) spec.struct_size = bytes.ConsumeIntegralInRange<std::size_t>(0, sizeof(S));
    if (PassedSize() > sizeof(S) && Rarely(bytes, 4))
      unknown_member_ = bytes.ConsumeIntegralInRange(sizeof(S), PassedSize() - 1);
  }

  bool HasWrongSize() const {
    return spec.struct_size < sizeof(S) || spec.struct_size > kMaxSize || unknown_member_ != 0;
  }

  void PassAs(const S& changed, std::uint8_t* at) const {
    std::memset(at, 0, PassedSize());
    std::memcpy(at, &changed, std::min(PassedSize(), sizeof(S)));
    if (unknown_member_ != 0) at[unknown_member_] = 1;
  }

 private:
  std::size_t unknown_member_ = 0;  // where one is set, if anywhere
};

struct SpecInput : VersionedInput<posenc_spec> {
  using Spec = posenc_spec;
  using Handle = posenc_encoder;
  static constexpr auto kCreate = &posenc_encoder_create;
  static constexpr auto kCreateIn = &posenc_encoder_create_in;
  static constexpr auto kMemorySize = &posenc_encoder_memory_size;
  static constexpr auto kDestroy = &posenc_encoder_destroy;
  static constexpr std::size_t kLists = 1;

  explicit SpecInput(FuzzedDataProvider& bytes);

  // As a caller passes it, with its lists anywhere.
  void Pass(const char* target_name, const std::vector<const std::uint8_t*>& lists, std::uint8_t* at) const;
  const Memory& list(std::size_t /*i*/) const { return list_; }
  std::vector<const std::uint8_t*> Lists() const { return {list_.data()}; }

  // What creation must say of it with that target, where frequencies are known to a relative error.
  Faults CreationFaults(const char* target_name, long double range_error = kRadiansError) const;

  // About w_i, if the spec is valid but maybe for its range: within kRadiansError of it.
  long double Radians(std::size_t i) const;
  static constexpr long double kRadiansError = 0x1.8p-53L;
  static constexpr long double kEstimateError = 1.1e-6L;  // that of posenc_encoder_memory_size
  std::size_t PairCount() const;
  bool Rounds() const;  // phases
  bool TakesFloatBase() const;
  bool TakesFloatDim() const;

 private:
  void MakeList(FuzzedDataProvider& bytes);
  bool HasList() const { return spec.frequencies != nullptr || spec.frequencies_f32 != nullptr; }
  bool HasGoodList() const;     // or none
  std::size_t Columns() const;  // but for the input's
  bool HasPairs() const;        // or half a one
  double Taken(double listed) const;
  double Listed(std::size_t i) const;
  double ExponentDim() const;
  void AddRangeFaults(long double error, Faults* faults) const;

  std::string target_;
  Memory list_;  // the caller's frequencies: as many as there must be, or none where they may not be read
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_SPEC_INPUT_H_
