// The bits of rotations by two builds of the shared library beside each other: same_rotations OLD.so NEW.so,
// by tools/same-bits. Random specs, gains, positions and calls; elements of every kind, among ordinary ones
// too. NaNs of the fast arithmetic may be any.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "libraries.h"
#include "posenc/accuracy.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace {

constexpr int kCalls = 20000;  // of each target

struct Library {
  decltype(&posenc_rotary_spec_init) init;
  decltype(&posenc_rotary_create) create;
  decltype(&posenc_rotary_destroy) destroy;
  decltype(&posenc_rotate) rotate;
  decltype(&posenc_targets) targets;

  explicit Library(const char* path) {
    void* const handle = LoadLibrary(path);
    Find(handle, "posenc_rotary_spec_init", &init);
    Find(handle, "posenc_rotary_create", &create);
    Find(handle, "posenc_rotary_destroy", &destroy);
    Find(handle, "posenc_rotate", &rotate);
    Find(handle, "posenc_targets", &targets);
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  std::uint64_t Bits() { return random_(); }
  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  double Unit() { return std::ldexp(static_cast<double>(random_() >> 11), -53); }
  double Sign() { return random_() % 2 == 0 ? 1.0 : -1.0; }
  double Normal(int low, int high) {
    return Sign() *
           std::ldexp(1.0 + Unit(), low + static_cast<int>(Below(static_cast<unsigned>(high - low + 1))));
  }
  template <class T, std::size_t kCount>
  T Any(const T (&values)[kCount]) {
    return values[Below(kCount)];
  }

 private:
  std::mt19937_64 random_;
};

// A pair of elements; most are ordinary.
struct Pair {
  double a, b;
};
Pair MakePair(Random* random, posenc_type type, double gain, double angle) {
  const int most = TraitsOf(type).max_exponent - 1, least = TraitsOf(type).min_exponent - 1;
  const Pair ordinary = {random->Normal(-4, 4), random->Normal(-4, 4)};
  const auto wanted = [&](double x, double y) {  // what turns to these, nearly
    const double c = std::cos(angle) / gain, s = std::sin(angle) / gain;
    return Pair{x * c + y * s, y * c - x * s};
  };
  const double infinity = std::numeric_limits<double>::infinity();
  switch (random->Below(40)) {
    case 0:
      return {random->Normal(most - 2, most), random->Normal(most - 2, most)};
    case 1:
      return {random->Normal(most, most), random->Normal(-4, 4)};
    case 2:  // next to what overflows, or an octave or more beyond it
      return wanted(random->Sign() * std::ldexp(1.0 + (random->Unit() - 0.5) * 0x1p-22, most + 1),
                    random->Normal(-4, most));
    case 3:
      return wanted(random->Normal(most + 1, most + 4), random->Normal(-4, most + 40));
    case 4:
      return {random->Normal(least - 6, least + 2), random->Normal(least - 6, least + 2)};
    case 5:  // x, or y, cancels to a part of the other
      return wanted(random->Normal(-16, -10), random->Normal(0, 0));
    case 6:
      return wanted(random->Normal(0, 0), random->Normal(-16, -10));
    case 7:
      return {random->Normal(-60, 60), random->Normal(-60, 60)};
    case 8:
      return {0.0, random->Below(2) == 0 ? -0.0 : random->Normal(-4, 4)};
    case 9:
      return {random->Sign() * infinity, random->Normal(-4, 4)};
    case 10:
      return {std::nan(""), random->Below(2) == 0 ? infinity : random->Normal(-4, 4)};
    case 11:  // few digits: ties
      return {std::ldexp(static_cast<double>(random->Below(2000)) - 1000.0, -8),
              std::ldexp(3.0, static_cast<int>(random->Below(9)))};
    default:
      return ordinary;
  }
}

bool IsNan(const unsigned char* at, posenc_type type) {
  std::uint32_t bits = 0;
  const bool is_float = type == POSENC_F32;
  if (is_float) {
    std::memcpy(&bits, at, sizeof(bits));
  } else {
    std::uint16_t half;
    std::memcpy(&half, at, sizeof(half));
    bits = std::uint32_t{half} << 16;
  }
  return (bits & 0x7FFFFFFF) > (type == POSENC_F16 ? 0x7C000000 : 0x7F800000);
}

void Store(double value, posenc_type type, unsigned char* to) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &single, sizeof(bits));
  if (type == POSENC_F32) {
    std::memcpy(to, &bits, sizeof(bits));
    return;
  }
  std::uint16_t half;
  if (type == POSENC_BF16) {
    half = static_cast<std::uint16_t>(bits >> 16 | (value != value ? 0x40 : 0));
  } else {  // toward zero
    const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127;
    const std::uint32_t digits = (bits & 0x7FFFFF) | 0x800000;
    std::uint32_t magnitude = exponent < -24 ? 0 : digits >> std::min(31, -1 - exponent);
    if (exponent >= -14) magnitude = static_cast<std::uint32_t>(exponent + 15) << 10 | (digits >> 13 & 0x3FF);
    if (exponent > 15) magnitude = value != value ? 0x7E00 : 0x7C00;
    half = static_cast<std::uint16_t>((bits >> 16 & 0x8000) | magnitude);
  }
  std::memcpy(to, &half, sizeof(half));
}

// One call, by either library; the elements that differ.
std::size_t Compare(const Library (&libraries)[2], const char* target, Random* random,
                    std::size_t* elements) {
  posenc_rotary_spec spec;
  libraries[0].init(&spec, sizeof(spec));
  const posenc_type type = random->Any({POSENC_F32, POSENC_BF16, POSENC_F16});
  const std::size_t size = type == POSENC_F32 ? 4 : 2,
                    pairs = 1 + random->Below(random->Below(8) == 0 ? 512 : 80);
  const std::size_t heads = 1 + random->Below(4), tokens = 1 + random->Below(random->Below(4) == 0 ? 20 : 3),
                    count = tokens * heads * 2 * pairs;
  spec.target = target;
  spec.head_dim = 2 * pairs;
  spec.base = random->Any({1e4, 5e5, 3.0, 1.0, 1e30});
  spec.pairing = random->Any({POSENC_HALF_SPLIT, POSENC_NEIGHBOURS});
  spec.arithmetic = random->Any({POSENC_EXACT, POSENC_EXACT, POSENC_FAST});
  spec.amplitude = random->Any({0.0, 0.0, 0x1p-32, 0x1p32, 1.3465735902799727});
  posenc_heads tensor{};
  tensor.heads = heads;
  tensor.head_stride = 2 * pairs;
  tensor.token_stride = heads * 2 * pairs;
  tensor.scale =
      random->Any({0.0, 0.0, 0.0, 1.25, 0.08838834764831845, 0x1p-32, 0x1.fffffffcp31, 0x1p26, 0x1p13});
  tensor.inverse = static_cast<std::int32_t>(random->Below(2));
  const double gain =
      (spec.amplitude == 0.0 ? 1.0 : spec.amplitude) * (tensor.scale == 0.0 ? 1.0 : tensor.scale);
  const auto first = static_cast<std::int64_t>(
      random->Below(random->Any({std::uint64_t{1}, std::uint64_t{1} << 17, std::uint64_t{1} << 30})));

  const std::size_t shift = random->Below(4) == 0 ? 1 : 0;  // unaligned
  std::vector<unsigned char> source(count * size + 1), results[2];
  for (std::size_t h = 0; h < tokens * heads; ++h) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const double position = static_cast<double>(first) + static_cast<double>(h / heads);
      const double angle =
          position * std::pow(spec.base, -static_cast<double>(i) / static_cast<double>(pairs));
      const Pair pair = MakePair(random, type, gain, tensor.inverse != 0 ? -angle : angle);
      const std::size_t a = spec.pairing == POSENC_NEIGHBOURS ? 2 * i : i;
      const std::size_t b = spec.pairing == POSENC_NEIGHBOURS ? 2 * i + 1 : i + pairs;
      Store(pair.a, type, &source[shift + (h * 2 * pairs + a) * size]);
      Store(pair.b, type, &source[shift + (h * 2 * pairs + b) * size]);
    }
  }
  const bool in_place = random->Below(3) != 0;
  for (int l = 0; l < 2; ++l) {
    results[l] = in_place ? source : std::vector<unsigned char>(source.size());
    tensor.data = results[l].data() + shift;
    tensor.source = in_place ? nullptr : source.data() + shift;
    posenc_rotary* rotary = nullptr;
    posenc_status status = libraries[l].create(&spec, &rotary);
    if (status == POSENC_OK) status = libraries[l].rotate(rotary, first, tokens, type, &tensor, 1);
    if (status != POSENC_OK) {
      std::fprintf(stderr, "same-bits: %s, %zu pairs: status %d\n", target, pairs, static_cast<int>(status));
      std::exit(2);
    }
    libraries[l].destroy(rotary);
  }
  *elements += count;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = shift + i * size;
    if (std::memcmp(&results[0][at], &results[1][at], size) == 0) continue;
    const bool are_nans = IsNan(&results[0][at], type) && IsNan(&results[1][at], type);
    if (are_nans && spec.arithmetic == POSENC_FAST) continue;
    if (differ++ != 0) continue;
    std::printf("%s: type %d, %zu pairs, pairing %d, base %g, gain %a, inverse %d, first position %" PRId64
                ": element %zu differs\n",
                target, static_cast<int>(type), pairs, static_cast<int>(spec.pairing), spec.base, gain,
                static_cast<int>(tensor.inverse), first, i);
  }
  return differ;
}

}  // namespace
}  // namespace posenc

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: same_rotations OLD.so NEW.so\n", stderr);
    return 2;
  }
  const posenc::Library libraries[2] = {posenc::Library(argv[1]), posenc::Library(argv[2])};
  posenc_target targets[32];
  const std::size_t count = std::min<std::size_t>(libraries[1].targets(targets, 32), 32);
  std::size_t all = 0;
  for (std::size_t t = 0; t < count; ++t) {
    if (targets[t].runnable == 0 || std::strcmp(targets[t].name, "REFERENCE") == 0) continue;
    posenc::Random random(t);
    std::size_t elements = 0, differ = 0;
    const int calls = std::strcmp(targets[t].name, "SCALAR") == 0 ? posenc::kCalls / 10 : posenc::kCalls;
    for (int k = 0; k < calls; ++k) differ += posenc::Compare(libraries, targets[t].name, &random, &elements);
    std::printf("%-8s rotated %12zu elements, %zu differ\n", targets[t].name, elements, differ);
    std::fflush(stdout);
    all += differ;
  }
  return all == 0 ? 0 : 1;
}
