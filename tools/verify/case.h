// Defines a Case: the rows that posenc verify writes by one call of an encoder or of a rotary embedding.
#ifndef POSENC_TOOLS_VERIFY_CASE_H_
#define POSENC_TOOLS_VERIFY_CASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "number/elements.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_cache_c.h"
#include "verify/inputs.h"
#include "verify/norm_inputs.h"

namespace posenc {
namespace tools {

inline constexpr char kReferenceName[] = "REFERENCE";

static_assert(internal::kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>,
              "this folder's lists of types, and its special elements (calls.cc), have no other type");

enum class Operation {
  kWrite,
  kAdd,
  kRotate,
  kRotateCached,
  kWriteCache
};  // kWrite and kAdd are operations of an encoder, the others of a rotary embedding

enum class Mean { kNone, kHead, kToken };  // kToken: over all heads of a token
enum class Normed { kBoth, kQ, kK };

// The norm of a tensor before it is rotated. q and k have the same norm, but for their weights.
struct Norm {
  Mean mean = Mean::kNone;  // kNone: there is no norm
  Normed of = Normed::kBoth;
  double epsilon = 0x1p-20;
  bool plus_one = false;
  NormWeights weights = NormWeights::kNormal;
  std::vector<double> listed = {};  // weights of a head, which repeat; if empty, `weights` chooses them
  posenc_type weight_type = POSENC_F32;
  NormInputs inputs = NormInputs::kPairs;
};

// There is a row for each position or token. In a rotation, a row is the heads of q and then the heads of k.
struct Case {
  // The case as text: the row (rows.h) that makes it. Enum values are words, because their numbers may
  // change. tools/same-bits finds the same case in two commits by its label.
  std::string label = {};

  Operation operation = Operation::kWrite;
  posenc_spec
      encoder;  // `operation` says which of the two specs is used; neither has a target; lists are static
  posenc_rotary_spec rotary;
  posenc_type type = POSENC_F32;  // the type of entries
  posenc_type source_type = {};   // of the elements to rotate; 0: the type of entries

  std::int64_t first = 0;
  std::size_t rows = 0;
  std::vector<double> positions = {};  // [axes, rows]; if empty, first, first + 1, ... on all axes
  posenc_type list = {};               // I32, I64, F32 or F64: positions are passed as a list; 0: as a run

  Inputs inputs = Inputs::kEvery;  // the elements to rotate; for kAdd, special values or any values
  // The two elements of every pair or, with a norm, the elements of a head, which repeat: first those of
  // pairs. If empty, `inputs` chooses them.
  std::vector<double> elements = {};
  std::size_t rare = 1;    // one pair among so many is of this kind, and the others are kNormal
  std::uint32_t seed = 1;  // chooses the elements to rotate
  double scale = 1.0;      // the scale of q or, as a float, of the input of kAdd
  std::vector<double> token_factors = {};  // of q: floats, which repeat; empty: q has no factors
  std::size_t q_heads = 3, k_heads = 1;
  bool inverse = false;  // whether q is rotated backwards
  bool in_place = true;  // unless the rotation converts elements
  int slots = 0;  // 1: k goes to slots of a paged cache [blocks, block_size, heads, head_dim]. 2: heads first
  posenc_cache_layout cache_layout = POSENC_CACHE_COS_SIN;  // for kWriteCache
  posenc_type cache_type = POSENC_F32;                      // for kRotateCached
  Norm norm = {};

  Case();  // sets all members to their defaults

  // Puts the term "key=value" into the label, in place of a term with the same key.
  void Label(const std::string& key, const std::string& value);

  bool is_rotary() const { return operation >= Operation::kRotate; }
  bool IsConverted() const { return source_type != posenc_type{} && source_type != type; }
  std::size_t axes() const { return is_rotary() ? rotary.axes : 1; }
  std::size_t pairs() const;  // only for a rotary embedding
  std::size_t heads() const { return q_heads + k_heads; }
  bool HasNorm() const { return norm.mean != Mean::kNone; }
  bool HasNorm(bool is_k) const { return HasNorm() && norm.of != (is_k ? Normed::kQ : Normed::kK); }
  std::size_t columns() const;
  // What multiplies q's heads at a row.
  float Factor(std::size_t row) const {
    return token_factors.empty() ? 1.0f : static_cast<float>(token_factors[row % token_factors.size()]);
  }
  double Position(std::size_t axis, std::size_t row) const {
    return positions.empty() ? static_cast<double>(first + static_cast<std::int64_t>(row))
                             : positions[axis * rows + row];
  }
};

// The encoder or the rotary embedding of a case, for a target. If `target` is null, for the best target. The
// library must accept the spec.
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
