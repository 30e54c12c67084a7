// Every call, on every runnable target, in a plain program without GoogleTest and MPFR: for tools that must
// have compiled all code (MemorySanitizer), that are slow (Valgrind), and for platforms without those
// libraries.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 67;  // odd, so that vectors of every length have a tail
constexpr std::size_t kRows = 36;

// The output of each call, end to end.
template <class T>
std::vector<T> Outputs(const Encoder& encoder, std::int64_t first, bool* ok) {
  constexpr std::size_t kSize = kRows * kDim;
  const std::int64_t positions[] = {0, -1, first, kMaxPosition, -kMaxPosition};
  const std::int32_t ids[] = {3, 0, 2}, firsts[] = {7, 9};
  T one{};
  if constexpr (std::is_same_v<T, float>) one = 1.0f;
  std::vector<T> out(6 * kSize, one);
  T* x = out.data();
  const auto check = [&](Status status) {
    *ok = *ok && status == Status::kOk;
    x += kSize;
  };
  check(encoder.Write(first, kRows, x, kDim));
  check(encoder.WriteAt(positions, 5, x, kDim));
  check(encoder.Add(first, kRows, x, kDim, 0.3f));
  check(encoder.AddAt(positions, 5, x, kDim));
  check(encoder.Embed(ids, 3, out.data(), 4, kDim, first, x, kDim));
  check(encoder.AddBatch(firsts, 2, kRows / 2, x, kRows / 2 * kDim, kDim));
  return out;
}

// FNV-1a. Depends on every bit: one made of memory never written is seen by MemorySanitizer and Valgrind.
template <class T>
std::uint64_t Hash(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

// Doubles, in and out.
std::uint64_t HashOfDoubles(const Encoder& encoder, bool* ok) {
  const double positions[] = {0.1, -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126, 0x1p31};
  std::vector<double> doubles((kRows + 5) * kDim);
  std::vector<float> floats(5 * kDim);
  *ok = *ok && encoder.Write(-7, kRows, doubles.data(), kDim) == Status::kOk &&
        encoder.WriteAt(positions, 5, &doubles[kRows * kDim], kDim) == Status::kOk &&
        encoder.WriteAt(positions, 5, floats.data(), kDim) == Status::kOk &&
        encoder.AddAt(positions, 5, floats.data(), kDim) == Status::kOk;
  return Hash(doubles) * 31 + Hash(floats);
}

std::uint64_t HashOfAll(const Encoder& encoder, bool* ok) {
  std::uint64_t hash = HashOfDoubles(encoder, ok);
  for (const std::int64_t first : {std::int64_t{-20}, kMaxPosition - 99}) {
    for (const std::uint64_t part :
         {Hash(Outputs<float>(encoder, first, ok)), Hash(Outputs<BFloat16>(encoder, first, ok)),
          Hash(Outputs<Float16>(encoder, first, ok))}) {
      hash = hash * 31 + part;
    }
  }
  return hash;
}

// The hash of all layouts and recipes.
std::uint64_t Run(const Target& target, bool* ok) {
  std::uint64_t hash = 0;
  for (const Layout layout : {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin}) {
    for (const Recipe recipe : {Recipe::kExact, Recipe::kF32PowDiv}) {
      Spec spec;
      spec.dim = kDim;
      spec.layout = layout;
      spec.recipe = recipe;
      spec.target = target.name;
      Encoder encoder;
      *ok = *ok && Encoder::Create(spec, &encoder) == Status::kOk;
      hash = hash * 31 + HashOfAll(encoder, ok);
    }
    const std::vector<float> frequencies((kDim + 1) / 2, 0.7f);
    Spec spec;
    spec.dim = kDim;
    spec.layout = layout;
    spec.target = target.name;
    spec.frequencies = {nullptr, frequencies.data(), frequencies.size(), FrequencyUnit::kTurns};
    Encoder encoder;
    *ok = *ok && Encoder::Create(spec, &encoder) == Status::kOk;
    hash = hash * 31 + HashOfAll(encoder, ok);
  }
  return hash;
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
    if (!targets[i].runnable) {
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
