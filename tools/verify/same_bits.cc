// Prints a hash of what the library writes for each case, on each target. tools/same-bits links this program
// with the libraries of two commits and compares the hashes. The cases are the encodings and caches of
// `posenc verify --full` (areas.cc), the same encodings in double, random rotations, and the cases of the
// digest. REFERENCE takes only the cases of the digest.
//
//   same_bits                     prints a line for each case: target, label and hash, separated by tabs
//   same_bits I/N                 does the same for part I of N of the cases
//   same_bits TARGET LABEL        prints the first row and the hash of each chunk of one case
//   same_bits TARGET LABEL ROW    prints the entries of the chunk that begins at ROW
#include "number/exact.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "command/require.h"
#include "verify/calls.h"
#include "verify/cases.h"
#include "verify/rows.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status == POSENC_OK) return;
  std::fprintf(stderr, "same-bits: %s\n", posenc_status_message(status));
  std::exit(2);
}

namespace {

constexpr std::uint64_t kSeed = 20260101;
constexpr std::size_t kRows = 4096;  // rows in a chunk

// A rotation with a random spec, amplitude and scale. Most elements are ordinary; some are of every other
// kind. It may have a norm of any kind.
Case RandomRotation(std::mt19937_64* random, bool has_norm) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::size_t>((*random)() % end); };
  const auto any = [&](const std::vector<double>& values) { return values[below(values.size())]; };
  constexpr const char* kTypes[] = {"f32", "bf16", "f16"};
  constexpr const char* kPairings[] = {"half_split", "neighbours"};
  std::string row = "operation=rotate inputs=mixed";
  const auto word = [&](const char* key, const std::string& value) {
    row += std::string(" ") + key + "=" + value;
  };
  const auto number = [&](const char* key, double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", value);
    word(key, text);
  };
  word("type", kTypes[below(3)]);
  number("seed", static_cast<std::uint32_t>((*random)()));
  const std::size_t rotary_dim = 2 * (1 + below(below(8) == 0 ? 512 : 80));
  const std::size_t rotary_offset = below(4) == 0 ? 1 : 0;  // 1 makes vectors unaligned
  word("head_dim", std::to_string(rotary_dim + rotary_offset));
  word("rotary_dim", std::to_string(rotary_dim));
  word("rotary_offset", std::to_string(rotary_offset));
  number("base", any({1e4, 5e5, 3.0, 1.0, 1e30}));
  word("pairing", kPairings[below(2)]);
  const bool is_same = below(4) != 0;
  if (!is_same) word("output_pairing", kPairings[below(2)]);
  word("arithmetic", below(3) == 0 ? "fast" : "exact");
  number("amplitude", any({0.0, 0.0, 0x1p-32, 0x1p32, 1.3465735902799727}));
  number("scale", any({1.0, 1.0, 1.0, 1.25, 0.08838834764831845, 0x1p-32, 0x1.fffffffcp31, 0x1p26, 0x1p13}));
  word("inverse", std::to_string(below(2)));
  word("in_place", is_same && below(3) != 0 ? "1" : "0");
  word("q_heads", std::to_string(1 + below(4)));
  word("k_heads", std::to_string(below(2)));
  const std::uint64_t first = below(std::uint64_t{1} << static_cast<int>(any({0, 17, 30})));
  const std::uint64_t last = first + below(below(4) == 0 ? 20 : 3);
  word("at", std::to_string(first) + ".." + std::to_string(last));
  if (has_norm) {
    constexpr const char* kInputs[] = {"pairs", "pairs", "equal", "ties", "beside"};
    constexpr const char* kWeights[] = {"normal",      "around_one",  "digits", "halves",
                                        "near_halves", "tiny_digits", "any",    "odd"};
    word("norm", below(2) == 0 ? "head" : "token");
    word("norm_inputs", kInputs[below(5)]);
    word("weights", kWeights[below(8)]);
    word("weight_type", kTypes[below(3)]);
    word("plus_one", std::to_string(below(2)));
    number("epsilon", any({0.0, 1e-6, 1e-5, 0x1p-126, 1.0}));
  }
  std::vector<Case> made;
  AppendRows({row.c_str()}, 0, &made);
  return made.front();
}

// A number for choosing some of the cases. It depends only on the label, so other cases do not change the
// choice.
std::uint64_t NumberOf(const std::string& label) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : label) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

// The variants of a case. Each has its own label.
struct Work {
  std::vector<Case> variants;
  bool is_large;  // too large for REFERENCE

  // SCALAR and doubles are up to ten times slower. They take one chunk in eight, and SCALAR one rotation in
  // eight.
  std::size_t Every(const Case& variant, bool is_scalar) const {
    return is_large && (is_scalar || variant.type == POSENC_F64) ? 8 : 1;
  }
  bool IsFor(const Case& variant, const std::string& target) const {
    if (!is_large) return true;
    const bool is_scalar = target == "SCALAR";
    if (target == kReferenceName || (is_scalar && variant.list != 0 && !variant.is_rotary()))
      return false;  // SCALAR writes lists with the same code as runs
    return !is_scalar || variant.operation != Operation::kRotate || NumberOf(variant.label) % 8 == 0;
  }
};

// The work for a case of an area: it is written in all types, and encodings also as lists.
Work InAllTypes(const Case& c) {
  constexpr std::pair<const char*, posenc_type> kTypes[] = {
      {"f32", POSENC_F32}, {"bf16", POSENC_BF16}, {"f16", POSENC_F16}, {"f64", POSENC_F64}};
  Work work{{}, true};
  for (const auto& [word, type] : kTypes) {
    Case variant = c;
    variant.type = type;
    variant.Label("type", word);
    work.variants.push_back(variant);
    if (c.is_rotary()) continue;
    variant.list = POSENC_I64;
    variant.Label("list", "i64");
    work.variants.push_back(variant);
  }
  return work;
}

std::vector<Work> AllWork() {
  constexpr int kRotations = 20000, kNorms = 5000;
  std::vector<Work> all;
  for (const Group& area : FullAreas(kSeed)) {
    for (const Case& c : area.cases) {
      if (c.operation != Operation::kRotate) all.push_back(InAllTypes(c));
    }
  }
  std::mt19937_64 random(kSeed);
  for (int k = 0; k < kRotations + kNorms; ++k)
    all.push_back({{RandomRotation(&random, k >= kRotations)}, true});
  for (const Case& c : DigestCases()) all.push_back({{c}, false});
  return all;
}

// A hash of all bytes. Each bit of the input changes the whole hash.
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

// Calls use(row, entries) for every `every`-th chunk of a case.
template <class Use>
void ForEachChunk(const Case& c, std::size_t every, const std::string& target, const Use& use) {
  const Handle handle(c, target.c_str());
  Calls calls(c);
  Entries entries;
  double seconds;
  for (std::size_t row = 0; row < c.rows; row += kRows * every) {
    calls.Prepare(row, std::min(kRows, c.rows - row));
    calls.Call(c, handle, &entries, &seconds);
    use(row, entries);
  }
}

// Calls use(case, every, target) for each target and variant.
template <class Use>
void ForEachVariant(const Work& work, const std::vector<std::string>& targets, const Use& use) {
  for (const std::string& target : targets) {
    for (const Case& variant : work.variants) {
      if (work.IsFor(variant, target)) use(variant, work.Every(variant, target == "SCALAR"), target);
    }
  }
}

void PrintHashes(const std::vector<Work>& all, const std::vector<std::string>& targets) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> entries{0};
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t n = next++; n < all.size(); n = next++) {
      std::string lines;
      ForEachVariant(all[n], targets, [&](const Case& variant, std::size_t every, const std::string& target) {
        std::uint64_t hash = 0;
        ForEachChunk(variant, every, target, [&](std::size_t, const Entries& chunk) {
          hash = hash * 0x9e3779b97f4a7c15u + HashOf(chunk);
          entries += chunk.count();
        });
        char text[24];
        std::snprintf(text, sizeof(text), "%016" PRIx64, hash);
        lines.append(target).append("\t").append(variant.label).append("\t").append(text).append("\n");
      });
      const std::lock_guard<std::mutex> lock(mutex);
      std::fputs(lines.c_str(), stdout);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::fprintf(stderr, "%" PRIu64 " entries\n", entries.load());
}

// Prints a hash for each chunk of a case or, if `wanted` is a row, the entries of the chunk that begins
// there.
void PrintCase(const Case& c, std::size_t every, const std::string& target, const char* wanted) {
  ForEachChunk(c, every, target, [&](std::size_t row, const Entries& entries) {
    if (wanted == nullptr) std::printf("%zu %016" PRIx64 "\n", row, HashOf(entries));
    if (wanted == nullptr || std::to_string(row) != wanted) return;
    for (std::size_t i = 0; i < entries.count(); ++i) {
      std::printf("row %zu, column %zu: %016" PRIx64 "\n", row + i / c.columns(), i % c.columns(),
                  entries[i]);
    }
  });
}

std::vector<std::string> Targets() {
  posenc_target all[POSENC_MAX_TARGETS];
  const std::size_t count =
      std::min<std::size_t>(posenc_targets(all, POSENC_MAX_TARGETS), POSENC_MAX_TARGETS);
  std::vector<std::string> targets;
  for (std::size_t t = 0; t < count; ++t) {
    if (all[t].runnable != 0) targets.emplace_back(all[t].name);
  }
  return targets;
}

// Keeps part I of N, for the text "I/N". Labels decide which part a case belongs to.
void KeepPart(const std::string& text, std::vector<Work>* all) {
  const std::size_t slash = text.find('/');
  const auto number = [&](std::size_t at) { return std::strtoull(text.c_str() + at, nullptr, 10); };
  const std::uint64_t part = number(0), parts = slash == std::string::npos ? 0 : number(slash + 1);
  if (part < 1 || part > parts) {
    std::fprintf(stderr, "same-bits: '%s' is not a part I/N\n", text.c_str());
    std::exit(2);
  }
  const auto is_other = [&](const Work& work) {
    return NumberOf(work.variants[0].label) % parts != part - 1;
  };
  all->erase(std::remove_if(all->begin(), all->end(), is_other), all->end());
}

}  // namespace
}  // namespace tools
}  // namespace posenc

int main(int argc, char** argv) {
  using namespace posenc::tools;
  std::vector<Work> all = AllWork();
  if (argc == 2) KeepPart(argv[1], &all);
  if (argc < 3) {
    PrintHashes(all, Targets());
    return 0;
  }
  for (const Work& work : all) {
    bool is_found = false;
    ForEachVariant(work, {argv[1]}, [&](const Case& variant, std::size_t every, const std::string& target) {
      if (is_found || variant.label != argv[2]) return;
      is_found = true;
      PrintCase(variant, every, target, argc > 3 ? argv[3] : nullptr);
    });
    if (is_found) return 0;
  }
  std::fprintf(stderr, "same-bits: no case of %s has the label '%s'\n", argv[1], argv[2]);
  return 2;
}
