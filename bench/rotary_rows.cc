// Rows Rotate/..., RotateByAngles/... and RotateCached/...: q and k rotated in place, compared with scaling
// the same memory and with the loops of inference runtimes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
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

constexpr std::size_t kHeadsFirstTokens[] = {512, 16384};
constexpr std::size_t kTokensOfSteps[] = {1, 48};
constexpr std::size_t kCheckedTokens = 48;
constexpr double kTolerance = 1e-2;         // of rivals in the first tokens; more means wrong use
constexpr double kFastTolerance = 0x1p-21;  // relative to hypot(a, b): more than POSENC_FAST's 2 ulp

template <class T>
Status Rotate(const Rotary& rotary, const RotaryCase& which, T* x) {
  const auto [q, k] = TensorsOf(which, x);
  return rotary.Rotate(which.first, which.tokens, {q, k});
}

template <class T>
LoopWork<T> WorkOf(const RotaryCase& which, T* x) {
  return {{{x, kQueryHeads, which.token_stride(kQueryHeads), which.head_stride()},
           {x + which.key_offset(), kKeyHeads, which.token_stride(kKeyHeads), which.head_stride()}},
          which.tokens,
          kPairs,
          which.pairing == POSENC_NEIGHBOURS};
}

std::shared_ptr<std::vector<float>> TableOf(const RotaryCase& which) {
  auto table = std::make_shared<std::vector<float>>(which.tokens * kHeadDim);
  baseline::Loops().write_table(which.first, which.tokens, FloatFrequencies(), kPairs, table->data());
  return table;
}

// One way to rotate.
template <class T>
struct NamedRotation {
  std::string name;
  // Does the work that is needed once for all calls.
  std::function<std::function<void()>(const RotaryCase& which, T* x)> prepare;
};

// Makes the angles of all tokens. The result rotates by them.
template <class T>
std::function<void()> ByAngles(const Rotary& rotary, const RotaryCase& which, T* x) {
  std::size_t bytes = 0;
  Must(rotary.AnglesMemorySize(which.tokens, &bytes));
  const auto memory = std::make_shared<std::vector<unsigned char>>(bytes);
  Angles angles;
  Must(rotary.MakeAngles(which.first, which.tokens, memory->data(), bytes, &angles));
  return [&rotary, which, x, angles, memory] {
    const auto [q, k] = TensorsOf(which, x);
    Must(rotary.RotateByAngles(angles, 0, which.tokens, {q, k}));
  };
}

template <class T>
NamedRotation<T> OwnRotation(const Rotary& rotary) {
  return {"posenc", [&rotary](const RotaryCase& which, T* x) -> std::function<void()> {
            if (which.is_by_angles) return ByAngles(rotary, which, x);
            if (!which.is_cached) return [&rotary, which, x] { Rotate(rotary, which, x); };
            const auto rows = std::make_shared<std::vector<T>>(which.tokens * kHeadDim);
            const Cache cache{POSENC_CACHE_COS_SIN, rows->data(), nullptr, kHeadDim};
            Must(rotary.WriteCache(which.first, which.tokens, cache));
            return [&rotary, which, x, cache, rows] {
              const auto [q, k] = TensorsOf(which, x);
              Must(rotary.RotateCached({cache, which.tokens}, 0, which.tokens, {q, k}));
            };
          }};
}

template <class T>
std::vector<NamedRotation<T>> RivalsOf(const RotaryCase& of, [[maybe_unused]] const std::string& target) {
  std::vector<NamedRotation<T>> rivals;
  const auto add_by_table = [&](const char* name, auto by_table) {
    if (by_table == nullptr) return;
    rivals.push_back({name, [by_table](const RotaryCase& which, T* x) -> std::function<void()> {
                        const auto table = TableOf(which);
                        return [=, work = WorkOf(which, x)] { by_table(work, table->data()); };
                      }});
  };
  const RotaryLoops<T> plain = LoopsOf<T>(baseline::Loops());
  add_by_table("table", plain.by_table);
#ifdef POSENC_BENCH_X86
  if (CpuHasAvx2()) {
    const RotaryLoops<T> wide = LoopsOf<T>(CpuHasAvx512() ? avx512::Loops() : avx2::Loops());
    add_by_table("wide_table", wide.by_table);
    add_by_table("simd_table", wide.by_simd_table);
    if (CpuHasAvx512() && target == "AVX2")
      add_by_table("avx2_table", LoopsOf<T>(avx2::Loops()).by_simd_table);
  }
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (CpuHasAvx512Bf16()) add_by_table("hw_table", avx512bf16::Loops().bf16.by_simd_table);
  }
#endif
  if (plain.by_sincos != nullptr) {
    rivals.push_back(
        {"sincos", [by_sincos = plain.by_sincos](const RotaryCase& which, T* x) -> std::function<void()> {
           return [=, work = WorkOf(which, x)] { by_sincos(work, which.first, FloatFrequencies()); };
         }});
  }
#ifdef POSENC_BENCH_TORCH
  if constexpr (std::is_same_v<T, float>) {
    if (of.pairing == POSENC_HALF_SPLIT && !of.is_heads_first) {
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

// The largest error of an element, divided by hypot(a, b) of its pair.
template <class T>
double LargestError(posenc_pairing pairing, const std::vector<T>& got, const std::vector<T>& expected) {
  double largest = 0.0;
  for (std::size_t head = 0; head < got.size(); head += kHeadDim) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::size_t a = head + (pairing == POSENC_NEIGHBOURS ? 2 * i : i);
      const std::size_t b = pairing == POSENC_NEIGHBOURS ? a + 1 : a + kPairs;
      const double size = std::hypot(ToDouble(expected[a]), ToDouble(expected[b]));
      for (const std::size_t at : {a, b}) {
        const double error = std::fabs(ToDouble(got[at]) - ToDouble(expected[at])) / size;
        largest = std::fmax(largest, std::isfinite(error) ? error : HUGE_VAL);
      }
    }
  }
  return largest;
}

// Random elements, and the same elements rotated exactly by the best target.
template <class T>
class Checked {
 public:
  Checked(benchmark::State& state, RotaryCase which) : which_(which), expected_(which.entries()) {
    which.arithmetic = POSENC_EXACT;
    Rotary exact;
    if (!Created(state, which.spec(nullptr), &exact)) return;
    FillNormal(expected_.data(), expected_.size());
    const Status status = Rotate(exact, which, expected_.data());
    is_ready_ = status == POSENC_OK;
    if (!is_ready_) Fail(state, posenc_status_message(status));
  }

  bool is_ready() const { return is_ready_; }

  // The random elements, rotated by `rotation`.
  std::vector<T> Turned(const NamedRotation<T>& rotation) const {
    std::vector<T> x(expected_.size());
    FillNormal(x.data(), x.size());
    rotation.prepare(which_, x.data())();
    return x;
  }

  bool IsRight(const std::vector<T>& got) const {
    return std::memcmp(got.data(), expected_.data(), got.size() * sizeof(T)) == 0;
  }
  double ErrorOf(const std::vector<T>& got) const { return LargestError(which_.pairing, got, expected_); }

 private:
  RotaryCase which_;
  std::vector<T> expected_;
  bool is_ready_ = false;
};

// Checks that posenc and all rivals rotate correctly. If not, the row fails and the result is false. For a
// single token of floats the errors become counters.
template <class T>
bool Check(benchmark::State& state, RotaryCase which, const NamedRotation<T>& own,
           const std::vector<NamedRotation<T>>& rivals) {
  which.tokens = std::min(which.tokens, kCheckedTokens);
  const Checked<T> checked(state, which);
  RotaryCase first = which;
  first.first = 0;
  first.tokens = kCheckedTokens;
  const Checked<T> first_tokens(state, first);
  if (!checked.is_ready() || !first_tokens.is_ready()) return false;

  std::string wrong;
  const std::vector<T> got = checked.Turned(own);
  const bool is_exact = which.arithmetic == POSENC_EXACT;
  const double tolerance = std::is_same_v<T, float> ? kFastTolerance : kTolerance;
  if (!(is_exact ? checked.IsRight(got) : checked.ErrorOf(got) <= tolerance)) wrong = own.name;
  for (const NamedRotation<T>& rival : rivals) {
    if (!(first_tokens.ErrorOf(first_tokens.Turned(rival)) <= kTolerance)) wrong = rival.name;
  }
  if (std::is_same_v<T, float> && which.tokens == 1) {
    state.counters["error"] = checked.ErrorOf(got);
    for (const NamedRotation<T>& rival : rivals) {
      state.counters[rival.name + "_error"] = checked.ErrorOf(checked.Turned(rival));
    }
  }
  if (!wrong.empty()) Fail(state, wrong + " rotates differently from posenc's best target");
  return wrong.empty();
}

template <class T>
void RunRotate(benchmark::State& state, const RotaryCase& which, const std::string& target) {
  Rotary rotary;
  if (!Created(state, which.spec(target.c_str()), &rotary)) return;
  const NamedRotation<T> own = OwnRotation<T>(rotary);
  const std::vector<NamedRotation<T>> peers = RivalsOf<T>(which, target);
  if (!Check(state, which, own, peers)) return;

  static Buffer copy_buffer;
  const std::size_t bytes = which.entries() * sizeof(T);
  T* x = Output().Get<T>(which.entries());
  void* copy = copy_buffer.Get(bytes);
  auto* floats = reinterpret_cast<float*>(x);
  Elements<T> elements(x, which.entries());
  std::vector<Rival> rivals = {{"scale_ratio", [=] { Scale(1.0f, floats, bytes / sizeof(float)); }},
                               {"memcpy_ratio", [=] { std::memcpy(copy, x, bytes); }}};
  for (const NamedRotation<T>& peer : peers) {
    rivals.push_back({peer.name + "_ratio", [&elements, rotate = peer.prepare(which, x)] {
                        elements.BeginPass();
                        rotate();
                      }});
  }
  MeasureInPlace(
      state, {which.entries(), bytes},
      [&elements, rotate = own.prepare(which, x)] {
        elements.BeginPass();
        rotate();
      },
      rivals);
}

// Reads the elements from a source, so that every pass gets the same ones. normal_ratio compares with
// normally distributed elements.
template <class T>
void RunContent(benchmark::State& state, const RotaryCase& which, const std::string& content,
                const std::string& target) {
  Rotary rotary;
  if (!Created(state, which.spec(target.c_str()), &rotary)) return;
  std::vector<T> odd(which.entries()), normal(which.entries());
  FillHeads(content, which.pairing, odd.data(), odd.size());
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
  for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
    RotaryCase which{POSENC_EXACT, pairing, 48};
    which.first = 1000;
    for (const std::string content : kHeadContents) {
      RegisterEach(NameOf(TypeOf<T>(), which, content + "/"), which.entries(), targets,
                   [=](benchmark::State& state, const std::string& target) {
                     RunContent<T>(state, which, content, target);
                   });
    }
  }
}

// What the loop in intrinsics loses on the same elements: normal_ratio is its time for normal elements,
// divided by its time for these.
template <class T>
void RunLoopContent(benchmark::State& state, const RotaryCase& which, const std::string& content,
                    void (*by_table)(const LoopWork<T>& work, const float* table)) {
  std::vector<T> odd(which.entries()), normal(which.entries());
  FillHeads(content, which.pairing, odd.data(), odd.size());
  FillNormal(normal.data(), normal.size());
  T* out = Output().Get<T>(which.entries());
  const auto table = TableOf(which);
  const auto rotate = [&](const std::vector<T>& source) {
    LoopWork<T> work = WorkOf(which, out);
    work.tensors[0].source = source.data();
    work.tensors[1].source = source.data() + which.key_offset();
    by_table(work, table->data());
  };
  MeasureInPlace(state, {which.entries(), which.entries() * sizeof(T)}, [&] { rotate(odd); },
                 {{"normal_ratio", [&] { rotate(normal); }}});
}

// The loop for the widest vectors of this CPU, and the one for AVX2 if there are wider ones.
template <class T>
void RegisterLoopContents() {
#ifdef POSENC_BENCH_X86
  if (!CpuHasAvx2()) return;
  std::vector<std::pair<std::string, RotaryLoops<T>>> loops = {{"AVX2", LoopsOf<T>(avx2::Loops())}};
  if (CpuHasAvx512()) loops.push_back({"AVX512", LoopsOf<T>(avx512::Loops())});
  for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
    RotaryCase which{POSENC_EXACT, pairing, 48};
    which.first = 1000;
    for (const std::string content : kHeadContents) {
      for (const auto& [name, of_isa] : loops) {
        if (of_isa.by_simd_table == nullptr) continue;
        std::string row = NameOf(TypeOf<T>(), which, content + "/") + name;
        row.replace(0, std::strlen("Rotate/exact"), "Rotate/loop");
        Register(row, [which, content, by_table = of_isa.by_simd_table](benchmark::State& state) {
          RunLoopContent<T>(state, which, content, by_table);
        });
      }
    }
  }
#endif
}

// Angles near which exact elements are often ties, or cancel. Frequencies are in turns, one pair after
// another.
struct HardTurns {
  const char* name;
  double turns[2];
  double scale;         // of the elements
  bool is_of_integers;  // elements +-1 .. +-9, so that one pair in nine has a = b or a = -b
};
constexpr HardTurns kHardTurns[] = {{"quarter_turns", {0.25, 0.5}, 0.75, false},
                                    {"eighth_turns", {0.125, 0.375}, 1.0, true},
                                    {"nearly_twelfths", {1.0 / 12.0, 5.0 / 12.0}, 0.75, false}};

// As RunContent; normal_ratio is taken beside normal elements at the usual angles.
template <class T>
void RunHardTurns(benchmark::State& state, const RotaryCase& which, const HardTurns& hard,
                  const std::string& target) {
  std::vector<double> frequencies(kPairs);
  for (std::size_t i = 0; i < kPairs; ++i) frequencies[i] = hard.turns[i % 2];
  RotarySpec spec = which.spec(target.c_str());
  Rotary usual, rotary;
  if (!Created(state, spec, &usual)) return;
  spec.unit = POSENC_TURNS;
  spec.frequencies = frequencies.data();
  spec.frequency_count = kPairs;
  if (!Created(state, spec, &rotary)) return;
  std::vector<T> odd(which.entries()), normal(which.entries());
  FillNormal(normal.data(), normal.size());
  odd = normal;
  if (hard.is_of_integers) FillIntegers(odd.data(), odd.size());
  T* out = Output().Get<T>(which.entries());
  const auto rotate = [&](const Rotary& by, const std::vector<T>& source, double scale) {
    auto tensors = TensorsOf(which, out);
    const std::size_t offsets[] = {0, which.key_offset()};
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      tensors[k].source = source.data() + offsets[k];
      tensors[k].scale = scale;
    }
    return by.Rotate(which.first, which.tokens, {tensors[0], tensors[1]});
  };
  MeasureChecked(state, {which.entries(), which.entries() * sizeof(T)},
                 [&] { return rotate(rotary, odd, hard.scale); },
                 {{"normal_ratio", [&] { rotate(usual, normal, 1.0); }}});
}

template <class T>
void RegisterHardTurns(const TargetNames& targets) {
  RotaryCase which{POSENC_EXACT, POSENC_HALF_SPLIT, 48};
  which.first = 1000;
  for (const HardTurns& hard : kHardTurns) {
    RegisterEach(NameOf(TypeOf<T>(), which, std::string(hard.name) + "/"), which.entries(), targets,
                 [=](benchmark::State& state, const std::string& target) {
                   RunHardTurns<T>(state, which, hard, target);
                 });
  }
}

template <class T>
void RegisterCase(RotaryCase which, const TargetNames& targets) {
  which.first = FirstOf(which.tokens);
  RegisterEach(
      NameOf(TypeOf<T>(), which), which.entries(), targets,
      [=](benchmark::State& state, const std::string& target) { RunRotate<T>(state, which, target); });
}

template <class T>
void RegisterCases(posenc_arithmetic arithmetic, const TargetNames& targets) {
  for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
    for (const std::size_t tokens : kTokens) RegisterCase<T>({arithmetic, pairing, tokens}, targets);
  }
}

template <class T>
void RegisterByAngles(const TargetNames& targets) {
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
      for (const std::size_t tokens : kTokensOfSteps) {
        RotaryCase which{arithmetic, pairing, tokens};
        which.is_by_angles = true;
        RegisterCase<T>(which, targets);
      }
    }
  }
}

template <class T>
void RegisterCached(const TargetNames& targets) {
  for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
    for (const std::size_t tokens : kTokens) {
      RegisterCase<T>({POSENC_FAST, pairing, tokens, 0, false, true}, targets);
    }
  }
}

}  // namespace

void RegisterRotary(const TargetNames& targets) {
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    RegisterCases<float>(arithmetic, targets);
    RegisterCases<BFloat16>(arithmetic, targets);
    RegisterCases<Float16>(arithmetic, targets);
  }
  RegisterContents<float>(targets);
  RegisterContents<BFloat16>(targets);
  RegisterContents<Float16>(targets);
  RegisterLoopContents<float>();
  RegisterLoopContents<BFloat16>();
  RegisterLoopContents<Float16>();
  RegisterHardTurns<float>(targets);
  RegisterHardTurns<BFloat16>(targets);
  RegisterHardTurns<Float16>(targets);
  for (const std::size_t tokens : kHeadsFirstTokens) {
    RegisterCase<float>({POSENC_EXACT, POSENC_HALF_SPLIT, tokens, 0, true}, targets);
  }
  RegisterByAngles<float>(targets);
  RegisterByAngles<BFloat16>(targets);
  RegisterByAngles<Float16>(targets);
  RegisterCached<float>(targets);
  RegisterCached<BFloat16>(targets);
  RegisterCached<Float16>(targets);
}

}  // namespace bench
}  // namespace posenc
