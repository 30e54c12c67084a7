// Rows RotaryCache/...: Rotary::WriteCache, compared with Encoder::Write of the same number of bytes, and
// with the loop of inference runtimes.
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/accuracy.h"
#include "posenc/rotary.h"
#include "rotary_case.h"
#include "rotary_peers.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShape = {4096, kHeadDim};  // of the table

struct NamedLayout {
  posenc_cache_layout layout;
  const char* variant;
};
constexpr NamedLayout kLayouts[] = {
    {POSENC_CACHE_COS_SIN, ""}, {POSENC_CACHE_DUPLICATED, "duplicated/"}, {POSENC_CACHE_PAIRS, "pairs/"}};

// Writes a cache from position 0 on.
template <class T>
void WriteCache(benchmark::State& state, posenc_cache_layout layout, const std::string& target) {
  const bool has_two_tables = layout == POSENC_CACHE_DUPLICATED;
  const Shape all = {kShape.rows, has_two_tables ? 2 * kShape.dim : kShape.dim};
  Rotary rotary;
  Encoder encoder;
  if (!Created(state, RotaryCase().spec(target.c_str()), &rotary)) return;
  if (!Created(state, MakeSpec(all.dim, target), &encoder)) return;
  T* out = Output().Get<T>(all.entries());
  const Cache cache{layout, out, has_two_tables ? out + kShape.entries() : nullptr, kShape.dim};
  std::vector<Rival> rivals = {{"write_ratio", [&] { Must(encoder.Write(0, all.rows, {out, all.dim})); }}};
  if constexpr (std::is_same_v<T, float>) {
    if (layout == POSENC_CACHE_COS_SIN) {
      rivals.push_back({"sincos_ratio", [=] {
                          baseline::Loops().write_table(0, kShape.rows, FloatFrequencies(), kPairs, out);
                        }});
    }
  }
  MeasureChecked(
      state, all.work<T>(), [&] { return rotary.WriteCache(0, kShape.rows, cache); }, rivals);
}

template <class T>
void RegisterType(const TargetNames& targets) {
  const std::string prefix =
      std::string("RotaryCache/") + TraitsOf(TypeOf<T>()).name + "/" + kShape.name() + "/";
  for (const NamedLayout& named : kLayouts) {
    RegisterEach(prefix + named.variant, kShape.entries(), targets,
                 [=](benchmark::State& state, const std::string& target) {
                   WriteCache<T>(state, named.layout, target);
                 });
  }
}

}  // namespace

void RegisterRotaryCaches(const TargetNames& targets) {
  RegisterType<float>(targets);
  RegisterType<BFloat16>(targets);
}

}  // namespace bench
}  // namespace posenc
