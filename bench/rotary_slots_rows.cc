// Rows RotateIntoSlots/...: one call rotates keys of float32, converts them, and puts them into the slots of
// a paged KV cache. Compared with two passes, and with the loops of inference runtimes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "elements.h"
#include "memory_limits.h"
#include "normal.h"
#include "peers.h"
#include "posenc/accuracy.h"
#include "posenc/rotary.h"
#include "posenc/rotary_slots_c.h"
#include "rotary_case.h"
#include "rotary_peers.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kSlotTokens[] = {1, 512, 16384};
constexpr std::size_t kBlockSize = 16;
constexpr double kTolerance = 1e-2;  // relative to hypot(a, b): more than rounding to bfloat16

struct SlotCase {
  posenc_arithmetic arithmetic;
  std::size_t heads, tokens;

  std::size_t slot() const { return heads * kHeadDim; }  // elements
  std::size_t entries() const { return tokens * slot(); }
  int first() const { return FirstOf(tokens); }
};

// A cache [blocks, kBlockSize, heads, kHeadDim]. The tokens fill half of the blocks, in random order, as the
// tokens of a sequence do in a server.
template <class T>
class PagedCache {
 public:
  PagedCache(std::size_t heads, std::size_t tokens) : heads_(heads), slot_(heads * kHeadDim), slots_(tokens) {
    const std::size_t blocks = 2 * ((tokens + kBlockSize - 1) / kBlockSize);
    std::vector<std::int64_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    for (std::size_t t = 0; t < tokens; ++t) {
      slots_[t] = order[t / kBlockSize] * static_cast<std::int64_t>(kBlockSize) +
                  static_cast<std::int64_t>(t % kBlockSize);
    }
    described_ = {{POSENC_I64, slots_.data()}, blocks * kBlockSize, kBlockSize, kBlockSize * slot_, slot_};
    data_ = buffer_.Get<T>(entries());
  }

  std::size_t entries() const { return described_.count * slot_; }
  T* data() { return data_; }
  const T* SlotOf(std::size_t token) const { return data_ + static_cast<std::size_t>(slots_[token]) * slot_; }

  // The keys of posenc's call. They read floats, and keep a pointer to this object.
  Heads Keys(const float* source) const {
    Heads keys(data_, heads_, 0, kHeadDim);
    keys.source_type = POSENC_F32;
    keys.source = source;
    keys.source_token_stride = slot_;
    keys.source_head_stride = kHeadDim;
    keys.slots = &described_;
    return keys;
  }

  SlotWork<T> WorkOf(const float* source) const {
    return {source, data_, slots_.data(), kBlockSize, slots_.size(), heads_, kPairs};
  }

 private:
  std::size_t heads_, slot_;  // slot_: elements
  std::vector<std::int64_t> slots_;
  posenc_slots described_{};
  Buffer buffer_;
  T* data_ = nullptr;
};

// The loops of one instruction set, and what columns call them.
template <class T>
struct NamedLoops {
  std::string fused, passes;  // names of ways
  RotaryLoops<T> loops;
};

template <class T>
std::vector<NamedLoops<T>> LoopsFor([[maybe_unused]] const std::string& target) {
  std::vector<NamedLoops<T>> found;
#ifdef POSENC_BENCH_X86
  if (CpuHasAvx2())
    found.push_back({"simd_table", "passes", LoopsOf<T>(CpuHasAvx512() ? avx512::Loops() : avx2::Loops())});
  if (CpuHasAvx512() && target == "AVX2")
    found.push_back({"avx2_table", "avx2_passes", LoopsOf<T>(avx2::Loops())});
  if (std::is_same_v<T, BFloat16> && CpuHasAvx512Bf16())
    found.push_back({"hw_table", "hw_passes", LoopsOf<T>(avx512bf16::Loops())});
#endif
  return found;
}

// One way to bring the keys into the slots.
struct Way {
  std::string name;
  std::function<void()> call;
};

// The ways for one row. Keys are in `source`, which some ways rotate in place.
template <class T>
class Ways {
 public:
  Ways(const Rotary& rotary, const SlotCase& which, const std::string& target)
      : rotary_(rotary),
        which_(which),
        cache_(which.heads, which.tokens),
        source_(source_buffer_.Get<float>(which.entries())),
        elements_(source_, which.entries()),
        loops_(LoopsFor<T>(target)) {
    table_.resize(which.tokens * kHeadDim);
    baseline::Loops().write_table(which.first(), which.tokens, FloatFrequencies(), kPairs, table_.data());
  }

  float* source() { return source_; }
  PagedCache<T>& cache() { return cache_; }

  Status Own() const { return rotary_.Rotate(which_.first(), which_.tokens, {cache_.Keys(source_)}); }

  // The other ways, which do the same work.
  std::vector<Way> Others() {
    std::vector<Way> ways;
    for (const NamedLoops<T>& named : loops_) {
      ways.push_back({named.fused, [this, loop = named.loops.into_slots] {
                        loop(cache_.WorkOf(source_), table_.data());
                      }});
      ways.push_back({named.passes, [this, copy = named.loops.copy_into_slots] {
                        elements_.BeginPass();
                        Must(rotary_.Rotate(which_.first(), which_.tokens,
                                            {{source_, which_.heads, which_.slot(), kHeadDim}}));
                        copy(cache_.WorkOf(source_));
                      }});
    }
    return ways;
  }

  // What memory allows.
  std::vector<Way> Limits() {
    const std::size_t count = which_.entries();
    std::vector<Way> ways = {{"scale", [this, count] { Scale(1.0f, source_, count); }}};
    if (!loops_.empty()) {
      ways.push_back(
          {"copy", [this, copy = loops_.front().loops.copy_into_slots] { copy(cache_.WorkOf(source_)); }});
    }
    return ways;
  }

 private:
  const Rotary& rotary_;
  SlotCase which_;
  PagedCache<T> cache_;
  Buffer source_buffer_;
  float* source_;
  Elements<float> elements_;
  std::vector<float> table_;
  std::vector<NamedLoops<T>> loops_;
};

// Whether the cache holds the keys that exact rotation of floats gives, up to kTolerance, and zeros in all
// other slots.
template <class T>
bool IsRight(const SlotCase& which, const std::vector<float>& expected, PagedCache<T>& cache) {
  std::vector<T> got(cache.data(), cache.data() + cache.entries());
  for (std::size_t t = 0; t < which.tokens; ++t) {
    const T* const slot = cache.SlotOf(t);
    const float* const want = expected.data() + t * which.slot();
    for (std::size_t e = 0; e < which.slot(); ++e) {
      const std::size_t i = e % kHeadDim, other = i < kPairs ? e + kPairs : e - kPairs;
      const double size = std::hypot(ToDouble(want[e]), ToDouble(want[other]));
      if (!(std::fabs(ToDouble(slot[e]) - ToDouble(want[e])) <= kTolerance * size)) return false;
    }
    std::memset(got.data() + (slot - cache.data()), 0, which.slot() * sizeof(T));
  }
  const std::vector<T> zeros(got.size());
  return std::memcmp(got.data(), zeros.data(), got.size() * sizeof(T)) == 0;
}

// Checks all ways at the first positions, where tables of floats are accurate. Exact arithmetic must give the
// bits of posenc's best target.
template <class T>
bool Check(benchmark::State& state, const RotarySpec& spec, const std::string& target) {
  const SlotCase which{spec.arithmetic, kKeyHeads, 48};
  RotarySpec best_spec = spec;
  best_spec.target = nullptr;
  Rotary rotary, best;
  if (!Created(state, spec, &rotary) || !Created(state, best_spec, &best)) return false;
  Ways<T> ways(rotary, which, target), of_best(best, which, target);
  std::vector<float> expected(which.entries());
  FillNormal(expected.data(), expected.size());
  RotarySpec exact_spec = best_spec;
  exact_spec.arithmetic = POSENC_EXACT;
  Rotary exact;
  if (!Created(state, exact_spec, &exact)) return false;
  Must(exact.Rotate(which.first(), which.tokens, {{expected.data(), which.heads, which.slot(), kHeadDim}}));

  const auto is_right = [&](const std::string& name) {
    if (IsRight(which, expected, ways.cache())) return true;
    Fail(state, name + " gives other keys than posenc's best target");
    return false;
  };
  const auto clear = [&] {
    std::memset(ways.cache().data(), 0, ways.cache().entries() * sizeof(T));
    FillNormal(ways.source(), which.entries());
  };
  clear();
  Status status = ways.Own();
  if (status == POSENC_OK) status = of_best.Own();
  if (status != POSENC_OK) return Fail(state, posenc_status_message(status)), false;
  const std::size_t bytes = ways.cache().entries() * sizeof(T);
  if (!is_right("posenc")) return false;
  if (spec.arithmetic == POSENC_EXACT && std::memcmp(ways.cache().data(), of_best.cache().data(), bytes) != 0)
    return Fail(state, "posenc gives other bits than its best target"), false;
  for (const Way& way : ways.Others()) {
    clear();
    way.call();
    if (!is_right(way.name)) return false;
  }
  return true;
}

template <class T>
void RunIntoSlots(benchmark::State& state, const SlotCase& which, const std::string& target) {
  RotarySpec spec;
  spec.head_dim = kHeadDim;
  spec.arithmetic = which.arithmetic;
  spec.target = target.c_str();
  if (!Check<T>(state, spec, target)) return;
  Rotary rotary;
  if (!Created(state, spec, &rotary)) return;
  Ways<T> ways(rotary, which, target);
  std::vector<Rival> rivals;
  for (const auto& group : {ways.Limits(), ways.Others()}) {
    for (const Way& way : group) rivals.push_back({way.name + "_ratio", way.call});
  }
  MeasureInPlace(
      state, {which.entries(), which.entries() * sizeof(T)}, [&] { Must(ways.Own()); }, rivals);
}

template <class T>
void RegisterType(posenc_arithmetic arithmetic, const TargetNames& targets) {
  for (const std::size_t heads : {kKeyHeads, kHeads}) {
    for (const std::size_t tokens : kSlotTokens) {
      const SlotCase which{arithmetic, heads, tokens};
      const std::string name = std::string("RotateIntoSlots/") +
                               (arithmetic == POSENC_EXACT ? "exact/f32_to_" : "fast/f32_to_") +
                               TraitsOf(TypeOf<T>()).name + "/" + std::to_string(tokens) + "x" +
                               std::to_string(heads) + "x" + std::to_string(kHeadDim) + "/";
      RegisterEach(name, which.entries(), targets, [=](benchmark::State& state, const std::string& target) {
        RunIntoSlots<T>(state, which, target);
      });
    }
  }
}

}  // namespace

void RegisterRotarySlots(const TargetNames& targets) {
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    RegisterType<BFloat16>(arithmetic, targets);
    RegisterType<Float16>(arithmetic, targets);
  }
}

}  // namespace bench
}  // namespace posenc
