// Rotary: q and k turned in place, beside scaling the same memory and the loops of inference runtimes; caches
// of cosines and sines.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory_limits.h"
#include "normal.h"
#include "peers.h"
#include "posenc/accuracy.h"
#include "posenc/rotary.h"
#include "rotary_case.h"
#include "rotary_peers.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kPairs = kHeadDim / 2;
constexpr std::size_t kHeadsFirstTokens[] = {512, 16384};
constexpr Shape kCacheShape = {4096, 128};
constexpr int kDecodePosition = (1 << 17) - 1;  // of single tokens: the end of a long context
constexpr std::size_t kCheckedTokens = 48;
const bool kIsBigEndian = [] {
  const std::uint16_t one = 1;
  unsigned char first;
  std::memcpy(&first, &one, 1);
  return first == 0;
}();
constexpr double kTolerance = 1e-2;         // of rivals in the first tokens, lest one be used wrongly
constexpr double kFastTolerance = 0x1p-21;  // of hypot(a, b): more than POSENC_FAST's 2 ulp

// The type in which rivals take T: void if there are none.
template <class T>
using LoopElement = std::conditional_t<std::is_same_v<T, float>, float,
                                       std::conditional_t<std::is_same_v<T, BFloat16>, std::uint16_t, void>>;

double ToDouble(float x) { return static_cast<double>(x); }
double ToDouble(BFloat16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float wide;
  std::memcpy(&wide, &bits, sizeof(wide));
  return static_cast<double>(wide);
}

// Elements that one pass after another turns in place: now and then filled anew, lest roundings add up to
// something else.
template <class T>
class Elements {
 public:
  Elements(T* x, std::size_t count) : x_(x), count_(count) { FillNormal(x_, count_); }

  void BeginPass() {
    if (++passes_ % kPasses == 0) FillNormal(x_, count_);
  }

 private:
  static constexpr std::size_t kPasses = 256;
  T* x_;
  std::size_t count_, passes_ = 0;
};

bool CreatedRotary(benchmark::State& state, const RotaryCase& which, const char* target, Rotary* rotary) {
  const Status status = Rotary::Create(which.spec(target), rotary);
  if (status != Status::kOk) Fail(state, StatusMessage(status));
  return status == Status::kOk;
}

template <class T>
Status Rotate(const Rotary& rotary, const RotaryCase& which, T* x) {
  const auto [q, k] = TensorsOf(which, x);
  return rotary.Rotate(which.first, which.tokens, {q, k});
}

template <class T>
LoopWork<LoopElement<T>> WorkOf(const RotaryCase& which, T* x) {
  static_assert(sizeof(T) == sizeof(LoopElement<T>), "T is that or its bits");
  auto* q = reinterpret_cast<LoopElement<T>*>(x);
  return {{{q, kQueryHeads, which.token_stride(kQueryHeads), which.head_stride()},
           {q + which.key_offset(), kKeyHeads, which.token_stride(kKeyHeads), which.head_stride()}},
          which.tokens,
          kPairs,
          which.pairing == Pairing::kNeighbours};
}

// In float, as runtimes have them.
const float* FloatFrequencies() {
  static const std::vector<float> frequencies = [] {
    std::vector<float> values(kPairs);
    for (std::size_t i = 0; i < kPairs; ++i) {
      values[i] = 1.0f / std::pow(10000.0f, static_cast<float>(2 * i) / static_cast<float>(kHeadDim));
    }
    return values;
  }();
  return frequencies.data();
}

std::shared_ptr<std::vector<float>> TableOf(const RotaryCase& which) {
  auto table = std::make_shared<std::vector<float>>(which.tokens * kHeadDim);
  baseline::Loops().write_table(which.first, which.tokens, FloatFrequencies(), kPairs, table->data());
  return table;
}

// Another way to rotate.
template <class T>
struct RotaryRival {
  std::string name;
  // Does what is done once for all calls.
  std::function<std::function<void()>(const RotaryCase& which, T* x)> prepare;
};

template <class T>
const RotaryLoops<LoopElement<T>>& LoopsOf(const AllRotaryLoops& all) {
  if constexpr (std::is_same_v<T, float>) {
    return all.f32;
  } else {
    return all.bf16;
  }
}

template <class T>
RotaryRival<T> TableRival(const std::string& name, const AllRotaryLoops& all) {
  const auto by_table = LoopsOf<T>(all).by_table;
  return {name, [by_table](const RotaryCase& which, T* x) -> std::function<void()> {
            const auto table = TableOf(which);
            return [=, work = WorkOf(which, x)] { by_table(work, table->data()); };
          }};
}

template <class T>
std::vector<RotaryRival<T>> RivalsOf(const RotaryCase& of) {
  if constexpr (std::is_void_v<LoopElement<T>>) {
    return {};
  } else {
    std::vector<RotaryRival<T>> rivals = {TableRival<T>("table", baseline::Loops())};
#ifdef POSENC_BENCH_X86
    if (CpuHasAvx512()) {
      rivals.push_back(TableRival<T>("wide_table", avx512::Loops()));
    } else if (CpuHasAvx2()) {
      rivals.push_back(TableRival<T>("wide_table", avx2::Loops()));
    }
#endif
    const auto by_sincos = LoopsOf<T>(baseline::Loops()).by_sincos;
    rivals.push_back({"sincos", [by_sincos](const RotaryCase& which, T* x) -> std::function<void()> {
                        return [=, work = WorkOf(which, x)] {
                          by_sincos(work, which.first, FloatFrequencies());
                        };
                      }});
#ifdef POSENC_BENCH_TORCH
    if constexpr (std::is_same_v<T, float>) {
      if (of.pairing == Pairing::kHalfSplit && !of.is_heads_first) {
        rivals.push_back({"torch", [](const RotaryCase& which, T* x) -> std::function<void()> {
                            const auto table = TableOf(which);
                            const auto rotation =
                                std::make_shared<TorchRotation>(WorkOf(which, x), table->data());
                            return [=] { rotation->Run(); };
                          }});
      }
    }
#else
    (void)of;
#endif
    return rivals;
  }
}

// The largest difference of elements from the right ones, by the hypot(a, b) of their pair.
template <class T>
double LargestError(Pairing pairing, const std::vector<T>& got, const std::vector<T>& expected) {
  double largest = 0.0;
  for (std::size_t head = 0; head < got.size(); head += kHeadDim) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::size_t a = head + (pairing == Pairing::kNeighbours ? 2 * i : i);
      const std::size_t b = pairing == Pairing::kNeighbours ? a + 1 : a + kPairs;
      const double size = std::hypot(ToDouble(expected[a]), ToDouble(expected[b]));
      for (const std::size_t at : {a, b}) {
        const double error = std::fabs(ToDouble(got[at]) - ToDouble(expected[at])) / size;
        largest = std::fmax(largest, std::isfinite(error) ? error : HUGE_VAL);
      }
    }
  }
  return largest;
}

// Random elements before and after they were turned exactly, on the best target.
template <class T>
class Checked {
 public:
  Checked(benchmark::State& state, RotaryCase which) : which_(which), expected_(which.entries()) {
    which.arithmetic = Arithmetic::kExact;
    Rotary exact;
    if (!CreatedRotary(state, which, nullptr, &exact)) return;
    FillNormal(expected_.data(), expected_.size());
    is_ready_ = Rotate(exact, which, expected_.data()) == Status::kOk;
  }

  bool is_ready() const { return is_ready_; }
  const RotaryCase& which() const { return which_; }

  // What `rotate`, given random elements, makes of them.
  template <class Rotation>
  std::vector<T> Turned(const Rotation& rotate) const {
    std::vector<T> x(expected_.size());
    FillNormal(x.data(), x.size());
    rotate(x.data());
    return x;
  }

  bool IsRight(const std::vector<T>& got) const {
    return std::memcmp(got.data(), expected_.data(), got.size() * sizeof(T)) == 0;
  }
  double ErrorOf(const std::vector<T>& got) const { return LargestError(which_.pairing, got, expected_); }
  double ErrorOf(const RotaryRival<T>& rival) const {
    return ErrorOf(Turned([&](T* x) { rival.prepare(which_, x)(); }));
  }

 private:
  RotaryCase which_;
  std::vector<T> expected_;
  bool is_ready_ = false;
};

// False, and the row has failed, unless all do the work that they are measured at. Of single floats the
// errors become counters.
template <class T>
bool Check(benchmark::State& state, RotaryCase which, const Rotary& rotary,
           const std::vector<RotaryRival<T>>& rivals) {
  which.tokens = std::min(which.tokens, kCheckedTokens);
  const Checked<T> checked(state, which);
  const auto got = checked.Turned([&](T* x) { Rotate(rotary, which, x); });
  bool is_right = checked.is_ready();
  if (which.arithmetic == Arithmetic::kExact) is_right = is_right && checked.IsRight(got);
  if constexpr (!std::is_void_v<LoopElement<T>>) {
    RotaryCase first = which;
    first.first = 0;
    first.tokens = kCheckedTokens;
    const Checked<T> first_tokens(state, first);
    is_right = is_right && (which.arithmetic == Arithmetic::kExact || checked.ErrorOf(got) <= kFastTolerance);
    for (const RotaryRival<T>& rival : rivals) {
      is_right = is_right && first_tokens.is_ready() && first_tokens.ErrorOf(rival) <= kTolerance;
    }
    if (std::is_same_v<T, float> && which.tokens == 1) {
      state.counters["error"] = checked.ErrorOf(got);
      for (const RotaryRival<T>& rival : rivals) {
        state.counters[rival.name + "_error"] = checked.ErrorOf(rival);
      }
    }
  }
  if (!is_right) Fail(state, "some rotate otherwise than posenc's best target");
  return is_right;
}

template <class T>
void RunRotate(benchmark::State& state, const RotaryCase& which, const std::string& target) {
  Rotary rotary;
  if (!CreatedRotary(state, which, target.c_str(), &rotary)) return;
  const std::vector<RotaryRival<T>> peers = RivalsOf<T>(which);
  if (!Check(state, which, rotary, peers)) return;

  static Buffer copy_buffer;
  const std::size_t bytes = which.entries() * sizeof(T);
  T* x = Output().Get<T>(which.entries());
  void* copy = copy_buffer.Get(bytes);
  auto* floats = reinterpret_cast<float*>(x);
  Elements<T> elements(x, which.entries());
  std::vector<Rival> rivals = {{"scale_ratio", [=] { Scale(1.0f, floats, bytes / sizeof(float)); }},
                               {"memcpy_ratio", [=] { std::memcpy(copy, x, bytes); }}};
  for (const RotaryRival<T>& peer : peers) {
    rivals.push_back({peer.name + "_ratio", [&elements, rotate = peer.prepare(which, x)] {
                        elements.BeginPass();
                        rotate();
                      }});
  }
  MeasureInPlace(
      state, {which.entries(), bytes},
      [&] {
        elements.BeginPass();
        Rotate(rotary, which, x);
      },
      rivals);
}

// [cos_0 cos_1 ... | sin_0 sin_1 ...] from position 0.
void RunWriteCache(benchmark::State& state, const std::string& target) {
  Rotary rotary;
  if (!CreatedRotary(state, {}, target.c_str(), &rotary)) return;
  float* out = Output().Get<float>(kCacheShape.entries());
  const Cache<float> cache{CacheLayout::kCosSin, out, nullptr, kCacheShape.dim};
  MeasureChecked(
      state, kCacheShape.work<float>(), [&] { return rotary.WriteCache(0, kCacheShape.rows, cache); },
      {{"sincos_ratio",
        [=] { baseline::Loops().write_table(0, kCacheShape.rows, FloatFrequencies(), kPairs, out); }}});
}

// Elements of unusual content: all of a head, or one of it.
constexpr const char* kContents[] = {"nan",      "one_nan", "inf",    "one_inf", "subnormal",
                                     "overflow", "wide",    "random", "zeros",   "ones_beside_zeros"};

template <class T>
void FillContent(const std::string& content, Pairing pairing, T* x, std::size_t count) {
  constexpr ElementTraits kTraits = TraitsOf(TypeOf<T>());
  constexpr std::uint32_t kWidth = 8 * sizeof(T), kFraction = kTraits.digits - 1;
  constexpr std::uint32_t kSign = std::uint32_t{1} << (kWidth - 1),
                          kInfinity = kSign - (std::uint32_t{1} << kFraction);
  constexpr std::uint32_t kOne = (kInfinity >> 1) & ~((std::uint32_t{1} << kFraction) - 1);
  std::mt19937 random(7);
  FillNormal(x, count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t head = k / kHeadDim, element = k % kHeadDim;
    const bool is_one = element == (37 * head + 11) % kHeadDim;
    const bool is_first = pairing == Pairing::kNeighbours ? element % 2 == 0 : element < kPairs;
    const auto any = static_cast<std::uint32_t>(random());
    std::uint32_t bits = any;
    if (content == "nan" || content == "one_nan") bits = kInfinity + 1;
    if (content == "inf" || content == "one_inf") bits = kInfinity | (any & kSign);
    if (content == "subnormal") bits = any & (kSign | ((std::uint32_t{1} << kFraction) - 1));
    if (content == "overflow") bits = (any & kSign) | (kInfinity - 1);
    if (content == "wide") bits = (any & kSign) | (any % (kInfinity - 1) & ~kSign);
    if (content == "zeros") bits = 0;
    if (content == "ones_beside_zeros") bits = is_first ? kOne : 0;
    if (content.compare(0, 4, "one_") == 0 && !is_one) continue;
    std::memcpy(x + k,
                reinterpret_cast<const unsigned char*>(&bits) + (kIsBigEndian ? sizeof(bits) - sizeof(T) : 0),
                sizeof(T));
  }
}

// From a source, so that no pass changes what the next one takes. normal_ratio: how fast beside normal
// numbers.
template <class T>
void RunContent(benchmark::State& state, const RotaryCase& which, const std::string& content,
                const std::string& target) {
  Rotary rotary;
  if (!CreatedRotary(state, which, target.c_str(), &rotary)) return;
  std::vector<T> odd(which.entries()), normal(which.entries());
  FillContent(content, which.pairing, odd.data(), odd.size());
  FillNormal(normal.data(), normal.size());
  T* out = Output().Get<T>(which.entries());
  const auto rotate = [&](const std::vector<T>& source) {
    auto tensors = TensorsOf(which, out);
    tensors[0].source = source.data();
    tensors[1].source = source.data() + which.key_offset();
    return rotary.Rotate(which.first, which.tokens, {tensors[0], tensors[1]});
  };
  MeasureChecked(state, {which.entries(), which.entries() * sizeof(T)}, [&] { return rotate(odd); },
                 {{"normal_ratio", [&] { rotate(normal); }}});
}

template <class T>
void RegisterContents(const TargetNames& targets) {
  for (const Pairing pairing : {Pairing::kHalfSplit, Pairing::kNeighbours}) {
    RotaryCase which{Arithmetic::kExact, pairing, 48};
    which.first = 1000;
    for (const std::string content : kContents) {
      for (const std::string& target : targets) {
        if (IsTooSlow(target, which.entries())) continue;
        Register(NameOf(TypeOf<T>(), which, content + "/") + target,
                 [=](benchmark::State& state) { RunContent<T>(state, which, content, target); });
      }
    }
  }
}

template <class T>
void RegisterCase(RotaryCase which, const TargetNames& targets) {
  which.first = which.tokens == 1 ? kDecodePosition : 0;
  for (const std::string& target : targets) {
    if (IsTooSlow(target, which.entries())) continue;
    Register(NameOf(TypeOf<T>(), which) + target,
             [=](benchmark::State& state) { RunRotate<T>(state, which, target); });
  }
}

template <class T>
void RegisterCases(Arithmetic arithmetic, const TargetNames& targets) {
  for (const Pairing pairing : {Pairing::kHalfSplit, Pairing::kNeighbours}) {
    for (const std::size_t tokens : kTokens) RegisterCase<T>({arithmetic, pairing, tokens}, targets);
  }
}

}  // namespace

void RegisterRotary(const TargetNames& targets) {
  RegisterCases<float>(Arithmetic::kExact, targets);
  RegisterCases<float>(Arithmetic::kFast, targets);
  RegisterCases<BFloat16>(Arithmetic::kExact, targets);
  RegisterCases<Float16>(Arithmetic::kExact, targets);
  RegisterContents<float>(targets);
  RegisterContents<BFloat16>(targets);
  RegisterContents<Float16>(targets);
  for (const std::size_t tokens : kHeadsFirstTokens) {
    RegisterCase<float>({Arithmetic::kExact, Pairing::kHalfSplit, tokens, 0, true}, targets);
  }
  for (const std::string& target : targets) {
    if (IsTooSlow(target, kCacheShape.entries())) continue;
    Register("RotaryCache/f32/" + kCacheShape.name() + "/" + target,
             [=](benchmark::State& state) { RunWriteCache(state, target); });
  }
}

}  // namespace bench
}  // namespace posenc
