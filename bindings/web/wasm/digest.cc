// The module digest.wasm: computes the cases of the digest, case by case. package/digest.js links it with a
// posenc.wasm.
#include "verify/digest.h"

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "command/require.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status != POSENC_OK) std::abort();
}

}  // namespace tools
}  // namespace posenc

namespace {

std::optional<posenc::tools::DigestRun> run;

// The name is stored here, not in memory that posenc.wasm allocates: when this module first allocates, all
// memory that is there already must be its own.
char target[32];

}  // namespace

extern "C" {

// The address to which the caller writes the name of the target, before web_digest_start.
char* web_digest_target() { return target; }

void web_digest_start() { run.emplace(target); }

// Computes the next case. Returns the share of entries that is done, 0 to 1.
double web_digest_step() {
  if (!run->done()) run->Step();
  return run->done() ? 1.0 : run->fraction();
}

std::uint64_t web_digest_value() { return run->value(); }
}
