// Rows of doubles.
#include <cmath>
#include <cstring>
#include <vector>

#include "double_positions.h"

namespace posenc {
namespace {

class DoubleRows : public ExactPerTarget {};

// Found among 80 million entries: what sums of two doubles alone would round the wrong way. (w is 1.)
TEST_P(DoubleRows, HardestFound) {
  struct Hard {
    double position;
    bool sine;
    double want;
    double bits;  // log2 of the distance from the midpoint, relative to the entry
  };
  for (const Hard& hard : {Hard{0x1.be54e722f94f4p+2, false, 0x1.8aa26d1da61bcp-1, -74.6},
                           Hard{0x1.9ebf395feac8ep-1, true, 0x1.72da875d4895ap-1, -73.5},
                           Hard{0x1.5d31f39cd034dp+2, true, -0x1.78c95ace0ad17p-1, -76.7},
                           Hard{0x1.6ce72003586bep-1, false, 0x1.8360e4a26f8d6p-1, -73.6},
                           Hard{0x1.f59ab6f20dc6cp+1, false, -0x1.6cff646d2387ap-1, -72.7},
                           Hard{0x1.b91123a026d7fp+2, false, 0x1.a41a7ac2524ebp-1, -75.2},
                           Hard{0x1.e8d526a7fe0dap+1, false, -0x1.8ef2f2f9e4763p-1, -74.9},
                           Hard{0x1.325d64d66abaap+1, false, -0x1.7747f17471333p-1, -73.9}}) {
    const auto row = WriteAt<double>(Create(MakeSpec(2, target())), std::vector<double>{hard.position});
    EXPECT_EQ(row[hard.sine ? 0 : 1], hard.want) << hard.position << ", 2^" << hard.bits;
  }
}

TEST_P(DoubleRows, DoubleTablesInEveryLayout) {
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 2u, 3u, 31u, 64u, 530u}) {
      Spec spec = MakeSpec(dim, target(), layout);
      const Encoder encoder = Create(spec);
      const std::size_t rows = IsReference() ? 2 : 70, stride = dim + 3;
      const std::vector<double> untouched(rows * stride, -7.0);
      std::vector<double> got = untouched;
      ASSERT_EQ(encoder.Write(-5, rows, got.data(), stride), Status::kOk);
      const oracle::Oracle oracle(spec);
      std::vector<double> sines(oracle.sines()), cosines(oracle.cosines() + 1);
      for (std::size_t r = 0; r < rows; ++r) {
        oracle.DoubleRow(static_cast<double>(r) - 5.0, sines.data(), cosines.data());
        for (std::size_t k = 0; k < stride; ++k) {
          double want = -7.0;
          if (k < dim) {
            const oracle::Entry entry = oracle::EntryAt(layout, dim, k);
            want = (entry.sine ? sines : cosines)[entry.pair];
          }
          ASSERT_TRUE(SameBits(got[r * stride + k], want))
              << Name(layout) << " " << dim << " " << r << " " << k;
        }
      }
      std::vector<unsigned char> bytes(rows * dim * sizeof(double) + 1);
      ASSERT_EQ(encoder.Write(-5, rows, reinterpret_cast<double*>(bytes.data() + 1), dim), Status::kOk);
      for (std::size_t r = 0; r < rows; ++r) {
        ASSERT_EQ(std::memcmp(&bytes[r * dim * sizeof(double) + 1], &got[r * stride], dim * sizeof(double)),
                  0);
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(DoubleRows);

}  // namespace
}  // namespace posenc
