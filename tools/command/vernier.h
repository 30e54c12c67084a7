// Computes the position of a row of a table from the entries of the row.
#ifndef POSENC_TOOLS_COMMAND_VERNIER_H_
#define POSENC_TOOLS_COMMAND_VERNIER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "command/table_settings.h"
#include "oracle/columns.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

// Finds the position of a row. As on a vernier, the slowest pair tells the position roughly, and each faster
// pair tells it more precisely. The difference of the angles of two pairs is an angle that turns more slowly
// than either. If phases are exact, differences of differences are slow enough for every position that posenc
// accepts.
class Vernier {
 public:
  Vernier(const Settings& settings, std::size_t columns, posenc_type type);

  // Whether it finds every position. With a single pair it finds only whole numbers.
  bool IsSure() const { return pairs_.size() >= 2; }

  // The position of the row whose entry in column c is entry(c). Empty if no position has these entries.
  std::optional<double> Find(const std::function<double(std::size_t)>& entry) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Pair {
    std::size_t sine = kNone, cosine = kNone;  // columns
    double rate = 0.0;                         // radians per step
  };

  // An angle that grows with the position.
  struct Hand {
    double rate;   // radians per step
    double noise;  // the error from roundings of entries, as a multiple of the error for a single pair
    double span;   // the error from roundings of phases grows with this sum of rates
  };

  // How much roundings change an angle: roundings of entries, in radians, and roundings of phases, in radians
  // for each radian of the phase.
  struct Tolerance {
    double of_entries, of_phases;

    double For(const Hand& hand, double position) const;
  };

  struct Found {
    double position;
    bool is_whole;
  };

  // Adds pairs whose sine and cosine are both in the table, 64 pairs at most.
  void Add(const std::vector<oracle::Entry>& entries, std::size_t count,
           const std::function<double(std::size_t)>& rate);
  void AddDifferences();

  // The angles of all hands. Empty if the sine and the cosine of a pair do not have the right amplitude.
  std::vector<double> AnglesOf(const std::function<double(std::size_t)>& entry) const;

  // Refines a position that a column of the row states.
  std::optional<double> FindNear(double given, const std::vector<double>& angles) const;

  // Searches with the hands from `first` on: tries every turn of the first hand, and refines it by the
  // others.
  std::optional<double> FindWithin(const Tolerance& tolerance, std::size_t first,
                                   const std::vector<double>& angles) const;
  std::optional<Found> Refine(const Tolerance& tolerance, std::size_t first,
                              const std::vector<double>& angles, double position, double error) const;

  posenc_type type_;
  double offset_, amplitude_ = 1.0;
  std::vector<Pair> pairs_;       // the slowest first
  std::size_t differences_ = 0;   // how many hands are differences
  std::vector<Hand> hands_;       // the slowest first: differences, then pairs
  std::size_t position_ = kNone;  // the column that holds the position itself, if any
  Tolerance exact_, rounded_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_VERNIER_H_
