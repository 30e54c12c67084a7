// The digests of verify_cases.h's digest cases and verify_doubles.h's that every machine must find.
#ifndef POSENC_TOOLS_GOLDEN_DIGEST_H_
#define POSENC_TOOLS_GOLDEN_DIGEST_H_

#include <cstdint>

namespace posenc {
namespace tools {

inline constexpr int kDigestVersion = 3;
inline constexpr std::uint64_t kGoldenDigest = 0x3b2db0b2fbbfa1a7;
inline constexpr std::uint64_t kGoldenDigestV2 = 0xe1346cf88b349bf6;  // over verify_cases.h's
inline constexpr std::uint64_t kGoldenDigestV1 = 0x3d0110d68322ef14;  // over those of float32

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_GOLDEN_DIGEST_H_
