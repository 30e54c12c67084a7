// One thing that posenc verify writes and compares.
#ifndef POSENC_TOOLS_VERIFY_CASE_H_
#define POSENC_TOOLS_VERIFY_CASE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/entries.h"
#include "kernel/rows.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Rows of one encoding in one type.
struct Case {
  Spec spec;  // without a target; a list of frequencies is static
  posenc_type type = POSENC_F32;
  std::int64_t first = 0;
  std::size_t rows = 0;
  std::vector<double> positions = {};  // [rows]; or empty: first, first + 1, ...
  posenc_type list = 0;                // I64, F32 or F64: the positions are passed as a list; 0: as a run
  bool add = false;                    // to AddInput, instead of writing
  bool specials = false;               // of AddInput: infinities, NaNs, zeros and the like
  float scale = 1.0f;

  double Position(std::size_t row) const {
    return positions.empty() ? static_cast<double>(first + static_cast<std::int64_t>(row)) : positions[row];
  }
};

Case MakeRun(std::size_t dim, std::int64_t first, std::size_t rows, double base = 10000.0);

// Cases that are reported together.
struct Group {
  std::string name;
  std::vector<Case> cases;
};

// What a case with `add` adds to: the bits of a hash of row and column, spread over [-4, 4], or of a special
// value.
std::uint64_t AddInput(const Case& c, std::size_t row, std::size_t column);

// Writes or adds rows [row, row + rows) of the case: out [rows, dim].
void RunCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows, Entries* out);

// Writes the same rows with the library's row walker, to see what the rounding test did.
internal::Tally WalkCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows,
                         Entries* out);

// One for each target.
std::vector<Encoder> MakeEncoders(Spec spec, const std::vector<std::string>& targets);

// "0x3f800000 (1)"
std::string ShowEntry(posenc_type type, std::uint64_t bits);

// "Write f16, dim 512, base 10000, sin_cos, ..."
std::string Describe(const Case& c);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASE_H_
