// What the fuzzer of the C ABI makes of its bytes beyond call_input.h: what C can say and C++ cannot, and
// which statuses the documentation allows.
#ifndef POSENC_TESTS_FUZZ_C_INPUT_H_
#define POSENC_TESTS_FUZZ_C_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call_input.h"
#include "fuzzing.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace fuzz {

// The faults of a call, each with its status. Which of several is reported is the library's choice.
class Faults {
 public:
  void AddIf(bool fault, posenc_status status) {
    if (fault) statuses_.push_back(status);
  }
  void Add(Status status) { AddIf(status != Status::kOk, static_cast<posenc_status>(status)); }
  bool None() const { return statuses_.empty(); }

  // Whether a call with these faults may report that.
  bool Allow(posenc_status status) const;

 private:
  std::vector<posenc_status> statuses_;
};

// A posenc_spec as a caller with a header of another version might pass it: struct_size bytes, no more.
class CSpec {
 public:
  explicit CSpec(FuzzedDataProvider& bytes);

  const posenc_spec* get() const { return null_ ? nullptr : data(); }
  std::size_t size() const { return memory_.size(); }
  std::size_t list_size() const { return input_.list.size(); }

  // The same, with a copy of the list, which it makes, at `list` [list_size()].
  Memory WithListAt(std::uint8_t* list) const;

  // What a creation from it must say; *encoder, the same in C++, if nothing.
  Faults Create(Encoder* encoder) const;

 private:
  const posenc_spec* data() const { return reinterpret_cast<const posenc_spec*>(memory_.data()); }

  std::string target_;
  SpecInput input_;
  posenc_layout layout_;
  posenc_recipe recipe_;
  posenc_unit unit_;
  std::size_t struct_size_;
  bool unknown_member_ = false;
  bool null_;
  Memory memory_;
};

// A call's memory. Its parts are blocks of their own, or lie in one block, where they may touch or overlap.
class Parts {
 public:
  enum Part { kData, kList, kTable, kCount };

  // Where the list and the table are, relative to the data, if all is in one block.
  struct Place {
    enum Side : std::uint8_t { kBefore, kAfter, kWithin, kMaxValue = kWithin } side;
    std::size_t shift;
  };

  Parts(const CallInput& call, std::size_t dim, bool one_block, const Place (&places)[kCount]);

  Buffers At(const CallInput& call, std::size_t* bad_index) const {
    return MakeBuffers(call, at_[kData], at_[kList], at_[kTable], bad_index);
  }
  // For a call that is right but for that: whether what it writes overlaps what it reads.
  bool Overlap(const CallInput& call, std::size_t dim) const;
  friend bool operator==(const Parts& a, const Parts& b) { return a.blocks_ == b.blocks_; }

 private:
  std::vector<Memory> blocks_;
  std::uint8_t* at_[kCount];
};

// One of the calls, mostly with the types that its memory has, else with others that must be refused.
struct CCall {
  explicit CCall(FuzzedDataProvider& bytes);

  posenc_type ListType(const CallInput& call) const;
  posenc_type EntryType(const CallInput& call) const;
  bool HasBadType(const CallInput& call) const;

  bool null_encoder, null_bad_index, one_block;
  std::optional<posenc_type> other_list_type, other_entry_type;  // used where the call does not take them
  Parts::Place places[Parts::kCount];
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_C_INPUT_H_
