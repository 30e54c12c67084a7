// Rows RotateNormed/... and RotateNormedByAngles/...: one call normalizes q and k and rotates them. Compared
// with a fused loop in intrinsics, with a pass that normalizes and a pass that rotates, and with the rotation
// alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "contents.h"
#include "elements.h"
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

static_assert(kHeadDim == kNormDim, "the loops in intrinsics take heads of this size");
constexpr std::size_t kNormTokens[] = {1, 48, 16384};
constexpr std::size_t kTokensByAngles[] = {1, 48};
constexpr std::size_t kCheckedTokens = 48;
constexpr double kEpsilon = 1e-6;
constexpr double kTolerance = 1e-2;  // relative to hypot(a, b): more than rounding to bfloat16

// The weights of q and k, and their inverses for every second pass, so that elements do not grow.
class Weights {
 public:
  Weights() {
    for (std::size_t i = 0; i < kHeadDim; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        weights_[0][k][i] = 1.0f + 0.01f * static_cast<float>((i + 3 * k) % 7);
        weights_[1][k][i] = 1.0f / weights_[0][k][i];
      }
    }
    for (std::size_t pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < 2; ++k) {
        norms_[pass][k] = posenc_norm{weights_[pass][k], POSENC_F32, kEpsilon, 0, 0};
      }
    }
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  void BeginPass() { pass_ = 1 - pass_; }
  const posenc_norm* NormOf(std::size_t tensor) const { return &norms_[pass_][tensor]; }
  NormWork WorkOf(const LoopWork<float>& heads) const {
    return {heads, {weights_[pass_][0], weights_[pass_][1]}, static_cast<float>(kEpsilon)};
  }

 private:
  float weights_[2][2][kHeadDim];  // [passes, tensors]
  posenc_norm norms_[2][2];
  std::size_t pass_ = 1;
};

struct NormCase {
  RotaryCase rotation;

  std::string name(posenc_type type, const std::string& content = {}) const {
    return std::string(rotation.is_by_angles ? "RotateNormedByAngles/" : "RotateNormed/") +
           (rotation.arithmetic == POSENC_EXACT ? "exact/" : "fast/") + TraitsOf(type).name + "/" + content +
           std::to_string(rotation.tokens) + "x" + std::to_string(kHeads) + "x" + std::to_string(kHeadDim) +
           "/";
  }
};

// One way to normalize and rotate, after BeginPass of the weights.
struct Way {
  std::string name;
  std::function<void()> call;
};

// The ways to normalize and rotate elements in place.
template <class T>
class Ways {
 public:
  Ways(const Rotary& rotary, const NormCase& which, T* x, const std::string& target)
      : rotary_(rotary), which_(which.rotation), x_(x), target_(target) {
    if (!which_.is_by_angles) return;
    std::size_t bytes = 0;
    Must(rotary.AnglesMemorySize(which_.tokens, &bytes));
    memory_.resize(bytes);
    Must(rotary.MakeAngles(which_.first, which_.tokens, memory_.data(), bytes, &angles_));
  }

  void BeginPass() { weights_.BeginPass(); }

  Status Own() const { return Rotate(true); }
  Status Rotate(bool has_norm) const {
    auto tensors = TensorsOf(which_, x_);
    for (std::size_t k = 0; k < tensors.size() && has_norm; ++k) tensors[k].norm = weights_.NormOf(k);
    return which_.is_by_angles ? rotary_.RotateByAngles(angles_, 0, which_.tokens, {tensors[0], tensors[1]})
                               : rotary_.Rotate(which_.first, which_.tokens, {tensors[0], tensors[1]});
  }

  // The other ways, which do the same work. They are for floats.
  std::vector<Way> Others() {
    std::vector<Way> ways;
    if constexpr (std::is_same_v<T, float>) {
      table_.resize(which_.tokens * kHeadDim);
      baseline::Loops().write_table(which_.first, which_.tokens, FloatFrequencies(), kPairs, table_.data());
#ifdef POSENC_BENCH_X86
      if (CpuHasAvx2()) Add("", CpuHasAvx512() ? avx512::Loops() : avx2::Loops(), &ways);
      if (CpuHasAvx512() && target_ == "AVX2") Add("avx2_", avx2::Loops(), &ways);
#endif
    }
    return ways;
  }

 private:
  LoopWork<float> Work() const {
    return {{{x_, kQueryHeads, which_.token_stride(kQueryHeads), which_.head_stride()},
             {x_ + which_.key_offset(), kKeyHeads, which_.token_stride(kKeyHeads), which_.head_stride()}},
            which_.tokens,
            kPairs,
            false};
  }

  void Add(const std::string& prefix, const AllRotaryLoops& loops, std::vector<Way>* ways) {
    ways->push_back({prefix + "fused",
                     [this, loop = loops.norm_by_table] { loop(weights_.WorkOf(Work()), table_.data()); }});
    ways->push_back({prefix + "norm_passes", [this, loop = loops.norm] {
                       loop(weights_.WorkOf(Work()));
                       Must(Rotate(false));
                     }});
  }

  const Rotary& rotary_;
  RotaryCase which_;
  T* x_;
  std::string target_;
  Weights weights_;
  std::vector<unsigned char> memory_;  // of angles_
  Angles angles_;
  std::vector<float> table_;
};

// Whether elements are right, up to kTolerance.
template <class T>
bool AreClose(const std::vector<T>& got, const std::vector<T>& expected) {
  for (std::size_t k = 0; k < got.size(); ++k) {
    const std::size_t i = k % kHeadDim, other = i < kPairs ? k + kPairs : k - kPairs;
    const double size = std::hypot(ToDouble(expected[k]), ToDouble(expected[other]));
    if (!(std::fabs(ToDouble(got[k]) - ToDouble(expected[k])) <= kTolerance * size)) return false;
  }
  return true;
}

// Checks all ways at the first positions, where tables of floats are accurate. All targets must give the bits
// of the best one, also with POSENC_FAST.
template <class T>
bool Check(benchmark::State& state, NormCase which, const std::string& target) {
  which.rotation.tokens = kCheckedTokens;
  which.rotation.first = 0;
  NormCase exact_case = which;
  exact_case.rotation.arithmetic = POSENC_EXACT;
  Rotary rotary, best, exact;
  if (!Created(state, which.rotation.spec(target.c_str()), &rotary)) return false;
  if (!Created(state, which.rotation.spec(nullptr), &best)) return false;
  if (!Created(state, exact_case.rotation.spec(nullptr), &exact)) return false;
  std::vector<T> x(which.rotation.entries()), of_best(x.size()), expected(x.size());
  const auto fill = [](std::vector<T>* elements) { FillNormal(elements->data(), elements->size()); };
  fill(&x);
  fill(&of_best);
  fill(&expected);
  Ways<T> ways(rotary, which, x.data(), target), best_ways(best, which, of_best.data(), target),
      exact_ways(exact, exact_case, expected.data(), target);
  ways.BeginPass();
  for (Ways<T>* each : {&ways, &best_ways, &exact_ways}) {
    if (each != &ways) each->BeginPass();
    const Status status = each->Own();
    if (status != POSENC_OK) return Fail(state, posenc_status_message(status)), false;
  }
  if (std::memcmp(x.data(), of_best.data(), x.size() * sizeof(T)) != 0)
    return Fail(state, "posenc gives other bits than its best target"), false;
  if (!AreClose(x, expected)) return Fail(state, "posenc gives other elements than POSENC_EXACT"), false;
  for (const Way& way : ways.Others()) {
    fill(&x);
    way.call();
    if (!AreClose(x, expected)) return Fail(state, way.name + " gives other elements than posenc"), false;
  }
  return true;
}

template <class T>
void RunNormed(benchmark::State& state, const NormCase& which, const std::string& target) {
  if (!Check<T>(state, which, target)) return;
  Rotary rotary;
  if (!Created(state, which.rotation.spec(target.c_str()), &rotary)) return;
  const std::size_t count = which.rotation.entries(), bytes = count * sizeof(T);
  T* x = Output().Get<T>(count);
  auto* floats = reinterpret_cast<float*>(x);
  Elements<T> elements(x, count);
  Ways<T> ways(rotary, which, x, target);
  const auto pass = [&elements, &ways](const std::function<void()>& call) {
    return [&elements, &ways, call] {
      elements.BeginPass();
      ways.BeginPass();
      call();
    };
  };
  std::vector<Rival> rivals = {{"scale_ratio", [=] { Scale(1.0f, floats, bytes / sizeof(float)); }},
                               {"rotate_ratio", pass([&ways] { Must(ways.Rotate(false)); })}};
  for (const Way& way : ways.Others()) rivals.push_back({way.name + "_ratio", pass(way.call)});
  MeasureInPlace(state, {count, bytes}, pass([&ways] { Must(ways.Own()); }), rivals);
}

// Elements of one kind, and the norm that makes them slow.
struct Content {
  const char* name;
  int plus_one;  // and weights with which 1 + weight is a midpoint of two floats
};
constexpr Content kNormContents[] = {{"equal", 0}, {"equal_ties", 1}, {"ties", 1}};

template <class T>
void FillContent(const std::string& content, T* x, std::size_t count) {
  constexpr float kTies[] = {5.0f, 2.0f, 1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f};  // the mean of squares is 4
  std::mt19937 random(5);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t head = k / kHeadDim;
    const float magnitude =
        content == "ties" ? kTies[k * 11 % 8] : 0.5f + static_cast<float>(head * 37 % 64) / 64.0f;
    x[k] = magnitude == 0.0f ? T{} : Truncate<T>(random() % 2 == 0 ? magnitude : -magnitude);
  }
}

// Reads the elements from a source, so that every pass gets the same ones. normal_ratio compares with
// normally distributed elements and the same norm.
template <class T>
void RunContent(benchmark::State& state, const NormCase& which, const std::string& content, int plus_one,
                const std::string& target) {
  Rotary rotary;
  const RotaryCase& rotation = which.rotation;
  if (!Created(state, rotation.spec(target.c_str()), &rotary)) return;
  std::vector<float> weights(kHeadDim);
  for (std::size_t i = 0; i < kHeadDim; ++i) {
    const auto step = static_cast<float>(i);
    weights[i] = plus_one != 0 ? (2.0f * step + 1.0f) * 0x1p-24f : 1.0f + 0.01f * static_cast<float>(i % 7);
  }
  const posenc_norm norm{weights.data(), POSENC_F32, plus_one != 0 ? 0.0 : kEpsilon, plus_one, 0};
  std::vector<T> odd(rotation.entries()), normal(rotation.entries());
  const bool is_of_norms = std::any_of(std::begin(kNormContents), std::end(kNormContents),
                                       [&](const Content& each) { return content == each.name; });
  if (is_of_norms) {
    FillContent(content, odd.data(), odd.size());
  } else {
    FillHeads(content, POSENC_HALF_SPLIT, odd.data(), odd.size());
  }
  FillNormal(normal.data(), normal.size());
  T* out = Output().Get<T>(rotation.entries());
  const auto rotate = [&](const std::vector<T>& source) {
    auto tensors = TensorsOf(rotation, out);
    tensors[0].source = source.data();
    tensors[1].source = source.data() + rotation.key_offset();
    tensors[0].norm = tensors[1].norm = &norm;
    return rotary.Rotate(rotation.first, rotation.tokens, {tensors[0], tensors[1]});
  };
  MeasureChecked(state, {rotation.entries(), rotation.entries() * sizeof(T)}, [&] { return rotate(odd); },
                 {{"normal_ratio", [&] { rotate(normal); }}});
}

template <class T>
void RegisterContents(const TargetNames& targets) {
  NormCase which{{POSENC_EXACT, POSENC_HALF_SPLIT, 48}};
  which.rotation.first = 1000;
  const auto add = [&](const std::string& content, int plus_one) {
    RegisterEach(which.name(TypeOf<T>(), content + "/"), which.rotation.entries(), targets,
                 [=](benchmark::State& state, const std::string& target) {
                   RunContent<T>(state, which, content, plus_one, target);
                 });
  };
  for (const Content& content : kNormContents) add(content.name, content.plus_one);
  for (const char* content : kHeadContents) add(content, 0);
}

template <class T>
void RegisterType(posenc_arithmetic arithmetic, const TargetNames& targets) {
  const auto add = [&](std::size_t tokens, bool is_by_angles) {
    NormCase which{{arithmetic, POSENC_HALF_SPLIT, tokens, FirstOf(tokens)}};
    which.rotation.is_by_angles = is_by_angles;
    RegisterEach(
        which.name(TypeOf<T>()), which.rotation.entries(), targets,
        [=](benchmark::State& state, const std::string& target) { RunNormed<T>(state, which, target); });
  };
  for (const std::size_t tokens : kNormTokens) add(tokens, false);
  for (const std::size_t tokens : kTokensByAngles) add(tokens, true);
}

}  // namespace

void RegisterRotaryNorms(const TargetNames& targets) {
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    RegisterType<float>(arithmetic, targets);
    RegisterType<BFloat16>(arithmetic, targets);
    RegisterType<Float16>(arithmetic, targets);
  }
  RegisterContents<float>(targets);
  RegisterContents<BFloat16>(targets);
  RegisterContents<Float16>(targets);
}

}  // namespace bench
}  // namespace posenc
