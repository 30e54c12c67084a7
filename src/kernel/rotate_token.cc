#include "number/exact.h"

#include "kernel/rotate_token.h"

#include <algorithm>
#include <cstring>

#include "number/bounds.h"
#include "number/compiler.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// to [bytes] = from [bytes], for few bytes, an even number.
POSENC_NOINLINE void CopyFew(const unsigned char* from, std::size_t bytes, unsigned char* to) {
  for (; bytes >= 16; from += 16, to += 16, bytes -= 16) std::memcpy(to, from, 16);
  for (; bytes >= 8; from += 8, to += 8, bytes -= 8) std::memcpy(to, from, 8);
  for (; bytes >= 2; from += 2, to += 2, bytes -= 2) std::memcpy(to, from, 2);
}

}  // namespace

void WidenToFloats(const RotaryKernels* kernels, posenc_type type, const void* from, std::size_t count,
                   float* to) {
  static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>);
  if (kernels != nullptr) return kernels->widen[type](from, count, to);
  type == POSENC_BF16 ? WidenEntries<POSENC_BF16>(from, count, to)
                      : WidenEntries<POSENC_F16>(from, count, to);
}

void StoreRest(const RotaryKernels* kernels, ElementTypes types, const void* from, std::size_t count,
               float factor, void* to) {
  if (types.from == types.to && factor == 1.0f) {
    std::memcpy(to, from, count * ElementSize(types.to));
  } else if (kernels != nullptr) {
    kernels->rest[IndexOf(types)](from, count, factor, to);
  } else {
    ReferenceRest(types, from, count, factor, to);
  }
}

HeadRotation::HeadRotation(const RotaryKernels* kernels, const RotaryTable& table,
                           posenc_arithmetic arithmetic, posenc_type from)
    : AnchorAngles(kernels, table), arithmetic_(arithmetic), from_(from), shared_(arithmetic) {
  if (arithmetic != POSENC_EXACT) return;
  shared_.exact.undecided.Clear({from, from});
  subnormals_.Begin();
  FillPadding(Pairs(), cosines_, sines_);
}

void HeadRotation::Begin(const double* position) {
  if (is_packed_) NoticeSubnormals();  // the last token's heads were rotated
  AnchorAngles::Begin(position);
  is_packed_ = false;
  if (arithmetic_ == POSENC_FAST) return;
  ready_ = nullptr;
  angles_ = {cosines_, sines_, true, false, {}, 0};
  if (offset_ != 0) {
    angles_ = {shared_.exact.cosines, shared_.exact.sines, false, false, {}, 0};
    kernels_->add(Added(), Pairs(), shared_.exact.cosines, shared_.exact.sines);
    FillPadding(Pairs(), shared_.exact.cosines, shared_.exact.sines);
  }
}

void HeadRotation::Begin(const ReadyAngles& ready) {
  if (is_packed_) NoticeSubnormals();
  multiples_.list = ready.multiples.list;  // see Gain::Copy
  multiples_.position = ready.multiples.position;
  is_packed_ = false;
  ready_ = ready.packed;
  // Kernels write over angles only if these are not direct.
  angles_ = {const_cast<double*>(ready.cosines), const_cast<double*>(ready.sines), true, false, {}, 0};
}

void HeadRotation::ChangeType(posenc_type from) {
  End();  // the pairs that are left have the other type
  from_ = from;
  flushing_ = Flushing::kNotYet;
  pass_ = 0;
  is_packed_ = is_packed_ && arithmetic_ == POSENC_FAST;  // exact tiers load other numbers for each type
}

void HeadRotation::Prepare(const Gain& gain, posenc_pairing pairing) {
  if (kernels_ == nullptr && arithmetic_ == POSENC_EXACT) return;  // the reference needs none
  if (!is_packed_ || !(gain == gain_)) Pack(gain, pairing);
}

void HeadRotation::RotateNormed(const Gain& gain, const Heads& heads, const FastFactors& norm) {
  Prepare(gain, heads.pairing);
  kernels_->norm.rotate[heads.pairing](shared_.floats.cosines, shared_.floats.sines, heads, norm);
}

void HeadRotation::Rotate(const Gain& gain, const Heads& heads) {
  if (kernels_ == nullptr && arithmetic_ == POSENC_EXACT) {
    SharedSinCos& wide = shared_.exact.undecided.wide;
    return ReferenceExact({table_.frequencies, multiples_, gain, tally_}, from_, heads, wide);
  }
  Prepare(gain, heads.pairing);
  if (arithmetic_ == POSENC_FAST) {
    RotateByFloats(kernels_, from_, shared_.floats.cosines, shared_.floats.sines, heads);
  } else {
    RotateExactly(heads);
  }
}

// Multiplies the token's cosines and sines by a gain, for all heads with this gain.
void HeadRotation::Pack(const Gain& gain, posenc_pairing pairing) {
  if (!(gain == gain_)) End();  // the pairs that are left have the old gain
  gain_.Copy(gain);
  is_packed_ = true;
  if (arithmetic_ == POSENC_FAST) {
    RoundRow(POSENC_F32, gain, shared_.floats.cosines, shared_.floats.sines);
    FillPadding(Pairs(), shared_.floats.cosines, shared_.floats.sines);
    return;
  }
  angles_.has_bounds = false;
  const bool is_ready =
      ready_ != nullptr && from_ == POSENC_BF16 && gain == Gain{table_.amplitude, 1.0, 1.0f, false};
  packed_ = is_ready ? ready_ : shared_.exact.packed;
  if (is_ready) return;
  kernels_->pack[from_][pairing](angles_.cosines, angles_.sines, Pairs(), gain, shared_.exact.packed);
}

// The ladder of the exact rotation. A tier keeps a result only if all numbers within its error bound round to
// this result. It leaves the other pairs to the next tier:
//
//   tier                      takes                     error                            leaves 1 pair in
//   1  RotateQuickly          all vectors               float32: 15 u G m; elements of   360 to 1,900
//                                                       16-bit types: 4 ulps of a float
//   2a BoundedRotation        vectors that tier 1       9 u G (|a c| + |b s|); by added  (single pairs)
//                             does not take             angles 12 u G (|a| + |b|)
//   2b ResolveUndecidedPairs  queued pairs, each with   9 u G (|a c| + |b s|)            2.7 million
//                             its own direct angle                                       or more
//   3  RecomputePair          one pair at a time        none                             (nothing)
//
// Tiers 1 and 2a go through the heads in turns. Tier 1 stores vectors in which one or two lanes are
// undecided, and queues the pairs of these lanes. It stops at a vector with more such lanes, and after some
// vectors with queued pairs. In the second case it goes on itself if it came far. Otherwise tier 2a goes on,
// and queues the pairs that it leaves. Resolve empties the queue. If the last pairs of a head do not fill a
// vector, RotateLastPairs takes these pairs of all heads first.
//
// The shares were counted with normally distributed elements, the preset llama3, and AVX-512. Tier 1 leaves 1
// pair in 1,100 of float32, in 1,900 of bfloat16, and in 360 of float16. Tier 2b leaves 1 pair in 2.7 million
// of float32, and none of 65 million of each 16-bit type.
void HeadRotation::RotateExactly(const Heads& whole) {
  // Tier 2a takes at most kMaxPasses of tier 1's passes, and then tier 1 is tried again. Once tier 1 had to
  // queue pairs of many vectors, tier 2a takes at most kMaxPassesWithQueued.
  constexpr std::size_t kMaxPasses = 16, kMaxPassesWithQueued = 128;
  // Tier 1 came far if it took more passes than kFar. But if its queued pairs stopped it, it must have taken
  // more pairs than kFarWithQueued: to queue the pairs of a vector takes as long as to rotate 5 to 10
  // vectors, and tier 2a takes 2.4 times as long as tier 1 (float16, AVX2, Zen 3).
  constexpr std::size_t kFar = 2, kFarWithQueued = 256;
  const RotaryKernels& kernels = *kernels_;
  UndecidedPairs& undecided = shared_.exact.undecided;
  const ElementTypes types = {from_, whole.type};
  if (!(types == undecided.types)) {
    End();  // the pairs that are left have the other types
    undecided.types = types;
  }
  const auto quickly = kernels.quickly[IndexOf(types)][whole.pairing];
  const auto bounded = kernels.bounded[IndexOf(types)];
  Rotation rotation = {table_.frequencies, multiples_, gain_, tally_};
  // With larger gains the bound of tier 1 does not hold for bfloat16.
  static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>);
  const bool is_quick = from_ != POSENC_BF16 || gain_.nearest() <= kMaxQuickGain;
  const std::size_t last = is_quick ? CountLastPairs(whole) : 0;
  Heads shorter;  // without the last pairs
  if (last != 0) {
    RotateLastPairs(whole, last);
    shorter = whole;
    shorter.pairs -= last;
    if (shorter.pairs == 0) return;
  }
  const Heads& heads = last != 0 ? shorter : whole;
  std::size_t passes = 1, most = kMaxPasses;
  bool is_first_stop = true;
  for (PairCursor at{0, 0};;) {
    // Tier 1.
    const PairCursor before = at;
    undecided.is_paused = false;
    if (is_quick) {
      at = flushing_ == Flushing::kOn ? RotateFlushing(rotation, heads, at)
                                      : quickly(rotation, packed_, heads, at, undecided);
      if (undecided.IsFull()) Resolve();
    }
    if (at.head == heads.count) return;
    const std::size_t pass = PairsPerPass(heads.pairing);
    const std::size_t taken = (at.head - before.head) * heads.pairs + at.pair - before.pair;
    const bool came_far = taken > (undecided.is_paused ? kFarWithQueued : kFar * pass);
    if (undecided.is_paused && came_far) continue;

    if (is_first_stop) NoticeSubnormals();
    is_first_stop = false;

    // Tier 2a. If tier 1 came far, it takes one pass. If not, it takes twice the passes that tier 1 took, or
    // twice the passes of its last turn.
    const bool is_last = heads.pairs - at.pair < pass;
    if (undecided.is_paused) most = kMaxPassesWithQueued;
    if (!is_last) passes = came_far ? 1 : std::min(2 * std::max(passes, taken / pass), most);
    const std::size_t count = is_last ? 1 : passes * pass;
    at = bounded(rotation, angles_, heads, at, count, undecided);

    // Tiers 2b and 3.
    if (undecided.IsFull()) Resolve();
  }
}

// How many pairs at the end of each head do not fill a vector.
std::size_t HeadRotation::CountLastPairs(const Heads& heads) const {
  // First without a call and a division by a variable: no vector has more lanes than kVectorPadding.
  if (heads.pairs % kVectorPadding == 0) return 0;
  const bool has_vectors = kernels_->fill_offsets != nullptr;  // as all targets but SCALAR have
  return has_vectors ? heads.pairs % kernels_->pairs_per_pass(POSENC_F32, heads.pairing) : 0;
}

// Tier 1, from `at` on, once operations have met a subnormal number: it flushes such numbers to 0, which its
// bounds cover. On Intel's processors each product of a subnormal number takes longer than a whole head.
POSENC_NOINLINE PairCursor HeadRotation::RotateFlushing(Rotation& rotation, const Heads& heads,
                                                        PairCursor at) {
  UndecidedPairs& undecided = shared_.exact.undecided;
  const bool is_short = from_ == POSENC_BF16;
  rotation.flushing = is_short && gain_.nearest() > kMaxFlushGain ? nullptr : &subnormals_;
  at = kernels_->quickly[IndexOf(undecided.types)][heads.pairing](rotation, packed_, heads, at, undecided);
  rotation.flushing = nullptr;
  // While numbers are flushed, fewer cut sums of float32 are decided. If many are left, flushing ends.
  if (undecided.is_paused && !is_short) flushing_ = Flushing::kNoMore;
  return at;
}

// With elements of float16 only a tiny gain makes subnormal products. (To look takes some 20 cycles.)
void HeadRotation::NoticeSubnormals() {
  if (flushing_ != Flushing::kNotYet || arithmetic_ != POSENC_EXACT || from_ == POSENC_F16) return;
  if (kernels_ == nullptr || kernels_->fill_offsets == nullptr) return;  // they have no tier 1
  if (Subnormals::WereMet()) flushing_ = Flushing::kOn;
}

// RotateExactly for the last pairs of all heads, which do not fill a vector. Tier 1 takes vectors, and would
// stop at each head. So the pairs are copied to a buffer in which each head has one vector, and back.
POSENC_NOINLINE void HeadRotation::RotateLastPairs(const Heads& heads, std::size_t last) {
  constexpr std::size_t kBytes = 512;  // of four heads of float32 or more; the stack is small
  const RotaryKernels& kernels = *kernels_;
  UndecidedPairs& undecided = shared_.exact.undecided;
  const std::size_t lanes = kernels.pairs_per_pass(POSENC_F32, heads.pairing), first = heads.pairs - last;
  const std::size_t from_size = ElementSize(from_), size = ElementSize(heads.type);
  const bool is_split = heads.pairing == POSENC_HALF_SPLIT;
  const PairIndex at = ElementsOf(heads.pairing, first, heads.apart);
  const std::size_t step = is_split ? 1 : 2, taken = step * last;
  alignas(64) unsigned char elements[kBytes], results[kBytes];
  const std::size_t source_stride = 2 * lanes * from_size, stride = 2 * lanes * size;
  const std::size_t most = kBytes / source_stride;
  Heads copies = heads;
  copies.source = elements;
  copies.data = results;
  copies.source_stride = source_stride;
  copies.stride = stride;
  copies.pairs = lanes;
  copies.apart = lanes;
  copies.cached = Cached::kByCore;
  copies.first = first;
  Heads without_padding = copies;  // for tier 2a, which takes few pairs, too
  without_padding.pairs = last;
  // The padding: equal elements, about 0.01 or 1, which the angle 0 multiplies by the gain. Tier 1 decides
  // them.
  std::memset(elements, 0x3C, std::min(most, heads.count) * source_stride);
  Rotation rotation = {table_.frequencies, multiples_, gain_, tally_};
  const auto quickly = kernels.quickly[IndexOf(undecided.types)][heads.pairing];
  const auto bounded = kernels.bounded[IndexOf(undecided.types)];
  for (std::size_t head = 0; head < heads.count; head += copies.count) {
    copies.count = without_padding.count = std::min(most, heads.count - head);
    for (std::size_t h = 0; h < copies.count; ++h) {
      const unsigned char* from = heads.source + (head + h) * heads.source_stride;
      unsigned char* to = elements + h * source_stride;
      CopyFew(from + at.a * from_size, taken * from_size, to);
      if (is_split) CopyFew(from + at.b * from_size, taken * from_size, to + lanes * from_size);
    }
    std::size_t waiting = undecided.count;  // pairs that are not stored to the buffer
    for (PairCursor next{0, 0};;) {
      next = flushing_ == Flushing::kOn ? RotateFlushing(rotation, copies, next)
                                        : quickly(rotation, packed_, copies, next, undecided);
      if (!undecided.IsFull()) {
        if (next.head == copies.count) break;
        if (undecided.is_paused) continue;
        next = bounded(rotation, angles_, without_padding, next, 1, undecided);
      }
      if (!undecided.IsFull()) continue;
      Resolve();
      waiting = 0;
    }
    if (undecided.count != waiting) Resolve();
    for (std::size_t h = 0; h < copies.count; ++h) {
      const unsigned char* from = results + h * stride;
      unsigned char* to = heads.data + (head + h) * heads.stride;
      CopyFew(from, taken * size, to + at.a * size);
      if (is_split) CopyFew(from + lanes * size, taken * size, to + at.b * size);
    }
  }
}

// Stores the pairs in the queue: tiers 2b and 3 of RotateExactly.
void HeadRotation::Resolve() {
  UndecidedPairs& undecided = shared_.exact.undecided;
  const auto [from, to] = undecided.types;
  kernels_->resolve(table_.frequencies, gain_, undecided, tally_);
  for (std::size_t n = 0; n < undecided.count; ++n) {
    unsigned char a[sizeof(float)], b[sizeof(float)];
    StoreBits(from, undecided.a[n], a);
    StoreBits(from, undecided.b[n], b);
    const UndecidedPair pair = {to,
                                undecided.pair[n],
                                undecided.multiple[n],
                                LoadElement(from, a),
                                LoadElement(from, b),
                                undecided.cosine[n],
                                undecided.sine[n]};
    const RotatedPair rotated = RecomputePair(table_.frequencies, gain_, pair, undecided.wide, tally_);
    StoreElement(to, rotated.x, undecided.x[n]);
    StoreElement(to, rotated.y, undecided.y[n]);
  }
  undecided.count = 0;
}

std::size_t HeadRotation::PairsPerPass(posenc_pairing pairing) {
  if (pass_ == 0) pass_ = kernels_->pairs_per_pass(from_, pairing);
  return pass_;
}

void HeadRotation::End() {
  if (arithmetic_ == POSENC_EXACT && shared_.exact.undecided.count != 0) Resolve();
}

}  // namespace internal
}  // namespace posenc
