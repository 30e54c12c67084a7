// What the shared library that it is linked with writes, as a hash for each chunk of rows: tools/same-bits
// compares those of two builds; of a spec that the library refuses, "refused" and the case. The encodings and
// caches of `posenc verify --full` (areas.cc), encodings in doubles too, and random rotations. With the first
// words of a line as arguments: the entries of that chunk.
#include "number/exact.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "command/require.h"
#include "verify/calls.h"
#include "verify/cases.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status == POSENC_OK) return;
  std::fprintf(stderr, "same-bits: %s\n", posenc_status_message(status));
  std::exit(2);
}

namespace {

constexpr std::uint64_t kSeed = 20260101;
constexpr std::size_t kRows = 4096;  // of a chunk

// Of any spec and gain, with elements of every kind among ordinary ones.
Case RandomRotation(std::mt19937_64* random) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::size_t>((*random)() % end); };
  const auto any = [&](const std::vector<double>& values) { return values[below(values.size())]; };
  Case c;
  c.operation = Operation::kRotate;
  c.type = static_cast<posenc_type>(POSENC_F32 + below(3));
  c.inputs = Inputs::kMixed;
  c.seed = static_cast<std::uint32_t>((*random)());
  c.rotary.rotary_dim = 2 * (1 + below(below(8) == 0 ? 512 : 80));
  c.rotary.rotary_offset = below(4) == 0 ? 1 : 0;  // so that vectors are unaligned
  c.rotary.head_dim = c.rotary.rotary_dim + c.rotary.rotary_offset;
  c.rotary.base = any({1e4, 5e5, 3.0, 1.0, 1e30});
  c.rotary.pairing = static_cast<posenc_pairing>(below(2));
  c.rotary.output_pairing = below(4) == 0 ? static_cast<posenc_pairing>(below(2)) : POSENC_SAME_PAIRING;
  c.rotary.arithmetic = below(3) == 0 ? POSENC_FAST : POSENC_EXACT;
  c.rotary.amplitude = any({0.0, 0.0, 0x1p-32, 0x1p32, 1.3465735902799727});
  c.scale = any({1.0, 1.0, 1.0, 1.25, 0.08838834764831845, 0x1p-32, 0x1.fffffffcp31, 0x1p26, 0x1p13});
  c.inverse = below(2) == 0;
  c.in_place = c.rotary.output_pairing == POSENC_SAME_PAIRING && below(3) != 0;
  c.q_heads = 1 + below(4);
  c.k_heads = below(2);
  c.first = static_cast<std::int64_t>(below(std::uint64_t{1} << static_cast<int>(any({0, 17, 30}))));
  c.rows = 1 + below(below(4) == 0 ? 20 : 3);
  return c;
}

std::vector<Case> Cases() {
  constexpr int kRotations = 20000;
  std::vector<Case> cases;
  for (const Group& area : FullAreas(kSeed)) {
    for (const Case& c : area.cases) {
      if (c.operation != Operation::kRotate) cases.push_back(c);
    }
  }
  std::mt19937_64 random(kSeed);
  for (int k = 0; k < kRotations; ++k) cases.push_back(RandomRotation(&random));
  return cases;
}

// What a chunk is called.
struct Key {
  std::string target;
  std::size_t number;  // of the case
  posenc_type type, list;
  std::size_t row;
};

// Differences in any bits spread over all.
std::uint64_t HashOf(const Entries& entries) {
  std::uint64_t hash = entries.bytes();
  const auto* bytes = static_cast<const unsigned char*>(entries.data());
  for (std::size_t at = 0; at < entries.bytes(); at += sizeof(hash)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof(word), entries.bytes() - at));
    hash = ((hash ^ word) << 29 | (hash ^ word) >> 35) * 0x9e3779b97f4a7c15u;
  }
  return hash;
}

// The ways to write a case: encodings also as lists, which of the scalar path are runs.
std::vector<Case> WaysOf(const Case& c, bool is_scalar) {
  if (c.operation == Operation::kRotate) return {c};
  std::vector<Case> ways;
  for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
    ways.push_back(c);
    ways.back().type = type;
    if (is_scalar || c.is_rotary()) continue;
    ways.push_back(ways.back());
    ways.back().list = POSENC_I64;
  }
  return ways;
}

// Calls use(key, entries) for the chunks of a case. The scalar path and doubles, up to ten times as slow,
// take one in eight.
template <class Use>
void ForEachChunk(const Case& c, std::size_t number, const std::string& target, const Use& use) {
  const bool is_scalar = target == "SCALAR";
  if (is_scalar && c.operation == Operation::kRotate && number % 8 != 0) return;
  Entries entries;
  double seconds;
  for (const Case& way : WaysOf(c, is_scalar)) {
    const std::size_t every = is_scalar || way.type == POSENC_F64 ? 8 : 1;
    const Handle handle(way, target.c_str());
    Calls calls(way);
    for (std::size_t row = 0; row < c.rows; row += kRows * every) {
      calls.Prepare(row, std::min(kRows, c.rows - row));
      calls.Call(way, handle, &entries, &seconds);
      use(Key{target, number, way.type, way.list, row}, entries);
    }
  }
}

// Whether this library has no such spec, since it is an older one.
bool IsRefused(const Case& c) {
  std::size_t bytes;
  return (c.is_rotary() ? posenc_rotary_memory_size(&c.rotary, &bytes)
                        : posenc_encoder_memory_size(&c.encoder, &bytes)) != POSENC_OK;
}

void PrintHashes(const std::vector<Case>& cases, const std::vector<std::string>& targets) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> all{0};
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t n = next++; n < cases.size(); n = next++) {
      std::string lines;
      const auto use = [&](const Key& key, const Entries& entries) {
        char line[128];
        std::snprintf(line, sizeof(line), "%s %zu %d %d %zu %016" PRIx64 "\n", key.target.c_str(), key.number,
                      static_cast<int>(key.type), static_cast<int>(key.list), key.row, HashOf(entries));
        lines += line;
        all += entries.count();
      };
      if (IsRefused(cases[n])) {
        lines = "refused " + std::to_string(n) + "\n";
      } else {
        for (const std::string& target : targets) ForEachChunk(cases[n], n, target, use);
      }
      const std::lock_guard<std::mutex> lock(mutex);
      std::fputs(lines.c_str(), stdout);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::fprintf(stderr, "%" PRIu64 " entries\n", all.load());
}

void PrintEntries(const Case& c, const Key& wanted) {
  std::printf("dim %zu, head_dim %zu, base %.17g, first position %" PRId64 ", scale %a, arithmetic %d\n",
              c.encoder.dim, c.rotary.head_dim, c.is_rotary() ? c.rotary.base : c.encoder.base, c.first,
              c.scale, static_cast<int>(c.rotary.arithmetic));
  ForEachChunk(c, wanted.number, wanted.target, [&](const Key& key, const Entries& entries) {
    if (key.type != wanted.type || key.list != wanted.list || key.row != wanted.row) return;
    for (std::size_t i = 0; i < entries.count(); ++i) {
      std::printf("row %zu, column %zu: %016" PRIx64 "\n", key.row + i / c.columns(), i % c.columns(),
                  entries[i]);
    }
  });
}

}  // namespace
}  // namespace tools
}  // namespace posenc

int main(int argc, char** argv) {
  using namespace posenc::tools;
  const std::vector<Case> cases = Cases();
  if (argc == 6) {
    const auto number = [&](int k) { return static_cast<std::size_t>(std::strtoull(argv[k], nullptr, 10)); };
    const Key key{argv[1], number(2), static_cast<posenc_type>(number(3)),
                  static_cast<posenc_type>(number(4)), number(5)};
    PrintEntries(cases.at(key.number), key);
    return 0;
  }
  posenc_target all[POSENC_MAX_TARGETS];
  const std::size_t count =
      std::min<std::size_t>(posenc_targets(all, POSENC_MAX_TARGETS), POSENC_MAX_TARGETS);
  std::vector<std::string> targets;
  for (std::size_t t = 0; t < count; ++t) {
    if (all[t].runnable != 0 && std::strcmp(all[t].name, kReferenceName) != 0)
      targets.emplace_back(all[t].name);
  }
  PrintHashes(cases, targets);
}
