// Sorts the memory of tensors by address. Then one walk shows which tensors are apart from all others, which
// is the usual answer. A few cases need a second walk, or comparisons of two tensors at a time.
#include "number/exact.h"

#include "call/tensor_overlaps.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "number/compiler.h"

namespace posenc {
namespace internal {
namespace {

// The address of the data or of the source of a tensor. Or, for memory that repeats after a period, the
// address modulo the period.
struct Address {
  std::uintptr_t first;
  std::size_t tensor_and_kind;

  std::size_t tensor() const { return tensor_and_kind / 2; }
  bool is_written() const { return tensor_and_kind % 2 == 0; }
};

// What the walks take for one piece of memory: all memory of a tensor, the part that repeats after each outer
// stride (such as the heads of one token), or a single block.
enum class Piece { kAll, kInner, kBlock };

// The last of `count` bytes that begin at an address. It is the last address of all if the bytes go beyond.
std::uintptr_t LastOf(std::uintptr_t first, std::size_t count) {
  return first > UINTPTR_MAX - (count - 1) ? UINTPTR_MAX : first + (count - 1);
}

// How far pieces of memory reach that begin at ascending addresses: the ones that are written, and all.
struct Reach {
  bool any_written = false, any = false;
  std::uintptr_t written = 0, all = 0;  // the last addresses

  // Whether a piece that begins at `first` overlaps any of the others, and one of both is written.
  bool Overlaps(std::uintptr_t first, bool is_written) const {
    return is_written ? any && first <= all : any_written && first <= written;
  }
  void Add(std::uintptr_t last, bool is_written) {
    all = std::max(all, last);
    any = true;
    if (!is_written) return;
    written = std::max(written, last);
    any_written = true;
  }
};

// Looks for overlaps among at most kTensorsAtOnce tensors. The addresses take 32 KB of stack, because calls
// allocate no memory.
class OverlapSearch {
 public:
  OverlapSearch(const TensorShape& shape, const posenc_heads* heads, std::size_t* steps)
      : shape_(shape), heads_(heads), steps_(*steps) {}

  void AddTensors(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (heads_[i].heads == 0) continue;
      addresses_[count_++] = {0, 2 * i};
      if (!IsInPlace(heads_[i], shape_.tokens)) addresses_[count_++] = {0, 2 * i + 1};
    }
  }

  // Goes through all memory in the order of addresses. Pieces of memory whose addresses form one stretch are
  // a group; memory of different groups cannot overlap.
  bool Run() {
    Address* const end_of_all = addresses_ + count_;
    Sort(addresses_, end_of_all, 0);
    for (Address *begin = addresses_, *end; begin < end_of_all; begin = end) {
      std::uintptr_t last = LastOf(*begin, Piece::kAll);
      for (end = begin + 1; end < end_of_all && end->first <= last; ++end) {
        last = std::max(last, LastOf(*end, Piece::kAll));
      }
      if (OverlapsInGroup(begin, end)) return true;
    }
    return false;
  }

 private:
  StridedMemory MemoryOf(const Address& address) {
    ++steps_;
    StridedMemory memory{};
    const posenc_heads& heads = heads_[address.tensor()];
    address.is_written() ? FindData(shape_, heads, &memory) : FindSource(shape_, heads, &memory);
    return memory;
  }

  std::uintptr_t LastOf(const Address& address, Piece piece) {
    const StridedMemory memory = MemoryOf(address);
    const std::size_t bytes = piece == Piece::kAll     ? memory.All().count
                              : piece == Piece::kInner ? memory.InnerBytes()
                                                       : memory.bytes;
    return internal::LastOf(address.first, bytes);
  }

  // Sorts by address, or by address modulo a period.
  void Sort(Address* begin, Address* end, std::size_t period) {
    for (Address* a = begin; a < end; ++a) {
      const std::uintptr_t first = MemoryOf(*a).begin();
      a->first = period == 0 ? first : first % period;
    }
    std::sort(begin, end, [this](const Address& a, const Address& b) {
      ++steps_;
      return a.first < b.first;
    });
  }

  // Whether any two pieces of a group overlap. In a large group there are usually no overlaps, because all of
  // it is only read, or because all of it alternates with one period, like tensors in the same rows. A walk
  // shows that. What no walk shows is compared in pairs, with the same answer as MayOverlap for all pairs.
  bool OverlapsInGroup(Address* begin, Address* end) {
    constexpr std::ptrdiff_t kFew = 16;
    if (AreApart(begin, end, 0, Piece::kAll)) return false;
    if (end - begin > kFew) {
      const std::size_t row = CommonOuterStride(begin, end), common = CommonDivisor(begin, end);
      if ((row != 0 && Alternate(begin, end, row, Piece::kInner)) ||
          (common != 0 && Alternate(begin, end, common, Piece::kBlock))) {
        return false;
      }
      Sort(begin, end, 0);
    }
    return AnyPairOverlaps(begin, end);
  }

  bool Alternate(Address* begin, Address* end, std::size_t period, Piece piece) {
    Sort(begin, end, period);
    return AreApart(begin, end, period, piece);
  }

  // Whether no written piece shares an address with another one. Pieces are sorted. With a period, pieces
  // that end after it go on at its beginning.
  bool AreApart(const Address* begin, const Address* end, std::size_t period, Piece piece) {
    Reach reach;
    for (const Address* a = begin; a < end; ++a) {
      if (reach.Overlaps(a->first, a->is_written())) return false;
      reach.Add(LastOf(*a, piece), a->is_written());
    }
    for (const Address* a = begin; period != 0 && a < end; ++a) {
      if (reach.Overlaps(a->first + period, a->is_written())) return false;
    }
    return true;
  }

  // The outer stride of all memory, or 0 if there are several.
  std::size_t CommonOuterStride(const Address* begin, const Address* end) {
    const std::size_t stride = MemoryOf(*begin).outer_stride;
    const bool is_common =
        std::all_of(begin, end, [&](const Address& a) { return MemoryOf(a).outer_stride == stride; });
    return is_common ? stride : 0;
  }

  std::size_t CommonDivisor(const Address* begin, const Address* end) {
    std::size_t divisor = 0;
    for (const Address* a = begin; a < end; ++a) {
      const StridedMemory memory = MemoryOf(*a);
      divisor = std::gcd(divisor, std::gcd(memory.outer_stride, memory.inner_stride));
    }
    return divisor;
  }

  // Compares each two pieces of memory that have addresses in common.
  bool AnyPairOverlaps(const Address* begin, const Address* end) {
    for (const Address* a = begin; a < end; ++a) {
      const StridedMemory memory = MemoryOf(*a);
      const std::uintptr_t last = LastOf(*a, Piece::kAll);
      for (const Address* b = a + 1; b < end && b->first <= last; ++b) {
        if (a->tensor() == b->tensor() || !(a->is_written() || b->is_written())) continue;
        if (MayOverlap(memory, MemoryOf(*b))) return true;
      }
    }
    return false;
  }

  const TensorShape& shape_;
  const posenc_heads* heads_;
  std::size_t& steps_;
  std::size_t count_ = 0;
  Address addresses_[2 * kTensorsAtOnce];
};

// Whether any two tensors of two blocks overlap, or any two of one block. Each block has kTensorsAtOnce / 2
// tensors; they begin at tensors a and b. Not inlined, because of its stack.
POSENC_NOINLINE bool OverlapInBlocks(const TensorShape& shape, const posenc_heads* heads, std::size_t count,
                                     std::size_t a, std::size_t b, std::size_t* steps) {
  constexpr std::size_t kHalf = kTensorsAtOnce / 2;
  OverlapSearch search(shape, heads, steps);
  search.AddTensors(a, std::min(a + kHalf, count));
  search.AddTensors(std::min(b, count), std::min(b + kHalf, count));
  return search.Run();
}

}  // namespace

bool AnyOverlap(const TensorShape& shape, const posenc_heads* heads, std::size_t count, std::size_t* steps) {
  // Each two blocks are together in a search.
  constexpr std::size_t kBlock = kTensorsAtOnce / 2;
  for (std::size_t a = 0; a == 0 || a + kBlock < count; a += kBlock) {
    for (std::size_t b = a + kBlock; b == a + kBlock || b < count; b += kBlock) {
      if (OverlapInBlocks(shape, heads, count, a, b, steps)) return true;
    }
  }
  return false;
}

}  // namespace internal
}  // namespace posenc
