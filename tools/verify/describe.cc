#include "number/exact.h"

#include "verify/describe.h"

#include <cstdio>

#include "command/specs.h"
#include "oracle/format.h"
#include "spec/tables.h"

namespace posenc {
namespace tools {

std::string DescribeSpec(const Case& c) { return c.is_rotary() ? Describe(c.rotary) : Describe(c.encoder); }

std::string Describe(const Case& c) {
  constexpr const char* kOperations[] = {"Write", "Add", "Rotate", "RotateCached", "WriteCache"};
  std::string text = kOperations[static_cast<int>(c.operation)];
  if (c.list != 0) text += "At";
  text.append(" ").append(TraitsOf(c.type).name).append(", ").append(DescribeSpec(c));
  if (c.operation == Operation::kWriteCache)
    return text + ", " + internal::WordOf<internal::Of::cache_layout>(c.cache_layout);
  if (!c.is_rotary()) {
    if (c.list == POSENC_F32) text += ", positions f32";
    if (c.encoder.nan_rows != 0) text += ", rows of NaN";
    if (c.encoder.lists_only != 0) text += ", lists only";
    if (c.operation == Operation::kAdd)
      text += ", scale " + Shortest(static_cast<double>(static_cast<float>(c.scale)));
    return text;
  }
  if (c.operation == Operation::kRotateCached)
    text.append(", a cache of ").append(TraitsOf(c.cache_type).name);
  if (c.scale != 1.0) text += ", scale " + Shortest(c.scale);
  if (c.inverse) text += ", back";
  if (!c.in_place) text += ", from a source";
  return text;
}

std::string NameOf(const Group& group) {
  const Case& c = group.cases.front();
  if (c.operation == Operation::kRotate) return "rotation, " + DescribeSpec(c) + ", " + group.name;
  if (!group.name.empty()) return group.name;
  if (c.is_rotary()) return "cache, " + DescribeSpec(c);
  return DescribeSpec(c) + ", " + std::to_string(c.first) + " <= p < " +
         std::to_string(c.first + static_cast<std::int64_t>(c.rows));
}

const char* EntryName(const Case& c, bool is_second) {
  if (c.operation == Operation::kRotate) return is_second ? "y" : "x";
  return is_second ? "sine" : "cosine";
}

std::string ShowEntry(posenc_type type, std::uint64_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "0x%0*llx (%.*g)", static_cast<int>(2 * TraitsOf(type).size),
                static_cast<unsigned long long>(bits), type == POSENC_F64 ? 17 : 9,
                oracle::Unpack(type, bits));
  return text;
}

}  // namespace tools
}  // namespace posenc
