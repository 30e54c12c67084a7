// No byte outside the rows is read or written, neither around nor between them, and any alignment will do: of
// rows, tables and lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxRows = 70;
constexpr std::int64_t kFirst = -3;
constexpr float kScale = 1.5f;
constexpr unsigned char kCanary = 0xA5;

class Memory : public PerTarget {
 protected:
  std::vector<std::size_t> Dims() const {
    std::vector<std::size_t> dims;
    for (std::size_t dim = 1; dim <= 130; dim += IsReference() ? 31 : 1) dims.push_back(dim);
    if (!IsReference()) dims.push_back(257);
    return dims;
  }
  std::size_t MostRows() const { return IsReference() ? 7 : kMaxRows; }
};

// What the calls that write make of anything, and those that add of some activations.
template <class T>
class Calls {
 public:
  Calls(const Encoder& encoder, std::size_t rows)
      : e_(encoder),
        x_(rows * encoder.dim()),
        written_(Write<T>(encoder, kFirst, rows)),
        table_pages_((x_.size() + rows) * sizeof(T)),
        positions_(Consecutive<std::int32_t>(kFirst, rows)),
        ids_(Consecutive<std::int32_t>(0, rows)) {
    std::reverse(ids_.begin(), ids_.end());
    wide_ids_.assign(ids_.begin(), ids_.end());
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = Nearest<T>(static_cast<double>(k % 13) / 8);
    added_ = x_;
    if constexpr (!std::is_same_v<T, double>) {
      EXPECT_EQ(encoder.Add(kFirst, rows, added_.data(), encoder.dim(), kScale), Status::kOk);
    }
    // In reverse order, a column apart, at the end of its page or a byte before.
    const std::size_t dim = encoder.dim(), bytes = (rows * (dim + 1) - 1) * sizeof(T);
    auto* const table = table_pages_.end() - bytes - dim % 2;
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(table + (rows - 1 - r) * (dim + 1) * sizeof(T), &x_[r * dim], dim * sizeof(T));
    }
    table_ = reinterpret_cast<const T*>(table);
  }

  // With `data` [rows, stride], whose last row ends after dim columns, in the bytes begin .. end.
  void ExpectRows(std::size_t rows, std::size_t stride, unsigned char* data, unsigned char* begin,
                  unsigned char* end) const {
    T* out = reinterpret_cast<T*>(data);
    const std::size_t dim = e_.dim();
    const auto expect = [&](const char* name, const std::vector<T>& want, const auto& call) {
      std::memset(begin, kCanary, static_cast<std::size_t>(end - begin));
      for (std::size_t r = 0; r < rows; ++r) {
        std::memcpy(data + r * stride * sizeof(T), &x_[r * dim], dim * sizeof(T));
      }
      ASSERT_EQ(call(), Status::kOk);
      const unsigned char* after = begin;  // the row before
      const auto is_canary = [](unsigned char byte) { return byte == kCanary; };
      for (std::size_t r = 0; r < rows; ++r) {
        const unsigned char* row = data + r * stride * sizeof(T);
        ASSERT_TRUE(std::all_of(after, row, is_canary) &&
                    std::memcmp(row, &want[r * dim], dim * sizeof(T)) == 0)
            << name << ": dim " << dim << ", stride " << stride << ", row " << r << " of " << rows;
        after = row + dim * sizeof(T);
      }
      ASSERT_TRUE(std::all_of(after, const_cast<const unsigned char*>(end), is_canary))
          << name << ": dim " << dim << ", stride " << stride << ", after " << rows << " rows";
    };
    const std::int32_t* list = positions_.data();
    expect("Write", written_, [&] { return e_.Write(kFirst, rows, out, stride); });
    expect("WriteAt", written_, [&] { return e_.WriteAt(list, rows, out, stride); });
    if constexpr (!std::is_same_v<T, double>) {
      expect("Add", added_, [&] { return e_.Add(kFirst, rows, out, stride, kScale); });
      expect("AddAt", added_, [&] { return e_.AddAt(list, rows, out, stride, kScale); });
      const auto embed = [&](const auto& ids) {
        return e_.Embed(ids.data(), rows, table_, ids.size(), dim + 1, kFirst, out, stride, kScale);
      };
      expect("Embed", added_, [&] { return embed(ids_); });
      expect("Embed", added_, [&] { return embed(wide_ids_); });
      expect("AddBatch of one", added_, [&] { return e_.AddBatch(list, 1, rows, out, 0, stride, kScale); });
      expect("AddBatch of many", added_,
             [&] { return e_.AddBatch(list, rows, 1, out, stride, stride, kScale); });
    }
  }

 private:
  const Encoder& e_;
  std::vector<T> x_, written_, added_;
  GuardedPages table_pages_;
  const T* table_;
  std::vector<std::int32_t> positions_, ids_;
  std::vector<std::int64_t> wide_ids_;
};

TEST_P(Memory, GuardPagesRightBeforeAndRightAfter) {
  for (const std::size_t dim : Dims()) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachEntryType([&](auto element) {
        using T = decltype(element);
        const Calls<T> calls(encoder, MostRows());
        for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, MostRows()}) {
          for (const std::size_t gap : {0u, 1u, 3u, 5u, 16u}) {
            if ((rows > 7 || IsReference()) && gap != 0 && gap != 5) continue;  // slow
            const std::size_t stride = dim + gap, bytes = ((rows - 1) * stride + dim) * sizeof(T);
            GuardedPages pages(bytes + 1);
            unsigned char* const first = pages.begin();
            unsigned char* const last = pages.end() - bytes;
            calls.ExpectRows(rows, stride, first, first, std::min(first + bytes + 64, pages.end()));
            calls.ExpectRows(rows, stride, last, std::max(last - 64, first), pages.end());
            calls.ExpectRows(rows, stride, last - 1, last - 1, pages.end());
          }
        }
      });
    }
  }
}

// Every offset from a cache line, in whole elements and in bytes.
TEST_P(Memory, AnyAlignment) {
  constexpr std::size_t kRows = 6;
  for (const std::size_t dim : {1u, 6u, 33u, 64u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachEntryType([&](auto element) {
        using T = decltype(element);
        const Calls<T> calls(encoder, kRows);
        const std::size_t stride = dim + 1;
        std::vector<unsigned char> room(128 + kRows * stride * sizeof(T));
        const auto address = reinterpret_cast<std::uintptr_t>(room.data());
        for (const std::size_t offset :
             {0u, 1u, 2u, 3u, 4u, 8u, 12u, 15u, 16u, 20u, 28u, 32u, 36u, 60u, 63u}) {
          calls.ExpectRows(kRows, stride, room.data() + (64 - address % 64) % 64 + offset, room.data(),
                           room.data() + room.size());
        }
      });
    }
  }
}

// At the beginning of a page, and up to eight bytes before its end.
template <class Position>
void ExpectListsAreRead(const Encoder& encoder, std::size_t rows) {
  const std::size_t bytes = rows * sizeof(Position);
  GuardedPages pages(bytes + 8);
  const std::vector<Position> positions = Consecutive<Position>(kFirst, rows);
  const std::vector<float> want = Write(encoder, kFirst, rows);
  std::vector<unsigned char*> places = {pages.begin()};
  for (std::size_t shift = 0; shift <= 8; ++shift) places.push_back(pages.end() - bytes - shift);
  for (unsigned char* place : places) {
    std::memcpy(place, positions.data(), bytes);
    std::vector<float> got(want.size());
    ASSERT_EQ(encoder.WriteAt(reinterpret_cast<const Position*>(place), rows, got.data(), encoder.dim()),
              Status::kOk);
    EXPECT_TRUE(SameBits(got, want)) << rows << " rows";
  }
}

TEST_P(Memory, ListsOfAnyAlignmentBetweenGuardPages) {
  const Encoder encoder = Create(MakeSpec(10, target()));
  for (const std::size_t rows : {1u, 2u, 3u, 5u, 64u, 65u, 131u}) {
    ExpectListsAreRead<std::int32_t>(encoder, rows);
    ExpectListsAreRead<std::int64_t>(encoder, rows);
    ExpectListsAreRead<float>(encoder, rows);
    ExpectListsAreRead<double>(encoder, rows);
  }
}

// The least memory that will do, at every alignment, ends at a page that nobody may touch; less is refused.
TEST_P(Memory, EncodersInCallersMemory) {
  constexpr std::size_t kDim = 37, kRows = 9;
  for (const PhaseRounding rounding : {PhaseRounding::kNone, PhaseRounding::kF32PowDiv}) {
    Spec spec = MakeSpec(kDim, target());
    spec.phase_rounding = rounding;
    const std::vector<float> want = Write(Create(spec), kFirst, kRows);
    std::size_t bytes = 0;
    ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
    GuardedPages pages(bytes + 128);
    Encoder placed;
    for (std::size_t shift = 0; shift < 128; ++shift) {  // again and again in the same memory
      ASSERT_EQ(Encoder::CreateIn(spec, pages.end() - bytes - shift, bytes, &placed), Status::kOk) << shift;
      EXPECT_TRUE(SameBits(Write(placed, kFirst, kRows), want)) << shift;
      placed = Encoder();
    }
    std::memset(pages.begin(), kCanary, bytes);
    const std::vector<unsigned char> before(pages.begin(), pages.begin() + bytes);
    for (const std::size_t less : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 256}) {
      EXPECT_EQ(Encoder::CreateIn(spec, pages.begin(), less, &placed), Status::kMemoryTooSmall);
    }
    EXPECT_EQ(placed.c_encoder(), nullptr);
    EXPECT_EQ(std::memcmp(pages.begin(), before.data(), bytes), 0);
  }
}

POSENC_INSTANTIATE_PER_TARGET(Memory);

// Also where an estimate says whether steps are reduced, and what is just in range: next to 2 pi, 2^31 and
// 2^-126.
TEST(MemorySize, IsEnoughNextToEveryLimit) {
  for (const double limit : {0x1.921fb54442d18p2, 0x1p31, 0x1p-126}) {
    for (const double factor : {0.99, 0.9985, 1.0 - 2e-6, 1.0 - 5e-7, 1.0 - 0x1p-53, 1.0, 1.0 + 0x1p-52,
                                1.0 + 5e-7, 1.0 + 2e-6, 1.0007, 1.01}) {
      for (const std::size_t dim : {2u, 9u, 130u}) {
        const std::vector<double> list((dim + 1) / 2, limit * factor);
        for (const int kind : {0, 1, 2}) {
          Spec spec = MakeSpec(dim);
          spec.base = kind == 1 ? 10000.0 : 1.0;  // the largest, or all, or all of a list
          if (kind == 1 && limit < 1.0) continue;
          if (kind < 2) spec.position_scale = limit * factor;
          if (kind == 2) spec.frequencies = {list.data(), nullptr, list.size(), FrequencyUnit::kRadians};
          std::size_t bytes = 0;
          const Status sized = Encoder::MemorySize(spec, &bytes);
          if (sized != Status::kOk) {
            EXPECT_EQ(sized, Status::kFrequencyOutOfRange);
            Encoder none;
            EXPECT_EQ(Encoder::Create(spec, &none), sized);
            EXPECT_GT(std::fabs(factor - 1.0), 4e-7);
            continue;
          }
          GuardedPages pages(bytes);
          Encoder encoder, allocated;
          const Status placed = Encoder::CreateIn(spec, pages.end() - bytes, bytes, &encoder);
          EXPECT_EQ(placed, Encoder::Create(spec, &allocated));
          const bool is_inside =
              limit == 0x1.921fb54442d18p2 || (limit > 1.0 ? factor <= 1.0 : factor >= 1.0);
          EXPECT_EQ(placed == Status::kOk, is_inside) << limit << " * " << factor;
          if (placed == Status::kOk) {
            EXPECT_TRUE(SameBits(Write(encoder, 5, 40), Write(allocated, 5, 40)));
            continue;
          }
          EXPECT_EQ(placed, Status::kFrequencyOutOfRange);  // within a millionth
          EXPECT_LT(std::fabs(factor - 1.0), 1.1e-6);
          EXPECT_EQ(factor > 1.0, limit > 1.0);
        }
      }
    }
  }
}

// The documented size: 240 bytes a pair and up to 18 KB, and what a list and fast frequencies add.
TEST(MemorySize, IsWhatTheHeaderSays) {
  const std::vector<double> list(1u << 19, 1.0);
  for (const std::size_t dim : {1u, 512u, 1024u, 2048u, 4096u, 1u << 20}) {
    const std::size_t pairs = (dim + 1) / 2;
    Spec spec = MakeSpec(dim);
    const auto expect_at_most = [&](std::size_t bytes_a_pair, std::size_t bytes_more) {
      std::size_t bytes = 0;
      ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
      EXPECT_LE(bytes, bytes_a_pair * pairs + bytes_more) << "dim " << dim;
    };
    expect_at_most(240, 16 * 1024);
    spec.position_scale = 100.0;
    expect_at_most(256, 17 * 1024);
    spec.frequencies = {list.data(), nullptr, pairs, FrequencyUnit::kRadians};
    expect_at_most(264, 18 * 1024);
    spec = MakeSpec(dim);
    spec.lists_only = true;
    expect_at_most(16, 2 * 1024);
  }
}

}  // namespace
}  // namespace posenc
