// Counts the entries of the cases of `posenc verify --quick` that are wrong when a control is off. It is
// linked with the library in which `negative-controls` can switch controls off. Results without a control off
// are right, because the digest says so.
//
//   count_wrong TARGET CONTROL...      prints a line "CONTROL WRONG" for each control, a number
#include "number/exact.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "command/require.h"
#include "number/switches.h"
#include "verify/calls.h"
#include "verify/cases.h"
#include "verify/digest.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status == POSENC_OK) return;
  std::printf("%s\n", posenc_status_message(status));
  std::exit(2);
}

namespace {

// What the target writes for a case. The control is off from the creation of the encoder or rotary on.
void Write(const Case& c, const char* target, int off, Calls* calls, Entries* entries) {
  double seconds;
  internal::kOff = off;
  calls->Call(c, Handle(c, target), entries, &seconds);
  internal::kOff = 0;
}

std::uint64_t Differing(const Entries& got, const Entries& want) {
  if (std::memcmp(got.data(), want.data(), want.bytes()) == 0) return 0;
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < want.count(); ++i) differing += got[i] != want[i];
  return differing;
}

}  // namespace
}  // namespace tools
}  // namespace posenc

int main(int argc, char** argv) {
  using namespace posenc::tools;
  const char* const target = argv[1];
  std::vector<std::uint64_t> wrong(static_cast<std::size_t>(argc));
  Digest digest;
  std::uint64_t entries = 0;
  for (const Case& c : DigestCases()) {
    Calls calls(c);
    calls.Prepare(0, c.rows);
    Entries want, got;
    Write(c, target, 0, &calls, &want);
    digest.Append(want.LittleEndian(want.count()));
    entries += want.count();
    for (std::size_t k = 2; k < wrong.size(); ++k) {
      Write(c, target, std::atoi(argv[k]), &calls, &got);
      const std::uint64_t differing = Differing(got, want);
      if (differing != 0 && std::getenv("POSENC_SHOW_WRONG") != nullptr)
        std::fprintf(stderr, "%s: %" PRIu64 " of %s\n", argv[k], differing, c.label.c_str());
      wrong[k] += differing;
    }
  }
  if (digest.value() != kGoldenDigest) {
    std::printf("the digest is wrong without a control off\n");
    return 1;
  }
  std::printf("entries %" PRIu64 "\n", entries);
  for (std::size_t k = 2; k < wrong.size(); ++k) std::printf("%s %" PRIu64 "\n", argv[k], wrong[k]);
  return 0;
}
