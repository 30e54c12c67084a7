// The digest of verify_cases.h's digest cases that every machine must find.
#ifndef POSENC_TOOLS_GOLDEN_DIGEST_H_
#define POSENC_TOOLS_GOLDEN_DIGEST_H_

#include <cstdint>

namespace posenc {
namespace tools {

inline constexpr int kDigestVersion = 1;
inline constexpr std::uint64_t kGoldenDigest = 0x3d0110d68322ef14;

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_GOLDEN_DIGEST_H_
