// Which of a kernel's tiers of arithmetic its entries come from.
#ifndef POSENC_TOOLS_TALLY_H_
#define POSENC_TOOLS_TALLY_H_

#include <cstddef>
#include <cstdint>

#include "format.h"
#include "kernels.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Writes rows at first, first + step, ... as Encoder::Write does, or WriteAt if as_list, block by block with
// the encoder's kernel: data [rows, dim] elements of the format.
internal::Tally WriteAndCount(const Encoder& encoder, oracle::Format format, std::int64_t first,
                              std::int64_t step, bool as_list, std::size_t rows, void* data);

void Accumulate(const internal::Tally& part, internal::Tally* whole);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_TALLY_H_
