// Rows of an encoding as posenc verify writes them.
#ifndef POSENC_TOOLS_VERIFY_ENCODING_CASE_H_
#define POSENC_TOOLS_VERIFY_ENCODING_CASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "verify/subject.h"

namespace posenc {
namespace tools {

// Rows of one encoding in one type.
struct EncodingCase {
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

EncodingCase MakeRun(std::size_t dim, std::int64_t first, std::size_t rows, double base = 10000.0);

// What a case with `add` adds to: the bits of a hash of row and column, spread over [-4, 4], or of a special
// value.
std::uint64_t AddInput(const EncodingCase& c, std::size_t row, std::size_t column);

// Writes or adds rows [row, row + rows) of the case: out [rows, dim].
void RunCase(const EncodingCase& c, const Encoder& encoder, std::size_t row, std::size_t rows, Entries* out);

// Writes the same rows with the library's row walker, to see what the rounding test did.
internal::Tally WalkCase(const EncodingCase& c, const Encoder& encoder, std::size_t row, std::size_t rows,
                         Entries* out);

// "Write f16, dim 512, base 10000, sin_cos, ..."
std::string Describe(const EncodingCase& c);

// The case in its own type, by the call that users make.
std::shared_ptr<const Subject> SubjectOf(const EncodingCase& c);

// A run in each of kSharedTypes; as a run, which uses angle addition, and as a list, which does not; only by
// the row walker. Needs MPFR.
std::shared_ptr<const Subject> AreaOf(const EncodingCase& run);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ENCODING_CASE_H_
