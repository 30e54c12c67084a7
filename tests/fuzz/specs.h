// Specs made from a fuzzer's bytes: usual values for members that agree with each other, and then some wrong
// ones.
#ifndef POSENC_TESTS_FUZZ_SPECS_H_
#define POSENC_TESTS_FUZZ_SPECS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace fuzz {

// The members for a list: two arrays, of which one is used, and their length.
template <class S>
struct ListMembers {
  const double* S::*doubles;
  const float* S::*floats;
  std::size_t S::*count;
};

// A spec, together with the lists that it points to.
template <class S>
class OwnedSpec {
 public:
  explicit OwnedSpec(Bytes& bytes);

  const S& spec() const { return spec_; }

  // Calls make(spec) and frees the spec's lists afterwards.
  template <class Make>
  auto WithPassingLists(const char* target, const Make& make) const {
    auto passing = std::make_unique<OwnedSpec>(*this);
    passing->Point();
    passing->spec_.target = target;
    const auto result = make(&passing->spec_);
    return result;
  }
  void Point();  // points the spec to its own lists

 private:
  static constexpr std::size_t kMaxLists = 3;
  struct List {
    bool as_doubles = false, as_floats = false, is_positive = false;
    std::vector<double> doubles;
    std::vector<float> floats;
  };

  void SetUsual(Bytes& bytes);
  // Makes the members agree with each other.
  void Arrange(Bytes& bytes);
  void ArrangeFrequencies(std::size_t pairs, Bytes& bytes);
  void SetList(std::size_t i, std::size_t count, bool floats, bool is_positive = false);
  void Mutate(Bytes& bytes);
  void FillLists(Bytes& bytes);

  S spec_{};
  List lists_[kMaxLists];
};

using OwnedEncoderSpec = OwnedSpec<posenc_spec>;
using OwnedRotarySpec = OwnedSpec<posenc_rotary_spec>;

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_SPECS_H_
