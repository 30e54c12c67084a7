// Threads fill a table: they share one encoder, and each writes a range of rows.
#include <posenc/posenc.h>

#include <cstdio>
#include <future>
#include <vector>

int main() {
  constexpr std::size_t kRows = 4096, kDim = 1024, kRange = 512;
  posenc::Spec spec;
  spec.dim = kDim;
  spec.table_rows = kRows;  // ranges are streamed past the caches, as one call for all rows would be
  posenc::Encoder encoder;
  if (posenc::Encoder::Create(spec, &encoder) != POSENC_OK) return 1;

  std::vector<float> table(kRows * kDim);
  std::vector<std::future<posenc::Status>> ranges;
  for (std::size_t begin = 0; begin < kRows; begin += kRange) {
    ranges.push_back(std::async(std::launch::async, [&, begin] {
      return encoder.Write(static_cast<std::int64_t>(begin), kRange, {&table[begin * kDim], kDim});
    }));
  }
  for (auto& range : ranges) {
    if (range.get() != POSENC_OK) return 1;
  }
  std::printf("%.9f %.9f\n", table[(kRows - 1) * kDim], table[(kRows - 1) * kDim + 1]);
}
// prints: -0.997821212 -0.065975994
