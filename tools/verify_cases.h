// What posenc verify writes and compares. The digest covers the first of the two lists, in its order. To
// change that list, append to it, count kDigestVersion up and keep the digest of the part before in
// golden_digest.h: it must hold for ever.
#ifndef POSENC_TOOLS_VERIFY_CASES_H_
#define POSENC_TOOLS_VERIFY_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Rows of one encoding. Row r is for position first + r * step; with a step other than 1 the positions are
// passed as a list.
struct Case {
  Spec spec;  // without a target
  oracle::Format format = oracle::Format::kFloat32;
  std::int64_t first = 0;
  std::size_t rows = 0;
  std::int64_t step = 1;
  bool add = false;  // Add instead of Write, to AddInput
  float scale = 1.0f;

  std::int64_t Position(std::size_t row) const { return first + static_cast<std::int64_t>(row) * step; }
};

// All layouts and operations, odd dims, bases, scales and the ends of the range, for float32 and then for the
// 16-bit types.
std::vector<Case> DigestCases();

// Whole tables of usual sizes: what `verify` adds.
std::vector<Case> TableCases();

// What a case with `add` adds to: a hash of row and column, spread over [-4, 4], a number of the format.
float AddInput(oracle::Format format, std::size_t row, std::size_t column);

// Writes or adds rows [row, row + rows) of the case: values [rows, dim].
void RunCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows, float* values);

const char* Name(oracle::Format format);

// "0x3f800000 (1)"
std::string ShowEntry(oracle::Format format, std::uint32_t bits);

// "Write f16, dim 512, base 10000, sin_cos, ..."
std::string Describe(const Case& c);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASES_H_
