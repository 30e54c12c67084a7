// Statistics of roundings: how far correctly rounded entries are from the exact values, and which entries
// were the hardest to round.
#ifndef POSENC_TOOLS_ORACLE_DISTANCES_H_
#define POSENC_TOOLS_ORACLE_DISTANCES_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace posenc {
namespace oracle {

// The result of rounding a real number to a type.
struct Rounding {
  std::uint64_t bits = 0;      // the bits of the nearest number of the type, as Pack returns them
  std::uint64_t fraction = 0;  // where the real number lies between its two neighbours, in units of 2^-64:
                               // 0 at the one with the smaller magnitude
};

// An entry whose exact value is close to the midpoint between two numbers of the type.
struct HardEntry {
  std::uint64_t margin;  // distance from the midpoint, in units of 2^-64 of the spacing, truncated
  std::int64_t position;
  std::size_t pair;
  bool sine;
  std::uint64_t bits;  // the correctly rounded entry
  std::size_t origin;  // the number that Merge was given for the part with this entry
};

// The number of leading zeros among 64 bits. A loop is fast enough, because most numbers here have few.
inline std::size_t LeadingZeros(std::uint64_t x) {
  std::size_t zeros = 0;
  while (zeros < 64 && (x << zeros) >> 63 == 0) ++zeros;
  return zeros;
}

// Statistics of the entries of one type.
class Distances {
 public:
  static constexpr std::size_t kBins = 16;  // each is 1/32 ULP wide
  static constexpr std::size_t kHardest = 8;

  void See(const Rounding& rounding, std::int64_t position, std::size_t pair, bool sine) {
    const std::uint64_t f = rounding.fraction;
    const bool up = f >> 63 != 0;
    const std::uint64_t error = up ? ~f : f;
    const std::uint64_t margin = (up ? f : ~f) & ~(std::uint64_t{1} << 63);
    ++entries_;
    ++bins_[static_cast<std::size_t>(error >> 59)];
    ++margins_[LeadingZeros(margin)];
    if (error > worst_) worst_ = error;
    if (margin < bound_) Keep({margin, position, pair, sine, rounding.bits, 0});
  }

  // Adds other statistics. `origin` is stored in the hard entries that come from `other`.
  void Merge(const Distances& other, std::size_t origin = 0) {
    entries_ += other.entries_;
    worst_ = std::max(worst_, other.worst_);
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
    for (std::size_t i = 0; i < margins_.size(); ++i) margins_[i] += other.margins_[i];
    for (HardEntry entry : other.hardest_) {
      entry.origin = origin;
      if (entry.margin < bound_) Keep(entry);
    }
  }

  std::uint64_t entries() const { return entries_; }

  // The largest distance in ULP, as accuracy.h defines it: at most 0.5.
  double worst_ulp() const { return std::ldexp(static_cast<double>(worst_), -64); }

  // bins()[b] counts the entries whose distance from the exact value is b / 32 to (b + 1) / 32 ULP.
  const std::array<std::uint64_t, kBins>& bins() const { return bins_; }

  // margins()[k] counts the entries whose exact value is 2^-(k + 1) to 2^-k spacings from the midpoint.
  const std::array<std::uint64_t, 65>& margins() const { return margins_; }

  // The kHardest hardest entries, the hardest first.
  const std::vector<HardEntry>& hardest() const { return hardest_; }

 private:
  void Keep(const HardEntry& entry) {
    const auto at =
        std::upper_bound(hardest_.begin(), hardest_.end(), entry,
                         [](const HardEntry& a, const HardEntry& b) { return a.margin < b.margin; });
    hardest_.insert(at, entry);
    if (hardest_.size() > kHardest) hardest_.pop_back();
    if (hardest_.size() == kHardest) bound_ = hardest_.back().margin;
  }

  std::uint64_t entries_ = 0;
  std::uint64_t worst_ = 0;
  std::array<std::uint64_t, kBins> bins_{};
  std::array<std::uint64_t, 65> margins_{};
  std::uint64_t bound_ = ~std::uint64_t{0};  // entries with a smaller margin are kept
  std::vector<HardEntry> hardest_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_DISTANCES_H_
