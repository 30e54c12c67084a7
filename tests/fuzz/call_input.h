// One call on an encoder of the fuzzer's bytes, right or wrong, its memory, and what the documentation says
// of it; and what calls of all nouns are made of.
#ifndef POSENC_TESTS_FUZZ_CALL_INPUT_H_
#define POSENC_TESTS_FUZZ_CALL_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

constexpr std::int64_t kMaxPosition = POSENC_MAX_POSITION;

std::size_t TypeSize(posenc_type type);

std::int64_t MakePosition(FuzzedDataProvider& bytes);
double MakeDoublePosition(FuzzedDataProvider& bytes);

// Mostly `right`, else any, mostly one that some parameter takes.
posenc_type MakeSaidType(posenc_type right, FuzzedDataProvider& bytes);

// Whether so many bytes exceed the address space.
bool Overflows(std::size_t a, std::size_t b, std::size_t size);

// Whether first .. first + rows - 1 are positions once a shift of at most kMaxPosition is added; rows > 0.
bool IsRun(std::int64_t first, std::size_t rows, std::int64_t shift = 0);

template <class Value>
void Append(Value value, std::vector<std::uint8_t>* list) {
  list->resize(list->size() + sizeof(value));
  std::memcpy(&*list->end() - sizeof(value), &value, sizeof(value));
}

enum class Kind : std::uint8_t {
  kWrite,
  kWriteAt,
  kAdd,
  kAddAt,
  kEmbed,
  kAddBatch,
  kEmbedAt,
  kMaxValue = kEmbedAt
};

// The parts of its memory.
enum Part : int { kData, kList, kTable, kPlaces, kParts };

struct CallInput {
  CallInput(const posenc_spec& spec, FuzzedDataProvider& bytes);

  Kind kind;
  posenc_type type, list_type, table_type, at_type;  // as memory holds them
  // As the call says: the same, or what it refuses.
  posenc_type said_type, said_list_type, said_table_type, said_at_type;
  std::size_t dim;  // of the encoder, as is
  bool nan_rows;
  std::int64_t shift;  // the encoder's position_offset
  std::size_t rows, stride;
  std::size_t batch, batch_stride;
  std::size_t vocabulary, table_stride;
  std::int64_t first;
  std::vector<std::uint8_t> list;  // positions, first positions or ids
  std::size_t count, first_bad;    // of the list; the first one out of range, or count
  std::vector<std::uint8_t> at;    // positions of ids
  std::size_t first_bad_at;        // of those
  float scale;
  bool null_encoder, null[kParts], null_bad_index;
  int rounding;                       // of the caller's floating-point state
  std::size_t offset;                 // of the data from an aligned address, in bytes
  Place places[kParts];               // of all but the data
  std::vector<std::uint8_t> pattern;  // fills data and table

  bool HasList() const { return kind != Kind::kWrite && kind != Kind::kAdd; }
  bool HasTable() const { return kind == Kind::kEmbed || kind == Kind::kEmbedAt; }
  bool HasBatch() const { return kind == Kind::kAddBatch; }
  bool HasPositions() const { return kind == Kind::kWriteAt || kind == Kind::kAddAt; }
  bool HasBoth() const { return kind == Kind::kEmbedAt; }  // ids, and their positions
  bool PassesList() const { return HasList() && !null[kList]; }

  // The index that such a status comes with, or `none`.
  std::size_t BadIndex(posenc_status status, std::size_t none) const;

  // Whether a NaN of x may stay what it is.
  bool KeepsNans() const {
    const bool adds = kind != Kind::kWrite && kind != Kind::kWriteAt;
    return adds && type == POSENC_F32 && scale != 0.0f && scale - scale == 0.0f;
  }

  // With the parts of its memory.
  Parts MakeParts() const;
  Faults CallFaults(const Parts& parts) const;
  posenc_status Run(const posenc_encoder* encoder, const Parts& parts, std::size_t* bad_index) const;

  // Whether an accepted call may touch more memory than there is.
  bool IsLarge() const { return DataSize() > kLargest || TableSize() > kLargest; }

 private:
  static constexpr std::size_t kLargest = 1 << 17;

  void MakeTypes(FuzzedDataProvider& bytes);
  void MakeSizes(FuzzedDataProvider& bytes);
  void MakeLists(FuzzedDataProvider& bytes);
  // Appends count values and returns the first that is bad.
  std::size_t MakePositions(posenc_type value, std::vector<std::uint8_t>* values,
                            FuzzedDataProvider& bytes) const;
  std::size_t MakeIndices(FuzzedDataProvider& bytes);
  bool TakesType(posenc_type entry) const;
  bool TakesListType(posenc_type value) const;
  bool TakesTableType(posenc_type entry) const;
  bool IsIndex(std::int64_t value) const;  // or a first position
  bool IsEmpty() const { return rows == 0 || (HasBatch() && batch == 0); }
  Faults SizeFaults() const;

  // Bytes that an accepted call may touch. A refused one may claim more.
  std::size_t DataSize() const;
  std::size_t TableSize() const;
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_CALL_INPUT_H_
