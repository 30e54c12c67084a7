// A posenc_spec of the fuzzer's bytes, right or wrong, and what the documentation says of it.
#ifndef POSENC_TESTS_FUZZ_SPEC_INPUT_H_
#define POSENC_TESTS_FUZZ_SPEC_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

// All targets, as posenc_targets lists them.
std::vector<posenc_target> Targets();

// Any double, often one that is a limit or not a number.
double MakeReal(FuzzedDataProvider& bytes);

struct SpecInput {
  explicit SpecInput(FuzzedDataProvider& bytes);

  // The spec as a caller whose header may be of another version passes it, with its list elsewhere.
  void Pass(const char* target_name, const std::uint8_t* list_at, std::uint8_t* at) const;
  std::size_t PassedSize() const;

  // What creation must say of it with that target, where frequencies are known to a relative error.
  Faults CreationFaults(const char* target_name, long double range_error = kRadiansError) const;

  // About w_i, if the spec is valid but maybe for its range: within kRadiansError of it.
  long double Radians(std::size_t i) const;
  static constexpr long double kRadiansError = 0x1.8p-53L;
  static constexpr long double kEstimateError = 1.1e-6L;  // that of posenc_encoder_memory_size
  std::size_t PairCount() const { return spec.dim / 2 + spec.dim % 2; }

  posenc_spec spec{};
  bool null;    // pass a null pointer
  Memory list;  // the caller's frequencies: as many as there must be, or none where they may not be read

 private:
  void MakeList(FuzzedDataProvider& bytes);
  bool HasList() const { return spec.frequencies != nullptr || spec.frequencies_f32 != nullptr; }
  bool HasGoodList() const;  // or none
  double Listed(std::size_t i) const;
  double ExponentDim() const;
  void AddRangeFaults(long double error, Faults* faults) const;

  std::string target_;
  std::size_t unknown_member_ = 0;  // where one is set, if anywhere
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_SPEC_INPUT_H_
