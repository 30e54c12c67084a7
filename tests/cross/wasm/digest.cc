// The digest of every target, where the command cannot be built: no exceptions, no threads, no MPFR. Exit
// status 0 if each is the golden one.
#include "verify/digest.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

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

int main() {
  posenc_target targets[POSENC_MAX_TARGETS];
  const std::size_t count = posenc_targets(targets, POSENC_MAX_TARGETS);
  bool right = true;
  std::uint64_t last = 0;
  for (std::size_t t = 0; t < count; ++t) {
    posenc::tools::DigestRun run(targets[t].name);
    while (!run.done()) run.Step();
    last = run.value();
    right = right && last == posenc::tools::kGoldenDigest;
    std::printf("%-10s %016" PRIx64 "\n", targets[t].name, last);
  }
  std::printf("targets executed:");
  for (std::size_t t = 0; t < count; ++t) std::printf(" %s", targets[t].name);
  std::printf("\ndigest v%d %016" PRIx64 "%s\n", posenc::tools::kDigestVersion, last,
              right ? "" : " mismatch");
  return right ? 0 : 1;
}
