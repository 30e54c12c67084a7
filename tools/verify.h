// Writes every case on every target, compares each entry with the oracle and digests the digest cases.
#ifndef POSENC_TOOLS_VERIFY_H_
#define POSENC_TOOLS_VERIFY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "distances.h"
#include "golden_digest.h"
#include "kernels.h"
#include "verify_cases.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MPFR
inline constexpr bool kHaveOracle = true;
#else
inline constexpr bool kHaveOracle = false;
#endif

inline constexpr char kReferenceName[] = "REFERENCE";

// Work is done in chunks of rows. Beyond the digest cases the slow REFERENCE takes one of so many.
inline constexpr std::size_t kChunkRows = 512;
inline constexpr std::size_t kReferenceThinning = 32;

// FNV-1a, 64 bits, over the little-endian bytes of entries.
class Digest {
 public:
  void Append(oracle::Format format, const float* values, std::size_t count);
  void AppendBytes(std::uint64_t bits, std::size_t bytes);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// A mismatch in words, and where it is.
struct Example {
  std::size_t case_number, row, column;
  std::string text;
};
inline constexpr std::size_t kMaxExamples = 10;

// Keeps the first ones.
void MergeExamples(const std::vector<Example>& part, std::vector<Example>* whole);

// What became of one target.
struct Report {
  std::string target;
  std::uint64_t entries = 0;  // compared with the judge
  std::uint64_t mismatches = 0;
  double worst_ulp = 0.0;       // of the entries written (not of those added)
  oracle::Distances distances;  // of the right answers for the same entries
  internal::Tally tally;        // of the pairs written; stays 0 for the reference, which has one tier
  Digest digest;
  std::uint64_t digests[kDigestVersion] = {};  // each version's; the last is that of all digest cases
  std::vector<Example> examples;
};

struct Plan {
  std::vector<Case> digest_cases;
  std::vector<Case> more_cases;
  std::vector<std::string> targets;  // each runnable
  bool compare = true;               // entry by entry; else only digests are made
  unsigned threads = 1;
  std::function<void(double fraction)> progress;  // called now and then, by one thread at a time
};

// A report per target, in order.
std::vector<Report> Verify(const Plan& plan);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_H_
