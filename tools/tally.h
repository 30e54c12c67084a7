// Which of a kernel's tiers of arithmetic its entries come from.
#ifndef POSENC_TOOLS_TALLY_H_
#define POSENC_TOOLS_TALLY_H_

#include <cstddef>

#include "kernels.h"
#include "posenc/posenc.h"
#include "verify_cases.h"

namespace posenc {
namespace tools {

// Writes rows [row, row + rows) of the case once more, by the kernel of the encoder, and counts.
internal::Tally CountTiers(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_TALLY_H_
