// What posenc verify --full compares beyond the cases: whole areas of positions and pairs, in every element
// type, as runs and as lists.
#ifndef POSENC_TOOLS_AREAS_H_
#define POSENC_TOOLS_AREAS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace tools {

struct RunOfRows {
  Spec spec;  // without a target
  std::int64_t first;
  std::size_t rows;
};

struct Area {
  std::string name;
  std::vector<RunOfRows> runs;
};

// All of the everyday domain, what it costs at small positions, and random runs, chosen by the seed, at its
// edges.
std::vector<Area> FullAreas(std::uint64_t seed);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_AREAS_H_
