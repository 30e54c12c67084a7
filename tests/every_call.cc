// Every call, on every runnable target, in a plain program without GoogleTest and MPFR: for tools that must
// have compiled all code (MemorySanitizer), that are slow (Valgrind), and for platforms without those
// libraries.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "every_call.h"
#include "posenc/posenc.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 67;  // odd, so that vectors of every length have a tail
constexpr std::size_t kRows = 36;

// FNV-1a. Depends on every bit: one made of memory never written is seen by MemorySanitizer and Valgrind.
template <class T>
std::uint64_t Hash(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

template <class T>
std::uint64_t HashOfType(const Encoder& encoder, std::int64_t first, bool* ok) {
  EveryCall<T> calls(kDim, first, kRows, 7);
  for (std::size_t k = 0; k < calls.table.size(); ++k) {
    if constexpr (std::is_floating_point_v<T>) calls.table[k] = static_cast<T>(k) / 8;
  }
  *ok = calls.Run(encoder) && *ok;
  return Hash(calls.out);
}

std::uint64_t HashOfAll(const Encoder& encoder, bool* ok) {
  std::uint64_t hash = 0;
  for (const std::int64_t first : {std::int64_t{-20}, kMaxPosition - 99}) {
    for (const std::uint64_t part :
         {HashOfType<float>(encoder, first, ok), HashOfType<BFloat16>(encoder, first, ok),
          HashOfType<Float16>(encoder, first, ok), HashOfType<double>(encoder, first, ok)}) {
      hash = hash * 31 + part;
    }
  }
  return hash;
}

// Creates an encoder in each layout.
std::uint64_t HashOfLayouts(Spec spec, bool* ok) {
  std::uint64_t hash = 0;
  for (const Layout layout : {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin}) {
    spec.layout = layout;
    Encoder encoder;
    *ok = *ok && Encoder::Create(spec, &encoder) == Status::kOk;
    hash = hash * 31 + HashOfAll(encoder, ok);
  }
  return hash;
}

// With and without a phase rounding, with listed frequencies, and for lists.
std::uint64_t Run(const Target& target, bool* ok) {
  Spec spec;
  spec.dim = kDim;
  spec.target = target.name;
  std::uint64_t hash = HashOfLayouts(spec, ok);
  const std::vector<float> frequencies((kDim + 1) / 2, 0.7f);
  spec.frequencies = {nullptr, frequencies.data(), frequencies.size(), FrequencyUnit::kTurns};
  hash = hash * 31 + HashOfLayouts(spec, ok);
  spec.frequencies = {};
  spec.lists_only = spec.nan_rows = true;
  hash = hash * 31 + HashOfLayouts(spec, ok);
  spec.lists_only = spec.nan_rows = false;
  spec.phase_rounding = PhaseRounding::kF32PowDiv;
  return hash * 31 + HashOfLayouts(spec, ok);
}

}  // namespace
}  // namespace posenc

int main() {
  posenc::Target targets[posenc::kMaxTargets];
  const std::size_t count = posenc::Targets(targets);
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
