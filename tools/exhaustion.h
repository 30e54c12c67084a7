// Compares areas, entry by entry, on every target: the oracle's work on a chunk of rows serves all targets,
// all element types, and both ways to write rows.
#ifndef POSENC_TOOLS_EXHAUSTION_H_
#define POSENC_TOOLS_EXHAUSTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "areas.h"
#include "distances.h"
#include "kernels.h"
#include "verify.h"

namespace posenc {
namespace tools {

inline constexpr oracle::Format kFormats[] = {oracle::Format::kFloat32, oracle::Format::kBFloat16,
                                              oracle::Format::kFloat16};

// One target writing one type in one way.
struct Count {
  std::string target;
  oracle::Format format;
  bool as_list;  // WriteAt: the direct kernel; else Write, which rotates
  std::uint64_t entries = 0;
  std::uint64_t mismatches = 0;
  internal::Tally tally{};
  double seconds = 0.0;  // of one processor, for writing
};

struct AreaReport {
  std::array<oracle::Distances, 3> distances;  // by format; a hard entry's origin is the run
  std::vector<Count> counts;
  std::vector<Example> examples;
};

struct Exhaustion {
  std::vector<Area> areas;
  std::vector<std::string> targets;  // each runnable
  unsigned threads = 1;
  // The slow REFERENCE takes one chunk in so many.
  std::size_t reference_every = 1;
  // The work is cut into `parts`, of which this is one, counted from 0.
  std::size_t part = 0, parts = 1;
  std::function<void(double fraction)> progress;  // called now and then, by one thread at a time
};

// A report per area. Needs MPFR.
std::vector<AreaReport> Exhaust(const Exhaustion& plan);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_EXHAUSTION_H_
