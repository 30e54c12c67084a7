// A runtime that has its own threads. They share one encoder in the runtime's memory and fill a table by
// ranges of rows. They also share one rotary. Prints only mistakes. The exit status is 0 if the bits equal
// the bits of a single call.
#include <posenc/posenc.h>
#include <posenc/rotary.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t kDim = 130, kStride = 144, kRows = 20000, kThreads = 4;
constexpr std::int64_t kFirst = -1000;
constexpr std::size_t kStackBytes = 64 * 1024, kGuardBytes = 256 * 1024;  // a guard no code jumps over
class Pool {
 public:
  // Calls job(begin, end) for ranges that together cover [0, rows).
  template <class Job>
  void ParallelFor(std::size_t rows, std::size_t range, const Job& job) {
    Work<Job> work{job, rows, range, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_attr_setguardsize(&attributes, kGuardBytes);
    std::vector<pthread_t> threads(kThreads);
    for (pthread_t& thread : threads) pthread_create(&thread, &attributes, &Work<Job>::Run, &work);
    for (pthread_t& thread : threads) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  }

 private:
  template <class Job>
  struct Work {
    static void* Run(void* argument) {
      auto* work = static_cast<Work*>(argument);
      for (std::size_t begin; (begin = work->next.fetch_add(work->range)) < work->rows;) {
        work->job(begin, std::min(begin + work->range, work->rows));
      }
      return nullptr;
    }

    const Job& job;
    std::size_t rows, range;
    std::atomic<std::size_t> next;
  };
};

template <class T>
bool FillsTheSameTable(const posenc::Encoder& encoder, std::size_t range) {
  std::vector<T> want(kRows * kStride), got = want, sum = want, one_sum = want;
  std::atomic<int> failures{0};
  failures += encoder.Write(kFirst, kRows, {want.data(), kStride}) != POSENC_OK;
  failures += encoder.Add(kFirst, kRows, {one_sum.data(), kStride}) != POSENC_OK;
  Pool().ParallelFor(kRows, range, [&](std::size_t begin, std::size_t end) {
    const std::int64_t first = kFirst + static_cast<std::int64_t>(begin);
    failures += encoder.Write(first, end - begin, {&got[begin * kStride], kStride}) != POSENC_OK;
    // The call that needs most stack: two sequences with the same positions.
    const std::int64_t firsts[] = {first, first};
    const std::size_t entries = (end - begin) * kStride;
    std::vector<T> batch(2 * entries);
    const posenc::Rows rows(batch.data(), kStride);
    failures += encoder.AddBatch({2, entries, posenc::List(firsts)}, 0, end - begin, rows) != POSENC_OK;
    std::memcpy(&sum[begin * kStride], &batch[entries], entries * sizeof(T));
  });
  const std::size_t bytes = want.size() * sizeof(T);
  return failures == 0 && std::memcmp(got.data(), want.data(), bytes) == 0 &&
         std::memcmp(sum.data(), one_sum.data(), bytes) == 0;
}

// The calls that need most stack: the largest heads that can change their pairing in place, and positions
// that need wide arithmetic.
template <class T>
bool RotatesTheSame(const posenc::RotarySpec& spec) {
  constexpr std::size_t kHeads = 2, kTokens = 40, kRange = 3;
  posenc::Rotary rotary;
  if (posenc::Rotary::Create(spec, &rotary) != POSENC_OK) return false;
  std::vector<double> positions(2 * kTokens);  // for two axes
  for (std::size_t t = 0; t < positions.size(); ++t) {
    positions[t] = t % 2 == 0 ? static_cast<double>(t) / 7 : 0x1p-1074 * static_cast<double>(t);
  }
  const std::size_t stride = kHeads * spec.head_dim;
  std::vector<T> want(kTokens * stride);
  std::memset(want.data(), 0x3c, want.size() * sizeof(T));  // positive in all types, and not NaNs
  std::vector<T> got = want;
  std::atomic<int> failures{0};
  const auto rotate = [&](std::size_t begin, std::size_t end, std::vector<T>* x) {
    std::vector<double> at(positions.begin() + begin, positions.begin() + end);
    at.insert(at.end(), positions.begin() + kTokens + begin, positions.begin() + kTokens + end);
    const posenc::Heads heads{x->data() + begin * stride, kHeads, stride, spec.head_dim};
    failures += rotary.RotateAt(at.data(), end - begin, {heads}) != POSENC_OK;
  };
  rotate(0, kTokens, &want);
  Pool().ParallelFor(kTokens, kRange, [&](std::size_t begin, std::size_t end) { rotate(begin, end, &got); });
  return failures == 0 && std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0;
}

bool RotatesTheSameInEveryWay() {
  posenc::RotarySpec spec;
  spec.head_dim = 1024;  // larger heads cannot change their pairing in place
  spec.axes = 2;
  spec.sections[0] = spec.sections[1] = spec.head_dim / 4;
  const posenc_pairing pairings[] = {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS};
  for (const posenc_pairing pairing : pairings) {
    for (const posenc_pairing output : pairings) {  // another output pairing needs one more buffer
      for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
        spec.pairing = pairing;
        spec.output_pairing = output;
        spec.arithmetic = arithmetic;
        if (!RotatesTheSame<float>(spec) || !RotatesTheSame<posenc::BFloat16>(spec) ||
            !RotatesTheSame<posenc::Float16>(spec)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

int main() {
  if (!RotatesTheSameInEveryWay()) {
    std::fprintf(stderr, "ranges of tokens get different bits than in one call\n");
    return 1;
  }
  posenc::Spec spec;
  spec.dim = kDim;
  std::size_t bytes = 0;
  if (posenc::Encoder::MemorySize(spec, &bytes) != POSENC_OK) return 1;
  std::vector<unsigned char> arena(bytes);
  posenc::Encoder encoder;
  if (posenc::Encoder::CreateIn(spec, arena.data(), bytes, &encoder) != POSENC_OK) return 1;
  for (const std::size_t range : {1u, 7u, 64u, 1000u}) {
    if (FillsTheSameTable<float>(encoder, range) && FillsTheSameTable<posenc::BFloat16>(encoder, range) &&
        FillsTheSameTable<posenc::Float16>(encoder, range)) {
      continue;
    }
    std::fprintf(stderr, "ranges of %zu rows get different bits than in one call\n", range);
    return 1;
  }
  return 0;
}
