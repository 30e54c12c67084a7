// What posenc verify writes: the rows of one call of an encoder or of a rotary.
#ifndef POSENC_TOOLS_VERIFY_CASE_H_
#define POSENC_TOOLS_VERIFY_CASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "posenc/posenc_c.h"
#include "posenc/rotary_cache_c.h"
#include "verify/inputs.h"

namespace posenc {
namespace tools {

inline constexpr char kReferenceName[] = "REFERENCE";

enum class Operation {
  kWrite,
  kAdd,
  kRotate,
  kRotateCached,
  kWriteCache
};  // of an encoder, from kRotate on of a rotary

// A row per position or token. Entries of a rotation are the heads of two tensors, q and k, behind each
// other.
struct Case {
  // The case in words: the terms of a row (rows.h) that make it, without enum values, which may be
  // renumbered. tools/same-bits compares the cases of two commits by it.
  std::string label = {};

  Operation operation = Operation::kWrite;
  posenc_spec encoder;  // the spec of one of the two nouns counts, without a target; lists are static
  posenc_rotary_spec rotary;
  posenc_type type = POSENC_F32;  // of the entries

  std::int64_t first = 0;
  std::size_t rows = 0;
  std::vector<double> positions = {};  // [axes, rows]; or empty: first, first + 1, ... on all axes
  posenc_type list = {};               // I32, I64, F32 or F64: they are passed as a list; 0: as a run

  Inputs inputs = Inputs::kEvery;  // what is rotated; what is added to is special values, or any
  std::uint32_t seed = 1;          // of what is rotated
  double scale = 1.0;              // of what is added to, as a float, and of q
  std::size_t q_heads = 3, k_heads = 1;
  bool inverse = false;  // of q
  bool in_place = true;
  posenc_cache_layout cache_layout = POSENC_CACHE_COS_SIN;  // of the cache that is written
  posenc_type cache_type = POSENC_F32;                      // of the cache that is rotated by

  Case();  // defaults

  // States a term of the label, "key=value", in place of one with that key.
  void Label(const std::string& key, const std::string& value);

  bool is_rotary() const { return operation >= Operation::kRotate; }
  std::size_t axes() const { return is_rotary() ? rotary.axes : 1; }
  std::size_t pairs() const;  // of a rotary
  std::size_t heads() const { return q_heads + k_heads; }
  std::size_t columns() const;
  double Position(std::size_t axis, std::size_t row) const {
    return positions.empty() ? static_cast<double>(first + static_cast<std::int64_t>(row))
                             : positions[axis * rows + row];
  }
};

// The encoder or rotary of a case, on a target or, if it is null, on the best one. Requires that there is
// one.
class Handle {
 public:
  Handle(const Case& c, const char* target);

  const posenc_encoder* encoder() const { return encoder_.get(); }
  const posenc_rotary* rotary() const { return rotary_.get(); }

 private:
  std::shared_ptr<posenc_encoder> encoder_;
  std::shared_ptr<posenc_rotary> rotary_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASE_H_
