// The digests of verify_cases.h's digest cases and verify_doubles.h's that every machine must find.
#ifndef POSENC_TOOLS_GOLDEN_DIGEST_H_
#define POSENC_TOOLS_GOLDEN_DIGEST_H_

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace tools {

inline constexpr std::size_t kDigestVersion = 4;
inline constexpr std::uint64_t kGoldenDigests[kDigestVersion] = {
    0x3d0110d68322ef14,  // version 1: the float32 cases of verify_cases.h
    0xe1346cf88b349bf6,  // version 2: all of those
    0x3b2db0b2fbbfa1a7,  // version 3: and the first ones of verify_doubles.h
    0x2193c2039e9465e5,  // version 4: all
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_GOLDEN_DIGEST_H_
