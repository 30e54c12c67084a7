// One thread's work on a case: computes the expected entries, and lets each target write the case.
#ifndef POSENC_TOOLS_VERIFY_TRIAL_H_
#define POSENC_TOOLS_VERIFY_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/rows.h"
#include "verify/judge.h"

namespace posenc {
namespace tools {

// What one target wrote in one way.
struct Written {
  Entries entries;
  internal::Tally tally;  // stays 0 for REFERENCE, which has only one method
  double seconds = 0.0;   // processor time
};

class Trial {
 public:
  // A case of an area is written in all ways, by the library's internal walkers. Any other case is written by
  // the functions that users call. The case must outlive this object.
  Trial(const Case& c, bool is_area, const std::vector<std::string>& targets);

  const std::vector<Way>& ways() const { return ways_; }

  // Chooses the rows for the other functions: row .. row + rows - 1.
  void Prepare(std::size_t row, std::size_t rows) { calls_.Prepare(row, rows); }
  Answers Expect() { return judge_.Expect(); }

  // Lets a target, given by its index, write the rows. Returns false if the target does not have this way.
  bool Write(std::size_t target, const Way& way, Written* written);

  double Ulp(const Way& way, std::size_t row, std::size_t column, std::uint64_t got) {
    return judge_.Ulp(way.as, row, column, got);
  }

  // Describes a mismatch: where the entry is, what it is, what was expected, and the exact value.
  std::string Explain(const Way& way, std::size_t row, std::size_t column, std::uint64_t got,
                      std::uint64_t expected);

 private:
  const Handle& HandleOf(std::size_t target, const Way& way) const;

  bool is_area_;
  std::vector<Way> ways_;
  Calls calls_;
  Judge judge_;
  std::vector<std::string> targets_;
  std::vector<Handle> handles_, neighbours_;  // [targets]; neighbours_ only for areas of rotations
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_TRIAL_H_
