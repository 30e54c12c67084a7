#include "number/exact.h"

#include "verify/runner.h"

#include <cstdio>

#include "api/handle.h"
#include "call/call.h"
#include "call/rotary.h"
#include "verify/describe.h"

namespace posenc {
namespace tools {
namespace {

// Writes the rows by the library's internal walker of rows, tokens or caches, which also counts what the
// rounding test sent to slower methods.
void Walk(const Case& as, const Handle& handle, Calls* calls, Written* written) {
  const auto walk = [&](const Calls::Arguments& a) {
    const internal::List list(a.list);
    if (!as.is_rotary()) {
      return internal::WalkRows({handle.encoder()->encoder, a.out.type}, a.first, list, a.rows,
                                {a.out.data, a.out.stride});
    }
    const internal::Rotary& rotary = handle.rotary()->rotary;
    const internal::TokenPositions tokens{a.first, list, as.rotary.axes, a.rows};
    if (as.operation == Operation::kWriteCache) return internal::WalkCache(rotary, tokens, a.cache);
    return internal::WalkTokens(rotary, tokens, {a.heads, 2});
  };
  calls->With(
      as, [&](const Calls::Arguments& a) { written->tally = walk(a); }, &written->entries, &written->seconds);
}

}  // namespace

Runner::Runner(const Case& c, bool is_area, const std::vector<std::string>& targets)
    : is_area_(is_area),
      variants_(VariantsOf(c, is_area)),
      calls_(c),
      expected_(c, is_area, &calls_),
      targets_(targets) {
  for (const std::string& target : targets) {
    handles_.emplace_back(variants_.front().as, target.c_str());
    if (is_area && c.operation == Operation::kRotate)
      neighbours_.emplace_back(variants_[1].as, target.c_str());
  }
}

const Handle& Runner::HandleOf(std::size_t target, const Variant& variant) const {
  const bool is_neighbours = !neighbours_.empty() && variant.as.rotary.pairing == POSENC_NEIGHBOURS;
  return (is_neighbours ? neighbours_ : handles_)[target];
}

bool Runner::Write(std::size_t target, const Variant& variant, Written* written) {
  const Handle& handle = HandleOf(target, variant);
  if (is_area_) {
    if (!IsWritten(variant.as, calls_.row())) return false;
    const bool is_list_of_encodings = !variant.as.is_rotary() && variant.as.list != 0;
    if (is_list_of_encodings && !handle.encoder()->encoder.table.has_offsets)
      return false;  // lists use the same code as runs
    Walk(variant.as, handle, &calls_, written);
    return true;
  }
  calls_.Call(variant.as, handle, &written->entries, &written->seconds);
  const Operation operation = variant.as.operation;
  if (operation == Operation::kAdd || operation == Operation::kRotateCached) return true;
  if (targets_[target] == kReferenceName) return true;
  Written again;
  Walk(variant.as, handle, &calls_, &again);
  written->tally = again.tally;
  return true;
}

std::string Runner::Explain(const Variant& variant, std::size_t row, std::size_t column, std::uint64_t got,
                            std::uint64_t expected) {
  std::string text = (is_area_ ? std::string(variant.call) + " " : "") + variant.as.label + ", position";
  char number[64];
  for (std::size_t k = 0; k < variant.as.axes(); ++k) {
    std::snprintf(number, sizeof(number), " %.17g", variant.as.Position(k, row));
    text += number;
  }
  const posenc_type type = variant.as.type;
  return text + ", column " + std::to_string(column) + ": got " + ShowEntry(type, got) + ", expected " +
         ShowEntry(type, expected) + "; " + expected_.Exact(variant.as, row, column);
}

}  // namespace tools
}  // namespace posenc
