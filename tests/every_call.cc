// Makes every call on every target that this CPU can run, without GoogleTest and MPFR. It is for tools that
// need all code compiled their way (MemorySanitizer), for slow tools (Valgrind), and for platforms without
// those libraries.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "calls.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 67;  // odd, so that vectors of every length have a tail
constexpr std::size_t kRows = 9;

// An FNV-1a hash of all results. It depends on every bit, so MemorySanitizer and Valgrind notice any bit made
// from uninitialized memory.
std::uint64_t Run(const posenc_target& target, bool* ok) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int kind = 0; kind < Setting::kKinds; ++kind) {
    for (const std::int64_t first : {std::int64_t{-20}, POSENC_MAX_POSITION - 99}) {
      Setting setting(target.name, kDim, kRows);
      setting.SetKind(kind);
      setting.first = first;
      *ok = setting.Create() && *ok;
      ForEachCall(setting, [&](Call& call) {
        if (first > 0 && call.runs.empty()) return;  // would repeat the same call
        if (call() != POSENC_OK) {
          std::printf("%s fails\n", call.function.name);
          *ok = false;
        }
        if (call.buffers.empty() || call.buffers[0].alignment > 1) return;  // sizes, names and structs
        for (const std::vector<unsigned char>& result : call.Results()) {
          for (const unsigned char byte : result) hash = (hash ^ byte) * 0x100000001b3u;
        }
      });
    }
  }
  return hash;
}

}  // namespace
}  // namespace posenc

int main() {
  posenc_target targets[POSENC_MAX_TARGETS];
  const std::size_t count = posenc_targets(targets, POSENC_MAX_TARGETS);
  std::uint64_t first_hash = 0;
  std::size_t executed = 0;
  bool ok = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (targets[i].runnable == 0) {
      std::printf("%-10s skipped: this CPU cannot run it\n", targets[i].name);
      continue;
    }
    const std::uint64_t hash = posenc::Run(targets[i], &ok);
    if (executed++ == 0) first_hash = hash;
    ok = ok && hash == first_hash;
    std::printf("%-10s %016llx\n", targets[i].name, static_cast<unsigned long long>(hash));
  }
  std::printf("%zu targets: %s\n", executed, ok ? "the same" : "DIFFERENT, or a call failed");
  return ok ? 0 : 1;
}
