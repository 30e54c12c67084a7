// Embeddings of timesteps by Sin and Cos of Highway's contrib library, on the widest vectors of this CPU.
#include <cmath>
#include <vector>

#include "timestep_peers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "timestep_highway.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// frequencies [half], out [rows, 2 * half]. half is a multiple of 16.
void WriteCosSin(const float* HWY_RESTRICT timesteps, std::size_t rows, const float* HWY_RESTRICT frequencies,
                 std::size_t half, float* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  for (std::size_t row = 0; row < rows; ++row, out += 2 * half) {
    const auto timestep = hn::Set(d, timesteps[row]);
    for (std::size_t i = 0; i < half; i += hn::Lanes(d)) {
      const auto phase = hn::Mul(timestep, hn::LoadU(d, frequencies + i));
      hn::StoreU(hn::Cos(d, phase), d, out + i);
      hn::StoreU(hn::Sin(d, phase), d, out + half + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bench
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
namespace bench {

HWY_EXPORT(WriteCosSin);

void WriteTimestepsByHighway(const float* timesteps, std::size_t rows, std::size_t dim, float* out) {
  static std::vector<float> frequencies;  // for the dim of the last call
  const std::size_t half = dim / 2;
  if (frequencies.size() != half) {
    frequencies.resize(half);
    for (std::size_t i = 0; i < half; ++i) {
      frequencies[i] = std::pow(10000.0f, -static_cast<float>(i) / static_cast<float>(half));
    }
  }
  HWY_DYNAMIC_DISPATCH(WriteCosSin)(timesteps, rows, frequencies.data(), half, out);
}

}  // namespace bench
}  // namespace posenc
#endif  // HWY_ONCE
