// One thread's work on a case: computes the expected entries, and lets each target write the case.
#ifndef POSENC_TOOLS_VERIFY_RUNNER_H_
#define POSENC_TOOLS_VERIFY_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/rows.h"
#include "verify/expected.h"

namespace posenc {
namespace tools {

// What one target wrote for one variant.
struct Written {
  Entries entries;
  internal::Tally tally;  // stays 0 for REFERENCE, which has only one method
  double seconds = 0.0;   // processor time
};

class Runner {
 public:
  // All variants of an area's case are written by the library's internal walkers. Any other case is written
  // by the functions that users call. The case must outlive this object.
  Runner(const Case& c, bool is_area, const std::vector<std::string>& targets);

  const std::vector<Variant>& variants() const { return variants_; }

  // Chooses the rows for the other functions: row .. row + rows - 1.
  void Prepare(std::size_t row, std::size_t rows) { calls_.Prepare(row, rows); }
  Answers Compute() { return expected_.Compute(); }

  // Lets a target, given by its index, write the rows. Returns false if the target leaves out this variant.
  bool Write(std::size_t target, const Variant& variant, Written* written);

  double Ulp(const Variant& variant, std::size_t row, std::size_t column, std::uint64_t got) {
    return expected_.Ulp(variant.as, row, column, got);
  }

  // Describes a mismatch: where the entry is, what it is, what was expected, and the exact value.
  std::string Explain(const Variant& variant, std::size_t row, std::size_t column, std::uint64_t got,
                      std::uint64_t expected);

 private:
  const Handle& HandleOf(std::size_t target, const Variant& variant) const;

  bool is_area_;
  std::vector<Variant> variants_;
  Calls calls_;
  Expected expected_;
  std::vector<std::string> targets_;
  std::vector<Handle> handles_, neighbours_;  // [targets]; neighbours_ only for areas of rotations
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_RUNNER_H_
