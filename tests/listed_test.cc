// Frequencies that the caller lists: the encoder copies them, from any address. tools/verify/encoding_rows.cc
// has the rows themselves.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

class Listed : public PerTarget {};

TEST_P(Listed, ListsAreCopied) {
  std::vector<double> frequencies = {1.0, 0.5, 0.25};
  Spec spec = MakeSpec(6, target());
  spec.frequencies = frequencies.data();
  spec.frequency_count = 3;
  spec.unit = POSENC_TURNS;
  const Encoder encoder = Create(spec);
  const auto before = Write(encoder, 0, 8);
  frequencies = {7.0, 7.0, 7.0};
  EXPECT_TRUE(SameBits(Write(encoder, 0, 8), before));
  EXPECT_EQ(encoder.Radians(1), 3.14159265358979323846);
}

TEST_P(Listed, AListOfAnyAlignment) {
  unsigned char memory[1 + 2 * sizeof(double)];
  const double frequencies[] = {1.0, 0.5};
  std::memcpy(&memory[1], frequencies, sizeof(frequencies));
  Spec spec = MakeSpec(4, target());
  spec.frequencies = reinterpret_cast<const double*>(&memory[1]);
  spec.frequency_count = 2;
  EXPECT_EQ(Create(spec).Radians(1), 0.5);
}

POSENC_INSTANTIATE_PER_TARGET(Listed);

}  // namespace
}  // namespace posenc
