// A case in the hands of one thread: what it must give, and what each target writes.
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

// What one target wrote by one way.
struct Written {
  Entries entries;
  internal::Tally tally;  // stays 0 for the reference, which has one tier
  double seconds = 0.0;   // of one processor
};

class Trial {
 public:
  // Of an area, written in all ways by the library's walkers; else by the calls that users make. The case
  // must outlive it.
  Trial(const Case& c, bool is_area, const std::vector<std::string>& targets);

  const std::vector<Way>& ways() const { return ways_; }

  // Rows [row, row + rows), which all else is about.
  void Prepare(std::size_t row, std::size_t rows) { calls_.Prepare(row, rows); }
  Answers Expect() { return judge_.Expect(); }

  // By the target of that number; false if it has no such way.
  bool Write(std::size_t target, const Way& way, Written* written);

  double Ulp(const Way& way, std::size_t row, std::size_t column, std::uint64_t got) {
    return judge_.Ulp(way.as, row, column, got);
  }

  // Where the entry is, what it is, what it should be and what it is exactly.
  std::string Explain(const Way& way, std::size_t row, std::size_t column, std::uint64_t got,
                      std::uint64_t expected);

 private:
  const Handle& HandleOf(std::size_t target, const Way& way) const;

  bool is_area_;
  std::vector<Way> ways_;
  Calls calls_;
  Judge judge_;
  std::vector<std::string> targets_;
  std::vector<Handle> handles_, neighbours_;  // [targets]; the latter of areas of rotation
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_TRIAL_H_
