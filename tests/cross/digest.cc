// Computes the digest of every target, or of the named ones, and exits with status 0 if each equals the
// recorded one. It is for platforms where the command cannot be built or is slow: no exceptions, no threads,
// no MPFR.
#include "number/exact.h"

#include "verify/digest.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "command/require.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status == POSENC_OK) return;
  std::printf("%s\n", posenc_status_message(status));
  std::exit(2);
}

}  // namespace tools
}  // namespace posenc

int main(int argc, char** argv) {
  std::vector<const char*> targets(argv + 1, argv + argc);
  if (targets.empty()) {
    posenc_target all[POSENC_MAX_TARGETS];
    const std::size_t count = posenc_targets(all, POSENC_MAX_TARGETS);
    for (std::size_t t = 0; t < count; ++t) targets.push_back(all[t].name);
  }
  bool right = true;
  std::uint64_t last = 0;
  for (const char* target : targets) {
    posenc::tools::DigestRun run(target);
    while (!run.done()) run.Step();
    last = run.value();
    right = right && last == posenc::tools::kGoldenDigest;
    std::printf("%-10s %016" PRIx64 " %12.0f entries\n", target, last, run.entries());
  }
  std::printf("targets executed:");
  for (const char* target : targets) std::printf(" %s", target);
  std::printf("\ndigest v%d %016" PRIx64 "%s\n", posenc::tools::kDigestVersion, last,
              right ? "" : " mismatch");
  return right ? 0 : 1;
}
