// The digest of a posenc.wasm: its cases, as functions of the module that package/digest.js links with it.
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

// Here rather than in memory of posenc's: what the memory has when this module first allocates is its own.
char target[32];

}  // namespace

extern "C" {

// Where the target's name goes, before web_digest_start.
char* web_digest_target() { return target; }

void web_digest_start() { run.emplace(target); }

// The next case. Returns which part of all that was.
double web_digest_step() {
  if (!run->done()) run->Step();
  return run->done() ? 1.0 : run->fraction();
}

std::uint64_t web_digest_value() { return run->value(); }
}
