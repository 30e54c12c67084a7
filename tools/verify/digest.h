// The digest: a hash of outputs that must be the same on every machine. It can be computed for a target
// without an oracle, threads, exceptions or the command, so it also runs where these are missing.
#ifndef POSENC_TOOLS_VERIFY_DIGEST_H_
#define POSENC_TOOLS_VERIFY_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// The recorded digest of DigestCases(). Every machine must find this value.
inline constexpr int kDigestVersion = 18;
inline constexpr std::uint64_t kGoldenDigest = 0xe833b82e7f344298;

// FNV-1a, 64 bits, over the little-endian bytes of entries.
class Digest {
 public:
  void Append(const std::string& bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Computes the digest of DigestCases() on one target. Each step takes one case.
class DigestRun {
 public:
  explicit DigestRun(std::string target);

  bool done() const { return next_ == cases_.size(); }
  void Step();
  double entries() const { return entries_; }          // that are done
  double fraction() const { return entries_ / all_; }  // the share of entries that is done, 0 to 1
  std::uint64_t value() const { return digest_.value(); }

 private:
  std::string target_;
  std::vector<Case> cases_;
  std::size_t next_ = 0;
  double entries_ = 0.0, all_ = 0.0;
  Digest digest_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_DIGEST_H_
