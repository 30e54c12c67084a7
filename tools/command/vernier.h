// The position of a row of a table, from its entries.
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

// Finds the position of a row: the slowest pair tells it roughly, faster ones ever finer, as on a vernier.
// The difference of two pairs' angles is an angle, too, which turns slower than either: where phases are
// exact, differences of differences tell positions as far as there are any.
class Vernier {
 public:
  Vernier(const Settings& settings, std::size_t columns, posenc_type type);

  // Whether it finds every position. One pair alone finds whole ones.
  bool IsSure() const { return pairs_.size() >= 2; }

  // entry(c) is that of a column. Empty if there is no such position.
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
    double noise;  // in units of that of a pair's angle
    double span;   // the sum of the rates that the roundings of phases count for
  };

  // What roundings make of an angle: those of entries, and those of a phase for each radian.
  struct Tolerance {
    double of_entries, of_phases;

    double For(const Hand& hand, double position) const;
  };

  struct Found {
    double position;
    bool is_whole;
  };

  // Some of the pairs whose sine and cosine are both there.
  void Add(const std::vector<oracle::Entry>& entries, std::size_t count,
           const std::function<double(std::size_t)>& rate);
  void AddDifferences();

  // The angles of hands, or none if the entries are not those of a pair.
  std::vector<double> AnglesOf(const std::function<double(std::size_t)>& entry) const;

  // The position is in the row.
  std::optional<double> FindNear(double given, const std::vector<double>& angles) const;

  // Takes the hands from `first` on.
  std::optional<double> FindWithin(const Tolerance& tolerance, std::size_t first,
                                   const std::vector<double>& angles) const;
  std::optional<Found> Refine(const Tolerance& tolerance, std::size_t first,
                              const std::vector<double>& angles, double position, double error) const;

  posenc_type type_;
  double offset_, amplitude_ = 1.0;
  std::vector<Pair> pairs_;       // the slowest first
  std::size_t differences_ = 0;   // among the hands
  std::vector<Hand> hands_;       // the slowest first
  std::size_t position_ = kNone;  // the column that is the position itself
  Tolerance exact_, rounded_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_VERNIER_H_
