// A posenc_rotary_spec of the fuzzer's bytes, right or wrong, and what the documentation says of it.
#ifndef POSENC_TESTS_FUZZ_ROTARY_SPEC_INPUT_H_
#define POSENC_TESTS_FUZZ_ROTARY_SPEC_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzing.h"
#include "posenc/rotary_c.h"
#include "rotary_estimates.h"
#include "spec_input.h"

namespace posenc {
namespace fuzz {

struct RotarySpecInput : VersionedInput<posenc_rotary_spec> {
  using Spec = posenc_rotary_spec;
  using Handle = posenc_rotary;
  static constexpr auto kCreate = &posenc_rotary_create;
  static constexpr auto kCreateIn = &posenc_rotary_create_in;
  static constexpr auto kMemorySize = &posenc_rotary_memory_size;
  static constexpr auto kDestroy = &posenc_rotary_destroy;
  static constexpr std::size_t kLists = 3;  // factors, long factors, frequencies

  explicit RotarySpecInput(FuzzedDataProvider& bytes);

  // As a caller passes it, with its lists anywhere.
  void Pass(const char* target_name, const std::vector<const std::uint8_t*>& lists, std::uint8_t* at) const;
  const Memory& list(std::size_t i) const { return lists_[i]; }
  std::vector<const std::uint8_t*> Lists() const;

  // What creation must say of it with that target.
  static constexpr long double kEstimateError = 0.0L;  // of posenc_rotary_memory_size none is added
  Faults CreationFaults(const char* target_name, long double range_error = 0.0L) const;

  // rotary_dim / 2, of a spec that is right.
  std::size_t PairCount() const { return RotaryDim(spec) / 2; }

 private:
  enum List : std::size_t { kFactors, kLongFactors, kFrequencies };

  bool MakePreset(FuzzedDataProvider& bytes);
  void MakeShape(FuzzedDataProvider& bytes);
  void MakeScaling(FuzzedDataProvider& bytes);
  void MakeAxes(FuzzedDataProvider& bytes);
  void MakeRounding(FuzzedDataProvider& bytes);
  void MakeFactors(FuzzedDataProvider& bytes);
  void MakeFrequencies(FuzzedDataProvider& bytes);
  void MakeList(List which, bool floats, bool positive, bool readable, FuzzedDataProvider& bytes);
  std::size_t MakeCount(bool wrong, FuzzedDataProvider& bytes) const;

  void AddShapeFaults(Faults* faults) const;
  void AddScalingFaults(Faults* faults) const;
  void AddRoundingFaults(Faults* faults) const;
  void AddListFaults(Faults* faults) const;
  void AddFrequencyFaults(Faults* faults) const;
  void AddRoundedPhaseFaults(Faults* faults) const;

  std::string target_;
  Memory lists_[kLists];  // as many as there must be, or none where they may not be read
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_ROTARY_SPEC_INPUT_H_
